/** First rows and whole fills against a raw fetch of the same calls; paging, sorting, searching on this machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONNECTION, openData } from '../support/data-services.ts';
import { startRowsService } from '../support/rows-service.ts';
import { alternate, benchColumns, benchRow, median, ms, percentile, print, ROWS, ratio } from './support.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
const service = await startRowsService(Array.from({ length: ROWS }, (_, index) => benchRow(index)));
const data = await openData(folder, service.url);
const context = { signal: new AbortController().signal };
const payload = {
  query_domain: 'email',
  saas_id: 'mail',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: benchColumns.map(({ id }) => id),
  sort_by: [],
  include_copies: false,
};
const open = () =>
  data.handlers['results.open'](
    { connectionId: CONNECTION, payload, columns: [...benchColumns], refresh: true },
    context,
  );
async function raw(
  cursor: string[] | null,
  size: number,
): Promise<{ rows: unknown[]; search_after: string[] | null }> {
  const response = await fetch(`${service.url}/api/v1/query/execute`, {
    method: 'POST',
    body: JSON.stringify({ ...payload, search_after: cursor, size, count_only: false }),
  });
  return (await response.json()) as { rows: unknown[]; search_after: string[] | null };
}

const first = await alternate({
  raw: async () => void (await raw(null, 25)),
  own: async () => {
    const set = await open();
    await data.handlers['results.fill']({ resultId: set.id, action: 'pause' }, context);
  },
});
print('First 25 rows stored, and the fill behind them stopped', [
  ['results.open', ms(first.own)],
  ['raw fetch', `${ms(first.raw)}  (${ratio(first.own, first.raw)})`],
]);

let id = '';
const fill = await alternate(
  {
    raw: async () => {
      let page = await raw(null, 25);
      for (let size = 500; page.search_after !== null; size = 1_000)
        page = await raw(page.search_after, size);
    },
    own: async () => {
      const set = await open();
      id = set.id;
      const end = await data.sets.fetchAll(id, context.signal, () => undefined);
      if (end.state !== 'complete') throw new Error(`the fill ended ${end.state}: ${end.reason}`);
    },
  },
  3,
);
print(`Fetch all ${ROWS} rows, stored encrypted with search text, checked for doubles`, [
  ['own', `${ms(fill.own)}  (${Math.round(ROWS / fill.own)} krows/s)`],
  ['raw stream of the same pages', `${ms(fill.raw)}  (${ratio(fill.own, fill.raw)})`],
]);

const page = (start: number, rest = {}) =>
  data.handlers['results.page']({ resultId: id, start, end: start + 100, ...rest }, context);
const lines: [string, string][] = [];
const time = async (work: () => Promise<unknown>) => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};
const random: number[] = [];
for (let turn = 0; turn < 200; turn++) random.push(await time(() => page((turn * 7_919_003) % (ROWS - 100))));
lines.push(['service order', `p50 ${ms(median(random))}, p95 ${ms(percentile(random, 0.95))}`]);
for (const dbId of ['subject', 'size', 'received', 'from_domain', 'verdict']) {
  const rest = { sort: [{ dbId, direction: 'desc' }] };
  const firstPage = await time(() => page(0, rest));
  const rank = await time(() => page(100, rest));
  const times: number[] = [];
  for (let turn = 0; turn < 200; turn++)
    times.push(await time(() => page((turn * 7_919_003) % (ROWS - 100), rest)));
  lines.push([
    `by ${dbId}`,
    `first page ${ms(firstPage)}, rank ready after ${ms(rank)}, then p50 ${ms(median(times))}, p95 ${ms(percentile(times, 0.95))}`,
  ]);
}
print(`Page of 100 at a random place of ${ROWS}, from request to rows`, lines);

const search: [string, string][] = [];
for (const text of ['nowhere-to-be-found', 'INV', '請求書 payroll', 'sender12'])
  search.push([text, ms(await time(() => page(0, { filter: { text, facets: {} } })))]);
const { n } = await data.sets.record(id);
const texts = benchColumns.map(({ id: name }, index) => ({ name, sql: `c${index}` }));
const scan = await time(() =>
  data.ctx.cache.get(
    `SELECT count(*) FROM rs_${n} WHERE ${texts.map(({ sql }) => `${sql} LIKE @like`).join(' OR ')}`,
    { like: '%nowhere-to-be-found%' },
  ),
);
search.push(['LIKE over the columns, no hit', ms(scan)]);
print(`Quick search over ${ROWS} rows: first hits and the count`, search);

await data.close();
await service.close();
rmSync(folder, { recursive: true, force: true });
