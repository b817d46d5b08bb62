/**
 * The life of a result set: rows that change while they are read, competing demands for them, clocks that are set, and
 * a kill at every point.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wipe } from '#main/results/cache.ts';
import { RequestLimiter } from '#main/results/request-limiter.ts';
import { goesOn, standingOf } from '#main/results/state.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { wasKilled } from '../support/killed.ts';
import { type Place, placesOf } from '../support/places.ts';
import { asking, type RowsFixture, startRowsFixture } from '../support/rows-fixture.ts';
import {
  makeRow,
  makeRows,
  ROWS_PAYLOAD,
  type RowsService,
  rowColumns,
  startRowsService,
} from '../support/rows-service.ts';
import { soon } from '../support/soon.ts';

const LONG = process.env['PARAPET_LONG'] === '1';
let fixture: RowsFixture;
let service: RowsService;
let data: DataHarness;
const idsOf = (rows: readonly { entity_id?: unknown }[]) => rows.map((row) => row['entity_id']);
const never = () => new Promise<undefined>(() => undefined);

describe('rows that change while they are read', () => {
  beforeEach(async () => {
    fixture = await startRowsFixture(2_500);
    ({ service, data } = fixture);
  });
  afterEach(() => fixture.close());

  it.each([1, 5])(
    '%i deleted before the current offset: read again, and complete with the remaining rows',
    async (gone) => {
      let injected = false;
      service.fault = (ask, page) => {
        if (ask.at === 1_525 && !injected) {
          injected = true;
          service.rows.splice(3, gone);
          page.rows = service.rows.slice(1_525, 1_525 + ask.size);
          page.search_after = null;
          page.total_rows = service.rows.length;
        }
        return undefined;
      };
      const set = await fixture.open();
      const whole = await fixture.fetchAll(set.id);
      expect(whole).toMatchObject({ state: 'complete', loaded: 2_500 - gone, vanished: gone, reason: null });
      expect(new Set(await fixture.idsOf(set.id))).toEqual(new Set(idsOf(service.rows)));
    },
  );

  it('[limit 3 scans] a service that ends early and lowers its total is never complete, and is not queried for ever', async () => {
    let ends = 0;
    service.fault = ({ at, size }, page) => {
      if (at + size <= 1_325) return undefined;
      ends++;
      Object.assign(page, {
        rows: service.rows.slice(at, 1_325),
        search_after: null,
        total_rows: 1_325,
      });
      return undefined;
    };
    const set = await fixture.open();
    const end = await fixture.fetchAll(set.id);
    expect(end).toMatchObject({ state: 'partial', stop: 'moved', loaded: 1_325 });
    expect(end.reason).toMatch(/2,500 rows at first and 1,325 at the end\. 1,325 rows are here/);
    expect(ends).toBe(3);
    // Viewing the set starts no rescan; an explicit request does, once the service has recovered.
    const requests = service.asks.length;
    await data.handlers['results.page']({ resultId: set.id, start: 1_200, end: 1_325 }, asking());
    expect(service.asks).toHaveLength(requests);
    service.fault = () => undefined;
    expect(await fixture.fetchAll(set.id)).toMatchObject({ state: 'complete', loaded: 2_500 });
    expect(await fixture.idsOf(set.id)).toEqual(idsOf(service.rows));
  });

  it('a total that changed before a restart is remembered after it', async () => {
    service.fault = ({ at }, page) => {
      if (at < 525) page.total_rows = 2_510;
      return at >= 1_525 ? never() : undefined;
    };
    const set = await fixture.open();
    await data.handlers['results.fill']({ resultId: set.id, action: 'all' }, asking());
    await soon(async () => expect((await data.sets.get(set.id))?.loaded).toBe(1_525));
    await data.close();
    service.fault = () => undefined;
    data = fixture.data = await openData(fixture.profile, service.url);
    // The last scan alone would look complete, judged by its last total.
    await soon(async () =>
      expect(await data.sets.get(set.id)).toMatchObject({ state: 'complete', loaded: 2_500, scans: 1 }),
    );
    expect(await fixture.idsOf(set.id)).toEqual(idsOf(service.rows));
  });

  it.each([
    ['0', 0],
    ['a limit', 1_000],
  ])(
    'a total that is %s counts as a lower bound; only two identical scans prove completeness',
    async (_, cap) => {
      service.fault = (__, page) => {
        page.total_rows = Math.min(cap, page.total_rows);
        return undefined;
      };
      const hold = Promise.withResolvers<void>();
      const { fault } = service;
      service.fault = async (ask, page) => {
        if (ask.at === 1_525) await hold.promise;
        return fault(ask, page);
      };
      const set = await fixture.open();
      await soon(async () => expect((await data.sets.get(set.id))?.loaded).toBe(1_525));
      expect(await data.sets.get(set.id)).toMatchObject({ state: 'filling', atLeast: true, total: 1_525 });
      hold.resolve();
      const whole = await fixture.fetchAll(set.id);
      expect(whole).toMatchObject({ state: 'complete', loaded: 2_500, scans: 1 });
      expect(whole.reason).toMatch(/read twice, with the same result/);
      expect(await data.sets.get(set.id)).toMatchObject({ atLeast: false, total: 2_500 });
      expect(await fixture.idsOf(set.id)).toEqual(idsOf(service.rows));
    },
  );

  it.each([
    ['evidence', 1, [true]],
    ['a service', 0, []],
  ])('%s may count its rows with the second page', async (_, version, later) => {
    data.ctx.coverage = () => ({ version, lack: null });
    const hold = Promise.withResolvers<void>();
    service.fault = async ({ at, countLater }, page) => {
      if (countLater) page.total_rows = 0;
      if (at > 0) await hold.promise;
      return undefined;
    };
    const set = await fixture.open();
    expect(set).toMatchObject(
      version === 1 ? { atLeast: true, total: 25 } : { atLeast: false, total: 2_500 },
    );
    hold.resolve();
    expect(await fixture.fetchAll(set.id)).toMatchObject({ state: 'complete', loaded: 2_500, scans: 0 });
    expect(service.asks.map(({ countLater }) => countLater).filter(Boolean)).toEqual(later);
    expect(await fixture.idsOf(set.id)).toEqual(idsOf(service.rows));
  });

  it('a service that does not count, and that ends earlier the second time, is not complete', async () => {
    let scans = 0;
    service.fault = ({ at, size }, page) => {
      page.total_rows = 0;
      if (at === 0) scans++;
      if (scans > 1 && at + size > 1_500) {
        page.rows = service.rows.slice(at, 1_500);
        page.search_after = null;
      }
      return undefined;
    };
    const set = await fixture.open();
    expect(await fixture.fetchAll(set.id)).toMatchObject({ state: 'partial', stop: 'moved', loaded: 2_500 });
  });

  it('a service without a count whose cursors repeat in a cycle: the fetch ends', async () => {
    let turn = 0;
    service.fault = ({ at }, page) => {
      page.total_rows = 0;
      if (at >= 1_525) page.search_after = [`25.${++turn}`];
      return undefined;
    };
    const set = await fixture.open();
    const end = await fixture.fetchAll(set.id);
    expect(end.loaded).toBe(2_500);
    expect(end.state).not.toBe('filling');
  });
});

describe('competing demands for rows', () => {
  beforeEach(async () => {
    fixture = await startRowsFixture(2_500);
    ({ service, data } = fixture);
  });
  afterEach(() => fixture.close());

  const columns = rowColumns.map(({ id, label }) => ({ id, label }));
  const exporting = (resultId: string) =>
    data.export(resultId, join(fixture.profile, 'all.csv'), { columns });
  const control = (id: string, action: 'cancel' | 'pause' | 'resume') =>
    data.handlers['jobs.control']({ id, action }, asking());
  const jobOf = (kind: string) => data.jobs.list().find((job) => job.kind === kind)!;
  /** The service returns pages beyond row 525 only when released. */
  const held = async () => {
    const gate = Promise.withResolvers<undefined>();
    service.fault = ({ at }) => (at >= 525 ? gate.promise : undefined);
    const set = await fixture.open();
    await soon(async () => expect((await data.sets.get(set.id))?.loaded).toBe(525));
    return { id: set.id, release: () => gate.resolve(undefined) };
  };

  it("cancelling an export leaves the analyst's own fetch of all rows running", async () => {
    const { id, release } = await held();
    await data.handlers['results.fill']({ resultId: id, action: 'all' }, asking());
    const { id: job } = await exporting(id);
    await control(job, 'cancel');
    release();
    await soon(() => expect(jobOf('fetch')).toMatchObject({ state: 'done', done: 2_500 }));
    expect(await data.sets.get(id)).toMatchObject({ state: 'complete', loaded: 2_500 });
  });

  it("cancelling the analyst's fetch leaves an export running; when both are cancelled, the fetch ends and does not resume", async () => {
    const { id, release } = await held();
    await data.handlers['results.fill']({ resultId: id, action: 'all' }, asking());
    const { id: job } = await exporting(id);
    await control(jobOf('fetch').id, 'cancel');
    expect((await data.sets.get(id))?.state).toBe('filling');
    await control(job, 'cancel');
    await soon(async () =>
      expect(await data.sets.get(id)).toMatchObject({ state: 'paused', stop: 'enough', loaded: 525 }),
    );
    release();
    await data.close();
    data = fixture.data = await openData(fixture.profile, service.url);
    await data.sets.list();
    expect(await data.sets.get(id)).toMatchObject({ state: 'paused', loaded: 525 });
    expect(data.jobs.list().filter(({ state }) => state === 'running')).toEqual([]);
  });

  it("an export continues while the analyst's fetch is paused", async () => {
    const { id, release } = await held();
    await data.handlers['results.fill']({ resultId: id, action: 'all' }, asking());
    await control(jobOf('fetch').id, 'pause');
    await exporting(id);
    release();
    await soon(() => expect(jobOf('export')).toMatchObject({ state: 'done', done: 2_500 }));
  });
});

