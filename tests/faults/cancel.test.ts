/** Told to stop at any step of a comparison, of the end of a run or of an order: nothing goes on, nothing is left half. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#main/store/database.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { makeRows, type RowsService, rowColumns, startRowsService } from '../support/rows-service.ts';

const payload = {
  query_domain: 'email',
  saas_id: 'mail',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: rowColumns.map((column) => column.id),
  sort_by: [],
  include_copies: false,
};
const context = (signal = new AbortController().signal) => ({ signal });

let profile: string;
let service: RowsService;
let data: DataHarness;
beforeEach(async () => {
  profile = mkdtempSync(join(tmpdir(), 'parapet-cancel-'));
  service = await startRowsService(makeRows(2_500));
  data = await openData(profile, service.url);
});
afterEach(async () => {
  await data.close();
  await service.close();
  rmSync(profile, { recursive: true, force: true });
});

const open = () =>
  data.handlers['results.open'](
    { connectionId: CONNECTION, payload, columns: rowColumns, refresh: true },
    context(),
  );
const fetchAll = (id: string) => data.sets.fetchAll(id, new AbortController().signal, () => undefined);
const tables = () =>
  data.ctx.cache.all("SELECT name FROM sqlite_schema WHERE name GLOB 'r[sv]_*' ORDER BY name");

/** Tells every statement before it is asked; answers how to stop telling. */
function watch(tell: (sql: string) => void): () => void {
  const { cache } = data.ctx;
  const before = { ...cache };
  Object.assign(cache, {
    get: (...input: Parameters<Database['get']>) => {
      tell(input[0]);
      return before.get(...input);
    },
    rows: (...input: Parameters<Database['rows']>) => {
      tell(input[0]);
      return before.rows(...input);
    },
    places: (...input: Parameters<Database['places']>) => {
      tell(input[0]);
      return before.places(...input);
    },
    write: (...input: Parameters<Database['write']>) => {
      tell(input[0].map(({ sql }) => sql).join('; '));
      return before.write(...input);
    },
  });
  return () => void Object.assign(cache, before);
}

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
    const asked: string[] = [];
    const stop = watch((sql) => {
      asked.push(sql);
      if (asked.length === step) control.abort();
    });
    const end = await data.sets.compare(base.id, other.id, undefined, control.signal).then(
      () => 'done',
      (error: { code?: string }) => error.code,
    );
    stop();
    if (end === 'done') break;
    steps++;
    expect(end).toBe('cancelled');
    // What was under way may bring a second read along; after that only the table goes.
    expect(asked.slice(step + 1).every((sql) => sql.startsWith('DROP TABLE'))).toBe(true);
    expect(await tables()).toEqual(before);
    expect((await data.sets.list()).length).toBe(2);
  }
  expect(steps).toBeGreaterThanOrEqual(5);
});

it('at any step of the end of a run, which then goes on exact', async () => {
  // A row that came twice makes every step of the end necessary.
  service.rows.push({ ...service.rows[3]! });
  let steps = 0;
  for (let step = 1; step <= 3; step++) {
    const set = await open();
    const ends: string[] = [];
    let cancelled: Promise<unknown> | null = null;
    let ending = false;
    const stop = watch((sql) => {
      ending ||= sql.startsWith('CREATE INDEX');
      if (!ending) return;
      ends.push(sql);
      if (ends.length === step)
        cancelled = data.handlers['results.fill']({ resultId: set.id, action: 'cancel' }, context());
    });
    await fetchAll(set.id);
    await cancelled;
    stop();
    const now = await data.sets.get(set.id);
    if (now?.reason?.startsWith('The service announced') || now?.state === 'complete') break;
    steps++;
    expect(now).toMatchObject({ state: 'partial', loaded: 2_501 });
    // The state is written, and nothing else.
    expect(ends.slice(step).every((sql) => sql.startsWith('UPDATE result_sets'))).toBe(true);
    const whole = await fetchAll(set.id);
    expect(whole).toMatchObject({ loaded: 2_500 });
  }
  expect(steps).toBe(2);
});
