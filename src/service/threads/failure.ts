/** Why a database thread failed, in words for the analyst. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { EmbeddedSource } from '#shared/embedded.ts';
import { codeOf, diskFailure, isDenied, isDiskFull, withheld } from '#shared/model/disk-errors.ts';
import { diskCause } from '#workers/disk-cause.ts';
import { reasonOf } from '../formats/files/reason.ts';
import { DAMAGED_DEMO, DAMAGED_EVIDENCE } from '../store/damage.ts';
import { isCorrupt, NewerStoreError } from '../store-sqlite/sqlite-store.ts';

const DISK_ERROR = 'the disk reports an error';

const isFull = (error: unknown): boolean => isDiskFull(error) || codeOf(error) === 'SQLITE_FULL';

/** Why the database at `path` could not be opened. The file is never changed by the attempt. */
export function openingFailureOf(
  error: unknown,
  kind: EmbeddedSource['kind'],
  path: string,
  signal: AbortSignal,
): ParapetError {
  if (signal.aborted || error instanceof ParapetError) return failureOf(error, path, signal);
  const isDemo = kind === 'demo';
  const what = isDemo ? 'The database of the demo tenant' : 'The index of this evidence';
  const code = codeOf(error);
  const cause = diskCause(error, path) ?? error;
  if (isFull(cause))
    return new ParapetError(
      'disk-full',
      `${what} could not be opened or made, because the disk is full. ${isDemo ? 'What you saved in it' : 'What was read'} stays. Free some space, then try again.`,
      { retryable: true, cause: error },
    );
  const reason =
    withheld(cause) ?? diskFailure(cause) ?? (code.startsWith('SQLITE_IOERR') ? DISK_ERROR : null);
  if (reason !== null)
    return new ParapetError(
      'bad-file',
      `${what} could not be opened: ${reason}. It was left as it is. Try again.`,
      { retryable: true, cause: error },
    );
  if (/^(?:EACCES|EPERM|EROFS|SQLITE_(?:CANTOPEN|READONLY|PERM))/.test(code))
    return new ParapetError(
      'permission-denied',
      `${what} could not be opened: Parapet may not read and write ${path}, or its folder. It was left as it is. Give your account access to both, then try again.`,
      { retryable: true, cause: error },
    );
  if (error instanceof NewerStoreError)
    return new ParapetError(
      'newer-schema',
      `${what} was made by a newer version of Parapet, which this one cannot read. It was left as it is. Open it with the newer version${isDemo ? `, or move ${path} elsewhere: the demo tenant is then made anew` : ''}.`,
    );
  if (isDemo && isCorrupt(error)) return new ParapetError('damaged', DAMAGED_DEMO, { cause: error });
  return failureOf(error, path, signal);
}

/**
 * `path` is the file or folder that could not be opened or read. `signal` is aborted if the analyst cancelled.
 * `database` is the index, which may be on another disk.
 */
export function failureOf(
  error: unknown,
  path: string,
  signal: AbortSignal,
  database: string | null = null,
): ParapetError {
  if (signal.aborted)
    return new ParapetError('cancelled', 'The import was cancelled. What had been read stays.');
  if (error instanceof ParapetError) return error;
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new ParapetError('path-missing', `There is nothing at ${path}. Choose the folder or file again.`);
  if (isDenied(error))
    return new ParapetError('permission-denied', `${path} cannot be read: access is denied.`);
  if (isCorrupt(error)) return new ParapetError('damaged', DAMAGED_EVIDENCE, { cause: error });
  if (isFull(error) || (database !== null && isDiskFull(diskCause(error, database))))
    return new ParapetError(
      'disk-full',
      'The disk is full: no more of this evidence can be kept. What was read stays. Free some space and read on.',
      { retryable: true, cause: error },
    );
  const ofIndex = code.startsWith('SQLITE_')
    ? (withheld(error) ?? (code.startsWith('SQLITE_IOERR') ? DISK_ERROR : null))
    : null;
  if (ofIndex !== null)
    return new ParapetError(
      'bad-file',
      `The index of this evidence could not be read or written: ${ofIndex}. What was read stays. Check the disk of the profile folder, then read on.`,
      { retryable: true, cause: error },
    );
  if (diskFailure(error) !== null || withheld(error) !== null || /^E[A-Z]+$/.test(code))
    return new ParapetError('bad-file', `${path} cannot be read: ${reasonOf(error)}.`);
  const reason = error instanceof Error ? error.message : String(error);
  return new ParapetError('internal', `The embedded service failed: ${reason}`, { cause: error });
}
