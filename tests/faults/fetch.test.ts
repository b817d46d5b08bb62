/** Faults during a fetch of all rows: it ends with exact rows, or as PARTIAL with the reason. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wipe } from '#main/results/cache.ts';
import type { Row } from '#shared/model/entities.ts';
import { type DataHarness, openData } from '../support/data-services.ts';
import { asking, type RowsFixture, startRowsFixture } from '../support/rows-fixture.ts';
import {
  lapsed,
  makeRow,
  makeRows,
  type PageAsk,
  type RowsService,
  rowColumns,
} from '../support/rows-service.ts';

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
const open = (change: Parameters<RowsFixture['open']>[0] = {}) => fixture.open(change);
const fetchAll = (id: string) => fixture.fetchAll(id);
const idsOf = (id: string) => fixture.idsOf(id);
/** Injects the fault once, at this point. */
const once = (row: number, answer: () => { status: number; body: unknown } | undefined) => {
  let injected = false;
  return (ask: PageAsk) => {
    if (ask.at !== row || injected) return undefined;
    injected = true;
    return answer();
  };
};

describe('a cursor that expires', () => {
  it('[spec 4, spec 5, spec 8, spec 9] at any page of a run ends exact', async () => {
    const offsets = [25, ...Array.from({ length: 9 }, (_, index) => 525 + index * 250)].filter(
      (row) => row < 2_500,
    );
    for (const row of offsets) {
      service.fault = once(row, () => lapsed);
      const set = await open();
      await data.handlers['results.fill']({ resultId: set.id, action: 'pause', pageSize: 250 }, context());
      const whole = await fetchAll(set.id);
      expect(whole).toMatchObject({ state: 'complete', loaded: 2_500 });
      expect(await idsOf(set.id)).toEqual(service.rows.map((row) => row['entity_id']));
    }
  });

  it('counts rows that appeared and vanished in the meantime, and ends with what the service has', async () => {
    service.fault = (ask) =>
      once(1_525, () => {
        // Six rows go and two appear at the front while the page scan restarts.
        service.rows = [
          makeRow(9_001),
          makeRow(9_002),
          ...service.rows.filter((_, index) => index % 300 !== 7),
        ];
        service.fault = () => undefined;
        return lapsed;
      })(ask);
    const set = await open();
    const whole = await fetchAll(set.id);
    const gone = [7, 307, 607, 907, 1_207, 1_507].length;
    expect(whole).toMatchObject({
      state: 'complete',
      loaded: service.rows.length,
      appeared: 2,
      vanished: gone,
    });
    expect(new Set(await idsOf(set.id))).toEqual(new Set(service.rows.map((row) => row['entity_id'])));
  });
});

describe('a faulty service', () => {
  it('[spec 3] that changes total_rows for no reason is PARTIAL', async () => {
    service.fault = (ask, page) => {
      if (ask.at >= 1_525) page.total_rows += 10;
      return undefined;
    };
    const set = await open();
    expect(await fetchAll(set.id)).toMatchObject({
      state: 'partial',
      stop: 'moved',
      loaded: 2_500,
      reason: expect.stringMatching(/changed while they were read, 3 times.*2,500 rows at first and 2,510/),
    });
  });

  it('whose column changes its type: every value is preserved', async () => {
    service.rows = service.rows.map(
      (row, index): Row =>
        index < 1_200
          ? row
          : { ...row, size: `${String(row['size'])} B`, is_read: 'no', to: 'one', verdict: 4 },
    );
    const set = await open();
    expect(await fetchAll(set.id)).toMatchObject({ state: 'complete', loaded: 2_500 });
    const { rows } = await data.handlers['results.page'](
      { resultId: set.id, start: 1_199, end: 1_201 },
      context(),
    );
    expect(rows).toEqual(
      service.rows
        .slice(1_199, 1_201)
        .map((row) => [row['entity_id'], ...rowColumns.map(({ id }) => row[id])]),
    );
  });

  it.each([
    ['HTML', 200, '<html>sign in</html>'],
    ['no rows', 200, { total_rows: 1 }],
    ['rows that are not rows', 200, { rows: ['x'], total_rows: 1 }],
  ])('that answers with %s half-way: the rows fetched so far stay', async (_, status, body) => {
    service.fault = ({ at }) => (at === 525 ? { status, body } : undefined);
    const set = await open();
    const part = await fetchAll(set.id);
    expect(part).toMatchObject({ state: 'partial', loaded: 525 });
    expect(part.reason).toContain('525 of 2,500 rows are here.');
    service.fault = () => undefined;
    expect(await fetchAll(set.id)).toMatchObject({ state: 'complete', loaded: 2_500 });
  });

  it('that says "too many requests" gets a pause from all jobs at once, and is then asked again', async () => {
    const first = await open();
    const second = await open({ columns: ['subject'] });
    let requests = 0;
    service.fault = () => (requests++ < 6 && requests % 2 === 1 ? { status: 429, body: {} } : undefined);
    const before = service.asks.length;
    const ends = await Promise.all([fetchAll(first.id), fetchAll(second.id)]);
    for (const end of ends)
      expect(end).toMatchObject({ state: 'complete', loaded: 2_500, waitingUntil: null });
    expect(requests).toBeGreaterThanOrEqual(6);
    // Each refusal costs one extra request, not one per job and page.
    expect(service.asks.length - before).toBeLessThan(20);
  });

  it('[limit 10 waits] that never stops refusing ends PARTIAL after a few attempts', async () => {
    service.fault = ({ at }) => (at >= 525 ? { status: 429, body: {} } : undefined);
    const set = await open();
    expect(await fetchAll(set.id)).toMatchObject({ state: 'partial', loaded: 525 });
    expect(service.asks.filter(({ at }) => at === 525).length).toBeLessThanOrEqual(12);
  });

  it('that accepts and never answers is abandoned on cancel', async () => {
    service.fault = ({ at }) => (at >= 525 ? new Promise(() => undefined) : undefined);
    const set = await open();
    const all = fetchAll(set.id);
    const stopped = await data.handlers['results.fill']({ resultId: set.id, action: 'cancel' }, context());
    expect(stopped.state).toBe('partial');
    expect((await all).loaded).toBeLessThanOrEqual(525);
  });
});