describe('storage', () => {
  beforeEach(async () => {
    fixture = await startRowsFixture(2_500);
    ({ service, data } = fixture);
  });
  afterEach(() => fixture.close());

  it('a query run while a damaged cache is replaced has one fetcher, and every row once', async () => {
    const gate = Promise.withResolvers<void>();
    const first = Promise.withResolvers<undefined>();
    const later = Promise.withResolvers<undefined>();
    service.fault = ({ at }) => (at === 0 ? first.promise : at >= 525 ? later.promise : undefined);
    const opening = fixture.open();
    await soon(() => expect(service.asks).toHaveLength(1));
    const replacing = data.replaceCache(gate.promise);
    first.resolve(undefined);
    gate.resolve();
    const [set] = await Promise.all([opening, replacing]);
    const id = (await data.sets.get(set.id)) === null ? (await fixture.open()).id : set.id;
    // All start before any finishes.
    const whole = fixture.fetchAll(id);
    await soon(() => expect(service.asks.some(({ at }) => at >= 525)).toBe(true));
    later.resolve(undefined);
    expect(await whole).toMatchObject({ state: 'complete', loaded: 2_500 });
    expect(await fixture.idsOf(id)).toEqual(idsOf(service.rows));
    const offsets = service.asks.map(({ at }) => at).filter((row) => row > 0);
    expect(new Set(offsets).size).toBe(offsets.length);
  });

  it('a fetch of all rows in progress when the cache is replaced ends, and leaves nothing behind', async () => {
    service.fault = ({ at }) => (at >= 1_525 ? never() : undefined);
    const set = await fixture.open();
    await data.handlers['results.fill']({ resultId: set.id, action: 'all' }, asking());
    await soon(async () => expect((await data.sets.get(set.id))?.loaded).toBe(1_525));
    await data.replaceCache();
    expect(await data.sets.list()).toEqual([]);
    await soon(() => expect(data.jobs.list().filter(({ state }) => state === 'running')).toEqual([]));
  });

  it('"Clear everything" covers every table of the schema', async () => {
    await fixture.open();
    await data.ctx.cache.write([
      { sql: 'CREATE TABLE rs_900 (pos INTEGER PRIMARY KEY)' },
      { sql: 'CREATE TABLE rv_901 (rank INTEGER PRIMARY KEY, pos INTEGER)' },
      {
        sql: `INSERT INTO result_sets (n, id, key, connection_id, payload, columns, total, state, started_at, fetched_at, used_at)
          VALUES (900, 'stray', 'k', 'c', '{}', '[]', 0, 'filling', 0, 0, 0)`,
      },
    ]);
    await wipe(data.ctx, data.sets, null);
    expect(await data.ctx.cache.all("SELECT name FROM sqlite_schema WHERE name GLOB 'r[svh]_*'")).toEqual([]);
    expect(await data.ctx.cache.all('SELECT id FROM result_sets')).toEqual([]);
  });
});

