import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { evict, statsOf, wipe } from '#main/results/cache.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { makeRows, type RowsService, rowColumns, startRowsService } from '../support/rows-service.ts';

let profile: string;
let service: RowsService;
let data: DataHarness;
beforeEach(async () => {
  profile = mkdtempSync(join(tmpdir(), 'parapet-room-'));
  service = await startRowsService(makeRows(1_000));
  data = await openData(profile, service.url);
});
afterEach(async () => {
  await data.close();
  await service.close();
  rmSync(profile, { recursive: true, force: true });
});

async function run(saas: string) {
  const set = await data.handlers['results.open'](
    {
      connectionId: CONNECTION,
      payload: {
        query_domain: 'email',
        saas_id: saas,
        query_entity_type: 'email',
        condition: { operator: 'and', conditions: [] },
        columns: [],
        sort_by: [],
        include_copies: false,
      },
      columns: rowColumns,
      refresh: false,
    },
    { signal: new AbortController().signal },
  );
  await data.sets.fetchAll(set.id, new AbortController().signal, () => undefined);
  data.skip(1_000);
  return set.id;
}

it('counts result sets, and evicts the least recently used first, never pinned ones', async () => {
  const [first, second, third] = [await run('a'), await run('b'), await run('c')];
  const before = await statsOf(data.sets);
  expect(before).toMatchObject({ count: 3 });
  expect(before.bytes).toBeGreaterThan(100_000);
  (await data.sets.record(first)).pinned = true;
  expect(await evict(data.sets, 1)).toBeGreaterThan(0);
  expect(await data.sets.get(first)).not.toBeNull();
  expect(await data.sets.get(second)).toBeNull();
  expect(await data.sets.get(third)).not.toBeNull();
  const tables = await data.ctx.cache.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE name LIKE 'r_/_%' ESCAPE '/'",
  );
  expect(tables.map(({ name }) => name).filter((name) => /^rs_\d+$/.test(name))).toHaveLength(2);
});

it('wipes so that the bytes are gone', async () => {
  await run('a');
  await data.ctx.cache.write([]);
  const size = () =>
    readdirSync(profile)
      .filter((name) => name.startsWith('cache.sqlite'))
      .reduce((sum, name) => sum + readFileSync(join(profile, name)).length, 0);
  expect(size()).toBeGreaterThan(200_000);
  await wipe(data.ctx, data.sets, 'another connection');
  expect((await statsOf(data.sets)).count).toBe(1);
  await wipe(data.ctx, data.sets, null);
  expect((await statsOf(data.sets)).count).toBe(0);
  expect(size()).toBeLessThan(150_000);
});
