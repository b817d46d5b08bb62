/**
 * Whether something exists at a path. Throws if the lookup fails, for which `existsSync` returns false: the caller would
 * replace a file that it takes for missing.
 */
import { statSync } from 'node:fs';

export const isThere = (path: string | Buffer): boolean =>
  statSync(path, { throwIfNoEntry: false }) !== undefined;
