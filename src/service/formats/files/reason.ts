import { dictionary } from '#shared/dictionary.ts';
import { codeOf, diskFailure, withheld } from '#shared/model/disk-errors.ts';
import { NotRegularError } from './open-regular.ts';

/** A system error in words an analyst can act on. */
export function reasonOf(error: unknown): string {
  if (error instanceof NotRegularError) return error.message;
  const code = codeOf(error);
  const words: Record<string, string> = dictionary({
    ENOENT: 'it does not exist',
    EACCES: 'no permission to read it',
    EPERM: 'no permission to read it',
    EISDIR: 'it is a folder',
    ELOOP: 'its links go in a circle',
    EIO: 'the disk reports a read error',
    EMFILE: 'too many files are open',
    EINTR: 'reading it was interrupted',
    ENAMETOOLONG: 'its name is too long',
  });
  return (
    words[code] ??
    diskFailure(error) ??
    withheld(error) ??
    (code || (error instanceof Error ? error.message : 'unknown error'))
  );
}
