import type { FileHandle } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type SigninFormat, signinLines } from './signin-file.ts';

/** A file whose second read fails. */
function failingAfter(text: string): FileHandle {
  const file: Pick<FileHandle, 'read'> = {
    read: (async (buffer: Buffer, _offset: number, _length: number, at: number) => {
      if (at > 0) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
      return { bytesRead: buffer.write(text), buffer };
    }) as FileHandle['read'],
  };
  return file as FileHandle;
}

const linesOf = async (file: FileHandle, format: SigninFormat): Promise<number> => {
  let count = 0;
  for await (const _ of signinLines(file, format)) count += 1;
  return count;
};

it.each<[string, SigninFormat]>([
  ['time,user\n2026-01-05T10:00:00Z,a@x.example\n', { kind: 'csv', delimiter: ',', from: 1 }],
  ['{"time":"2026-01-05T10:00:00Z","user":"a@x.example"}\n', { kind: 'lines' }],
  ['[{"time":"2026-01-05T10:00:00Z","user":"a@x.example"},', { kind: 'json' }],
])('a read error ends the log with that error: %s', async (text, format) => {
  await expect(linesOf(failingAfter(text), format)).rejects.toMatchObject({ code: 'EIO' });
});
