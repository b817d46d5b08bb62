/** Writes the same workbook with hucre's stream: hucre-peer.ts DATABASE FILE. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Sqlite from 'better-sqlite3';
import { writeXlsxStream } from 'hucre/xlsx';
import { benchColumns } from './support.ts';

const [database = '', file = ''] = process.argv.slice(2);
const db = new Sqlite(database, { readonly: true });

function* rows(): Generator<(string | number | boolean | Date | null)[]> {
  for (const raw of db.prepare('SELECT * FROM t').raw().iterate()) {
    const cells = raw as (string | number | null)[];
    yield cells.map((value, index) => {
      const { type } = benchColumns[index]!;
      if (type === 'date' && typeof value === 'string') return new Date(value);
      return type === 'boolean' && value !== null ? value === 1 : value;
    });
  }
}

const stream = writeXlsxStream(rows(), {
  name: 'Results',
  columns: benchColumns.map(({ label }) => ({ header: label })),
});
await pipeline(Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(file));