describe('this machine', () => {
  it('resumes automatically after a restart, without losing or duplicating a row', async () => {
    service.fault = ({ at }) => (at >= 1_525 ? new Promise(() => undefined) : undefined);
    const set = await open();
    await data.handlers['results.fill']({ resultId: set.id, action: 'all' }, context());
    await expect.poll(async () => (await data.sets.get(set.id))?.loaded, { timeout: 15_000 }).toBe(1_525);
    await data.close();
    service.fault = () => undefined;
    data = fixture.data = await openData(profile, service.url);
    await data.sets.list();
    await expect.poll(async () => (await data.sets.get(set.id))?.state, { timeout: 15_000 }).toBe('complete');
    expect(await idsOf(set.id)).toEqual(service.rows.map((row) => row['entity_id']));
  });

  it('reads, exports and fetches concurrently, each complete', async () => {
    const first = await open();
    await fetchAll(first.id);
    service.rows = makeRows(6_000);
    const second = await open({ columns: ['subject'] });
    const columns = rowColumns.map(({ id, label }) => ({ id, label }));
    const jobs = await Promise.all(
      ['a', 'b'].map((name) => data.export(first.id, join(profile, `${name}.csv`), { columns })),
    );
    expect(await fetchAll(second.id)).toMatchObject({ state: 'complete', loaded: 6_000 });
    for (const { id } of jobs)
      await expect
        .poll(() => data.jobs.list().find((job) => job.id === id), { timeout: 15_000 })
        .toMatchObject({ state: 'done', done: 2_500 });
    expect(readFileSync(join(profile, 'a.csv'))).toEqual(readFileSync(join(profile, 'b.csv')));
  });

  it('aborts a cancelled read in the middle of its statement', async () => {
    const endless = `WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x % 4096 <> 0 OR pp_probe())
      SELECT count(*) FROM c`;
    for (let turn = 0; turn < 3; turn++) {
      const control = new AbortController();
      const reads = [1, 2, 3].map(() => data.ctx.cache.rows(endless, [], { signal: control.signal }));
      const ends = Promise.allSettled(reads);
      await data.ctx.workspace.rows('SELECT 1');
      control.abort();
      for (const end of await ends)
        expect(end).toMatchObject({ status: 'rejected', reason: { code: 'cancelled' } });
    }
    // Both readers are free again.
    expect(await Promise.all([1, 2, 3, 4].map((n) => data.ctx.cache.rows('SELECT ?', [n])))).toEqual([
      [[1]],
      [[2]],
      [[3]],
      [[4]],
    ]);
  });

  it('keeps nothing of a cancelled search', async () => {
    const set = await open();
    await fetchAll(set.id);
    const control = new AbortController();
    const search = (text: string, signal: AbortSignal) =>
      data.handlers['results.page'](
        { resultId: set.id, start: 0, end: 10, filter: { text, facets: {} } },
        { signal },
      );
    const cancelled = search('payroll', control.signal);
    control.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    const hits = await search('payroll', new AbortController().signal);
    expect(hits.count).toBe(service.rows.filter((row) => String(row['subject']).includes('payroll')).length);
  });

  it('wipes the bytes, not only the rows', async () => {
    const set = await open();
    await fetchAll(set.id);
    await data.ctx.cache.maintain('PRAGMA wal_checkpoint(TRUNCATE)');
    const file = join(profile, 'cache.sqlite');
    const before = readFileSync(file);
    await data.handlers['results.matching']({ resultId: set.id }, context());
    await wipe(data.ctx, data.sets, null);
    expect(await data.sets.list()).toEqual([]);
    expect(statSync(file).size).toBeLessThan(before.length / 4);
    expect(statSync(`${file}-wal`).size).toBe(0);
    // No earlier encrypted page is left in the file, so no key brings it back.
    const after = readFileSync(file);
    for (let offset = 4_096 * 8; offset < before.length; offset += 4_096 * 7)
      expect(after.includes(before.subarray(offset, offset + 64))).toBe(false);
  });
});
