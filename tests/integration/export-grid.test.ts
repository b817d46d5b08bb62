/**
 * Every export against its input, cell by cell, by parsers that Parapet did not write: csv-parse, JSON.parse, hucre and
 * zip.js. Bounded by default: every limit with one below and one above, and random counts. PARAPET_LONG=1: every count of
 * rows from 0 to 3 000, and 20 000.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TextWriter, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import type { Row } from '#shared/model/entities.ts';
import { restoreCell } from '#shared/model/spreadsheet-safe.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { makeRows, type RowsService, rowColumns, startRowsService } from '../support/rows-service.ts';

const LONG = process.env['PARAPET_LONG'] === '1';
const FORMATS = ['csv', 'json', 'ndjson', 'xlsx'] as const;
const WAYS = ['plain', 'filtered', 'sorted', 'zipped'] as const;
/** Texts, numbers, booleans, instants and lists; any of them may lead. */
const columns = ['received', 'subject', 'entity_id', 'size', 'is_read', 'from_email', 'to', 'verdict'];

let folder: string;
let service: RowsService;
let data: DataHarness;
const context = () => ({ signal: new AbortController().signal });
const payload = {
  query_domain: 'email',
  saas_id: 'mail',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: rowColumns.map(({ id }) => id),
  sort_by: [],
  include_copies: false,
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-grid-'));
  mkdirSync(join(folder, 'out'));
  service = await startRowsService([]);
  data = await openData(join(folder, 'profile'), service.url);
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
/** What a cell of the input is to be in a file: a workbook has instants as its own. */
const meant = (row: Row, column: string, format: ExportFormat): string => {
  const text = shown(row[column]);
  return format === 'xlsx' && column === 'received' && text !== '' ? new Date(text).toISOString() : text;
};

/** The cells of a file, header first, each as text. */
async function cellsOf(bytes: Uint8Array, format: ExportFormat): Promise<string[][]> {
  if (format === 'csv')
    return (parse(Buffer.from(bytes), { record_delimiter: '\r\n' }) as string[][]).map((row) =>
      row.map(restoreCell),
    );
  if (format === 'xlsx') {
    const { sheets } = await readXlsx(bytes);
    const [{ rows } = { rows: [] }] = sheets;
    const width = rows[0]?.length ?? 0;
    return rows.map((row) => Array.from({ length: width }, (_, at) => shown(row[at])));
  }
  const text = Buffer.from(bytes).toString('utf8');
  const objects: Row[] =
    format === 'json'
      ? JSON.parse(text)
      : text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line));
  return objects.map((object) => Object.values(object).map(shown));
}

async function unzipped(bytes: Uint8Array, password: string): Promise<Uint8Array> {
  const entries = await new ZipReader(new Uint8ArrayReader(bytes), {
    useWebWorkers: false,
    password,
  }).getEntries();
  const files = entries.flatMap((entry) => (entry.directory ? [] : [entry]));
  const manifest = files.find(({ filename }) => filename.endsWith('.manifest.json'))!;
  expect(JSON.parse(await manifest.getData(new TextWriter()))).toMatchObject({ completeness: 'complete' });
  return files.find((file) => file !== manifest)!.getData(new Uint8ArrayWriter());
}

async function check(
  count: number,
  width: number,
  format: ExportFormat,
  way: (typeof WAYS)[number],
): Promise<void> {
  const chosen = columns.slice(0, width);
  const set = await data.handlers['results.open'](
    { connectionId: CONNECTION, payload, columns: rowColumns, refresh: false },
    context(),
  );
  const name = `x.${way === 'zipped' ? `${format}.zip` : format}`;
  const { id } = await data.handlers['exports.start'](
    {
      resultId: set.id,
      grantId: data.grant(join(folder, 'out', name)),
      format,
      columns: chosen.map((column) => ({ id: column, label: column })),
      raw: false,
      bom: false,
      zone: 'UTC',
      ...(way === 'sorted' ? { sort: [{ dbId: 'size', direction: 'desc' as const }] } : {}),
      ...(way === 'filtered' ? { filter: { text: '', facets: { is_read: [true] } } } : {}),
      ...(way === 'zipped' ? { zip: { password: 'x' } } : {}),
    },
    context(),
  );
  const jobOf = () => data.jobs.list().find((job) => job.id === id)!;
  await expect.poll(() => jobOf().state, { interval: 2, timeout: 60_000 }).not.toBe('running');
  const what = `${count} rows, ${width} columns, ${format}, ${way}`;
  expect(jobOf(), what).toMatchObject({ state: 'done', error: null });
  const file = readFileSync(join(folder, 'out', name));
  const found = await cellsOf(way === 'zipped' ? await unzipped(file, 'x') : file, format);
  const indexed = service.rows.map((row, index) => ({ row, index }));
  if (way === 'sorted')
    indexed.sort((a, b) => Number(b.row['size']) - Number(a.row['size']) || a.index - b.index);
  const wanted = indexed
    .filter(({ row }) => way !== 'filtered' || row['is_read'] === true)
    .map(({ row }) => chosen.map((column) => meant(row, column, format)));
  const lines = format === 'csv' || format === 'xlsx' ? [chosen, ...wanted] : wanted;
  // A whole difference is a page of text for each row; the first one says enough.
  const different = lines.findIndex((line, at) => JSON.stringify(line) !== JSON.stringify(found[at]));
  expect({ what, at: different, found: different < 0 ? null : found[different], rows: found.length }).toEqual(
    {
      what,
      at: -1,
      found: null,
      rows: lines.length,
    },
  );
}

async function checkAll(
  count: number,
  each: readonly [number, ExportFormat, (typeof WAYS)[number]][],
): Promise<void> {
  service.rows = makeRows(count);
  const set = await data.handlers['results.open'](
    { connectionId: CONNECTION, payload, columns: rowColumns, refresh: true },
    context(),
  );
  await data.sets.fetchAll(set.id, context().signal, () => undefined);
  for (const [width, format, way] of each) await check(count, width, format, way);
}

const widths = columns.map((_, index) => index + 1);

describe('a file read back by foreign parsers has every cell of its input', () => {
  // Pages of 200, chunks of 1 000 and 4 000 rows, blocks of 250.
  const LIMITS = [0, 1, 2, 199, 200, 201, 249, 250, 251, 999, 1_000, 1_001, 1_095, 3_999, 4_000, 4_001];
  const random = Array.from({ length: 4 }, () => Math.floor(Math.random() * 3_000));
  it.skipIf(LONG)(
    'at every limit, one below and one above, and at random',
    { timeout: 180_000 },
    async () => {
      let turn = 0;
      for (const count of [...LIMITS, ...random]) {
        // In turns: every format with every way, at widths that go round.
        const each = FORMATS.map((format): [number, ExportFormat, (typeof WAYS)[number]] => {
          turn++;
          return [widths[turn % widths.length]!, format, WAYS[(turn + Math.floor(turn / 4)) % WAYS.length]!];
        });
        await checkAll(count, each);
      }
    },
  );

  it.skipIf(!LONG)(
    'at every count of rows from 0 to 3 000, and at 20 000',
    { timeout: 12 * 3_600_000 },
    async () => {
      const every = widths.flatMap((width) =>
        FORMATS.flatMap((format) =>
          WAYS.map((way): [number, ExportFormat, (typeof WAYS)[number]] => [width, format, way]),
        ),
      );
      // A larger step takes a sample: all of it are hundreds of thousands of exports.
      const step = Number(process.env['PARAPET_STEP'] ?? 1);
      for (let count = 0; count <= 3_000; count += step) await checkAll(count, every);
      await checkAll(20_000, every);
    },
  );
});
