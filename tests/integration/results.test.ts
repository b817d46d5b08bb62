import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUTO_FETCH } from '#main/results/sets.ts';
import type { Row } from '#shared/model/entities.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { asking, type RowsFixture, startRowsFixture } from '../support/rows-fixture.ts';
import { lapsed, makeRow, makeRows, type RowsService, rowColumns } from '../support/rows-service.ts';

let fixture: RowsFixture;
let profile: string;
let service: RowsService;
let data: DataHarness;
beforeEach(async () => {
  fixture = await startRowsFixture();
  ({ profile, service, data } = fixture);
});
afterEach(() => fixture.close());

const context = asking;
const open = (refresh = false, change: Parameters<RowsFixture['open']>[0] = {}) =>
  fixture.open(change, refresh);
const page = (resultId: string, start: number, end: number, rest = {}) =>
  data.handlers['results.page']({ resultId, start, end, ...rest }, context());

/** Resolves with the set once its fetch has stopped. */
async function settled(id: string) {
  await fixture.fetchAll(id);
  return (await data.sets.get(id))!;
}
const idsOf = (id: string) => fixture.idsOf(id);
const day = (of: number) => `2026-11-${String(of).padStart(2, '0')}T08:00:00Z`;
const allIds = (count: number) => makeRows(count).map((row) => row['entity_id']);

describe('opening', () => {
  it('[spec 4, spec 5, spec 8, spec 9] returns the first 25 rows stored and continues fetching', async () => {
    const set = await open();
    expect(set).toMatchObject({ total: 2_500, loaded: 25, state: 'filling' });
    expect(service.asks[0]).toMatchObject({ at: 0, size: 25 });
    expect(await settled(set.id)).toMatchObject({ state: 'complete', loaded: 2_500, reason: null });
    expect(await idsOf(set.id)).toEqual(allIds(2_500));
    expect(service.asks.map((ask) => ask.at)).toEqual([0, 25, 525, 1525]);
  });

  it('[spec 4, spec 5, spec 8, spec 9] returns results younger than five minutes without a request, and runs older ones again', async () => {
    const first = await open();
    await settled(first.id);
    const requests = service.asks.length;
    expect((await open()).id).toBe(first.id);
    expect(service.asks).toHaveLength(requests);
    data.skip(5 * 60_000 + 1);
    const second = await open();
    expect(second.id).not.toBe(first.id);
    // The older run stays readable for windows that still show it.
    expect((await page(first.id, 0, 5)).rows).toHaveLength(5);
  });

  it('keeps the old results when the service fails, and shows them when it is unreachable', async () => {
    const first = await open();
    await settled(first.id);
    service.fault = () => ({ status: 500, body: { error: 'no' } });
    await expect(open(true)).rejects.toMatchObject({ code: 'server-error' });
    expect((await page(first.id, 0, 5)).rows).toHaveLength(5);
    data.setOffline(true);
    data.skip(60 * 60_000);
    const shown = await open(true);
    expect(shown).toMatchObject({ id: first.id, freshness: { source: 'cache', offline: true } });
    expect((await page(first.id, 2_400, 2_500)).rows).toHaveLength(100);
  });

  it('says so when a query has never been run and Parapet is offline', async () => {
    data.setOffline(true);
    await expect(open()).rejects.toMatchObject({ code: 'not-cached' });
  });

  it('handles an empty answer', async () => {
    service.rows = [];
    const set = await open();
    expect(set).toMatchObject({ total: 0, loaded: 0, state: 'complete' });
    expect(await page(set.id, 0, 100)).toEqual({ rows: [], count: 0, loaded: 0 });
  });

  it('stops at the automatic limit and continues when the grid asks for more', async () => {
    service.rows = makeRows(AUTO_FETCH + 9_000);
    const set = await open();
    while ((await data.sets.get(set.id))?.state === 'filling')
      await page(set.id, AUTO_FETCH - 10, AUTO_FETCH);
    const limit = (await data.sets.get(set.id))!;
    expect(limit).toMatchObject({ state: 'paused', reason: null });
    expect(limit.loaded).toBeLessThan(AUTO_FETCH + 1_000);
    const beyond = await page(set.id, AUTO_FETCH + 2_000, AUTO_FETCH + 2_100);
    expect(beyond.rows[0]![0]).toBe(`e-${AUTO_FETCH + 2_000}`);
    expect(beyond.rows).toHaveLength(100);
  });

  it('[spec 3] continues with the stored cursor after a restart', async () => {
    service.fault = ({ at }) => (at >= 525 ? { status: 500, body: {} } : undefined);
    const set = await open();
    expect(await settled(set.id)).toMatchObject({ state: 'partial', loaded: 525 });
    await data.close();
    data = fixture.data = await openData(profile, service.url);
    service.fault = () => undefined;
    service.asks.length = 0;
    await data.handlers['results.fill']({ resultId: set.id, action: 'resume' }, context());
    expect(await settled(set.id)).toMatchObject({ state: 'complete', loaded: 2_500, resumed: 0 });
    expect(service.asks[0]?.at).toBe(525);
    expect(await idsOf(set.id)).toEqual(allIds(2_500));
  });

  it('pauses and resumes', async () => {
    let release = () => {};
    service.fault = async ({ at }) => {
      if (at === 525)
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      return undefined;
    };
    const set = await open();
    await page(set.id, 400, 525);
    const paused = await data.handlers['results.fill']({ resultId: set.id, action: 'pause' }, context());
    release();
    expect(paused).toMatchObject({ state: 'paused', loaded: 525 });
    service.fault = () => undefined;
    await data.handlers['results.fill']({ resultId: set.id, action: 'resume' }, context());
    expect(await settled(set.id)).toMatchObject({ state: 'complete', loaded: 2_500 });
  });

  it('fetches all rows as a job', async () => {
    const set = await open();
    await data.handlers['results.fill']({ resultId: set.id, action: 'all' }, context());
    await settled(set.id);
    await expect.poll(() => data.jobs.list()[0]).toMatchObject({ kind: 'fetch', state: 'done', done: 2_500 });
  });
});

