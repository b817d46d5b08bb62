import { createContext } from 'react';

/** Codes of errors that the screen tells of once, above its panels: a panel then only says that it has nothing. */
export const ToldErrors = createContext<ReadonlySet<string>>(new Set());
