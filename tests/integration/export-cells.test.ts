/** The cells of an export: numbers, dates and formulas, read back by independent readers. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext, test } from 'vitest';
import { SHEET_DATA_ROWS } from '#main/export/xlsx-parts.ts';
import type { ExportFormat, ResultColumn } from '#shared/bridge/operations.ts';
import { textOf } from '#shared/model/cell-text.ts';
import { exportTime } from '#shared/model/clock.ts';
import type { Cell, Row } from '#shared/model/entities.ts';
import { parseExact } from '#shared/model/exact-numbers.ts';
import { neutraliseCell, restoreCell } from '#shared/model/spreadsheet-safe.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { jsonRowsOf } from '../support/json-rows.ts';
import { oneColumnWorkbook } from '../support/one-column-workbook.ts';
import { type RowsService, startRowsService } from '../support/rows-service.ts';

const columns = [
  { id: 'subject', label: 'Subject', type: 'text', multiValues: false },
  { id: 'size', label: 'Size', type: 'number', multiValues: false },
  { id: 'received', label: 'Received', type: 'date', multiValues: false },
  { id: 'to', label: 'To', type: 'email', multiValues: true },
  { id: 'note', label: 'Note', type: 'some-new-type', multiValues: false },
];
const payload = {
  query_domain: 'email',
  saas_id: 'mail',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: columns.map(({ id }) => id),
  sort_by: [],
  include_copies: false,
};
const context = () => ({ signal: new AbortController().signal });

let folder: string;
let service: RowsService;
let data: DataHarness;
let pristine: RowsService;

// Shared by all tests, each of which runs the query again: starting threads takes longer than most tests.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-cells-'));
  service = await startRowsService([]);
  data = await openData(join(folder, 'profile'), service.url);
  mkdirSync(join(folder, 'out'));
  pristine = { ...service };
});
beforeEach(() => void Object.assign(service, pristine, { asks: [] }));
afterAll(async () => {
  await data.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const out = (name: string) => join(folder, 'out', name);
const openSet = (requested: ResultColumn[] = columns) =>
  data.handlers['results.open'](
    { connectionId: CONNECTION, payload, columns: requested, refresh: true },
    context(),
  );
/** The table of the rows that were fetched last. */
const rowsTable = async () =>
  `rs_${(await data.ctx.cache.get<{ n: number }>('SELECT max(n) AS n FROM result_sets'))?.n}`;
type Wanted = ResultColumn & { words?: Record<string, string> };
let files = 0;
/** The exported file. */
async function exported(
  resultId: string,
  format: ExportFormat,
  change: {
    columns?: Wanted[];
    zone?: string;
    raw?: boolean;
    sort?: { dbId: string; direction: 'asc' | 'desc' }[];
    zip?: { password: null };
  } = {},
): Promise<Buffer> {
  const path = out(`${files++}.${format}`);
  const job = await data.export(resultId, path, {
    format,
    ...change,
    columns: (change.columns ?? columns).map(({ id, label, words }: Wanted) => ({
      id,
      label,
      ...(words ? { words } : {}),
    })),
  });
  const now = () => data.jobs.list().find(({ id }) => id === job.id)!;
  await expect.poll(() => now().state, { timeout: 15_000 }).not.toMatch(/running|paused/);
  expect(now()).toMatchObject({ state: 'done' });
  return readFileSync(path);
}
const csvOf = (bytes: Buffer): string[][] => parse(bytes, { relax_column_count: false }) as string[][];
const sheetOf = async (bytes: Buffer) => (await readXlsx(new Uint8Array(bytes))).sheets[0]!.rows.slice(1);

