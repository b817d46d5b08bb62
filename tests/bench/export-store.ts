/** Fills a profile with one result set, and a plain database for the peers: export-store.ts FOLDER ROWS encrypted|plain [peer]. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Row } from '#shared/model/entities.ts';
import { CONNECTION, openData } from '../support/data-services.ts';
import { benchColumns, benchRow } from './support.ts';

const [folder = '', count = '0', store = 'encrypted', peer = ''] = process.argv.slice(2);
const ROWS = Number(count);

/** Rows are generated on demand: a million of them in memory would count towards Parapet's own memory. */
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => void parts.push(part));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as {
      search_after: string[] | null;
      size: number;
    };
    const from = Number(body.search_after?.[0] ?? 0);
    const end = Math.min(ROWS, from + body.size);
    const rows = Array.from({ length: end - from }, (_, index) => benchRow(from + index));
    response.end(JSON.stringify({ rows, search_after: end < ROWS ? [String(end)] : null, total_rows: ROWS }));
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const data = await openData(path.join(folder, store), url, store === 'plain' ? null : undefined);
const context = { signal: new AbortController().signal };
const set = await data.handlers['results.open'](
  {
    connectionId: CONNECTION,
    payload: {
      query_domain: 'email',
      saas_id: 'mail',
      query_entity_type: 'email',
      condition: { operator: 'and', conditions: [] },
      columns: benchColumns.map(({ id }) => id),
      sort_by: [],
      include_copies: false,
    },
    columns: [...benchColumns],
    refresh: true,
  },
  context,
);
await data.sets.fetchAll(set.id, context.signal, () => undefined);
await data.close();
server.close();
server.closeAllConnections();

if (peer !== '') {
  const db = new Sqlite(path.join(folder, 'peer.sqlite'));
  db.pragma('synchronous=OFF');
  db.exec(`CREATE TABLE t (${benchColumns.map(({ id }) => `"${id}"`).join(', ')})`);
  const insert = db.prepare(`INSERT INTO t VALUES (${benchColumns.map(() => '?').join(', ')})`);
  const bound = (row: Row) =>
    benchColumns.map(({ id }) => {
      const value = row[id] ?? null;
      if (typeof value === 'boolean') return value ? 1 : 0;
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    });
  db.transaction(() => {
    for (let index = 0; index < ROWS; index++) insert.run(bound(benchRow(index)));
  })();
  db.close();
}
