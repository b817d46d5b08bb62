/** Why a database thread failed, in words for the analyst. */
import { ParapetError } from '#shared/bridge/errors.ts';
import { reasonOf } from '../evidence/reader/walk.ts';
import { CORRUPT_WORDS, isCorrupt, NewerStoreError } from '../store/store.ts';

/** `path`: what could not be opened or read. `signal`: aborted when the analyst cancelled. */
export function failureOf(error: unknown, path: string, signal: AbortSignal): ParapetError {
  if (signal.aborted)
    return new ParapetError('cancelled', 'The import was cancelled. What had been read stays.');
  if (error instanceof ParapetError) return error;
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new ParapetError('path-missing', `There is nothing at ${path}. Choose the folder or file again.`);
  if (code === 'EACCES' || code === 'EPERM')
    return new ParapetError('permission-denied', `${path} cannot be read: access is denied.`);
  if (error instanceof NewerStoreError)
    return new ParapetError('newer-schema', 'The index of this evidence was made by a newer version.');
  if (isCorrupt(error)) return new ParapetError('damaged', CORRUPT_WORDS, { cause: error });
  if (code === 'SQLITE_FULL' || code === 'ENOSPC')
    return new ParapetError(
      'disk-full',
      'The disk is full: no more of this evidence can be kept. What was read stays. Free some space and read on.',
      { retryable: true, cause: error },
    );
  if (/^E[A-Z]+$/.test(code ?? ''))
    return new ParapetError('bad-file', `${path} cannot be read: ${reasonOf(error)}.`);
  const reason = error instanceof Error ? error.message : String(error);
  return new ParapetError('internal', `The embedded service failed: ${reason}`, { cause: error });
}
