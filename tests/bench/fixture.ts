/** The fixture of result set benches: a service, a profile, a set with every row, and the same rows for the peers. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import type { SetRecord } from '#main/results/record.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { benchColumns, benchRow } from './support.ts';

export const payload = {
  query_domain: 'email',
  saas_id: 'mail',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: benchColumns.map(({ id }) => id),
  sort_by: [],
  include_copies: false,
};
export const context = { signal: new AbortController().signal };
/** Rows per page of the service. */
export const PAGE = 1_000;

export const ids = benchColumns.map(({ id }) => id);
export const plainCell = (value: unknown) =>
  typeof value === 'boolean'
    ? Number(value)
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : value;

/** Whether the program is installed. */
export function shell(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The parts shared by items, created on first use. */
export class Fixture {
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
    if (end.state !== 'complete') throw new Error(`the fetch ended ${end.state}: ${end.stop}`);
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

/** Every page of the service, unparsed. */
export async function* rawPages(url: string): AsyncGenerator<Uint8Array> {
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

export const time = async (work: () => unknown): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};
