/** Comparisons of runs that are still changing. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { Row } from '#shared/model/entities.ts';
import { asking, type RowsFixture, startRowsFixture } from '../support/rows-fixture.ts';
import { makeRows } from '../support/rows-service.ts';

const ROWS = 3_000;
let fixture: RowsFixture;
beforeEach(async () => {
  fixture = await startRowsFixture(ROWS);
});
afterEach(() => fixture.close());

const compare = (base: string, other: string) =>
  fixture.data.handlers['results.compare']({ baseId: base, otherId: other }, asking());
const read = async (set: ResultSet) =>
  (await fixture.data.handlers['results.page']({ resultId: set.id, start: 0, end: ROWS * 3 }, asking())).rows;
const complete = async () => {
  const { id } = await fixture.open();
  await fixture.fetchAll(id);
  return id;
};
/** Every third row has changed, every fifth is a different row. */
const changedRows = (): Row[] =>
  makeRows(ROWS).map((row, index) => ({
    ...row,
    ...(index % 3 === 0 ? { subject: `changed ${index}` } : {}),
    ...(index % 5 === 0 ? { entity_id: `n-${index}` } : {}),
  }));

it('a run that is still being fetched is compared as of one moment, and the comparison says PARTIAL', async () => {
  const base = await complete();
  fixture.service.rows = changedRows();
  // Small pages arrive throughout the comparisons, some with rows that were already sent.
  const { id: other } = await fixture.open();
  await fixture.data.handlers['results.fill']({ resultId: other, action: 'pause' }, asking());
  const started = (await fixture.data.sets.get(other))!.loaded;
  let gate = Promise.withResolvers<void>();
  let allowed = 10;
  const allow = (pages: number) => {
    allowed = pages;
    gate.resolve();
    gate = Promise.withResolvers();
  };
  fixture.service.fault = async ({ at, turn }, page) => {
    while (allowed <= 0) await gate.promise;
    allowed--;
    const again = turn % 4 === 0 ? fixture.service.rows.slice(at - 5, at) : [];
    return { status: 200, body: { ...page, rows: [...again, ...page.rows] } };
  };
  await fixture.data.handlers['results.fill']({ resultId: other, action: 'all', pageSize: 20 }, asking());
  let partial = 0;
  for (let turn = 0; ; turn++) {
    // The last comparison covers the whole run.
    if (turn === 4) {
      allow(Number.POSITIVE_INFINITY);
      await fixture.fetchAll(other);
    } else allow(20);
    const set = await compare(base, other);
    const { comparison } = set;
    if (comparison === null) throw new Error('no comparison');
    const { same, changed, gone } = comparison;
    const loaded = comparison.new + same + changed;
    // What the service had returned by then, each row once.
    const later = fixture.service.rows.slice(0, loaded);
    const before = new Map(makeRows(ROWS).map((row) => [row['entity_id'], row]));
    const common = later.filter((row) => before.has(row['entity_id']!));
    const differ = common.filter((row) => before.get(row['entity_id']!)!['subject'] !== row['subject']);
    expect({ new: comparison.new, changed, same, gone }).toEqual({
      new: later.length - common.length,
      changed: differ.length,
      same: common.length - differ.length,
      gone: ROWS - common.length,
    });
    const rows = await read(set);
    expect(rows).toHaveLength(set.total);
    expect(set.total).toBe(comparison.new + changed + gone);
    if (loaded === ROWS) {
      expect(set.state).toBe('complete');
      break;
    }
    expect(loaded).toBeGreaterThanOrEqual(started);
    expect(set).toMatchObject({
      state: 'partial',
      reason: expect.stringMatching(/^PARTIAL: .* of 3,000 rows/),
    });
    partial++;
  }
  expect(partial).toBe(4);
});

it('a partial comparison about to be returned is not evicted, however many complete ones there are', async () => {
  const runs = [];
  for (let turn = 0; turn < 4; turn++) runs.push(await complete());
  const first = runs[0]!;
  for (const other of runs.slice(1)) await compare(first, other);
  fixture.service.fault = ({ at }) => (at >= 525 ? { status: 400, body: {} } : undefined);
  const short = await complete();
  const { loaded } = (await fixture.data.sets.get(short))!;
  const set = await compare(first, short);
  expect(set).toMatchObject({ state: 'partial', comparison: { same: loaded, gone: ROWS - loaded } });
  expect(await read(set)).toHaveLength(ROWS - loaded);
  expect(await fixture.data.sets.get(set.id)).not.toBeNull();
});
