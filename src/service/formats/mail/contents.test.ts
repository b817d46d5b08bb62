import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bufferSource } from '../files/bytes.ts';
import { attachedBudget, mailsInArchive } from './attached-archives.ts';
import { contentsOf } from './contents.ts';
import { DEFAULT_LIMITS } from './types.ts';

const BYTES = gzipSync(Buffer.from('From: a@x.example\n\nbody\n'));

it.each([
  ['EIO', -5],
  // Node has no codes for these.
  ['Unknown system error -116', -116],
  ['Unknown system error -121', -121],
])(
  '[bad input] %s while reading an archive is not reported as damage of the archive',
  async (code, errno) => {
    const failed = Object.assign(new Error(code), { code, errno, syscall: 'read' });
    let reads = 0;
    const source = {
      read: async (...args: Parameters<ReturnType<typeof bufferSource>['read']>) => {
        if (reads++ > 0) throw failed;
        return bufferSource(BYTES).read(...args);
      },
    };
    const read = async () => {
      const holder = { kind: 'gzip' as const, source, size: BYTES.length, name: 'a.eml.gz' };
      for await (const _ of contentsOf(holder, DEFAULT_LIMITS));
    };
    await expect(read()).rejects.toBe(failed);
  },
);

it('an attached mailbox with a Content-Length beyond its end gives its mails', async () => {
  const mail = 'From: a@x.example\nSubject: one\nContent-Length: 900\n\nbody\n';
  const bytes = Buffer.from(`From a@x.example Mon Jan  1 10:00:00 2024\n${mail}`);
  const archive = { path: '1', name: 'a.mbox', kind: 'mbox' as const, bytes };
  const contents: unknown[] = [];
  for await (const item of mailsInArchive(archive, attachedBudget(bytes.length), 10_000)) contents.push(item);
  expect(contents).toMatchObject([{ kind: 'mail', bytes: Buffer.from(mail) }]);
});
