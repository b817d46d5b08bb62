/** Browsing result sets (sort, page, search, filter, count) against scans and ripgrep. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { makeReady } from '#main/results/columnar/client.ts';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { DataHarness } from '../support/data-services.ts';
import { context, Fixture, shell, time } from './fixture.ts';
import { type Bench, type BenchSuite, benchRow, median, peakRss, percentile, resetPeak } from './support.ts';

const SORTS = ['subject', 'size', 'received', 'from_domain', 'verdict'] as const;
const TERMS = ['nowhere-to-be-found', 'inv-1', '請求書', 'aldermoor'] as const;
const WIDTH = 100;

const pager =
  (data: DataHarness, id: string) =>
  (start: number, rest: object = {}, width = WIDTH) =>
    data.handlers['results.page']({ resultId: id, start, end: start + width, ...rest }, context);
const places = (rows: number, count: number) =>
  Array.from({ length: count }, (_, turn) => (turn * 7_919_003) % Math.max(1, rows - WIDTH));

/** The same first page, before and after the columns of the set are in memory. */
async function sorts(bench: Bench, fixture: Fixture) {
  const [data, set] = [await fixture.data(), await fixture.set()];
  const page = pager(data, set.id);
  const plain = new Sqlite(fixture.plain(), { readonly: true });
  const cold = await time(() => page(0, { sort: [{ dbId: 'size', direction: 'desc' }] }));
  bench.record({ name: 'sort', variant: 'by size, nothing in memory yet: first page', median_ms: cold });
  const ready = await time(() => makeReady(data.ctx.cache, set));
  bench.record({
    name: 'sort',
    variant: 'columns and words loaded into memory in the background',
    median_ms: ready,
  });
  for (const dbId of SORTS) {
    let turn = 0;
    // A different second key each time, so that no order is reused.
    const others = ['clicks', 'folder', 'direction', 'spf', 'dmarc', 'to'];
    const next = () => [
      { dbId, direction: 'desc' as const },
      { dbId: others[turn++ % others.length] ?? dbId, direction: 'asc' as const },
    ];
    await bench.compare({
      name: 'sort',
      variant: `by ${dbId}: first page of a new sort`,
      own: () => page(0, { sort: next() }),
      peers: [
        {
          name: 'ORDER BY … LIMIT on a plain file',
          run: async () =>
            plain
              .prepare(`SELECT * FROM t ORDER BY "${dbId}" COLLATE NOCASE DESC LIMIT ${WIDTH}`)
              .raw()
              .all(),
        },
      ],
    });
    const sort = [{ dbId, direction: 'asc' as const }];
    bench.record({
      name: 'sort',
      variant: `by ${dbId}: any page of a new sort`,
      median_ms: await time(() => page(Math.floor(bench.rows / 2), { sort })),
    });
  }
  plain.close();
}

/** Pages at random positions of five orders: from the request in main to its rows, and only in the worker's connection. */
async function pages(bench: Bench, fixture: Fixture) {
  const [data, set] = [await fixture.data(), await fixture.set()];
  const page = pager(data, set.id);
  const plain = new Sqlite(fixture.plain(), { readonly: true });
  const direct = new Sqlite(path.join(fixture.folder, 'profile', 'cache.sqlite'), { readonly: true });
  direct.pragma(`cipher='aegis'`);
  direct.pragma(`key='raw:${'a1'.repeat(32)}'`);
  direct.pragma('cache_size=-65536');
  const used = await data.sets.acquire(set.id);
  for (const dbId of SORTS) {
    const sort = [{ dbId, direction: 'desc' as const }];
    const built = performance.now();
    const held = await used.sorted.lease(used.lease(), sort, null);
    bench.record({
      name: 'page',
      variant: `by ${dbId}: sort index built and written`,
      median_ms: performance.now() - built,
    });
    const times: number[] = [];
    for (const start of places(bench.rows, 200)) times.push(await time(() => page(start, { sort })));
    const worker = direct
      .prepare(
        `SELECT r.* FROM rv_${held.n} v CROSS JOIN rs_${set.n} r ON r.pos = v.pos WHERE v.rank > ? AND v.rank <= ? ORDER BY v.rank`,
      )
      .raw();
    for (const start of places(bench.rows, 300)) worker.all(start, start + WIDTH);
    const inside: number[] = [];
    for (const start of places(bench.rows, 200))
      inside.push(await time(() => worker.all(start, start + WIDTH)));
    const offset = plain.prepare(`SELECT * FROM t ORDER BY "${dbId}" LIMIT ${WIDTH} OFFSET ?`).raw();
    const peer = await time(() => offset.all(Math.floor(bench.rows / 2)));
    const entry = { name: 'page', peer: 'OFFSET on a plain file', peer_median_ms: peer };
    const both = [
      ['request to rows', times],
      ['in the worker', inside],
    ] as const;
    for (const [where, list] of both) {
      bench.record({ ...entry, variant: `by ${dbId}: p50, ${where}`, median_ms: median(list) });
      bench.record({ ...entry, variant: `by ${dbId}: p95, ${where}`, median_ms: percentile(list, 0.95) });
    }
    held.release();
  }
  used.release();
  plain.close();
  direct.close();
}