describe('numbers', () => {
  const numbers = [
    '12345678901234567890',
    '-12345678901234567890',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
    '123456789012345678901234567890',
    '123456.789012345',
    '0.000988397142',
    '9261297576.6961',
    '8589934592.37',
    '1.5',
    '-0.1',
    '0.30000000000000004',
    '0',
    '-5',
  ];
  /** Numbers that a workbook stores as numbers. */
  const held = (text: string) => String(Number(text)) === text;
  const rows = () =>
    numbers.map((text, index): Row => {
      const number = parseExact(text) as Cell;
      return { entity_id: `n${index}`, subject: number, size: number, to: [number, 'x'], note: number };
    });

  it.each(['csv', 'ndjson', 'json', 'xlsx'] as const)(
    'come out as the service sent them: %s',
    async (format) => {
      service.rows = rows();
      const set = await openSet();
      for (const sort of [[], [{ dbId: 'size', direction: 'asc' as const }]]) {
        const bytes = await exported(set.id, format, { sort });
        const order =
          sort.length === 0
            ? numbers
            : numbers.toSorted((a, b) => Number(a) - Number(b) || numbers.indexOf(a) - numbers.indexOf(b));
        if (format === 'csv')
          expect(csvOf(bytes).slice(1)).toEqual(
            order.map((text) => [text, text, '', neutraliseCell(`${text}; x`), text]),
          );
        else if (format === 'xlsx')
          expect(await sheetOf(bytes)).toEqual(
            order.map((text) => {
              const cell = held(text) ? Number(text) : text;
              return [cell, cell, null, `${text}; x`, cell];
            }),
          );
        else {
          const lines = order.map(
            (text) => `{"subject":${text},"size":${text},"received":null,"to":[${text},"x"],"note":${text}}`,
          );
          expect(bytes.toString('utf8')).toBe(
            format === 'json' ? `[\n${lines.join(',\n')}\n]\n` : `${lines.join('\n')}\n`,
          );
        }
      }
    },
  );

  it("have the service's digits on screen, in its order and in another", async () => {
    service.rows = rows();
    const set = await openSet();
    const signal = new AbortController().signal;
    for (const sort of [[], [{ dbId: 'received', direction: 'asc' as const }]]) {
      const { rows: shown } = await data.sets.page(set.id, 0, 1, sort, undefined, signal);
      expect(shown[0]).toEqual(['n0', numbers[0], numbers[0], null, [numbers[0], 'x'], numbers[0]]);
    }
    const { rows: whole } = await data.handlers['results.rows'](
      { resultId: set.id, entityIds: ['n0'] },
      context(),
    );
    expect(whole[0]).toMatchObject({ size: numbers[0] });
  });

  it("have the service's digits in an id, and in a field without a column", async () => {
    const long = parseExact('12345678901234567890') as Cell;
    service.rows = [{ entity_id: long, subject: 'x', other: { deep: [long] } }];
    const set = await openSet();
    const { rows: whole } = await data.handlers['results.rows'](
      { resultId: set.id, entityIds: ['12345678901234567890'] },
      context(),
    );
    expect(whole[0]).toMatchObject({ other: { deep: ['12345678901234567890'] } });
  });
});

describe('a cursor with numbers that no double represents', () => {
  it('goes back to the service digit by digit: every row arrives once', async () => {
    service.cursorBase = 9_007_199_254_740_993n;
    service.rows = Array.from(
      { length: 2_500 },
      (_, index): Row => ({ entity_id: `p${index}`, subject: `${index}` }),
    );
    const set = await openSet();
    const record = await data.sets.fetchAll(set.id, context().signal, () => undefined);
    expect(record).toMatchObject({ state: 'complete', loaded: 2_500, duplicates: 0 });
    const subjects = csvOf(await exported(set.id, 'csv'))
      .slice(1)
      .map(([subject]) => subject);
    expect(subjects).toEqual(service.rows.map((row) => row['subject']));
    // Each requested offset continues after the pages before: none was rounded to another row's.
    expect(service.asks.map(({ at }) => at).filter((row) => row % 25 !== 0)).toEqual([]);
  });
});

