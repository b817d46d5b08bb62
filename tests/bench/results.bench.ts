/** Result sets: fetched against the same stream raw, stored against the sqlite3 shell, read against scans and ripgrep. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { storePage } from '#main/results/fill.ts';
import { guessCursor } from '#main/results/page-ask.ts';
import { createStatements, newRecord, type SetRecord } from '#main/results/record.ts';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import { csvCell } from '#shared/model/spreadsheet-safe.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import {
  type Bench,
  type BenchSuite,
  benchColumns,
  benchRow,
  median,
  peakRss,
  percentile,
  resetPeak,
} from './support.ts';

const payload = {
  query_domain: 'email',
  saas_id: 'mail',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: benchColumns.map(({ id }) => id),
  sort_by: [],
  include_copies: false,
};
const context = { signal: new AbortController().signal };
const PAGE = 1_000;
const SORTS = ['subject', 'size', 'received', 'from_domain', 'verdict'] as const;
const TERMS = ['nowhere-to-be-found', 'inv-1', '請求書', 'aldermoor'] as const;
const WIDTH = 100;

const ids = benchColumns.map(({ id }) => id);
const plainCell = (value: unknown) =>
  typeof value === 'boolean'
    ? Number(value)
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : value;

function shell(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What every item needs, made when first asked for. */
class Ground {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
  private child: ChildProcess | null = null;
  private pages: Promise<string> | null = null;
  private opened: Promise<DataHarness> | null = null;
  private filled: Promise<SetRecord> | null = null;
  private made: string | null = null;
  readonly rows: number;
  constructor(rows: number) {
    this.rows = rows;
  }

