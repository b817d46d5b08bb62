/**
 * Turns errors of SQLite and the file system into ones an analyst can act on. Plain data, because workers start three
 * times as fast without the schema library behind ParapetError.
 */
import type { BridgeError } from '#shared/bridge/errors.ts';
import { codeOf, diskFailure, isDiskFull, withheld } from '#shared/model/disk-errors.ts';

/** A failure of the store that already has its user-facing message. */
export class StoreFailure extends Error {
  readonly error: BridgeError;
  constructor(error: BridgeError) {
    super(error.message);
    this.name = 'StoreFailure';
    this.error = error;
  }
}

export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));

/** Maps any error of the store. */
export function storeError(error: unknown): BridgeError {
  if (error instanceof StoreFailure) return error.error;
  const code = codeOf(error);
  if (isDiskFull(error) || code === 'SQLITE_FULL')
    return {
      code: 'disk-full',
      message: 'The disk is full. Free some space and try again.',
      retryable: true,
    };
  if (/^SQLITE_READONLY|^EROFS/.test(code))
    return {
      code: 'read-only-profile',
      message: 'The profile folder is not writable, so nothing can be saved.',
      retryable: false,
    };
  if (isDamage(error))
    return {
      code: 'damaged',
      message:
        'A database of the profile is damaged, or its disk failed for a moment. Try again. If it happens again, close Parapet and start it again: its databases are then examined and repaired.',
      retryable: true,
    };
  if (/^SQLITE_(PERM|AUTH)|^EACCES|^EPERM/.test(code))
    return {
      code: 'permission-denied',
      message: 'A database of the profile could not be opened: permission was denied.',
      retryable: false,
    };
  if (code === 'SQLITE_IOERR_SHMMAP')
    return {
      code: 'permission-denied',
      message:
        'The disk of the profile folder cannot hold its databases: it does not let files be mapped into memory, as some network shares do not. Choose a profile folder on another disk with --profile.',
      retryable: false,
    };
  const failure =
    diskFailure(error) ??
    (code === 'ENOENT' || code === 'ENOTDIR' ? 'its folder is no longer there' : null) ??
    // better-sqlite3 says so also if the folder cannot be accessed.
    (error instanceof TypeError && error.message.includes('directory does not exist')
      ? 'its folder is not there or cannot be accessed'
      : null) ??
    (/^SQLITE_IOERR/.test(code) ? 'the disk reports an error' : null);
  if (failure !== null)
    return {
      code: 'internal',
      message: `A database of the profile could not be read or written: ${failure}. Check the disk of the profile folder, and try again.`,
      retryable: true,
    };
  if (/^SQLITE_CANTOPEN/.test(code))
    return {
      code: 'internal',
      message:
        'A database of the profile could not be opened. Check that the disk of the profile folder works and that Parapet may write there, and try again.',
      retryable: true,
    };
  const refused = withheld(error);
  if (refused !== null)
    return {
      code: 'internal',
      message: `A database of the profile could not be read or written: ${refused}. Try again.`,
      retryable: true,
    };
  const reason = error instanceof Error ? error.message : String(error);
  return { code: 'internal', message: `A database of the profile failed: ${reason}`, retryable: false };
}