describe('instants', () => {
  const real = [
    '1900-03-01T00:00:00Z',
    '2026-02-28T23:59:59.999Z',
    '2024-02-29T12:00:00Z',
    '9999-12-31T23:59:59Z',
  ];
  const notOfExcel = [
    '0001-01-01T00:00:00Z',
    '0099-12-31T00:00:00Z',
    '1899-12-31T00:00:00Z',
    '1900-02-28T23:59:59Z',
  ];
  const unreal = [
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00.000Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-02-30T00:00:00+01:00',
    '2026-02-30',
    '2460000.500000000000',
    'no day at all, twenty',
  ];

  it('that no workbook can represent stay text there, unchanged', async () => {
    const all = [...real, ...notOfExcel, ...unreal];
    service.rows = all.map((received, index) => ({ entity_id: `d${index}`, received }));
    const set = await openSet();
    const cells = (await sheetOf(await exported(set.id, 'xlsx'))).map((row) => row[2]);
    expect(cells.slice(0, real.length)).toEqual(real.map((text) => new Date(text)));
    expect(cells.slice(real.length)).toEqual([...notOfExcel, ...unreal]);
  });

  it('are in local time of the zone in a workbook, whatever the year; before its calendar they are text', async () => {
    const all = [
      '1900-03-01T00:30:00Z',
      '1945-07-01T12:00:00Z',
      '1969-12-31T23:59:59Z',
      '2026-07-01T12:00:00Z',
      '2090-07-01T12:00:00Z',
    ];
    service.rows = all.map((received, index) => ({ entity_id: `d${index}`, received }));
    const set = await openSet();
    for (const zone of ['America/New_York', 'Europe/Berlin', 'Asia/Tokyo']) {
      const cells = (await sheetOf(await exported(set.id, 'xlsx', { zone }))).map((row) => row[2]);
      const walls = all.map((text) => new Date(`${exportTime(text, { tenant: zone }).slice(0, 23)}Z`));
      expect(cells).toEqual(walls.map((wall, index) => (wall < new Date('1900-03-01') ? all[index] : wall)));
    }
  });

  it.each(['Europe/Berlin', 'UTC'])(
    'have one format within a file, whatever is beside them: %s',
    async (zone) => {
      const all = [
        ...real,
        ...notOfExcel,
        ...unreal,
        '2026-07-01t12:00:00z',
        '2026-07-01t12:00:00.5z',
        '1950-07-01T12:00:00Z',
        '1900-01-01T00:00:00Z',
      ];
      // Thousands of each, so that some ranges are rendered by SQLite and others by JavaScript.
      const many = 5_000;
      service.rows = all.flatMap((received, number) =>
        Array.from(
          { length: number === 0 || number === all.length - 4 ? many : 3 },
          (_, index): Row => ({ entity_id: `i${number}-${index}`, received }),
        ),
      );
      const set = await openSet();
      const expected = service.rows.map(({ received }) => {
        const text = String(received);
        return zone === 'UTC' ? text : exportTime(text, { tenant: zone }) || text;
      });
      expect(
        csvOf(await exported(set.id, 'csv', { zone }))
          .slice(1)
          .map((row) => row[2]),
      ).toEqual(expected);
      const lines = (await exported(set.id, 'ndjson', { zone })).toString('utf8').trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).received)).toEqual(expected);
      for (const text of unreal) if (zone !== 'UTC') expect(exportTime(text, { tenant: zone })).toBe('');
    },
  );
});

describe('values that SQLite would write differently', () => {
  // JavaScript renders whole chunks: a row that needs it for another reason would hide the difference.
  const alone = async (rows: Row[]) => {
    service.rows = rows;
    const set = await openSet();
    return csvOf(await exported(set.id, 'csv', { zone: 'Europe/Berlin' })).slice(1);
  };

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-02-29T12:00:00Z',
    '2026-04-31T00:00:00.000Z',
    '2026-07-01t12:00:00z',
    '2460000.500000000000',
  ])('are rendered in JavaScript: the instant %s', async (received) => {
    const [row] = await alone([{ entity_id: 'a', received }]);
    expect(row?.[2]).toBe(exportTime(received, { tenant: 'Europe/Berlin' }) || received);
  });

  it.each([123456.789012345, 0.000988397142, 9261297576.6961])(
    'are rendered in JavaScript: the number %d',
    async (size) => {
      const rows = await alone([{ entity_id: 'a', size }]);
      expect(rows.flat()).toContain(String(size));
    },
  );
});