describe('clock changes', () => {
  beforeEach(async () => {
    fixture = await startRowsFixture(2_500);
    ({ service, data } = fixture);
  });
  afterEach(() => fixture.close());

  const YEARS = 10 * 365 * 24 * 3_600_000;
  const HOUR = 3_600_000;

  it('back ten years: rows an earlier run fetched in the future are not fresh; within a run the monotonic age counts', async () => {
    const set = await fixture.open();
    await fixture.fetchAll(set.id);
    data.setClock(-YEARS);
    expect((await fixture.open({}, false)).id).toBe(set.id);
    data.skip(5 * 60_000 + 1);
    const later = await fixture.open({}, false);
    expect(later.id).not.toBe(set.id);
    await fixture.fetchAll(later.id);
    await data.close();
    data = fixture.data = await openData(fixture.profile, service.url);
    // Fetched in the future.
    data.setClock(-YEARS);
    expect((await fixture.open({}, false)).id).not.toBe(later.id);
  });

  it('unchanged: rows of an earlier run stay fresh as long as those of this one, unless they are evidence', async () => {
    const set = await fixture.open();
    await fixture.fetchAll(set.id);
    await data.close();
    data = fixture.data = await openData(fixture.profile, service.url);
    const requests = service.asks.length;
    expect(await fixture.open({}, false)).toMatchObject({ id: set.id, state: 'complete' });
    expect(service.asks).toHaveLength(requests);
    // The folder may have changed between the runs.
    data.ctx.coverage = () => ({ version: 1, lack: null });
    const again = await fixture.open({}, false);
    expect(again.id).not.toBe(set.id);
    data.ctx.coverage = () => ({ version: 0, lack: null });
    await fixture.fetchAll(again.id);
    await data.close();
    data = fixture.data = await openData(fixture.profile, service.url);
    data.skip(5 * 60_000 + 1);
    expect((await fixture.open({}, false)).id).not.toBe(again.id);
  });

  it('back an hour after "too many requests": the wait lasts as long as the service asked, not until the old clock time', async () => {
    let set = 0;
    const limiter = new RequestLimiter(
      { ticks: () => performance.now(), now: () => Date.now() + set },
      { backoffMs: 1, capMs: 3_600_000 },
    );
    const { signal } = new AbortController();
    let turn = 0;
    const limited = async () => {
      if (++turn === 1) throw new ParapetError('rate-limited', 'Too many.');
      return turn;
    };
    expect(await limiter.run('c', limited, signal, () => undefined)).toBe(2);
    set = -HOUR;
    expect(await limiter.run('c', limited, signal, () => undefined)).toBe(3);
  });

  it('back an hour: a selection made afterwards keeps its rows, whatever was sorted before', async () => {
    const set = await fixture.open();
    await fixture.fetchAll(set.id);
    const freeze = (text: string, column: string) =>
      data.handlers['results.matching'](
        { resultId: set.id, filter: { text, facets: {} }, sort: [{ dbId: column, direction: 'desc' }] },
        asking(),
      );
    for (const { id } of rowColumns) {
      const { selectionId } = await freeze('a', id);
      data.handlers['results.release']({ selectionId }, asking());
    }
    data.setClock(-HOUR);
    const { selectionId, count } = await freeze('payroll', 'size');
    const { entityIds } = await data.handlers['results.selection'](
      { selectionId, start: 0, end: count },
      asking(),
    );
    expect(new Set(entityIds)).toEqual(
      new Set(idsOf(service.rows.filter((row) => String(row['subject']).includes('payroll')))),
    );
  });

  it('back an hour: rows that were marked stale are fetched again', async () => {
    const set = await fixture.open();
    await fixture.fetchAll(set.id);
    data.setClock(-HOUR);
    data.sets.markStale(CONNECTION);
    expect((await fixture.open({}, false)).id).not.toBe(set.id);
  });
});

