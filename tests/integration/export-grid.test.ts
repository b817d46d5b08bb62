/**
 * Every export against its input, cell by cell, by parsers that Parapet did not write: csv-parse, JSON.parse, hucre and
 * zip.js; in the long forms every seventh count also by python3's csv, json, zipfile and ElementTree, if it is installed.
 *
 * Bounded by default: every limit with one below and one above, and random counts.
 *
 * PARAPET_LONG=1: every count of rows from 0 to 3 000 in every format, 12 004 exports, written in this thread. The four
 * formats of a count use four different ways and four different widths: with u = (count + 5 * floor(count / 32)) mod 32,
 * format f uses way (u + f) mod 4 and width 1 + (floor(u / 4) + 2 f + u) mod 8. So each count covers every format once,
 * every way once and four of the eight widths, and each of the 128 triples of format, width and way occurs once in every
 * 32 counts: at 93 or 94 of the 3 001, at no fixed remainder of a power of two. Then all 128 triples at each limit and at
 * 20 000, in real threads.
 *
 * PARAPET_LONG=whole: all 128 triples at every count, which takes an ordinary machine a day. PARAPET_COUNTS=FROM-TO limits
 * the counts (both ends included; the limits and 20 000 are only covered if TO is 3 000). PARAPET_PROGRESS names a file
 * that gets a line for every 25 counts: the count reached, exports, cells, differences.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TextWriter, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import type { Job } from '#shared/bridge/operations.ts';
import type { Row } from '#shared/model/entities.ts';
import { restoreCell } from '#shared/model/spreadsheet-safe.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { HERE } from '../support/export-here.ts';
import { jsonRowsOf } from '../support/json-rows.ts';
import {
  makeRow,
  ROWS_PAYLOAD,
  type RowsService,
  rowColumns,
  startRowsService,
} from '../support/rows-service.ts';

vi.mock('node:worker_threads', async (original) => {
  const { threadsHere } = await import('../support/export-here.ts');
  return threadsHere(await original());
});

const LONG = process.env['PARAPET_LONG'] === '1' || process.env['PARAPET_LONG'] === 'whole';
const WHOLE = process.env['PARAPET_LONG'] === 'whole';
const [FROM = 0, TO = 3_000] = (process.env['PARAPET_COUNTS'] ?? '').split('-').filter(Boolean).map(Number);
const PROGRESS = process.env['PARAPET_PROGRESS'];
const FORMATS = ['csv', 'json', 'ndjson', 'xlsx'] as const;
const WAYS = ['plain', 'filtered', 'sorted', 'zipped'] as const;
type Triple = readonly [width: number, format: ExportFormat, way: (typeof WAYS)[number]];
/** Texts, numbers, booleans, instants and lists, rotated so that each comes first somewhere. */
const columns = ['received', 'subject', 'entity_id', 'size', 'is_read', 'from_email', 'to', 'verdict'];
const EVERY: readonly Triple[] = columns.flatMap((_, index) =>
  FORMATS.flatMap((format) => WAYS.map((way): Triple => [index + 1, format, way])),
);
// Pages of 200, chunks of 1 000 and 4 000 rows, blocks of 250.
const LIMITS = [0, 1, 2, 199, 200, 201, 249, 250, 251, 999, 1_000, 1_001, 1_095, 3_999, 4_000, 4_001];
/** Exported by real threads in the bounded form: no rows, one row, a block, a chunk, and more than one. */
const BY_THREADS: ReadonlySet<number> = new Set([0, 1, 250, 1_000, 4_001]);
/** More than any limit; the long forms export all of them too. */
const LARGE = LONG ? 20_000 : 5_000;

/** The triples of a count, as described at the top of this file. */
function triplesOf(count: number): Triple[] {
  const u = (count + 5 * Math.floor(count / 32)) % 32;
  return FORMATS.map((format, f) => [
    1 + ((Math.floor(u / 4) + 2 * f + u) % 8),
    format,
    WAYS[(u + f) % 4] ?? 'plain',
  ]);
}