describe('formulas', () => {
  const texts = [
    '=1+1',
    "'=1+1",
    "''=1+1",
    'x;=1+1;y',
    'x\t=1+1\ty',
    'x,=1+1,y',
    '\0=1+1',
    '\u{1}=1+1',
    '\u{200b}=1+1',
    '＝1+1',
    '"=1+1',
    'x\r\n=1+1',
    'plain',
    "it's",
    'a; b',
    '-',
    '@x',
  ];
  const rows = () =>
    texts.map(
      (text, index): Row => ({ entity_id: `f${index}`, subject: text, to: [text, 'x', text], note: text }),
    );
  /** None of these cells needs JavaScript; a list with NUL or another control character would. */
  const plainRows = () => rows().filter(({ subject }) => !JSON.stringify(subject).includes('\\u0'));

  it('are neutralised inside SQLite by the same rule, and come back exactly', async () => {
    service.rows = plainRows();
    const set = await openSet();
    const odd = await data.ctx.cache.get<{ n: number }>(`SELECT count(odd) AS n FROM ${await rowsTable()}`);
    expect(odd?.n).toBe(0);
    const cells = csvOf(await exported(set.id, 'csv')).slice(1);
    expect(cells).toEqual(
      service.rows.map((row) => [
        neutraliseCell(String(row['subject'])),
        '',
        '',
        neutraliseCell(textOf(row['to'])),
        neutraliseCell(String(row['note'])),
      ]),
    );
    expect(cells.map(([subject]) => restoreCell(subject!))).toEqual(
      service.rows.map((row) => row['subject']),
    );
  });

  /** The cells that LibreOffice calculates as formulas when it reads the file with this separator. */
  const calculated = async (path: string, separator: string): Promise<unknown[]> => {
    const beside = join(folder, `office-${separator.charCodeAt(0)}`);
    execFileSync(
      'soffice',
      [
        `-env:UserInstallation=file://${join(folder, 'office')}`,
        '--headless',
        `--infilter=CSV:${separator.charCodeAt(0)},34,76,1,,0,false,true,false,false,false,-1,true`,
        '--convert-to',
        'xlsx',
        '--outdir',
        beside,
        path,
      ],
      { stdio: 'ignore' },
    );
    const book = await readXlsx(
      new Uint8Array(readFileSync(join(beside, basename(path).replace('.csv', '.xlsx')))),
    );
    return [...(book.sheets[0]!.cells?.values() ?? [])].filter((cell) => cell.formula !== undefined);
  };

  it('stay text in LibreOffice, with a comma, a semicolon and a tab', async (test: TestContext) => {
    if (!process.env['PARAPET_SOFFICE']) test.skip('set PARAPET_SOFFICE=1 where LibreOffice is installed');
    service.rows = rows();
    const set = await openSet();
    for (const raw of [true, false]) {
      const path = out(`office-${raw}.csv`);
      writeFileSync(path, await exported(set.id, 'csv', { raw }));
      for (const separator of [',', ';', '\t']) {
        const cells = await calculated(path, separator);
        // The raw export proves that LibreOffice calculates formulas at all.
        if (raw) expect(cells.length).toBeGreaterThan(0);
        else expect(cells).toEqual([]);
      }
    }
  }, 120_000);
});

describe('many columns', () => {
  // Bits of a row's mask and of the column facts: 48. Columns of one format(): 100; arguments of one concat(): 400.
  it.each([1, 47, 48, 49, 99, 100, 101, 399, 400, 401, 500])(
    'have every cell in its place, formulas in the last ones too: %i',
    async (count) => {
      const wide = Array.from({ length: count }, (_, index) => ({
        id: `c${index}`,
        label: `C${index}`,
        type: 'text',
        multiValues: false,
      }));
      const kinds: ((index: number) => Cell)[] = [
        (index) => `plain ${index}`,
        (index) => (index >= count - 2 ? `=${index}` : `x;y ${index}`),
        (index) => (index % 7 === 0 ? null : `"${index}"`),
      ];
      service.rows = kinds.map((kind, index) => ({
        entity_id: `w${index}`,
        ...Object.fromEntries(wide.map(({ id }, index) => [id, kind(index)])),
      }));
      const set = await openSet(wide);
      const cells = csvOf(await exported(set.id, 'csv', { columns: wide })).slice(1);
      expect(cells).toEqual(service.rows.map((row) => wide.map(({ id }) => neutraliseCell(textOf(row[id])))));
      const lines = (await exported(set.id, 'ndjson', { columns: wide }))
        .toString('utf8')
        .trimEnd()
        .split('\n');
      expect(lines.map((line) => JSON.parse(line))).toEqual(
        service.rows.map((row) => Object.fromEntries(wide.map(({ id }) => [id, row[id]]))),
      );
    },
  );
});