describe('the states of a set', () => {
  it('a complete set stays complete', () => {
    for (const to of ['filling', 'complete', 'paused', 'short'] as const)
      expect(() => standingOf({ state: 'complete' }, to)).toThrow(/cannot become/);
  });
  it.each([
    ['filling', 'moved', 'partial'],
    ['filling', 'enough', 'paused'],
    ['paused', 'stopped', 'partial'],
    ['partial', 'filling', 'filling'],
  ] as const)('%s may become %s', (from, to, state) => {
    expect(standingOf({ state: from }, to)).toMatchObject({ state });
  });
  it('a reconciled set is scanned again only on request', () => {
    const record = { origin: null, state: 'partial', stop: 'moved' } as Parameters<typeof goesOn>[0];
    expect(goesOn(record)).toBe(false);
    expect(goesOn({ ...record, stop: 'unreachable' })).toBe(true);
  });
});

describe('a kill at every point', () => {
  const ROWS = 1_200;
  const CHILD = fileURLToPath(new URL('../support/fetch-child.ts', import.meta.url));
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parapet-places-'));
    service = await startRowsService(makeRows(ROWS));
  });
  afterEach(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const openRun = async (of: DataHarness) => {
    const set = await of.handlers['results.open'](
      { connectionId: CONNECTION, payload: ROWS_PAYLOAD, columns: rowColumns, refresh: false },
      asking(),
    );
    await of.handlers['results.fill']({ resultId: set.id, action: 'pause', pageSize: 100 }, asking());
    return set.id;
  };
  const exact = async (of: DataHarness, id: string) => {
    const record = await of.sets.record(id);
    const rows = await of.ctx.cache.rows(`SELECT pos, entity_id FROM rs_${record.n} ORDER BY pos`);
    expect(rows).toEqual(makeRows(ROWS).map((row, index) => [index, row['entity_id']]));
  };
  /** Starts the core and checks that the fetch resumes without opening the set, resuming it or requesting a page. */
  const resumesAlone = async (profile: string, id: string) => {
    const again = await openData(profile, service.url);
    try {
      await soon(async () => expect((await again.sets.get(id))?.state).toBe('complete'));
      await exact(again, id);
    } finally {
      await again.close();
    }
  };

  it('if any call or write fails, the fetch resumes automatically after the next start', {
    timeout: 600_000,
  }, async () => {
    const step = LONG ? 1 : 5;
    for (let turn = 1, more = true; more; turn += step) {
      const profile = join(folder, `failed-${turn}`);
      let armed = false;
      let passed = 0;
      const around = placesOf(({ what }: Place) => {
        if (!armed || ++passed !== turn) return;
        throw what === 'call'
          ? new ParapetError('unauthorized', 'The credential has expired.')
          : new ParapetError('disk-full', 'The disk is full.');
      });
      const of = await openData(profile, service.url, undefined, undefined, undefined, around);
      const id = await openRun(of);
      armed = true;
      const promised = await of.handlers['results.fill']({ resultId: id, action: 'all' }, asking()).then(
        () => true,
        () => false,
      );
      await soon(async () => expect((await of.sets.get(id))?.state).not.toBe('filling'));
      const end = (await of.sets.get(id))!;
      if (end.state === 'complete') await exact(of, id);
      more = passed >= turn;
      const stopped = of.jobs.list().every(({ state }) => state !== 'running');
      expect(stopped || end.state === 'complete').toBe(true);
      await of.close();
      // A refusal is reported, and the request is not repeated automatically.
      if (promised && end.stop !== 'failed') await resumesAlone(profile, id);
    }
  });

  it('after kill -9 at any of them the fetch resumes automatically, with no row lost or duplicated', {
    timeout: 1_200_000,
  }, async () => {
    const run = (profile: string, turn: number) =>
      new Promise<{ id: string | null; ended: boolean }>((resolve, reject) => {
        const child = spawn(process.execPath, [CHILD, profile, service.url, String(turn)], {
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        let output = '';
        let complaint = '';
        child.stdout.on('data', (bytes: Buffer) => {
          output += bytes.toString();
        });
        child.stderr.on('data', (bytes: Buffer) => {
          complaint += bytes.toString();
        });
        child.once('close', (code, signal) => {
          const id = /^promised (\S+)$/m.exec(output)?.[1] ?? null;
          if (wasKilled(code, signal, complaint)) resolve({ id, ended: false });
          else if (code === 0) resolve({ id, ended: true });
          else reject(new Error(`the child ended unexpectedly: ${complaint}`));
        });
      });
    let promised = 0;
    for (let turn = LONG ? 1 : 4; ; turn += LONG ? 1 : 14) {
      const profile = join(folder, `killed-${turn}`);
      const { id, ended } = await run(profile, turn);
      if (ended) break;
      if (id === null) continue;
      promised++;
      await resumesAlone(profile, id);
    }
    expect(promised).toBeGreaterThanOrEqual(LONG ? 40 : 2);
  });

  it('a write that fails while a query starts leaves no set, no table and no fetch', async () => {
    for (let turn = 1; ; turn++) {
      let armed = false;
      let passed = 0;
      const around = placesOf(({ what, when }) => {
        if (!armed || what === 'call' || when === 'after') return;
        if (++passed === turn) throw new ParapetError('disk-full', 'The disk is full.');
      });
      const profile = join(folder, `begun-${turn}`);
      const of = await openData(profile, service.url, undefined, undefined, undefined, around);
      await of.sets.list();
      armed = true;
      // One page, so that nothing else is written after it.
      service.rows = [makeRow(1)];
      const begun = await of.handlers['results.open'](
        { connectionId: CONNECTION, payload: ROWS_PAYLOAD, columns: rowColumns, refresh: true },
        asking(),
      ).then(
        () => true,
        () => false,
      );
      armed = false;
      if (begun) {
        await of.close();
        expect(turn).toBeGreaterThan(1);
        break;
      }
      await of.close();
      const requests = service.asks.length;
      const again = await openData(profile, service.url);
      const sets = await again.sets.list();
      expect(sets.filter(({ loaded }) => loaded === 0)).toEqual([]);
      expect(again.jobs.list()).toEqual([]);
      expect(service.asks).toHaveLength(requests);
      await wipe(again.ctx, again.sets, null);
      expect(await again.ctx.cache.all("SELECT name FROM sqlite_schema WHERE name GLOB 'rs_*'")).toEqual([]);
      await again.close();
    }
  });
});