/** Counts every hit: a page without rows is only its count. */
const exactly = (page: ReturnType<typeof pager>, rest: object) => page(0, rest, 0);

async function searches(bench: Bench, fixture: Fixture) {
  const [data, set] = [await fixture.data(), await fixture.set()];
  const page = pager(data, set.id);
  const filter = (text: string): { filter: LocalFilter } => ({ filter: { text, facets: {} } });
  const ready = await time(() => page(0, filter('zzzz')));
  bench.record({ name: 'search', variant: 'the first search after the fetch', median_ms: ready });
  await makeReady(data.ctx.cache, set);
  const cells = set.columns.filter(
    ({ storage }) => storage === 'text' || storage === 'json' || storage === 'any',
  );
  const ndjson = shell('rg')
    ? fixture.write('rows.ndjson', (index) => `${JSON.stringify(benchRow(index))}\n`)
    : null;
  if (ndjson === null) bench.notice('ripgrep is not installed: left out (apt-get install ripgrep).');
  for (const text of TERMS) {
    let turn = 0;
    // A different second word each time, which every row has, so that no answer is reused.
    const other = () => `${text} ${['-', '@', '.', '1', 'a', 'e', '2', '0', 'r', 'n'][turn++ % 10]}`;
    const { count } = await exactly(page, filter(text));
    await bench.compare({
      name: 'search',
      variant: `"${text}": first hits`,
      own: () => page(0, filter(other())),
    });
    await bench.compare({
      name: 'search',
      variant: `"${text}": exact count, ${count} hits`,
      own: () => exactly(page, filter(other())),
      peers: [
        {
          name: 'LIKE over the text columns',
          run: () =>
            data.ctx.cache.rows(
              `SELECT count(*) FROM rs_${set.n} WHERE ${cells.map(({ sql }) => `${sql} LIKE @like`).join(' OR ')}`,
              { like: `%${text}%` },
            ),
        },
        ...(ndjson === null
          ? []
          : [
              {
                name: 'ripgrep over NDJSON',
                run: async () => {
                  try {
                    execFileSync('rg', ['-i', '-F', '-c', text, ndjson]);
                  } catch {
                    // ripgrep fails when nothing matches.
                  }
                },
              },
            ]),
      ],
    });
  }
}

async function filtersAndFacets(bench: Bench, fixture: Fixture) {
  const [data, set] = [await fixture.data(), await fixture.set()];
  const page = pager(data, set.id);
  const plain = new Sqlite(fixture.plain(), { readonly: true });
  await makeReady(data.ctx.cache, set);
  if (bench.wants('filter')) {
    let turn = 0;
    await bench.compare({
      name: 'filter',
      variant: 'verdict and size: first page and the count',
      own: () =>
        page(0, {
          filter: {
            text: '',
            facets: { verdict: ['found'] },
            condition: {
              operator: 'and',
              conditions: [{ field: 'size', operator: 'greater_than', values: [500_000 + turn++] }],
            },
          },
        }),
      peers: [
        {
          name: 'the same WHERE on a plain file',
          run: async () => {
            const where = `FROM t WHERE verdict = 'found' AND size > ${500_000 + turn}`;
            plain.prepare(`SELECT * ${where} LIMIT ${WIDTH}`).raw().all();
            plain.prepare(`SELECT count(*) ${where}`).get();
          },
        },
      ],
    });
  }
  if (bench.wants('facet'))
    for (const column of ['verdict', 'from_domain'])
      await bench.compare({
        name: 'facet',
        variant: `values and counts of ${column}`,
        own: () => data.handlers['results.facets']({ resultId: set.id, columns: [column] }, context),
        peers: [
          {
            name: 'GROUP BY on a plain file',
            run: async () =>
              plain.prepare(`SELECT "${column}", count(*) FROM t GROUP BY 1 ORDER BY 2 DESC LIMIT 100`).all(),
          },
        ],
      });
  plain.close();
}

