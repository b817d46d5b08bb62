/**
 * Cancellation at any step of a fetch, its reconciliation, a comparison or a sort: work stops and nothing is left
 * half-written.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ResultStore } from '#main/store/tasks.ts';
import type { DataHarness } from '../support/data-services.ts';
import { asking, type RowsFixture, startRowsFixture } from '../support/rows-fixture.ts';
import type { RowsService } from '../support/rows-service.ts';
import { soon } from '../support/soon.ts';

let fixture: RowsFixture;
let service: RowsService;
let data: DataHarness;
beforeEach(async () => {
  fixture = await startRowsFixture();
  ({ service, data } = fixture);
});
afterEach(() => fixture.close());

const context = asking;
const open = () => fixture.open();
const fetchAll = (id: string) => fixture.fetchAll(id);
const tables = () =>
  data.ctx.cache.all("SELECT name FROM sqlite_schema WHERE name GLOB 'r[sv]_*' ORDER BY name");

/** Calls a hook before every statement; returns a function that removes it. */
function watch(hook: (sql: string) => void): () => void {
  const { cache } = data.ctx;
  const before = { ...cache };
  Object.assign(cache, {
    get: (...input: Parameters<ResultStore['get']>) => {
      hook(input[0]);
      return before.get(...input);
    },
    rows: (...input: Parameters<ResultStore['rows']>) => {
      hook(input[0]);
      return before.rows(...input);
    },
    integers: (...input: Parameters<ResultStore['integers']>) => {
      hook(input[0]);
      return before.integers(...input);
    },
    write: (...input: Parameters<ResultStore['write']>) => {
      hook(input[0].map(({ sql }) => sql).join('; '));
      return before.write(...input);
    },
    bound: () => cache,
  });
  return () => void Object.assign(cache, before);
}

it('at any page of a fetch, whether requested, stored or waited for; the fetch then resumes and ends exact', async () => {
  const all = service.rows.map((row) => row['entity_id']);
  const cancel = (id: string) => data.handlers['results.fill']({ resultId: id, action: 'cancel' }, context());
  /** `underway`: pages that may have been requested before the cancellation and arrive after it. */
  const ended = async (id: string, requests: number, underway = 0) => {
    expect(await data.sets.get(id)).toMatchObject({
      state: 'partial',
      reason: expect.stringMatching(/stopped/),
    });
    expect(service.asks.length - requests).toBeLessThanOrEqual(underway);
    service.fault = () => undefined;
    expect(await fetchAll(id)).toMatchObject({ state: 'complete', loaded: 2_500 });
    expect(await fixture.idsOf(id)).toEqual(all);
  };
  for (const row of [25, 525, 1_525]) {
    // Cancelled while the request is in flight: the service holds its answer until then.
    const received = Promise.withResolvers<void>();
    service.fault = (ask) => {
      if (ask.at !== row) return undefined;
      received.resolve();
      return new Promise(() => undefined);
    };
    const set = await open();
    const fetching = fetchAll(set.id);
    await received.promise;
    const requests = service.asks.length;
    await cancel(set.id);
    await fetching;
    await ended(set.id, requests);
  }
  for (const page of [1, 2, 3]) {
    // Cancelled while the writer is storing the page.
    const set = await open();
    const { cache } = data.ctx;
    const ingest = cache.ingest;
    let stored = 0;
    let requests = 0;
    let cancelled: Promise<unknown> | null = null;
    cache.ingest = (task) => {
      const result = ingest(task);
      if (++stored === page) {
        requests = service.asks.length;
        cancelled = cancel(set.id);
      }
      return result;
    };
    await fetchAll(set.id);
    cache.ingest = ingest;
    await cancelled;
    if ((await data.sets.get(set.id))?.state === 'complete') continue;
    expect(stored).toBe(page);
    // Two more pages are in flight beside the one being stored; no third is requested after the cancellation.
    await ended(set.id, requests, 2);
  }
  // Between two attempts, while the service has asked us to back off.
  service.fault = ({ at }) => (at === 525 ? { status: 429, body: {} } : undefined);
  const set = await open();
  const fetching = fetchAll(set.id);
  await soon(async () => expect((await data.sets.get(set.id))?.waitingUntil).not.toBeNull());
  await cancel(set.id);
  await fetching;
  await ended(set.id, service.asks.length);
});

it('at any step of a comparison', async () => {
  const base = await open();
  await fetchAll(base.id);
  for (const row of service.rows.slice(0, 1_200)) row['subject'] = `${row['subject']} again`;
  service.rows.splice(2_000, 200);
  const other = await open();
  await fetchAll(other.id);
  const before = await tables();
  let steps = 0;
  for (let step = 1; ; step++) {
    const control = new AbortController();
    const statements: string[] = [];
    const stop = watch((sql) => {
      statements.push(sql);
      if (statements.length === step) control.abort();
    });
    const end = await data.sets.compare(base.id, other.id, undefined, control.signal).then(
      () => 'done',
      (error: { code?: string }) => error.code,
    );
    stop();
    if (end === 'done') break;
    steps++;
    expect(end).toBe('cancelled');
    // The cancelled read may already have started a second one; after that only the table is dropped.
    expect(statements.slice(step + 1).every((sql) => sql.startsWith('DROP TABLE'))).toBe(true);
    expect(await tables()).toEqual(before);
    expect((await data.sets.list()).length).toBe(2);
  }
  expect(steps).toBeGreaterThanOrEqual(5);
});

it('at any step of reconciling a run, which then resumes and ends exact', async () => {
  // A row that arrives twice and is counted once makes every step of the reconciliation necessary.
  service.rows.push({ ...service.rows[3]! });
  service.fault = (_, page) => {
    page.total_rows = 2_500;
    return undefined;
  };
  let steps = 0;
  for (let step = 1; step <= 3; step++) {
    let id = '';
    const ends: string[] = [];
    let cancelled: Promise<unknown> | null = null;
    let ending = false;
    const stop = watch((sql) => {
      ending ||= sql.startsWith('CREATE INDEX');
      if (!ending) return;
      ends.push(sql);
      if (ends.length === step)
        cancelled = data.handlers['results.fill']({ resultId: id, action: 'cancel' }, context());
    });
    ({ id } = await open());
    await fetchAll(id);
    await cancelled;
    stop();
    const now = await data.sets.get(id);
    if (now?.state === 'complete') break;
    steps++;
    expect(now).toMatchObject({ state: 'partial', loaded: 2_501 });
    // Only the state is written.
    expect(ends.slice(step).every((sql) => sql.startsWith('UPDATE result_sets'))).toBe(true);
    const whole = await fetchAll(id);
    expect(whole).toMatchObject({ state: 'complete', loaded: 2_500 });
  }
  expect(steps).toBe(2);
});
