import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allowUncaught } from '#tests/support/uncaught.ts';
import { openSpill, type Spill } from '../../files/spill-file.ts';
import { keysOf } from './keys.ts';
import { type Batch, mergeInThread, mergePartition } from './merge.ts';
import { createPartitioner, type Partitioner } from './partition.ts';

const ENTRY = new URL('../worker.ts', import.meta.url);
const ROWS = 1_000;
/** Wide enough that a partition holds few rows. */
const WIDTH = 1024 * 1024;

let folder: string;
let spill: Spill;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-merge-'));
  spill = openSpill(folder);
});
afterEach(() => {
  spill.close();
  rmSync(folder, { recursive: true, force: true });
});

const record = (row: number) => `row ${row} ${'x'.repeat(row % 50)}\n`;

function addTen(partitioner: Partitioner, first: number, lists: (string | Uint8Array)[]) {
  const records = Array.from({ length: 10 }, (_, index) => record(first + index));
  const lengths = records.map((text) => text.length);
  partitioner.add({ first, lengths, rendered: false }, Buffer.from(records.join('')), lists);
}

/** Rows in reverse order through a sort index that arrives after the first `early` rows. */
function bySortIndex(early: number) {
  const partitioner = createPartitioner(spill, { by: 'index', rows: ROWS, bytesPerRow: WIDTH }, ROWS);
  const positions = Uint32Array.from({ length: ROWS }, (_, rank) => ROWS - 1 - rank);
  for (let row = 0; row < ROWS; row += 10) {
    if (row === early) partitioner.order({ rowIndexes: positions });
    addTen(partitioner, row, []);
  }
  return partitioner.end();
}

/** The same through sort keys: descending by tens, then by row. */
function byKeys() {
  const descending = [true, true];
  const partitioner = createPartitioner(spill, { by: 'keys', descending }, ROWS);
  const splitters = Array.from(
    { length: 19 },
    (_, index) => keysOf([`[${950 - index * 50}]`, '[9]'], descending, [0]).bytes,
  );
  partitioner.order({ splitters });
  for (let row = 0; row < ROWS; row += 10) {
    const tens = JSON.stringify(Array.from({ length: 10 }, () => row));
    addTen(partitioner, row, [tens, Buffer.from('0\x001\x002\x003\x004\x005\x006\x007\x008\x009')]);
  }
  return partitioner.end();
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
  'a helper thread puts rows in order, with %i of them arriving before the sort index',
  async (early) => {
    const partitions = bySortIndex(early);
    expect(partitions.length).toBeGreaterThan(10);
    expect(await all(mergeInThread(ENTRY, spill.share, partitions))).toEqual({ text: WANTED, rows: ROWS });
  },
);

test('rows are sorted by their keys, with the same result in a helper thread and in this one', async () => {
  const partitions = byKeys();
  expect(partitions.map(({ rows }) => rows)).toEqual(Array.from({ length: 20 }, () => 50));
  expect(await all(mergeInThread(ENTRY, spill.share, partitions))).toEqual({ text: WANTED, rows: ROWS });
  expect(await all(partitions.flatMap((partition) => [...mergePartition(spill.share, partition)]))).toEqual({
    text: WANTED,
    rows: ROWS,
  });
});

test('rows that are not part of the order are left out', () => {
  const partitioner = createPartitioner(spill, { by: 'index', rows: ROWS, bytesPerRow: WIDTH }, 2);
  partitioner.order({ rowIndexes: Uint32Array.of(7, 3) });
  for (let row = 0; row < ROWS; row += 10) addTen(partitioner, row, []);
  const [partition, ...others] = partitioner.end();
  expect(others).toEqual([]);
  const [batch] = [...mergePartition(spill.share, partition!)];
  expect(Buffer.from(batch!.bytes).toString()).toBe(record(7) + record(3));
});

test('a failing thread is reported', async () => {
  // The helper thread reports this failure by exiting with it.
  allowUncaught(/shorter than it was written/);
  const partitions = bySortIndex(0);
  const damaged = partitions.map((partition) => ({
    ...partition,
    rows: partition.rows + 1,
    extents: [{ offset: 1e9, length: 9 }],
  }));
  await expect(all(mergeInThread(ENTRY, spill.share, damaged))).rejects.toThrow(
    'shorter than it was written',
  );
});
