import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../proof/read-back.ts';
import { type FileCalls, openFileOut as openWith, realFiles } from './file-out.ts';

const HALF = 256 * 1024;
const WHOLE = 512 * 1024;
/** Bytes after which the file is flushed to disk. */
const FLUSH_AT = 32 * 1024 * 1024;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-file-out-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** These tests do not check durability, and syncing would take most of their time. */
const quick: FileCalls = { ...realFiles, sync: () => undefined };

let files = 0;
/** One long pattern that does not repeat within a chunk, so that misplaced bytes are detected. */
const pattern = Buffer.alloc(8 * WHOLE);
for (let index = 0; index < pattern.length; index += 4)
  pattern.writeUInt32LE((index * 2_654_435_761) >>> 0, index);
const chunksOf = (sizes: readonly number[]): Buffer[] => {
  let offset = 0;
  return sizes.map((size) => {
    const from = offset % (pattern.length - size + 1);
    offset += size + 1;
    return pattern.subarray(from, from + size);
  });
};

const openFileOut = (path: string, calls: FileCalls) =>
  openWith(
    path,
    createReader({ format: null, zip: false, password: null, id: null, scratch: folder }),
    calls,
  );

async function expectWhole(sizes: readonly number[], calls: FileCalls = quick): Promise<void> {
  const path = join(folder, String(files++));
  const chunks = chunksOf(sizes);
  const out = openFileOut(path, calls);
  for (const chunk of chunks) out.write(chunk);
  const digest = await out.close();
  const expected = Buffer.concat(chunks);
  const bytes = readFileSync(path);
  rmSync(path);
  expect(bytes.length).toBe(expected.length);
  expect(bytes.equals(expected)).toBe(true);
  expect(digest).toMatchObject({
    bytes: expected.length,
    sha256: createHash('sha256').update(expected).digest('hex'),
  });
}

const AROUND = [HALF, WHOLE].flatMap((limit) => [limit - 1, limit, limit + 1]);
const SIZES = [0, 1, 9, ...AROUND, 2 * WHOLE + 1];
const size = fc.oneof(
  fc.constantFrom(...SIZES),
  fc.integer({ min: 0, max: 64 }),
  fc.integer({ min: 0, max: WHOLE + 64 }),
);

describe('the bytes of a file', () => {
  it('are in the order in which they were written, whatever the sizes of the chunks', async () => {
    for (const first of SIZES)
      for (const second of SIZES)
        for (const third of [0, 1, HALF + 1, WHOLE]) await expectWhole([first, second, third]);
  });

  it('the same in any sequence, even if the file system accepts only a part at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(size, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: WHOLE }), { minLength: 1, maxLength: 5 }),
        async (sizes, takes) => {
          let turn = 0;
          await expectWhole(sizes, {
            ...quick,
            write: (fd, bytes, position) =>
              realFiles.write(fd, bytes.subarray(0, position + takes[turn++ % takes.length]!), position),
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('are a prefix of what was written if a write fails, and the failure is reported', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(size, { minLength: 1, maxLength: 8 }),
        fc.nat({ max: 8 }),
        async (sizes, failing) => {
          const path = join(folder, String(files++));
          const chunks = chunksOf(sizes);
          let turn = 0;
          const out = openFileOut(path, {
            ...quick,
            write(fd, bytes, position) {
              if (turn++ === failing) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
              return realFiles.write(fd, bytes, position);
            },
          });
          let reported = false;
          try {
            for (const chunk of chunks) out.write(chunk);
            await out.close();
          } catch {
            reported = true;
          }
          const bytes = readFileSync(path);
          rmSync(path);
          expect(reported).toBe(turn > failing);
          expect(Buffer.concat(chunks).subarray(0, bytes.length).equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('are not reported as complete if the disk refused some of them while more were written', async () => {
    const big = Buffer.alloc(33 * 1024 * 1024, 'x');
    for (const after of [0, 1]) {
      const path = join(folder, String(files++));
      let refuse = (): void => undefined;
      let flushes = 0;
      const out = openFileOut(path, {
        ...quick,
        flush: () =>
          new Promise((_, reject) => {
            flushes++;
            refuse = () => reject(Object.assign(new Error('lost'), { code: 'EIO' }));
          }),
      });
      out.write(big.subarray(0, FLUSH_AT - 1));
      expect(flushes).toBe(0);
      out.write(big.subarray(0, HALF + 1));
      // Only one flush runs at a time.
      for (let n = 0; n < after; n++) out.write(big);
      expect(flushes).toBe(1);
      const closing = out.close();
      refuse();
      await expect(closing).rejects.toMatchObject({ code: 'EIO' });
      rmSync(path);
    }
  });
});
