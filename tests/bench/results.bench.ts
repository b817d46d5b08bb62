/** Fetching result sets against the raw stream, storing them against the sqlite3 shell, and cancelling. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { storePage } from '#main/results/fetcher.ts';
import { guessCursor } from '#main/results/page-request.ts';
import { createStatements, newRecord } from '#main/results/record.ts';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { csvCell } from '#shared/model/spreadsheet-safe.ts';
import { CONNECTION, openData } from '../support/data-services.ts';
import { context, Fixture, ids, PAGE, payload, plainCell, rawPages, shell, time } from './fixture.ts';
import { type Bench, type BenchSuite, benchColumns, benchRow, median } from './support.ts';

async function fetchAll(bench: Bench, fixture: Fixture) {
  const url = await fixture.service();
  await fixture.data();
  await bench.compare({
    name: 'fetch-all',
    variant: 'pages prepared in advance, at the speed of loopback',
    own: async () => void (await fixture.fetch()),
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

/** The demo tenant's own service, since real services have to find their rows. */
async function fetchFromService(bench: Bench) {
  const emails = Math.min(bench.rows, 50_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
  const cli = fileURLToPath(new URL('../../src/service/cli.ts', import.meta.url));
  const child = spawn(process.execPath, [cli, '--emails', String(emails), '--seed', '1', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const output = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (part: Buffer) => {
        text += part.toString();
        if (/^Token: \S+$/m.test(text)) resolve(text);
      });
      child.once('exit', () => reject(new Error('the service did not start')));
    });
    const url = (/(http:\S+?)\/api\/v1/.exec(output)?.[1] ?? '').trim();
    const token = /^Token: (\S+)$/m.exec(output)?.[1] ?? '';
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1/query/config?saas_id=all&query_domain=email`, { headers });
    const config = (await response.json()) as {
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
        if (end.state !== 'complete') throw new Error(`the fetch ended ${end.state}: ${end.stop}`);
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

async function ingest(bench: Bench, fixture: Fixture) {
  const data = await fixture.data();
  const pages: Uint8Array[] = [];
  for await (const bytes of rawPages(await fixture.service())) pages.push(bytes);
  const csv = shell('sqlite3')
    ? fixture.write('rows.csv', (index) => {
        const row = benchRow(index);
        return `${ids.map((id) => csvCell(plainCell(row[id]) as string, { raw: true })).join(',')}\n`;
      })
    : null;
  if (csv === null)
    bench.notice('The sqlite3 shell is not installed: .import is left out (apt-get install sqlite3).');
  const declared = benchColumns
    .map(({ id, type }) => `"${id}" ${['number', 'bytes', 'boolean'].includes(type) ? 'NUMERIC' : 'TEXT'}`)
    .join(', ');
  let n = 1_000_000;
  await bench.compare({
    name: 'ingest',
    variant: 'pages of JSON into typed columns, encrypted',
    own: async () => {
      const record = newRecord({
        n: n++,
        key: 'bench',
        connectionId: CONNECTION,
        payload,
        columns: benchColumns,
        now: 0,
      });
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
                const file = path.join(fixture.folder, `import-${n}.sqlite`);
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

/** From the request to the end of a fetch, with a page in flight or being stored. */
async function cancels(bench: Bench, fixture: Fixture) {
  const data = await fixture.data();
  const took: number[] = [];
  for (const pages of [1, 2, 5, 10, 20]) {
    const set = await data.handlers['results.open'](
      { connectionId: CONNECTION, payload, columns: [...benchColumns], refresh: true },
      context,
    );
    const control = new AbortController();
    let changes = 0;
    let loaded = 0;
    let since = 0;
    await data.sets
      .fetchAll(set.id, control.signal, (record) => {
        if (record.loaded === loaded) return;
        loaded = record.loaded;
        if (++changes !== pages) return;
        since = performance.now();
        control.abort();
      })
      .catch(() => undefined);
    await data.handlers['results.fill']({ resultId: set.id, action: 'cancel' }, context);
    if (since > 0) took.push(performance.now() - since);
  }
  bench.record({
    name: 'cancel',
    variant: 'a fetch: from the request to its end, stored',
    median_ms: median(took),
  });
  bench.record({ name: 'cancel', variant: 'a fetch: the longest of them', median_ms: Math.max(...took) });
  const set = await fixture.set();
  const asks: [string, { sort?: Sort[]; filter?: LocalFilter }][] = [
    ['a new order of text', { sort: [{ dbId: 'subject', direction: 'asc' }] }],
    ['a search', { filter: { text: 'payroll 7', facets: {} } }],
  ];
  for (const [variant, input] of asks) {
    const control = new AbortController();
    const page = data.handlers['results.page'](
      { resultId: set.id, start: 0, end: 100, ...input },
      { signal: control.signal },
    );
    const ended = time(() => page.catch(() => undefined));
    control.abort();
    bench.record({ name: 'cancel', variant, median_ms: await ended });
  }
}

export const suite: BenchSuite = {
  names: ['fetch-all', 'ingest', 'cancel'],
  async run(bench) {
    const fixture = new Fixture(bench.rows);
    try {
      if (bench.wants('fetch-all')) {
        await fetchAll(bench, fixture);
        await fetchFromService(bench);
      }
      if (bench.wants('ingest')) await ingest(bench, fixture);
      if (bench.wants('cancel')) await cancels(bench, fixture);
    } finally {
      await fixture.close();
    }
  },
};
