import { createContext } from 'react';

/**
 * Codes of errors that a banner or the screen reports once above the panels; panels then only say that they have no
 * data.
 */
export const ToldErrors = createContext<ReadonlySet<string>>(new Set());
