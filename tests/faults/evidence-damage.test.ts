/** Randomly damaged mail files: each is read or reported, and none ends or blocks the import. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { randomOf } from '#tests/support/differential.ts';
import { layOneOfEach } from '#tests/support/evidence-kinds.ts';

const FILES = process.env['PARAPET_LONG'] ? 5_000 : 60;
/** No file of a few KiB takes longer than this, in ms, even on a busy machine. */
const LONG = 20_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-damage-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const WORDS = [0, 1, 0x7fff_ffff, 0xffff_ffff, 0xffff_fffe];

/** Changes bytes, makes sizes and offsets absurd, cuts off the end, or repeats a piece. */
function damaged(whole: Buffer, upTo: (end: number) => number): Buffer {
  let bytes = Buffer.from(whole);
  for (let times = upTo(8); times >= 0 && bytes.length > 4; times -= 1) {
    // Every third time near the beginning, where a container declares its format.
    const offset = upTo(upTo(3) === 0 ? Math.min(600, bytes.length - 4) : bytes.length - 4);
    const way = upTo(5);
    if (way === 0) bytes[offset] = upTo(256);
    else if (way === 1) bytes.writeUInt32LE(WORDS[upTo(WORDS.length)] ?? 0, offset);
    else if (way === 2) bytes.writeUInt16LE(upTo(0x1_0000), offset);
    else if (way === 3) bytes = Buffer.from(bytes.subarray(0, offset));
    else bytes = Buffer.concat([bytes.subarray(0, offset + upTo(512)), bytes.subarray(offset)]);
  }
  return bytes;
}

it('a damaged file of any kind is read, or listed with its reason', { timeout: FILES * LONG }, async () => {
  const kinds = path.join(folder, 'kinds');
  mkdirSync(kinds);
  await layOneOfEach(kinds);
  const files = readdirSync(kinds, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(kinds, path.join(parentPath, name)))
    .sort();
  for (let turn = 0; turn < FILES; turn += 1) {
    const random = randomOf(turn + 1);
    const file = files[turn % files.length] ?? '';
    const lone = path.join(folder, `${turn}`);
    mkdirSync(path.dirname(path.join(lone, file)), { recursive: true });
    writeFileSync(
      path.join(lone, file),
      damaged(readFileSync(path.join(kinds, file)), (end) => Math.floor(random() * end)),
    );
    const store = openEvidence({ path: ':memory:' });
    const from = performance.now();
    const { imported, problems } = await ingestEvidence(store, lone);
    store.close();
    expect(imported + problems.length, `${file}, damaged with ${turn + 1}`).toBeGreaterThan(0);
    expect(performance.now() - from, `${file}, damaged with ${turn + 1}`).toBeLessThan(LONG);
    rmSync(lone, { recursive: true });
  }
});