describe('faults of the service', () => {
  it.each([25, 525, 1_525])('restarts when the cursor expires at row %i, and ends exact', async (row) => {
    let injected = false;
    service.fault = (ask) => {
      if (ask.at !== row || injected) return undefined;
      injected = true;
      return lapsed;
    };
    const set = await open();
    expect(await settled(set.id)).toMatchObject({ state: 'complete', loaded: 2_500, resumed: 1 });
    expect(await idsOf(set.id)).toEqual(allIds(2_500));
  });

  it('[limit 5 restarts] says PARTIAL when the cursors expire faster than the rows can be read', async () => {
    service.fault = ({ at }) => (at >= 525 ? lapsed : undefined);
    const set = await open();
    const end = await settled(set.id);
    expect(end.state).toBe('partial');
    expect(end.reason).toContain('forgot its place');
  });

  it('removes duplicate rows: a repeated page, a repeated row', async () => {
    service.fault = ({ at }, page) => {
      // The page at 1 525 begins with rows of the previous page, so the run ends short of the total by that many.
      if (at === 1_525) page.rows = [...makeRows(1_525).slice(1_400), ...page.rows];
      if (at === 525) page.rows = [...page.rows, page.rows[0]!];
      return undefined;
    };
    const set = await open();
    expect(await settled(set.id)).toMatchObject({ state: 'complete', loaded: 2_500 });
    expect(await idsOf(set.id)).toEqual(allIds(2_500));
    const hits = await page(set.id, 0, 10, { filter: { text: 'payroll', facets: {} } });
    expect(hits.count).toBe(
      makeRows(2_500).filter((row) => String(row['subject']).includes('payroll')).length,
    );
  });

  it('keeps copies that share an entity id, through a repeated page and an expired cursor', async () => {
    service.rows = makeRows(2_500).map((row, index) => ({ ...row, entity_id: `e-${index >> 1}` }));
    let injected = false;
    service.fault = (ask, page) => {
      if (ask.at === 525) page.rows = [...page.rows, page.rows[0]!];
      if (ask.at !== 1_525 || injected) return undefined;
      injected = true;
      return lapsed;
    };
    const set = await open(false, { include_copies: true });
    expect(await settled(set.id)).toMatchObject({ state: 'complete', loaded: 2_500, resumed: 1 });
    expect(await idsOf(set.id)).toEqual(service.rows.map((row) => row['entity_id']));
  });

  it('stops at a cursor that does not advance', async () => {
    service.fault = ({ at }, page) => {
      if (at === 525) page.search_after = ['525'];
      return undefined;
    };
    const set = await open();
    expect(await settled(set.id)).toMatchObject({ state: 'partial' });
  });

  it('ends when cursors repeat in a cycle', async () => {
    service.fault = ({ at }, page) => {
      if (at === 1_525) page.search_after = ['25'];
      return undefined;
    };
    const set = await open();
    const end = await settled(set.id);
    expect(end).toMatchObject({ state: 'complete', loaded: 2_500 });
  });

  it('says PARTIAL when a page was skipped', async () => {
    service.fault = ({ at }, page) => {
      if (at === 525) page.rows = page.rows.slice(100);
      return undefined;
    };
    const set = await open();
    expect(await settled(set.id)).toMatchObject({
      state: 'partial',
      loaded: 2_400,
      reason: 'The service announced 2,500 rows and gave 2,400 different ones up to its end.',
    });
    // A run that reached its end is not scanned again whenever its last rows are viewed.
    const requests = service.asks.length;
    await page(set.id, 2_300, 2_500);
    expect(service.asks).toHaveLength(requests);
  });

  it('keeps rows without an id, also after an expired cursor', async () => {
    service.rows = makeRows(2_500).map((row, index): Row => {
      const { entity_id: _, ...rest } = row;
      return index === 30 ? rest : row;
    });
    let injected = false;
    service.fault = (ask) => {
      if (ask.at !== 1_525 || injected) return undefined;
      injected = true;
      return lapsed;
    };
    const set = await open();
    const end = await settled(set.id);
    expect(end).toMatchObject({ state: 'complete', loaded: 2_500 });
    expect(end.reason).toContain('without an id');
    expect((await page(set.id, 30, 31)).rows[0]!.slice(0, 2)).toEqual([null, makeRow(30)['received']]);
  });

  it('is partial with the reason after a failure half-way, and completes when asked again', async () => {
    let broken = true;
    service.fault = ({ at }) => (broken && at === 1_525 ? { status: 500, body: {} } : undefined);
    const set = await open();
    const part = await settled(set.id);
    expect(part).toMatchObject({ state: 'partial', loaded: 1_525 });
    expect(part.reason).toContain('1,525 of 2,500 rows');
    broken = false;
    // It is enough that the grid asks for more rows.
    expect((await page(set.id, 2_400, 2_500)).rows).toHaveLength(100);
    expect(await settled(set.id)).toMatchObject({ state: 'complete', loaded: 2_500 });
  });
});