/** Rows counted by one or two columns, with the first and last time of each group. */
async function groupings(bench: Bench, fixture: Fixture) {
  const [data, set] = [await fixture.data(), await fixture.set()];
  const plain = new Sqlite(fixture.plain(), { readonly: true });
  await makeReady(data.ctx.cache, set);
  const FIRST_AND_LAST = 'count(*), min(received), max(received)';
  const days = 'substr(received, 1, 10)';
  const cases = [
    ['verdict and sender domain, top 10', ['verdict', 'from_domain'], 10, 'verdict, from_domain'],
    ['days and verdict, over time', ['received', 'verdict'], 200, `${days}, verdict`],
    ['a column of a million texts, top 10', ['message_id'], 10, 'message_id'],
  ] as const;
  for (const [variant, columns, most, keys] of cases)
    await bench.compare({
      name: 'groups',
      variant,
      own: () =>
        data.handlers['results.groups'](
          {
            resultId: set.id,
            by: columns.map((column) => ({ column, most, ...(most > 100 ? { every: 'day' as const } : {}) })),
            time: 'received',
            clock: 'utc',
          },
          context,
        ),
      peers: [
        {
          name: 'GROUP BY on a plain file',
          run: async () =>
            plain
              .prepare(
                `SELECT ${keys}, ${FIRST_AND_LAST} FROM t GROUP BY ${keys} ORDER BY count(*) DESC LIMIT 200`,
              )
              .all(),
        },
      ],
    });
  plain.close();
}

/** Growth with ten times the rows, and from a million on with five times. */
async function growth(bench: Bench) {
  const most = bench.rows >= 1_000_000 ? [bench.rows * 5] : [];
  for (const rows of [Math.ceil(bench.rows / 10), bench.rows, ...most]) {
    const fixture = new Fixture(rows);
    try {
      const data = await fixture.data();
      resetPeak();
      const record = (variant: string, median_ms: number) =>
        bench.record({ name: 'growth', variant, median_ms, rows, peak_rss_mb: peakRss() });
      record('fetch all', await time(() => fixture.set()));
      const set = await fixture.set();
      const page = pager(data, set.id);
      const sort = [{ dbId: 'size', direction: 'asc' }];
      record('first page of a new sort, from the file', await time(() => page(0, { sort })));
      record('columns and words brought into memory', await time(() => makeReady(data.ctx.cache, set)));
      const others = [{ dbId: 'received', direction: 'desc' }];
      record('first page of a new sort', await time(() => page(0, { sort: others })));
      const used = await data.sets.acquire(set.id);
      (await used.sorted.lease(used.lease(), [{ dbId: 'received', direction: 'desc' }], null)).release();
      used.release();
      const times: number[] = [];
      for (const start of places(rows, 200)) times.push(await time(() => page(start, { sort: others })));
      record('page, p95', percentile(times, 0.95));
      const filter = { text: 'payroll', facets: {} };
      record('search, first hits', await time(() => page(0, { filter })));
      record('search, exact count', await time(() => exactly(page, { filter })));
      const columns = ['verdict'];
      record(
        'facet',
        await time(() => data.handlers['results.facets']({ resultId: set.id, columns }, context)),
      );
    } finally {
      await fixture.close();
    }
  }
}

export const suite: BenchSuite = {
  names: ['sort', 'page', 'search', 'filter', 'facet', 'groups', 'growth'],
  async run(bench) {
    const fixture = new Fixture(bench.rows);
    try {
      if (bench.wants('sort')) await sorts(bench, fixture);
      if (bench.wants('page')) await pages(bench, fixture);
      if (bench.wants('search')) await searches(bench, fixture);
      if (bench.wants('filter') || bench.wants('facet')) await filtersAndFacets(bench, fixture);
      if (bench.wants('groups')) await groupings(bench, fixture);
    } finally {
      await fixture.close();
    }
    if (bench.wants('growth')) await growth(bench);
  },
};
