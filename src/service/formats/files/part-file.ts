/** Files in which a mail program keeps parts of a mail, apart from the mail. */
import { codeOf } from '#shared/model/disk-errors.ts';
import { bytesAt, fileSource } from './bytes.ts';
import { NotRegularError, openRegular } from './open-regular.ts';
import type { FilePath } from './paths.ts';
import { reasonOf } from './reason.ts';

/** Errors that count as a missing file, including links, which are not followed, and names too long for a file. */
const MISSING = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'];

/** null for a missing file. Throws, in words, for one that cannot be read, which must not be treated like it. */
export function unlessMissing(error: unknown): null {
  if (error instanceof NotRegularError || MISSING.includes(codeOf(error))) return null;
  throw new Error(
    `an attachment that a mail program keeps in another file cannot be read: ${reasonOf(error)}`,
    {
      cause: error,
    },
  );
}

/**
 * The content of a part, or null if it is missing, or has more than `most` bytes. Throws, in words, if it cannot be
 * read.
 */
export async function partFile(path: FilePath, most: number): Promise<Buffer | null> {
  const opened = await openRegular(path).catch(unlessMissing);
  if (opened === null) return null;
  try {
    if (opened.size > most) return null;
    // Node's own readFile takes a short read for the end of the file.
    return await bytesAt(fileSource(opened.handle, opened.size), 0, opened.size).catch(unlessMissing);
  } finally {
    await opened.handle.close();
  }
}
