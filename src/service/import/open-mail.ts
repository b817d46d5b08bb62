import { type ByteSource, bufferSource, fileSource } from '../formats/files/bytes.ts';
import { openRegular, startOf, withRegular } from '../formats/files/open-regular.ts';
import type { MailFile } from './walk.ts';

/** Mails up to this size are read at once; larger ones step by step. */
const READ_AT_ONCE = 1024 * 1024;

export interface OpenFile {
  source: ByteSource;
  size: number;
  /** Whether it is unchanged since it was opened. */
  isSame(): Promise<boolean>;
  close(): Promise<void>;
}

/** Throws as `openRegular` does. */
export async function openMail({ kind, path, size: listed }: MailFile): Promise<OpenFile> {
  if (kind === 'mail' && listed < READ_AT_ONCE) {
    const [whole, size] = withRegular(path, (fd, now) => [
      now < READ_AT_ONCE ? startOf(fd, now, now) : null,
      now,
    ]);
    if (whole !== null)
      return { source: bufferSource(whole), size, isSame: async () => true, close: async () => undefined };
  }
  const { handle, size, mtimeMs } = await openRegular(path);
  const isSame = async () => {
    const now = await handle.stat();
    return now.size === size && now.mtimeMs === mtimeMs;
  };
  return { source: fileSource(handle, size), size, isSame, close: () => handle.close() };
}