describe('a file of one column', () => {
  // Rows that SQLite renders, that a spreadsheet might execute, and that JavaScript renders.
  const rows: Row[] = [
    { entity_id: 'o0', subject: 'x', size: 1, received: '2026-01-02T03:04:05Z', to: ['a'], note: 'n' },
    { entity_id: 'o1', subject: null, size: null, received: null, to: null, note: null },
    { entity_id: 'o2', subject: '', size: null, received: null, to: [], note: '' },
    { entity_id: 'o3', subject: '=1', size: null, received: null, to: [], note: null },
    { entity_id: 'o4', subject: null, size: null, received: null, to: ['=1'], note: '\ud800' },
    { entity_id: 'o5', subject: '\ud800', size: 2, received: 'never', to: [], note: null },
    { entity_id: 'o6', subject: null, size: null, received: null, to: [], note: null },
  ];

  it.each(columns.map(({ id }) => id))(
    'keeps rows without a value for readers that skip empty lines: %s',
    async (id) => {
      const only = columns.filter((column) => column.id === id);
      for (const first of [0, 1]) {
        service.rows = rows.slice(first);
        const set = await openSet();
        for (const raw of [true, false]) {
          const bytes = await exported(set.id, 'csv', { columns: only, raw });
          const lines = bytes.toString('utf8').trimEnd().split('\r\n');
          expect(lines).toHaveLength(rows.length - first + 1);
          expect(lines).not.toContain('');
        }
      }
    },
  );
});

describe('a zip', () => {
  it.each(['csv', 'ndjson', 'json', 'xlsx'] as const)(
    'can be read as a stream, as in Java: %s',
    async (format) => {
      service.rows = [{ entity_id: 'z0', subject: 'x' }];
      const zip = await exported((await openSet()).id, format, { zip: { password: null } });
      const whole = new ZipReader(new Uint8ArrayReader(new Uint8Array(zip)));
      const entries = await whole.getEntries();
      expect(entries).toHaveLength(2);
      for (const { offset, compressionMethod } of entries) {
        // The size follows the data, so the data must mark its own end: deflate does, a stored entry does not.
        expect(zip.readUInt16LE(offset + 6) & 8).toBe(8);
        expect(compressionMethod).toBe(8);
      }
      const [first] = entries;
      if (first === undefined || first.directory) throw new Error('no file');
      const content = Buffer.from(await first.getData(new Uint8ArrayWriter()));
      expect(format === 'xlsx' ? (await sheetOf(content))[0]?.[0] : content.toString()).toContain('x');
    },
  );
});

describe('half of a surrogate pair', () => {
  it.each(['json', 'ndjson', 'csv', 'xlsx'] as const)(
    'is U+FFFD, in texts, lists and nested values: %s',
    async (format) => {
      service.rows = [
        { entity_id: 'h0', subject: 'cut \ud83d', to: ['\ud83d', 'x'], note: { deep: ['\udc00'] } as never },
        { entity_id: 'h1', subject: '\\ud83d', to: [], note: '\\\ud83d' },
      ];
      const set = await openSet();
      const bytes = await exported(set.id, format);
      const text = bytes.toString('utf8');
      if (format === 'xlsx' || format === 'csv') {
        const rows = format === 'csv' ? csvOf(bytes).slice(1) : await sheetOf(bytes);
        expect(rows.map(([subject]) => subject)).toEqual(['cut \ufffd', '\\ud83d']);
        return;
      }
      // Strict parsers such as jq reject an escape of half a surrogate pair.
      expect(text.replaceAll('\\\\', '')).not.toMatch(/\\ud[89a-f]/);
      const rows = jsonRowsOf(text, format);
      expect(rows).toMatchObject([
        { subject: 'cut \ufffd', to: ['\ufffd', 'x'], note: { deep: ['\ufffd'] } },
        { subject: '\\ud83d', note: '\\\ufffd' },
      ]);
    },
  );
});

