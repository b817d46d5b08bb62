/** What SQLite and the file system say, as errors an analyst can act on. */
import { ParapetError } from '#shared/bridge/errors.ts';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));

/** Maps any failure of the store; a ParapetError passes as it is. */
export function storeError(error: unknown): ParapetError {
  if (error instanceof ParapetError) return error;
  const code = codeOf(error);
  const cause = { cause: error };
  if (/^SQLITE_FULL|^ENOSPC|^EDQUOT/.test(code))
    return new ParapetError('disk-full', 'The disk is full. Free some space and try again.', {
      ...cause,
      retryable: true,
    });
  if (/^SQLITE_READONLY|^EROFS/.test(code))
    return new ParapetError(
      'read-only-profile',
      'The profile folder cannot be written to, so nothing can be kept.',
      cause,
    );
  if (isDamage(error))
    return new ParapetError('damaged', 'A database of the profile is damaged. It is being replaced.', {
      ...cause,
      retryable: true,
    });
  if (/^SQLITE_(CANTOPEN|PERM|AUTH)|^EACCES|^EPERM/.test(code))
    return new ParapetError(
      'permission-denied',
      'A database of the profile could not be opened: permission was denied.',
      cause,
    );
  const reason = error instanceof Error ? error.message : String(error);
  return new ParapetError('internal', `A database of the profile failed: ${reason}`, cause);
}