describe('local order, filter and facets', () => {
  it('sorts, filters and counts as JavaScript does', async () => {
    service.rows = makeRows(12_000);
    const set = await open();
    await settled(set.id);
    const expected = service.rows
      .map((row, index) => ({ row, index }))
      .filter(({ row }) => row['verdict'] === 'spam' && String(row['subject']).toLowerCase().includes('ürün'))
      .sort((a, b) => Number(b.row['size']) - Number(a.row['size']) || a.index - b.index)
      .map(({ row }) => row['entity_id']);
    const view = {
      sort: [{ dbId: 'size', direction: 'desc' as const }],
      filter: { text: 'ÜRÜN', facets: { verdict: ['spam'] } },
    };
    const first = await page(set.id, 0, 100, view);
    expect(first.count).toBe(expected.length);
    expect(first.rows.map((row) => row[0])).toEqual(expected.slice(0, 100));
    // The second page uses the sort index built after the first.
    const second = await page(set.id, 100, 200, view);
    expect(second.rows.map((row) => row[0])).toEqual(expected.slice(100, 200));
    expect(await page(set.id, 0, 100, view)).toEqual(first);
  });

  it('filters lists, booleans and missing values', async () => {
    const set = await open();
    await settled(set.id);
    const count = async (facets: Record<string, (string | number | boolean | null)[]>) =>
      (await page(set.id, 0, 1, { filter: { text: '', facets } })).count;
    const rows = service.rows;
    expect(await count({ is_read: [true] })).toBe(rows.filter((row) => row['is_read'] === true).length);
    expect(await count({ to: ['b4@aldermoor.example'] })).toBe(
      rows.filter((row) => (row['to'] as string[]).includes('b4@aldermoor.example')).length,
    );
    expect(await count({ to: [null] })).toBe(0);
    expect(await count({ to: [''] })).toBe(rows.filter((row) => (row['to'] as string[]).length === 0).length);
    expect(await count({})).toBe(2_500);
    await expect(count({ nope: ['x'] })).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it("counts values of columns, most frequent first, ignoring the column's own filter", async () => {
    const set = await open();
    await settled(set.id);
    const { facets } = await data.handlers['results.facets'](
      {
        resultId: set.id,
        columns: ['verdict', 'is_read', 'to'],
        filter: { text: '', facets: { verdict: ['clean'] } },
      },
      context(),
    );
    expect(facets[0]?.values.map(({ count }) => count)).toEqual([625, 625, 625, 625]);
    expect(facets[0]?.distinct).toBe(4);
    const clean = service.rows.filter((row) => row['verdict'] === 'clean');
    expect(facets[1]?.values).toEqual([
      { value: false, count: clean.filter((row) => row['is_read'] === false).length },
      { value: true, count: clean.filter((row) => row['is_read'] === true).length },
    ]);
    expect(facets[2]?.distinct).toBe(
      new Set(clean.flatMap((row) => ((row['to'] as string[]).length === 0 ? [''] : (row['to'] as string[]))))
        .size,
    );
  });
});

describe('groups', () => {
  it('[promise] count values and spans of time among the loaded rows, with the first and last of each', async () => {
    service.rows = makeRows(600).map((row, index) => ({
      ...row,
      // Days of one month; some rows have no time, and one has an impossible one.
      received: index % 7 === 0 ? null : index === 8 ? '2026-11-99T00:00:00Z' : day(1 + (index % 20)),
    }));
    const set = await open();
    await settled(set.id);
    const ask = (question: Partial<Parameters<(typeof data.handlers)['results.groups']>[0]>) =>
      data.handlers['results.groups'](
        { resultId: set.id, by: [{ column: 'verdict', most: 3 }], clock: 'utc', ...question },
        context(),
      );
    const byVerdict = await ask({ time: 'received' });
    const verdicts = service.rows.map((row) => String(row['verdict']));
    expect(byVerdict).toMatchObject({ rows: 600, loaded: 600, first: Date.parse(day(1)) });
    expect(byVerdict.axes).toEqual([
      { column: 'verdict', values: expect.any(Array), distinct: new Set(verdicts).size, several: false },
    ]);
    for (const { at, count } of byVerdict.cells) {
      const [axis] = byVerdict.axes;
      const shown = axis !== undefined && 'values' in axis ? axis.values : [];
      const among = at[0] === shown.length ? verdicts.filter((verdict) => !shown.includes(verdict)) : null;
      expect(count).toBe(among?.length ?? verdicts.filter((verdict) => verdict === shown[at[0]!]).length);
    }
    const overTime = await ask({
      by: [{ column: 'received', most: 60, every: 'day' }],
      filter: { text: '', facets: { verdict: ['spam'] } },
    });
    const [axis] = overTime.axes;
    const edges = axis !== undefined && 'edges' in axis ? axis.edges : [];
    const spam = service.rows.filter((row) => row['verdict'] === 'spam');
    const [earliest] = spam.map((row) => String(row['received'] ?? '9')).toSorted();
    expect(new Date(edges[0]!).toISOString().slice(0, 10)).toBe(earliest?.slice(0, 10));
    expect(overTime.rows).toBe(spam.length);
    expect(overTime.cells.reduce((sum, { count }) => sum + count, 0)).toBe(spam.length);
    expect(overTime.cells.find(({ at }) => at[0] === edges.length - 1)?.count).toBe(
      spam.filter((row) => row['received'] === null).length,
    );
    await expect(ask({ by: [{ column: 'nope', most: 3 }] })).rejects.toMatchObject({ code: 'invalid-input' });
    await expect(ask({ time: 'verdict' })).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('exactness', () => {
  it('returns every value unchanged, whatever its type, also in fields without a column', async () => {
    const hostile: Row[] = [
      {
        entity_id: 'h-1',
        subject: '\ud800 lone',
        size: '12',
        is_read: 'yes',
        to: 'one',
        received: 'yesterday',
      },
      {
        entity_id: 'h-2',
        subject: 'a\0b',
        size: 0.1 + 0.2,
        is_read: 1,
        to: [true, null, { a: [1] }],
        verdict: 7,
      },
      {
        entity_id: 'h-3',
        subject: null,
        size: 2 ** 60,
        to: [],
        received: '2026-01-02T03:04:05+02:00',
        extra: { deep: ['\0'] },
      },
      { entity_id: 'h-4', subject: { nested: 'x' }, size: -0.000001, to: ['\ud800', 'é'], ['__proto__x']: 1 },
      { entity_id: 'h-5', subject: 'x'.repeat(1_000_000), size: 1e300, from_email: true },
      { entity_id: '=cmd', subject: '=1+1', size: 123456789.123456, verdict: '', to: ['=x', '"q"'] },
    ];
    service.rows = hostile;
    const set = await open();
    expect(set.state).toBe('complete');
    const { rows } = await page(set.id, 0, 10);
    expect(rows).toEqual(
      hostile.map((row) => [row['entity_id'], ...rowColumns.map((column) => row[column.id] ?? null)]),
    );
    const whole = await data.handlers['results.rows'](
      { resultId: set.id, entityIds: hostile.map((row) => String(row['entity_id'])) },
      context(),
    );
    for (const [index, row] of whole.rows.entries()) expect(row).toMatchObject(hostile[index]!);
  });
});

describe('local conditions, selections and comparisons', () => {
  it("evaluates the builder's condition tree over the loaded rows", async () => {
    const set = await open();
    await settled(set.id);
    const count = async (conditions: object[], operator: 'and' | 'or' = 'and') =>
      (await page(set.id, 0, 1, { filter: { text: '', facets: {}, condition: { operator, conditions } } }))
        .count;
    const rows = service.rows;
    expect(await count([{ field: 'size', operator: 'greater_than', values: [50_000] }])).toBe(
      rows.filter((row) => Number(row['size']) > 50_000).length,
    );
    expect(await count([{ field: 'subject', operator: 'contains_text', values: ['ÜRÜN'] }])).toBe(
      rows.filter((row) => String(row['subject']).includes('Ürün')).length,
    );
    expect(await count([{ field: 'to', operator: 'contains_any', values: ['b4@aldermoor.example'] }])).toBe(
      rows.filter((row) => (row['to'] as string[]).includes('b4@aldermoor.example')).length,
    );
    const day = rows.filter((row) => String(row['received']).startsWith('2026-01-02')).length;
    expect(await count([{ field: 'received', operator: 'is', values: ['2026-01-02'] }])).toBe(day);
    expect(await count([{ field: 'is_read', operator: 'is_true', values: [], disabled: true }])).toBe(2_500);
    await expect(count([{ field: 'nope', operator: 'is', values: ['x'] }])).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('freezes all matching rows, whatever is fetched later', async () => {
    service.fault = ({ at }) => (at >= 525 ? { status: 400, body: {} } : undefined);
    const set = await open();
    await settled(set.id);
    const filter = { text: '', facets: { verdict: ['spam'] } };
    const { selectionId, count } = await data.handlers['results.matching'](
      { resultId: set.id, filter },
      context(),
    );
    const { loaded } = (await data.sets.get(set.id))!;
    const expected = service.rows
      .slice(0, loaded)
      .filter((row) => row['verdict'] === 'spam')
      .map((row) => row['entity_id']);
    expect(count).toBe(expected.length);
    service.fault = () => undefined;
    await settled(set.id);
    const ids = async (start: number, end: number, id = selectionId) =>
      (await data.handlers['results.selection']({ selectionId: id, start, end }, context())).entityIds;
    expect(await ids(0, 10_000)).toEqual(expected);
    expect(await ids(10, 12)).toEqual(expected.slice(10, 12));
    const all = await data.handlers['results.matching']({ resultId: set.id }, context());
    expect(all.count).toBe(2_500);
    const some = await data.handlers['results.matching'](
      { resultId: set.id, entityIds: ['e-7', 'e-3', 'nope'] },
      context(),
    );
    expect(await ids(0, 9, some.selectionId)).toEqual(['e-3', 'e-7']);
    const others = await data.handlers['results.matching'](
      { resultId: set.id, except: ['e-0', 'e-2', 'nope'] },
      context(),
    );
    expect(others.count).toBe(2_498);
    expect(await ids(0, 3, others.selectionId)).toEqual(['e-1', 'e-3', 'e-4']);
    await data.handlers['results.release']({ selectionId }, context());
    await expect(ids(0, 1)).rejects.toMatchObject({ code: 'not-cached' });
  });

  it('keeps earlier runs and lists what is new, gone and changed', async () => {
    const first = await open();
    await settled(first.id);
    const was = service.rows;
    service.rows = [
      { ...makeRow(9_000), subject: 'brand new' },
      ...was.slice(0, 2_000).map((row, index) => (index === 7 ? { ...row, verdict: 'found', size: 1 } : row)),
    ];
    const second = await open(true);
    await settled(second.id);
    expect(second.queryKey).toBe(first.queryKey);
    const { runs } = await data.handlers['results.history'](
      { connectionId: CONNECTION, queryKey: second.queryKey },
      context(),
    );
    expect(runs.map(({ resultId, current }) => [resultId, current])).toEqual([
      [second.id, true],
      [first.id, false],
    ]);
    const comparison = await data.handlers['results.compare'](
      { baseId: first.id, otherId: second.id },
      context(),
    );
    expect(comparison).toMatchObject({
      state: 'complete',
      loaded: 502,
      total: 502,
      comparison: { new: 1, gone: 500, changed: 1, same: 1_999 },
    });
    const { rows } = await page(comparison.id, 0, 502);
    const column = (id: string) => 1 + comparison.columns.findIndex((column) => column.id === id);
    expect(rows[0]?.[0]).toBe('e-9000');
    expect(rows[0]?.[column('parapet_change')]).toBe('new');
    expect(rows[1]?.[0]).toBe('e-7');
    expect(rows[1]?.slice(column('parapet_change'))).toEqual([
      'changed',
      ['size', 'verdict'],
      { size: was[7]!['size'], verdict: was[7]!['verdict'] },
    ]);
    expect(rows.slice(2).map((row) => row[0])).toEqual(was.slice(2_000).map((row) => row['entity_id']));
    const gone = await page(comparison.id, 0, 5, {
      filter: { text: '', facets: { parapet_change: ['gone'] } },
    });
    expect(gone.count).toBe(500);
    const narrow = await data.handlers['results.compare'](
      { baseId: first.id, otherId: second.id, columns: ['subject'] },
      context(),
    );
    expect(narrow.comparison).toMatchObject({ changed: 0, same: 2_000 });
    // A comparison has no service to query.
    await data.handlers['results.fill']({ resultId: comparison.id, action: 'all' }, context());
    expect(await data.sets.get(comparison.id)).toMatchObject({ state: 'complete', loaded: 502 });
    // The oldest run is evicted first.
    for (let turn = 0; turn < 7; turn++) {
      data.skip(3 * 60_000);
      await settled((await open(true)).id);
    }
    const later = await data.handlers['results.history'](
      { connectionId: CONNECTION, queryKey: second.queryKey },
      context(),
    );
    expect(later.runs.length).toBeLessThanOrEqual(7);
    expect(later.runs.map(({ resultId }) => resultId)).not.toContain(first.id);
  });

  it('[spec 7] stops permanently on request, and uses the given page size', async () => {
    service.rows = makeRows(30_000);
    const set = await open();
    const ended = await data.handlers['results.fill'](
      { resultId: set.id, action: 'cancel', pageSize: 2_000 },
      context(),
    );
    expect(ended.state).toBe('partial');
    expect(ended.reason).toContain('You stopped the fetch');
    const requests = service.asks.length;
    await page(set.id, 20_000, 20_100);
    expect(service.asks).toHaveLength(requests);
    await data.handlers['results.fill']({ resultId: set.id, action: 'all' }, context());
    expect(await settled(set.id)).toMatchObject({ state: 'complete', loaded: 30_000, pageSize: 2_000 });
    expect(service.asks.at(-1)?.size).toBe(2_000);
  });
});
