import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allowUncaught } from '#tests/support/uncaught.ts';
import { openSpill, type Spill } from '../../files/spill-file.ts';
import { keysOf } from './keys.ts';
import { type Batch, gather, gatherBeside } from './merge.ts';
import { createScatter, type Scatter } from './partition.ts';

const ENTRY = new URL('../worker.ts', import.meta.url);
const ROWS = 1_000;
/** So wide that a bucket takes few ranks. */
const WIDTH = 1024 * 1024;

let folder: string;
let spill: Spill;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-gather-'));
  spill = openSpill(folder);
});
afterEach(() => {
  spill.close();
  rmSync(folder, { recursive: true, force: true });
});

const record = (row: number) => `row ${row} ${'x'.repeat(row % 50)}\n`;

function addTen(scatter: Scatter, first: number, lists: (string | Uint8Array)[]) {
  const records = Array.from({ length: 10 }, (_, index) => record(first + index));
  const lengths = records.map((text) => text.length);
  scatter.add({ first, lengths, ready: false }, Buffer.from(records.join('')), lists);
}

/** Rows the other way round, by ranks that come after `early` of them. */
function byRanks(early: number) {
  const scatter = createScatter(spill, { by: 'ranks', rows: ROWS, width: WIDTH }, ROWS);
  const positions = Uint32Array.from({ length: ROWS }, (_, rank) => ROWS - 1 - rank);
  for (let row = 0; row < ROWS; row += 10) {
    if (row === early) scatter.order({ positions });
    addTen(scatter, row, []);
  }
  return scatter.end();
}

/** The same by keys: tens falling, then rows falling. */
function byKeys() {
  const descending = [true, true];
  const scatter = createScatter(spill, { by: 'keys', descending }, ROWS);
  const cuts = Array.from(
    { length: 19 },
    (_, index) => keysOf([`[${950 - index * 50}]`, '[9]'], descending, [0]).bytes,
  );
  scatter.order({ cuts });
  for (let row = 0; row < ROWS; row += 10) {
    const tens = JSON.stringify(Array.from({ length: 10 }, () => row));
    addTen(scatter, row, [tens, Buffer.from('0\x001\x002\x003\x004\x005\x006\x007\x008\x009')]);
  }
  return scatter.end();
}

async function all(batches: AsyncIterable<Batch> | Iterable<Batch>): Promise<{ text: string; rows: number }> {
  let text = '';
  let count = 0;
  for await (const { bytes, rows } of batches) {
    text += Buffer.from(bytes).toString();
    count += rows;
  }
  return { text, rows: count };
}

const WANTED = Array.from({ length: ROWS }, (_, rank) => record(ROWS - 1 - rank)).join('');

test.each([0, 500, 990])(
  'a thread beside puts rows in order, %i of them there before their ranks',
  async (early) => {
    const buckets = byRanks(early);
    expect(buckets.length).toBeGreaterThan(10);
    expect(await all(gatherBeside(ENTRY, spill.share, buckets))).toEqual({ text: WANTED, rows: ROWS });
  },
);

test('rows are put in order by their keys, the same beside and here', async () => {
  const buckets = byKeys();
  expect(buckets.map(({ rows }) => rows)).toEqual(Array.from({ length: 20 }, () => 50));
  expect(await all(gatherBeside(ENTRY, spill.share, buckets))).toEqual({ text: WANTED, rows: ROWS });
  expect(await all(buckets.flatMap((bucket) => [...gather(spill.share, bucket)]))).toEqual({
    text: WANTED,
    rows: ROWS,
  });
});

test('rows that are not of the order are left out', () => {
  const scatter = createScatter(spill, { by: 'ranks', rows: ROWS, width: WIDTH }, 2);
  scatter.order({ positions: Uint32Array.of(7, 3) });
  for (let row = 0; row < ROWS; row += 10) addTen(scatter, row, []);
  const [bucket, ...others] = scatter.end();
  expect(others).toEqual([]);
  const [batch] = [...gather(spill.share, bucket!)];
  expect(Buffer.from(batch!.bytes).toString()).toBe(record(7) + record(3));
});

test('a thread that fails is told', async () => {
  // It ends by its error, which is how the thread beside it hears of it.
  allowUncaught(/shorter than it was written/);
  const buckets = byRanks(0);
  const damaged = buckets.map((bucket) => ({
    ...bucket,
    rows: bucket.rows + 1,
    extents: [{ at: 1e9, length: 9 }],
  }));
  await expect(all(gatherBeside(ENTRY, spill.share, damaged))).rejects.toThrow('shorter than it was written');
});