  service(): Promise<string> {
    this.pages ??= new Promise((resolve) => {
      this.child = fork(fileURLToPath(new URL('./pages-child.ts', import.meta.url)), [String(this.rows)], {
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      });
      this.child.stdout?.once('data', (line: Buffer) => resolve(line.toString().trim()));
    });
    return this.pages;
  }
  data(): Promise<DataHarness> {
    this.opened ??= this.service().then((url) => openData(path.join(this.folder, 'profile'), url));
    return this.opened;
  }
  async fetch(): Promise<SetRecord> {
    const data = await this.data();
    const set = await data.handlers['results.open'](
      { connectionId: CONNECTION, payload, columns: [...benchColumns], refresh: true },
      context,
    );
    const end = await data.sets.fetchAll(set.id, context.signal, () => undefined);
    if (end.state !== 'complete') throw new Error(`the fetch ended ${end.state}: ${end.reason}`);
    return end;
  }
  /** A set with every row. */
  set(): Promise<SetRecord> {
    this.filled ??= this.fetch();
    return this.filled;
  }
  /** The same rows in a plain SQLite file, table t. */
  plain(): string {
    if (this.made !== null) return this.made;
    const file = path.join(this.folder, 'plain.sqlite');
    const db = new Sqlite(file);
    db.pragma('journal_mode=OFF');
    db.exec(`CREATE TABLE t (${ids.map((id) => `"${id}"`).join(', ')})`);
    const insert = db.prepare(`INSERT INTO t VALUES (${ids.map(() => '?').join(', ')})`);
    db.transaction(() => {
      for (let index = 0; index < this.rows; index++) {
        const row = benchRow(index);
        insert.run(ids.map((id) => plainCell(row[id])));
      }
    })();
    db.close();
    this.made = file;
    return file;
  }
  write(name: string, line: (index: number) => string): string {
    const file = path.join(this.folder, name);
    writeFileSync(file, '');
    for (let from = 0; from < this.rows; from += 20_000)
      writeFileSync(
        file,
        Array.from({ length: Math.min(20_000, this.rows - from) }, (_, index) => line(from + index)).join(''),
        { flag: 'a' },
      );
    return file;
  }
  async close(): Promise<void> {
    if (this.opened !== null) await (await this.opened).close();
    this.child?.disconnect();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function* rawPages(url: string): AsyncGenerator<Uint8Array> {
  for (let cursor: string[] | null = null; ; ) {
    const response: Response = await fetch(`${url}/api/v1/query/execute`, {
      method: 'POST',
      body: JSON.stringify({ ...payload, search_after: cursor, size: PAGE, count_only: false }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    yield bytes;
    const next = /"search_after":(\[.*?\]|null),"total_rows"/.exec(
      Buffer.from(bytes.subarray(-200)).toString(),
    )?.[1];
    cursor = JSON.parse(next ?? 'null') as string[] | null;
    if (cursor === null) return;
  }
}

async function fetchAll(bench: Bench, ground: Ground) {
  const url = await ground.service();
  await ground.data();
  await bench.compare({
    name: 'fetch-all',
    variant: 'pages made beforehand, at the speed of loopback',
    own: async () => void (await ground.fetch()),
    peers: [
      {
        name: 'the same stream read raw',
        run: async () => {
          for await (const bytes of rawPages(url)) void bytes;
        },
      },
      {
        name: 'the same stream, parsed',
        run: async () => {
          for await (const bytes of rawPages(url)) JSON.parse(Buffer.from(bytes).toString());
        },
      },
    ],
    runs: 3,
  });
}

/** The demo tenant's own service: what a fetch meets in practice is a service that has to find its rows. */
async function fetchFromService(bench: Bench) {
  const emails = Math.min(bench.rows, 50_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
  const cli = fileURLToPath(new URL('../../src/service/cli.ts', import.meta.url));
  const child = spawn(process.execPath, [cli, '--emails', String(emails), '--seed', '1', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const said = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (part: Buffer) => {
        text += part.toString();
        if (/^Token: \S+$/m.test(text)) resolve(text);
      });
      child.once('exit', () => reject(new Error('the service did not start')));
    });
    const url = (/(http:\S+?)\/api\/v1/.exec(said)?.[1] ?? '').trim();
    const token = /^Token: (\S+)$/m.exec(said)?.[1] ?? '';
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const asked = await fetch(`${url}/api/v1/query/config?saas_id=all&query_domain=email`, { headers });
    const config = (await asked.json()) as {
      fields: { id: string; label: string; type: string; multiValues?: boolean }[];
    };
    const columns = config.fields
      .slice(0, 20)
      .map(({ id, label, type, multiValues = false }) => ({ id, label, type, multiValues }));
    const question = { ...payload, saas_id: 'all', columns: columns.map(({ id }) => id) };
    const data = await openData(path.join(folder, 'profile'), url, undefined, token);
    let rows = 0;
    await bench.compare({
      name: 'fetch-all',
      variant: "the demo tenant's own service",
      rows: emails,
      own: async () => {
        const set = await data.handlers['results.open'](
          { connectionId: CONNECTION, payload: question, columns, refresh: true },
          context,
        );
        const end = await data.sets.fetchAll(set.id, context.signal, () => undefined);
        if (end.state !== 'complete') throw new Error(`the fetch ended ${end.state}: ${end.reason}`);
        rows = end.loaded;
      },
      peers: [
        {
          name: 'the same stream read raw',
          run: async () => {
            let read = 0;
            for (let cursor: unknown = null; ; ) {
              const response: Response = await fetch(`${url}/api/v1/query/execute`, {
                method: 'POST',
                headers,
                body: JSON.stringify({ ...question, search_after: cursor, size: PAGE, count_only: false }),
              });
              const bytes = new Uint8Array(await response.arrayBuffer());
              cursor = guessCursor(bytes);
              read += bytes.length;
              if (cursor === null) break;
            }
            if (read === 0) throw new Error('nothing was read');
          },
        },
      ],
      runs: 3,
    });
    bench.notice(`The demo tenant gave ${rows} rows.`);
    await data.close();
  } finally {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ingest(bench: Bench, ground: Ground) {
  const data = await ground.data();
  const pages: Uint8Array[] = [];
  for await (const bytes of rawPages(await ground.service())) pages.push(bytes);
  const csv = shell('sqlite3')
    ? ground.write('rows.csv', (index) => {
        const row = benchRow(index);
        return `${ids.map((id) => csvCell(plainCell(row[id]) as string, { raw: true })).join(',')}\n`;
      })
    : null;
  if (csv === null)
    bench.notice('No sqlite3 shell here: .import is left out (apt-get install sqlite3 brings it).');
  const declared = benchColumns
    .map(({ id, type }) => `"${id}" ${['number', 'bytes', 'boolean'].includes(type) ? 'NUMERIC' : 'TEXT'}`)
    .join(', ');
  let n = 1_000_000;
  await bench.compare({
    name: 'ingest',
    variant: 'pages of JSON into typed columns, encrypted',
    own: async () => {
      const record = newRecord(n++, 'bench', CONNECTION, payload, benchColumns, 0);
      await data.ctx.cache.write(createStatements(record));
      for (const bytes of pages) await storePage(data.ctx, record, bytes);
      if (record.loaded !== bench.rows) throw new Error(`only ${record.loaded} rows were stored`);
    },
    peers:
      csv === null
        ? []
        : [
            {
              name: 'sqlite3 .import (plain file)',
              run: async () => {
                const file = path.join(ground.folder, `import-${n}.sqlite`);
                execFileSync('sqlite3', [
                  file,
                  `CREATE TABLE t (${declared})`,
                  '.mode csv',
                  `.import ${csv} t`,
                ]);
                rmSync(file);
              },
            },
          ],
    runs: 3,
  });
}

const time = async (work: () => unknown): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};
const pager =
  (data: DataHarness, id: string) =>
  (start: number, rest: object = {}) =>
    data.handlers['results.page']({ resultId: id, start, end: start + WIDTH, ...rest }, context);
const places = (rows: number, count: number) =>
  Array.from({ length: count }, (_, turn) => (turn * 7_919_003) % Math.max(1, rows - WIDTH));

/** New sorts and pages at random places: from the request in main to its rows, and in the worker's connection alone. */
async function pagesAndSorts(bench: Bench, ground: Ground) {
  const [data, set] = [await ground.data(), await ground.set()];
  const page = pager(data, set.id);
  const plain = new Sqlite(ground.plain(), { readonly: true });
  const direct = new Sqlite(path.join(ground.folder, 'profile', 'cache.sqlite'), { readonly: true });
  direct.pragma(`cipher='aegis'`);
  direct.pragma(`key='raw:${'a1'.repeat(32)}'`);
  direct.pragma('cache_size=-65536');
  for (const dbId of SORTS) {
    const sort = [{ dbId, direction: 'desc' as const }];
    const first = await time(() => page(0, { sort }));
    const rank = await time(() => page(WIDTH, { sort }));
    if (bench.wants('sort')) {
      const order = `SELECT * FROM t ORDER BY "${dbId}" COLLATE NOCASE DESC LIMIT ${WIDTH}`;
      const peer = await time(() => plain.prepare(order).raw().all());
      bench.record({
        name: 'sort',
        variant: `by ${dbId}: first page of a new sort`,
        median_ms: first,
        peer: 'ORDER BY … LIMIT on a plain file',
        peer_median_ms: peer,
      });
      bench.record({ name: 'sort', variant: `by ${dbId}: rank ready behind it`, median_ms: first + rank });
    }
    if (!bench.wants('page')) continue;
    const times: number[] = [];
    for (const start of places(bench.rows, 200)) times.push(await time(() => page(start, { sort })));
    const { n } = direct.prepare('SELECT max(n) AS n FROM result_views').get() as { n: number };
    const worker = direct
      .prepare(
        `SELECT r.* FROM rv_${n} v CROSS JOIN rs_${set.n} r ON r.pos = v.pos WHERE v.rank > ? AND v.rank <= ? ORDER BY v.rank`,
      )
      .raw();
    for (const start of places(bench.rows, 300)) worker.all(start, start + WIDTH);
    const inside: number[] = [];
    for (const start of places(bench.rows, 200))
      inside.push(await time(() => worker.all(start, start + WIDTH)));
    const offset = plain.prepare(`SELECT * FROM t ORDER BY "${dbId}" LIMIT ${WIDTH} OFFSET ?`).raw();
    const peer = await time(() => offset.all(Math.floor(bench.rows / 2)));
    const entry = { name: 'page', peer: 'OFFSET on a plain file', peer_median_ms: peer };
    bench.record({ ...entry, variant: `by ${dbId}: p50, request to rows`, median_ms: median(times) });
    bench.record({
      ...entry,
      variant: `by ${dbId}: p95, request to rows`,
      median_ms: percentile(times, 0.95),
    });
    bench.record({
      ...entry,
      variant: `by ${dbId}: p95, in the worker`,
      median_ms: percentile(inside, 0.95),
    });
  }
  plain.close();
  direct.close();
}

async function searches(bench: Bench, ground: Ground) {
  const [data, set] = [await ground.data(), await ground.set()];
  const page = pager(data, set.id);
  const filter = (text: string): { filter: LocalFilter } => ({ filter: { text, facets: {} } });
  const ready = await time(() => page(0, filter('zzzz')));
  bench.record({ name: 'search', variant: 'the first search ever: words made ready', median_ms: ready });
  const cells = set.columns.filter(
    ({ storage }) => storage === 'text' || storage === 'json' || storage === 'any',
  );
  const ndjson = shell('rg')
    ? ground.write('rows.ndjson', (index) => `${JSON.stringify(benchRow(index))}\n`)
    : null;
  if (ndjson === null) bench.notice('No ripgrep here: it is left out (apt-get install ripgrep brings it).');
  for (const text of TERMS) {
    let turn = 0;
    const { count } = await page(0, filter(text));
    await bench.compare({
      name: 'search',
      variant: `"${text}", ${count} hits: first hits and the count`,
      // A second word that every row has, another one each time: no answer is one kept from before.
      own: () => page(0, filter(`${text} ${['-', '@', '.', '1', 'a'][turn++ % 5]}`)),
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
                    // No hit is a failure to ripgrep.
                  }
                },
              },
            ]),
      ],
    });
  }
}