/** Texts that could break records, quoting, formulas or buffers; one row in ten is long, so that file sizes vary. */
const SUBJECTS: readonly ((index: number) => string)[] = [
  (index) => `="1"+${index}`,
  (index) => `  spaces at both ends ${index} `,
  (index) => `"quoted", ${index}; and 'more'`,
  (index) => `two\nlines ${index}`,
  (index) => `a\ttab; =2+${index}`,
  () => '',
  (index) => `請求書 Ürün 🙂 ${index}`,
  (index) => `plain ${index}`,
  (index) => `'=it was quoted before ${index}`,
  (index) => `${index} ${'a long line of words, '.repeat(1 + ((index * 37) % 120))}`,
];
const rowOf = (index: number): Row => ({ ...makeRow(index), subject: SUBJECTS[index % 10]?.(index) ?? '' });
const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, index) => rowOf(index));

let folder: string;
let out: string;
let service: RowsService;
let data: DataHarness;
/** Filters leave as many of its rows as a test needs. */
let large: { id: string; rows: Row[]; sizes: number[] };
const context = () => ({ signal: new AbortController().signal });
const columnOf = Object.fromEntries(columns.map((column) => [column, { id: column, label: column }]));

/** A run with this many rows, fully fetched. `which`: runs of different questions do not supersede each other. */
async function fetched(rows: Row[], which: string): Promise<string> {
  service.rows = rows;
  const payload = { ...ROWS_PAYLOAD, saas_id: which };
  const set = await data.handlers['results.open'](
    { connectionId: CONNECTION, payload, columns: rowColumns, refresh: true },
    context(),
  );
  await data.sets.fetchAll(set.id, context().signal, () => undefined);
  return set.id;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-grid-'));
  out = join(folder, 'out');
  mkdirSync(out);
  service = await startRowsService([]);
  data = await openData(join(folder, 'profile'), service.url);
  const rows = rowsOf(LARGE);
  const sizes = rows.map((row) => Number(row['size'])).sort((a, b) => a - b);
  large = { id: await fetched(rows, 'large'), rows, sizes };
});
afterAll(async () => {
  await data.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join('; ') : String(value);
}
/** The expected cell of an input value; workbooks store times in their own format. */
const meant = (row: Row, column: string, format: ExportFormat): string => {
  const text = shown(row[column]);
  return format === 'xlsx' && column === 'received' && text !== '' ? new Date(text).toISOString() : text;
};

/** The cells of a file, header first, each as text. */
async function cellsOf(bytes: Uint8Array, format: ExportFormat): Promise<string[][]> {
  if (format === 'csv') return parse(Buffer.from(bytes), { record_delimiter: '\r\n' }) as string[][];
  if (format === 'xlsx') {
    const { sheets } = await readXlsx(bytes);
    const [{ rows } = { rows: [] }] = sheets;
    const width = rows[0]?.length ?? 0;
    return rows.map((row) => Array.from({ length: width }, (_, index) => shown(row[index])));
  }
  const text = Buffer.from(bytes).toString('utf8');
  const objects = jsonRowsOf(text, format);
  return objects.map((object) => Object.values(object).map(shown));
}

async function unzipped(bytes: Uint8Array, password: string | null): Promise<[Uint8Array, string]> {
  const reader = new ZipReader(new Uint8ArrayReader(bytes), {
    useWebWorkers: false,
    ...(password === null ? {} : { password }),
  });
  const files = (await reader.getEntries()).flatMap((entry) => (entry.directory ? [] : [entry]));
  const manifest = files.find(({ filename }) => filename.endsWith('.manifest.json'))!;
  const content = files.find((file) => file !== manifest)!;
  return [await content.getData(new Uint8ArrayWriter()), await manifest.getData(new TextWriter())];
}

/** One python3 process that reads file after file. */
class Python {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();
  constructor() {
    this.#child = spawn('python3', [fileURLToPath(new URL('../support/foreign-reader.py', import.meta.url))]);
    this.#child.stderr.pipe(process.stderr);
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }
  /** null: python3 is not installed. */
  static async start(): Promise<Python | null> {
    const python = new Python();
    return once(python.#child, 'spawn').then(
      () => python,
      () => null,
    );
  }
  read(path: string, format: ExportFormat, zip: boolean): Promise<string[][]> {
    const turn = this.#last.then(async () => {
      this.#child.stdin.write(`${JSON.stringify({ path, format, zip })}\n`);
      const { value, done } = await this.#answers.next();
      if (done === true) throw new Error('python3 ended');
      return JSON.parse(value) as string[][];
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
  end(): void {
    this.#child.stdin.end();
  }
}

const sums = { exports: 0, cells: 0, python: 0, differences: [] as string[] };

/** Exports one way, from a run of `count` rows or that many rows of the large one. Resolves with the ended job. */
async function exported(
  count: number,
  [width, format, way]: Triple,
  set: string,
): Promise<Job & { name: string }> {
  const name = `x-${width}-${way}.${way === 'zipped' ? `${format}.zip` : format}`;
  const least = { field: 'size', operator: 'less_than', values: [large.sizes[count] ?? 1_000_000] };
  const { id } = await data.export(way === 'filtered' ? large.id : set, join(out, name), {
    format,
    columns: columns.slice(0, width).map((column) => columnOf[column]!),
    raw: isRaw(count),
    ...(way === 'sorted' ? { sort: [{ dbId: 'size', direction: 'desc' as const }] } : {}),
    ...(way === 'filtered'
      ? { filter: { text: '', facets: {}, condition: { operator: 'and' as const, conditions: [least] } } }
      : {}),
    ...(way === 'zipped' ? { zip: { password: passwordOf(count) } } : {}),
  });
  const jobOf = () => data.jobs.list().find((job) => job.id === id)!;
  await vi.waitFor(() => expect(jobOf().state).not.toBe('running'), { interval: 2, timeout: 120_000 });
  return { ...jobOf(), name };
}
const isRaw = (count: number) => count % 3 === 1;
const passwordOf = (count: number) => (count % 2 === 0 ? 'x' : null);

/** Exports and reads back; differences are collected. */
async function check(
  count: number,
  rows: readonly Row[],
  set: string,
  triple: Triple,
  python: Python | null,
): Promise<void> {
  const [width, format, way] = triple;
  const chosen = columns.slice(0, width);
  const what = `${count} rows, ${width} columns, ${format}, ${way}`;
  const { name, ...job } = await exported(count, triple, set);
  sums.exports++;
  if (job.state !== 'done') {
    sums.differences.push(`${what}: ${job.state}, ${JSON.stringify(job.error)}`);
    return;
  }
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const path = join(out, name);
  const file = readFileSync(path);
  const beside = readFileSync(`${path}.manifest.json`, 'utf8');
  const [content, inside] = way === 'zipped' ? await unzipped(file, passwordOf(count)) : [file, beside];
  const manifest = JSON.parse(inside) as { completeness: string; rows: number; sha256: string };
  const restored = (cells: string[][]) =>
    format === 'csv' && !isRaw(count) ? cells.map((row) => row.map(restoreCell)) : cells;
  const all = way === 'filtered' ? large.rows : rows;
  const input =
    way === 'filtered'
      ? all.filter(({ size }) => Number(size) < (large.sizes[count] ?? 1_000_000))
      : [...all];
  // Sorting here is stable, as the export's sort should be.
  if (way === 'sorted') input.sort((a, b) => Number(b['size']) - Number(a['size']));
  const expected = input.map((row) => chosen.map((column) => meant(row, column, format)));
  const lines = format === 'csv' || format === 'xlsx' ? [chosen, ...expected] : expected;
  const compare = (who: string, table: string[][]) => {
    sums.cells += lines.length * width;
    const row = lines.findIndex((line, index) =>
      line.some((cell, column) => cell !== table[index]?.[column]),
    );
    const longer = table.find((line) => line.length !== width);
    if (row >= 0 || longer !== undefined || table.length !== lines.length)
      // A full diff would be a page of text per row; the first difference is enough.
      sums.differences.push(
        `${what}, by ${who}: ${table.length} records of ${lines.length}, the first that differs: ${row} ${JSON.stringify([lines[row], table[row], longer])}`,
      );
  };
  compare('Node', restored(await cellsOf(content, format)));
  const claims = [manifest.completeness, manifest.rows, way === 'zipped' ? null : manifest.sha256];
  const true_ = ['complete', count, way === 'zipped' ? null : sha256(file)];
  if (JSON.stringify(claims) !== JSON.stringify(true_))
    sums.differences.push(`${what}: the manifest says ${claims}`);
  if (python !== null && (way !== 'zipped' || passwordOf(count) === null)) {
    compare('Python', restored(await python.read(path, format, way === 'zipped')));
    sums.python++;
  }
  rmSync(path);
  rmSync(`${path}.manifest.json`);
}

/** The formats of a count concurrently: each has its own thread. */
async function checkAll(
  count: number,
  triples: readonly Triple[],
  python: Python | null = null,
): Promise<void> {
  const rows = count === LARGE ? large.rows : rowsOf(count);
  const set = count === LARGE ? large.id : await fetched(rows, 'small');
  for (let from = 0; from < triples.length; from += FORMATS.length)
    await Promise.all(
      triples.slice(from, from + FORMATS.length).map((triple) => check(count, rows, set, triple, python)),
    );
}

const progress = (where: string) => {
  const line = `${new Date().toISOString()} ${where}: ${sums.exports} exports, ${sums.cells} cells, ${sums.python} files by Python too, ${sums.differences.length} differences`;
  if (PROGRESS !== undefined) appendFileSync(PROGRESS, `${line}\n`);
  else console.log(line);
};

describe('a file read back by independent parsers has every cell of its input', () => {
  const random = Array.from({ length: 4 }, () => Math.floor(Math.random() * 3_000));
  it.skipIf(LONG)(
    'at every limit, one below and one above, and at random counts',
    { timeout: 600_000 },
    async () => {
      const { workers } = data.ctx.ports;
      const { exports } = workers;
      for (const count of [...LIMITS, ...random]) {
        Object.assign(workers, { exports: BY_THREADS.has(count) ? exports : HERE });
        await checkAll(count, triplesOf(count));
      }
      Object.assign(workers, { exports });
      expect(sums.differences).toEqual([]);
      expect(sums.exports).toBe(4 * (LIMITS.length + random.length));
    },
  );

  it.skipIf(!LONG)(
    'at every count of rows from 0 to 3 000, and at 20 000',
    { timeout: 48 * 3_600_000 },
    async () => {
      const python = await Python.start();
      const { workers } = data.ctx.ports;
      const { exports } = workers;
      Object.assign(workers, { exports: HERE });
      if (python === null) console.log('There is no python3 here: files are read by Node alone.');
      for (let count = FROM; count <= TO; count++) {
        await checkAll(count, WHOLE ? EVERY : triplesOf(count), count % 7 === 0 ? python : null);
        if (count % 25 === 0) progress(`count ${count}`);
      }
      progress(`count ${TO}`);
      Object.assign(workers, { exports });
      if (TO === 3_000)
        for (const count of [...LIMITS, LARGE]) {
          await checkAll(count, EVERY, python);
          progress(`all triples of ${count}`);
        }
      python?.end();
      expect(sums.differences).toEqual([]);
    },
  );
});

describe('a file whose bytes are in a different order than they were written', () => {
  it('never gets its name: the export fails', { timeout: LONG ? 3_600_000 : 600_000 }, async () => {
    const { workers } = data.ctx.ports;
    const { exports } = workers;
    Object.assign(workers, { exports: new URL('../support/disordered-export.ts', import.meta.url) });
    const odd: string[] = [];
    let tried = 0;
    // The long form: every triple at four counts; otherwise every format and way once, with rotating widths.
    const counts = LONG ? [1, 250, 1_095, 4_001] : [1, 250, 700, 1_095];
    for (const [turn, count] of counts.entries()) {
      const set = await fetched(rowsOf(count), 'small');
      const triples = LONG
        ? EVERY
        : FORMATS.map(
            (format, f): Triple => [1 + ((3 * f + turn) % 8), format, WAYS[(turn + f) % 4] ?? 'plain'],
          );
      for (const triple of triples) {
        const { name: _, ...job } = await exported(count, triple, set);
        tried++;
        if (job.state !== 'failed' || job.error?.code !== 'damaged')
          odd.push(`${count}, ${triple}: ${job.state} ${job.error?.code}`);
        if (readdirSync(out).length > 0) odd.push(`${count}, ${triple}: left ${readdirSync(out).splice(0)}`);
      }
    }
    Object.assign(workers, { exports });
    if (LONG) progress(`broken order: ${tried} exports, ${tried - odd.length} failed as they must`);
    expect(odd).toEqual([]);
  });
});
