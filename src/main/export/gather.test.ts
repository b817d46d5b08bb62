import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Batch, gatherBeside } from './gather.ts';
import { createScatter } from './scatter.ts';
import { openSpill, type Spill } from './spill.ts';

const ENTRY = new URL('./worker.ts', import.meta.url);
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

/** Buckets of rows from `from` on, whose order is the other way round and comes after `early` of them. */
function buckets(from: number, early: number) {
  const scatter = createScatter(spill, ROWS, ROWS, WIDTH);
  for (let row = 0; row < ROWS; row += 10) {
    if (row === early) scatter.order(Uint32Array.from({ length: ROWS }, (_, rank) => ROWS - 1 - rank));
    const records = Array.from({ length: 10 }, (_, index) => record(row + index));
    const lengths = records.map((text) => text.length);
    if (row >= from) scatter.add({ first: row, lengths, ready: false }, Buffer.from(records.join('')));
  }
  return scatter.end();
}

async function all(batches: AsyncIterable<Batch>): Promise<{ text: string; rows: number }> {
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
  'a thread beside puts rows in order, %i of them there before their order',
  async (early) => {
    const list = buckets(0, early);
    expect(list.length).toBeGreaterThan(10);
    expect(await all(gatherBeside(ENTRY, spill.share, list))).toEqual({ text: WANTED, rows: ROWS });
  },
);

test('a row that did not arrive is told, whatever was put in order before', async () => {
  const list = buckets(10, 0);
  await expect(all(gatherBeside(ENTRY, spill.share, list))).rejects.toThrow('did not arrive');
});
