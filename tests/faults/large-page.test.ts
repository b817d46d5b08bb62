/** Very large first pages: none blocks the main thread, and an unreadable one says why. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MOST_LEVELS } from '#shared/model/json-depth.ts';
import { asking, type RowsFixture, startRowsFixture } from '../support/rows-fixture.ts';
import { makeRow } from '../support/rows-service.ts';
import { measuredTurns } from '../support/turns.ts';

const MIB = 1024 * 1024;
let fixture: RowsFixture;
beforeEach(async () => {
  fixture = await startRowsFixture(100);
});
afterEach(() => fixture.close());

/** The service's answer to every page, generated before anything is measured. */
const answer = (bytes: Buffer) => {
  // Each call gets bytes of its own, as they may be transferred to a thread.
  const copies = [new Uint8Array(bytes), new Uint8Array(bytes)];
  fixture.data.ctx.upstream.blob = async () => copies.pop() ?? new Uint8Array(bytes);
};
const page = (rows: string[]) =>
  Buffer.from(`{"rows":[${rows.join(',')}],"search_after":null,"total_rows":${rows.length}}`);
/** A page of at least this many bytes. */
function large(bytes: number): { rows: number; answer: Buffer } {
  const rows: string[] = [];
  const filler = 'a long subject '.repeat(150);
  for (let size = 0; size < bytes; size += rows.at(-1)!.length) {
    const row = makeRow(rows.length);
    rows.push(
      JSON.stringify({ ...row, subject: `${String(row['subject'])} ${filler}`, other: [{ a: [1, 2] }] }),
    );
  }
  return { rows: rows.length, answer: page(rows) };
}

it('a page of many megabytes is stored while the main thread stays responsive', {
  timeout: 120_000,
}, async () => {
  const { rows, answer: bytes } = large(40 * MIB);
  answer(bytes);
  const { value: set, longest } = await measuredTurns(() => fixture.open());
  expect(set).toMatchObject({ loaded: rows, total: rows, state: 'complete' });
  // As a share of the time that parsing in one go takes.
  const { took } = await measuredTurns(() => JSON.parse(bytes.toString()));
  expect(longest).toBeLessThan(took / 2);
  const last = await fixture.data.handlers['results.page'](
    { resultId: set.id, start: rows - 1, end: rows },
    asking(),
  );
  expect(last.rows[0]?.[0]).toBe(`e-${rows - 1}`);
});

const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
/** Nesting levels of the page, its rows and a row around a cell. */
const AROUND = 3;

it('a cell of the maximum depth is stored and returned unchanged', async () => {
  answer(page([JSON.stringify(makeRow(0)), `{"entity_id":"deep","to":${nested(MOST_LEVELS - AROUND)}}`]));
  const set = await fixture.open();
  expect(set.state).toBe('complete');
  const { rows } = await fixture.data.handlers['results.rows'](
    { resultId: set.id, entityIds: ['deep'] },
    asking(),
  );
  expect(JSON.stringify(rows[0]!['to'])).toBe(nested(MOST_LEVELS - AROUND));
});

it.each([
  ['one level more', MOST_LEVELS - AROUND + 1],
  ['a hundred thousand levels', 100_000],
  ['a million levels', 1_000_000],
])('%s is refused with a message, and nothing is stored', async (_, levels) => {
  answer(page([`{"entity_id":"deep","to":${nested(levels)}}`]));
  await expect(fixture.open()).rejects.toMatchObject({
    code: 'wrong-shape',
    message: expect.stringMatching(/nested more than 200 levels deep/),
  });
  expect(await fixture.data.sets.list()).toEqual([]);
});

it.each([
  ['small', 10],
  ['large', 3 * MIB],
])('a %s response that is not a page is reported as such', async (_, bytes) => {
  answer(Buffer.from(`{"rows":"${'x'.repeat(bytes)}","search_after":null,"total_rows":1}`));
  await expect(fixture.open()).rejects.toMatchObject({ code: 'wrong-shape' });
  expect(await fixture.data.sets.list()).toEqual([]);
});
