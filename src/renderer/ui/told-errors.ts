import { createContext } from 'react';

/** Codes of errors that the screen reports once above its panels; panels then only say that they have no data. */
export const ToldErrors = createContext<ReadonlySet<string>>(new Set());