async function filtersAndFacets(bench: Bench, ground: Ground) {
  const [data, set] = [await ground.data(), await ground.set()];
  const page = pager(data, set.id);
  const plain = new Sqlite(ground.plain(), { readonly: true });
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

/** What ten times the rows cost. */
async function growth(bench: Bench) {
  for (const rows of [Math.ceil(bench.rows / 10), bench.rows]) {
    const ground = new Ground(rows);
    try {
      await ground.data();
      resetPeak();
      const record = (variant: string, median_ms: number) =>
        bench.record({ name: 'growth', variant, median_ms, rows, peak_rss_mb: peakRss() });
      record('fetch all', await time(() => ground.set()));
      const set = await ground.set();
      const page = pager(await ground.data(), set.id);
      const sort = [{ dbId: 'size', direction: 'asc' }];
      record('first page of a new sort', await time(() => page(0, { sort })));
      await page(WIDTH, { sort });
      const times: number[] = [];
      for (const start of places(rows, 200)) times.push(await time(() => page(start, { sort })));
      record('page, p95', percentile(times, 0.95));
      record('words made ready', await time(() => page(0, { filter: { text: 'zzzz', facets: {} } })));
      record('search', await time(() => page(0, { filter: { text: 'payroll', facets: {} } })));
    } finally {
      await ground.close();
    }
  }
}

export const suite: BenchSuite = {
  names: ['fetch-all', 'ingest', 'page', 'sort', 'filter', 'search', 'facet', 'growth'],
  async run(bench) {
    const ground = new Ground(bench.rows);
    try {
      if (bench.wants('fetch-all')) {
        await fetchAll(bench, ground);
        await fetchFromService(bench);
      }
      if (bench.wants('ingest')) await ingest(bench, ground);
      if (bench.wants('page') || bench.wants('sort')) await pagesAndSorts(bench, ground);
      if (bench.wants('search')) await searches(bench, ground);
      if (bench.wants('filter') || bench.wants('facet')) await filtersAndFacets(bench, ground);
    } finally {
      await ground.close();
    }
    if (bench.wants('growth')) await growth(bench);
  },
};