describe('long cells', () => {
  it('[limit 32 767 characters] of a workbook are cut at 32,767 characters, never inside a surrogate pair', async () => {
    const texts = [32_766, 32_767, 32_768].flatMap((size) => [
      'x'.repeat(size),
      `${'x'.repeat(size - 2)}\u{1f4c4}`,
    ]);
    service.rows = texts.map((subject, index) => ({ entity_id: `l${index}`, subject }));
    const set = await openSet();
    const cells = (await sheetOf(await exported(set.id, 'xlsx'))).map(([subject]) => subject);
    expect(cells).toEqual(texts.map((text) => text.slice(0, 32_767).replace(/[\ud800-\udbff]$/, '')));
  });
});

describe('sheets', () => {
  const LIMIT = 1_000;
  /** Rows that alternate by their position in the file, rendered in JavaScript or in SQLite. */
  it.each([
    { rows: LIMIT - 1, sheets: 1 },
    { rows: LIMIT, sheets: 1 },
    { rows: LIMIT + 1, sheets: 2 },
    { rows: 2 * LIMIT, sheets: 2 },
    { rows: 2 * LIMIT + 1, sheets: 3 },
  ])('in a local order are split where a sheet must end: $rows rows', async ({ rows, sheets }) => {
    for (const render of ['sqlite', 'javascript', 'both'] as const) {
      const part = out(`${render}-${rows}.xlsx`);
      const writer = await oneColumnWorkbook(part, {
        rows,
        sheetRows: LIMIT,
        stored: [{ id: 'a', label: 'A', type: 'text', multiValues: false, storage: 'text', sql: 'c0' }],
        sort: { by: 'index', rows, bytesPerRow: 20 },
      });
      // The last row first.
      writer.order({ rowIndexes: Uint32Array.from({ length: rows }, (_, index) => rows - 1 - index) });
      const step = 300;
      for (let from = 0; from < rows; from += step) {
        const names = Array.from(
          { length: Math.min(step, rows - from) },
          (_, index) => `</row> r${from + index}`,
        );
        if (render === 'sqlite' || (render === 'both' && (from / step) % 2 === 0)) {
          const cells = names.map((name) => Buffer.from(`${name}\0`));
          await writer.chunk({
            from,
            count: names.length,
            bytes: new Uint8Array(Buffer.concat(cells)),
            lengths: cells.map(({ length }) => length).join(','),
            keys: [],
          });
        } else await writer.rows({ from, rows: names.map((name) => [null, null, name]), keys: [] });
      }
      expect(await writer.end(() => undefined)).toMatchObject({ sheets });
      await writer.close(null);
      const book = await readXlsx(new Uint8Array(readFileSync(part)));
      expect(book.sheets.map((sheet) => sheet.rows.length - 1)).toEqual(
        Array.from({ length: sheets }, (_, index) => Math.min(LIMIT, rows - index * LIMIT)),
      );
      expect(book.sheets.flatMap((sheet) => sheet.rows.slice(1).map(([cell]) => cell))).toEqual(
        Array.from({ length: rows }, (_, index) => `</row> r${rows - 1 - index}`),
      );
    }
  });

  /** The rows of each sheet, and the area of its filter, as the file has them. */
  async function sheetsIn(path: string): Promise<[rows: number, filter: string][]> {
    const zip = new ZipReader(new Uint8ArrayReader(new Uint8Array(readFileSync(path))));
    const sheets: [number, string][] = [];
    for (const entry of await zip.getEntries()) {
      if (entry.directory || !entry.filename.startsWith('xl/worksheets/')) continue;
      const xml = Buffer.from(await entry.getData(new Uint8ArrayWriter(), { useWebWorkers: false }));
      let rows = 0;
      for (let index = xml.indexOf('</row>'); index >= 0; index = xml.indexOf('</row>', index + 6)) rows += 1;
      sheets.push([rows, /<autoFilter ref="([^"]+)"/.exec(xml.subarray(-200).toString())?.[1] ?? '']);
    }
    await zip.close();
    return sheets;
  }

  it.each([
    [1_048_575, [[1_048_576, 'A1:A1048576']]],
    [
      1_048_576,
      [
        [1_048_576, 'A1:A1048576'],
        [2, 'A1:A2'],
      ],
    ],
  ])(
    '[limit 1 048 576 rows] hold the 1,048,576 rows that Excel takes, with the header: %i results',
    async (rows, sheets) => {
      const part = out(`${rows}.xlsx`);
      const writer = await oneColumnWorkbook(part, { rows, sheetRows: SHEET_DATA_ROWS });
      const step = 100_000;
      const cells = new Uint8Array(Buffer.from('x\0'.repeat(step)));
      for (let from = 0; from < rows; from += step) {
        const count = Math.min(step, rows - from);
        await writer.chunk({ from, count, bytes: cells.slice(0, 2 * count), lengths: null, keys: [] });
      }
      expect(await writer.end(() => undefined)).toMatchObject({ sheets: sheets.length });
      await writer.close(null);
      expect(await sheetsIn(part)).toEqual(sheets);
      rmSync(part);
    },
  );
});

