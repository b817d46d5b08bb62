/** Exports against the sqlite3 shell writing the same rows and columns. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { CONNECTION, openData } from '../support/data-services.ts';
import { startRowsService } from '../support/rows-service.ts';
import { alternate, benchColumns, benchRow, ms, print, ROWS, ratio } from './support.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
const rows = Array.from({ length: ROWS }, (_, index) => benchRow(index));
const service = await startRowsService(rows);
const data = await openData(path.join(folder, 'profile'), service.url);
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

const plain = path.join(folder, 'plain.sqlite');
const db = new Sqlite(plain);
db.exec(`CREATE TABLE t (${benchColumns.map(({ id }) => `"${id}"`).join(', ')})`);
const insert = db.prepare(`INSERT INTO t VALUES (${benchColumns.map(() => '?').join(', ')})`);
db.transaction(() => {
  for (const row of rows)
    insert.run(
      benchColumns.map(({ id }) => {
        const value = row[id] ?? null;
        if (typeof value === 'boolean') return value ? 1 : 0;
        return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
      }),
    );
})();
db.close();

let turn = 0;
async function own(format: 'csv' | 'ndjson', sort: string | null): Promise<void> {
  const file = path.join(folder, `own-${turn++}.${format}`);
  const { id } = await data.handlers['exports.start'](
    {
      resultId: set.id,
      grantId: data.grant(file),
      format,
      columns: [...benchColumns],
      raw: false,
      bom: false,
      ...(sort === null ? {} : { sort: [{ dbId: sort, direction: 'asc' as const }] }),
    },
    context,
  );
  await new Promise<void>((resolve, reject) => {
    const poll = setInterval(() => {
      const job = data.jobs.list().find((one) => one.id === id);
      if (job?.state === 'running') return;
      clearInterval(poll);
      if (job?.state === 'done') resolve();
      else reject(new Error(`the export ended ${job?.state}: ${job?.note}`));
    }, 2);
  });
  rmSync(file);
}
let shell: string | null = null;
try {
  shell = execFileSync('sqlite3', ['--version'], { encoding: 'utf8' }).split(' ')[0] ?? null;
} catch {
  console.log('No sqlite3 shell here: its figures are left out (apt-get install sqlite3 brings it).');
}
const peer = (mode: '-csv' | '-json', order: string) => async () => {
  if (shell === null) return;
  execFileSync('sh', ['-c', `sqlite3 ${mode} "${plain}" 'SELECT * FROM t${order}' > "${folder}/peer"`]);
};

for (const { title, format, mode, sort } of [
  { title: 'CSV', format: 'csv', mode: '-csv', sort: null },
  { title: 'NDJSON', format: 'ndjson', mode: '-json', sort: null },
  { title: 'CSV sorted by size', format: 'csv', mode: '-csv', sort: 'size' },
] as const) {
  const times = await alternate({
    own: () => own(format, sort),
    peer: peer(mode, sort === null ? '' : ` ORDER BY "${sort}"`),
  });
  print(`${title}, ${ROWS} rows of ${benchColumns.length} columns, formulas neutralised, with its SHA-256`, [
    ['own (encrypted store)', `${ms(times.own)}  (${Math.round(ROWS / times.own)} krows/s)`],
    ...(shell === null
      ? []
      : [
          [
            `sqlite3 ${mode} ${shell} (plain store)`,
            `${ms(times.peer)}  (${ratio(times.own, times.peer)})`,
          ] as const,
        ]),
  ]);
}
print('Memory', [['resident', `${Math.round(process.memoryUsage().rss / 1024 / 1024)} MB`]]);
console.log(`  peer file ${shell === null ? '-' : `${statSync(path.join(folder, 'peer')).size} bytes`}`);

await data.close();
await service.close();
rmSync(folder, { recursive: true, force: true });