test('identifiers of tools and apps appear under their names in every format', async () => {
  const columns: Wanted[] = [
    {
      id: 'note',
      label: 'App',
      type: 'enum',
      multiValues: false,
      words: { office365_emails: 'Mail, "own"' },
    },
    {
      id: 'to',
      label: 'Stack',
      type: 'enum',
      multiValues: true,
      words: {
        'checkpoint_te:found': 'Sandbox: Found',
        'ap_guard:clean': '=HYPERLINK("https://evil.example")',
      },
    },
    { id: 'subject', label: 'Subject', type: 'text', multiValues: false },
  ];
  service.rows = [
    {
      entity_id: 'a',
      note: 'office365_emails',
      to: ['checkpoint_te:found', 'ap_guard:clean', 'x:y'],
      subject: 'office365_emails',
    },
    // A row that SQLite does not render, and one that a spreadsheet might execute.
    { entity_id: 'b', note: 'office365_emails', to: ['checkpoint_te:found'], subject: 'lone \ud800' },
    { entity_id: 'c', note: 'other', to: ['checkpoint_te:found', '=1'], subject: '=1+1' },
    { entity_id: 'd', note: null, to: [], subject: '' },
  ];
  const set = await openSet(columns);
  const texts = [
    ['Mail, "own"', 'Sandbox: Found; ap_guard:clean; x:y', 'office365_emails'],
    ['Mail, "own"', 'Sandbox: Found', 'lone \ufffd'],
    ['other', 'Sandbox: Found; =1', '=1+1'],
    ['', '', ''],
  ];
  const csv = csvOf(await exported(set.id, 'csv', { columns })).slice(1);
  expect(csv.map((row) => row.map(restoreCell))).toEqual(texts);
  expect(csv[2]).toEqual(['other', "Sandbox: Found;' =1", "'=1+1"]);
  const sheet = await sheetOf(await exported(set.id, 'xlsx', { columns }));
  expect(sheet.map((row) => columns.map((_, index) => row[index] ?? ''))).toEqual(texts);
  const lists = [
    ['Sandbox: Found', 'ap_guard:clean', 'x:y'],
    ['Sandbox: Found'],
    ['Sandbox: Found', '=1'],
    [],
  ];
  for (const format of ['json', 'ndjson'] as const) {
    const text = (await exported(set.id, format, { columns })).toString();
    const rows = jsonRowsOf(text, format);
    expect(rows.map(({ note, to }) => [note, to])).toEqual(
      lists.map((list, index) => [texts[index]?.[0] || null, list]),
    );
  }
});
