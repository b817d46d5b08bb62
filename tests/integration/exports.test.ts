import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { readXlsx } from 'hucre/xlsx';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { NO_POLICY } from '#main/kernel/policy.ts';
import type { Job, ParsedInputOf } from '#shared/bridge/operations.ts';
import { textOf } from '#shared/model/cell-text.ts';
import { exportTime } from '#shared/model/clock.ts';
import type { Cell, Row } from '#shared/model/entities.ts';
import { managedOf, policyFile } from '#shared/model/policy.ts';
import { neutraliseCell } from '#shared/model/spreadsheet-safe.ts';
import { parseCsv } from '../support/csv.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { jsonRowsOf } from '../support/json-rows.ts';
import { oneColumnWorkbook } from '../support/one-column-workbook.ts';
import { makeRows, type RowsService, rowColumns, startRowsService } from '../support/rows-service.ts';

const payload = {
  query_domain: 'email',
  saas_id: 'mail',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: rowColumns.map((column) => column.id),
  sort_by: [],
  include_copies: false,
};
const context = () => ({ signal: new AbortController().signal });
const columns = [{ id: 'entity_id', label: 'Id' }, ...rowColumns.map(({ id, label }) => ({ id, label }))];

/** More than are fetched automatically, and more than WRITER_SORT_FROM: they are sorted while they are written. */
const MANY = makeRows(21_000);
/** More than one chunk of any format. */
const FEW = 5_000;

let folder: string;
let service: RowsService;
let data: DataHarness;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-exports-'));
  service = await startRowsService([...MANY]);
  data = await openData(join(folder, 'profile'), service.url);
  mkdirSync(join(folder, 'out'));
});
afterEach(async () => {
  await data.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const out = (name: string) => join(folder, 'out', name);
const open = () =>
  data.handlers['results.open'](
    { connectionId: CONNECTION, payload, columns: rowColumns, refresh: false },
    context(),
  );
type Change = Partial<ParsedInputOf<'exports.start'>>;
async function start(resultId: string, path: string, change: Change = {}): Promise<Job> {
  return data.export(resultId, path, { columns, ...change });
}
const jobOf = (id: string) => data.jobs.list().find((job) => job.id === id)!;
async function ended(job: Job): Promise<Job> {
  await expect.poll(() => jobOf(job.id).state, { timeout: 15_000 }).not.toMatch(/running|paused/);
  return jobOf(job.id);
}
const run = async (path: string, change: Change = {}) => ended(await start((await open()).id, path, change));

/** The value of a CSV field, by the rules of the export. */
const shown = (value: Cell | undefined, raw: boolean): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = textOf(value).replaceAll('\0', '\u{fffd}');
  return raw ? text : neutraliseCell(text);
};

/** The value of a workbook cell, which cannot be longer than this. */
const inWorkbook = (value: Cell | undefined): string | number | boolean => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return textOf(value).toWellFormed().slice(0, 32_767);
};

const unzip = async (path: string, password?: string) => {
  const reader = new ZipReader(new Uint8ArrayReader(new Uint8Array(readFileSync(path))), {
    useWebWorkers: false,
    checkCrc32: true,
    ...(password === undefined ? {} : { password }),
  });
  const entries = await reader.getEntries();
  const files = new Map<string, Buffer>();
  for (const entry of entries)
    if (!entry.directory) files.set(entry.filename, Buffer.from(await entry.getData(new Uint8ArrayWriter())));
  await reader.close();
  return { entries, files };
};

describe('a complete export', () => {
  it('fetches the remaining rows first, and its manifest proves it complete', async () => {
    const job = await run(out('all.csv'));
    expect(job).toMatchObject({ state: 'done', done: 21_000, total: 21_000, error: null });
    const bytes = readFileSync(out('all.csv'));
    const manifest = JSON.parse(readFileSync(out('all.csv.manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      rows: 21_000,
      total_announced: 21_000,
      completeness: 'complete',
      why: null,
      connection: 'Test tenant',
      clock: 'UTC',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
    });
    const records = parseCsv(bytes.toString('utf8'));
    expect(records[0]).toEqual(columns.map(({ label }) => label));
    expect(records).toHaveLength(21_001);
    expect(records[12_346]).toEqual(columns.map(({ id }) => shown(service.rows[12_345]![id], false)));
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(['all.csv', 'all.csv.manifest.json']);
  });

  it('writes NDJSON equal to the rows, column by column', async () => {
    service.rows = MANY.slice(0, FEW);
    await run(out('all.ndjson'), { format: 'ndjson' });
    const lines = readFileSync(out('all.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(FEW);
    for (const index of [0, 999, 1_000, 3_999, 4_000, FEW - 1])
      expect(JSON.parse(lines[index]!)).toEqual(
        Object.fromEntries(columns.map(({ id }) => [id, service.rows[index]![id]])),
      );
  });

  it('follows the order, the filter and the columns on screen', async () => {
    service.rows = MANY.slice(0, FEW);
    const job = await run(out('view.csv'), {
      columns: [
        { id: 'size', label: 'Bytes' },
        { id: 'entity_id', label: 'Id' },
      ],
      sort: [{ dbId: 'size', direction: 'desc' }],
      filter: { text: 'payroll', facets: { is_read: [true] } },
      bom: true,
    });
    expect(job.state).toBe('done');
    const text = readFileSync(out('view.csv'), 'utf8');
    expect(text.startsWith('\u{feff}"Bytes","Id"\r\n')).toBe(true);
    const expected = service.rows
      .map((row, index) => ({ row, index }))
      .filter(({ row }) => row['is_read'] === true && String(row['subject']).includes('payroll'))
      .sort((a, b) => Number(b.row['size']) - Number(a.row['size']) || a.index - b.index)
      .map(({ row }) => [String(row['size']), String(row['entity_id'])]);
    expect(parseCsv(text.slice(1)).slice(1)).toEqual(expected);
    expect(JSON.parse(readFileSync(out('view.csv.manifest.json'), 'utf8'))).toMatchObject({
      rows: expected.length,
      completeness: 'complete',
      local_filter: { text: 'payroll' },
    });
  });
});

describe('hostile cells', () => {
  const cells: Cell[] = [
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\tx',
    '\rx',
    '\nx',
    ' =x',
    '"=x',
    '＝x',
    'a,b',
    'a"b',
    'a\r\nb',
    '',
    ' ',
    'é',
    '請求書',
    '\u202egnp',
    'a\0b',
    'x'.repeat(1_000_000),
    '<script>',
    '%s%n%w',
    "'",
    "''",
    '\\',
    null,
    0,
    -5,
    1.5,
    1e21,
    true,
    ['a', 'b'],
    ['=a', 'b'],
    [],
    [null, true],
    [['x']],
    { a: '=1' },
    [1.25, 'x;y'],
    ['\0'],
    ['a"b'],
  ];
  const rows = (): Row[] =>
    cells.flatMap((value, index): Row[] => [
      {
        entity_id: `h${index}`,
        subject: value,
        to: value,
        size: value,
        is_read: value,
        received: value,
        note: value,
      },
      { entity_id: `=h${index}`, subject: 'plain', to: ['x'], size: 1, is_read: false, note: 'plain' },
    ]);
  const note = { id: 'note', label: '=Note', type: 'some-new-type', multiValues: false };

  it.each([
    { format: 'csv' as const, raw: false },
    { format: 'csv' as const, raw: true },
    { format: 'ndjson' as const, raw: false },
    { format: 'json' as const, raw: false },
    { format: 'xlsx' as const, raw: false },
  ])('parse back to the same values: $format, raw $raw', async ({ format, raw }) => {
    service.rows = rows();
    const set = await data.handlers['results.open'](
      { connectionId: CONNECTION, payload, columns: [...rowColumns, note], refresh: false },
      context(),
    );
    const all = [...columns, note];
    const job = await ended(await start(set.id, out('hostile'), { format, raw, columns: all }));
    expect(job.state).toBe('done');
    if (format === 'xlsx') {
      expect(job.note).toContain('32,767 characters');
      const book = await readXlsx(new Uint8Array(readFileSync(out('hostile'))));
      // Empty texts and missing values are both empty cells; a value that is not text is written as text.
      expect(book.sheets[0]!.rows.slice(1).map((row) => all.map((_, index) => row[index] ?? ''))).toEqual(
        service.rows.map((row) => all.map(({ id }) => inWorkbook(row[id]))),
      );
      return;
    }
    const text = readFileSync(out('hostile'), 'utf8');
    if (format === 'ndjson' || format === 'json') {
      const parsed = jsonRowsOf(text, format);
      expect(parsed).toEqual(
        service.rows.map((row) => Object.fromEntries(all.map(({ id }) => [id, row[id] ?? null]))),
      );
      return;
    }
    const records = parseCsv(text);
    expect(records[0]!.at(-1)).toBe(raw ? '=Note' : "'=Note");
    expect(records.slice(1)).toEqual(service.rows.map((row) => all.map(({ id }) => shown(row[id], raw))));
    if (!raw) for (const field of records.flat()) expect(field).not.toMatch(/^[=+@\t\r]|^-(?!\d)/);
  });

  it('are the same bytes from SQLite and from JavaScript', async () => {
    // Every value here has its own row in the first set, so that some chunks are rendered entirely by SQLite.
    const tame = cells.filter(
      (value) => value === null || (typeof value === 'string' && !value.includes('\0')),
    );
    service.rows = tame.map((value, index) => ({
      entity_id: `t${index}`,
      subject: value,
      to: [value ?? ''],
      note: value,
    }));
    const set = await open();
    await ended(await start(set.id, out('sql.csv')));
    // A row with an exact override moves the same rows to JavaScript.
    service.rows = [...service.rows, { entity_id: 'odd', subject: 5 }];
    const again = await data.handlers['results.open'](
      { connectionId: CONNECTION, payload, columns: rowColumns, refresh: true },
      context(),
    );
    await ended(await start(again.id, out('js.csv')));
    const sql = readFileSync(out('sql.csv'), 'utf8');
    expect(readFileSync(out('js.csv'), 'utf8').startsWith(sql)).toBe(true);
  });

  it.each([
    { format: 'csv' as const, zone: 'UTC' },
    { format: 'csv' as const, zone: 'Europe/Berlin' },
    { format: 'ndjson' as const, zone: 'UTC' },
    { format: 'json' as const, zone: 'Europe/Berlin' },
  ])(
    'are the same bytes whatever facts about the columns are known: $format, $zone',
    async ({ format, zone }) => {
      const tame = Array.from({ length: 60 }, (_, index) => ({
        entity_id: `t${index}`,
        subject: ['a, b; %s %w', 'it is [so]', 'é 請求書 \u202e', ' '][index % 4]!,
        to: [['x'], ['a', 'b; c'], ['[x]', ''], []][index % 4]!,
        size: [0, -5, 1.5, 123456789][index % 4]!,
        is_read: index % 2 === 0,
        from_email: `a${index}@b.example`,
        verdict: 'clean',
        received: new Date(Date.UTC(2026, index % 12, 3)).toISOString(),
        note: ['note', '1', '-', '='][index % 3]!,
      }));
      // Rows without escapes or missing values; then with both in every column; then a row that JavaScript renders.
      const gaps: Row = { entity_id: 'u', subject: 'a"b\\\n', to: ['"', '\t'], note: 7, received: 'no\tday' };
      const odd: Row = { entity_id: 'odd', subject: 5 };
      const texts: string[] = [];
      for (const [turn, more] of [[], [gaps], [gaps, odd]].entries()) {
        service.rows = [...tame, ...more];
        const set = await data.handlers['results.open'](
          { connectionId: CONNECTION, payload, columns: [...rowColumns, note], refresh: true },
          context(),
        );
        const file = out(`${turn}.${format}`);
        await ended(await start(set.id, file, { format, zone, columns: [...columns, note] }));
        texts.push(readFileSync(file, 'utf8').replace(/\n\]\n$/, ''));
      }
      const [shorter, unknown, exact] = texts;
      expect(unknown!.startsWith(shorter!)).toBe(true);
      expect(exact!.startsWith(unknown!)).toBe(true);
      const escapes = await data.ctx.cache.all<{ escapes: number; gaps: number }>(
        'SELECT escapes, gaps FROM result_sets ORDER BY n',
      );
      expect(escapes[0]).toEqual({ escapes: 0, gaps: 0 });
      expect(escapes.at(-1)!.escapes).toBeGreaterThan(0);
    },
  );
});

describe('a workbook', () => {
  it('has the same cells in Gnumeric, which skips cells without a reference', async (test) => {
    if (spawnSync('ssconvert', ['--version']).status !== 0) test.skip('ssconvert is not installed here');
    service.rows = MANY.slice(0, FEW);
    const all = [
      { id: 'entity_id', label: 'Id' },
      { id: 'subject', label: 'Subject' },
      { id: 'size', label: 'Size' },
    ];
    await run(out('book.xlsx'), { format: 'xlsx', columns: all });
    execFileSync('ssconvert', [out('book.xlsx'), out('book.csv')]);
    expect(parseCsv(readFileSync(out('book.csv'), 'utf8').replaceAll('\n', '\r\n'))).toEqual([
      all.map(({ label }) => label),
      ...service.rows.map((row) => all.map(({ id }) => String(row[id] ?? ''))),
    ]);
  });
});

describe('formats', () => {
  it('writes a JSON array of the rows', async () => {
    service.rows = MANY.slice(0, FEW);
    await run(out('all.json'), { format: 'json' });
    const parsed = JSON.parse(readFileSync(out('all.json'), 'utf8'));
    expect(parsed).toHaveLength(FEW);
    expect(parsed[FEW - 1]).toEqual(
      Object.fromEntries(columns.map(({ id }) => [id, service.rows[FEW - 1]![id]])),
    );
    service.rows = [];
    const empty = await data.handlers['results.open'](
      { connectionId: CONNECTION, payload, columns: rowColumns, refresh: true },
      context(),
    );
    await ended(await start(empty.id, out('none.json'), { format: 'json' }));
    expect(JSON.parse(readFileSync(out('none.json'), 'utf8'))).toEqual([]);
  });

  it('writes a workbook from which an independent reader gets the same values', async () => {
    service.rows = MANY.slice(0, FEW);
    const job = await run(out('all.xlsx'), { format: 'xlsx', zone: 'Europe/Berlin' });
    expect(job).toMatchObject({ state: 'done' });
    expect(job.outcome?.['manifest']).toMatchObject({ sheets: 1, cells_cut: 0, clock: 'Europe/Berlin' });
    const book = await readXlsx(new Uint8Array(readFileSync(out('all.xlsx'))));
    const [sheet] = book.sheets;
    expect(sheet?.rows).toHaveLength(FEW + 1);
    expect(sheet?.rows[0]).toEqual(columns.map(({ label }) => label));
    for (const index of [0, 999, 1_000, 3_999, 4_000, FEW - 1]) {
      const row = service.rows[index]!;
      const [id, received, subject, from, size, read, to, verdict] = sheet!.rows[index + 1]!;
      expect([id, subject, from, size, read, verdict]).toEqual([
        row['entity_id'],
        row['subject'],
        row['from_email'],
        row['size'],
        row['is_read'],
        row['verdict'],
      ]);
      expect(to ?? '').toBe(textOf(row['to']));
      // Berlin local time, read as if it were UTC.
      expect(received).toBeInstanceOf(Date);
      const wall = new Intl.DateTimeFormat('sv-SE', {
        timeZone: 'Europe/Berlin',
        dateStyle: 'short',
        timeStyle: 'medium',
      }).format(new Date(String(row['received'])));
      expect((received as Date).toISOString().slice(0, 19)).toBe(wall.replace(' ', 'T'));
    }
    const { files } = await unzip(out('all.xlsx'));
    const xml = files.get('xl/worksheets/sheet1.xml')!.toString('utf8');
    expect(xml).toContain('state="frozen"');
    expect(xml).toContain(`<autoFilter ref="A1:H${FEW + 1}"/>`);
    expect(xml).not.toContain('<f>');
  });

  it('splits a workbook into sheets', async () => {
    const sheets: string[] = [];
    const rows = Array.from({ length: 25 }, (_, index) => `r${index}`);
    const part = out('small.xlsx');
    const writer = await oneColumnWorkbook(part, { rows: rows.length, sheetRows: 10 });
    await writer.chunk({
      from: 0,
      count: rows.length,
      bytes: new TextEncoder().encode(rows.map((row) => `${row}\0`).join('')),
      lengths: null,
      keys: [],
    });
    expect(await writer.end(() => undefined)).toMatchObject({ sheets: 3 });
    await writer.close(null);
    const book = await readXlsx(new Uint8Array(readFileSync(part)));
    for (const sheet of book.sheets) {
      expect(sheet.rows[0]).toEqual(['A']);
      sheets.push(...sheet.rows.slice(1).map(([cell]) => String(cell)));
    }
    expect(sheets).toEqual(rows);
  });

  it('writes only a zip with a password where a policy turns clear files off', async () => {
    service.rows = MANY.slice(0, FEW);
    const managed = managedOf('/p.json', policyFile.parse({ version: 1, off: ['exports-in-clear'] }), null);
    data.ctx.ports.policy = { ...NO_POLICY, managed };
    const refused = { code: 'not-allowed', message: expect.stringContaining('/p.json') };
    await expect(run(out('clear.csv'), {})).rejects.toMatchObject(refused);
    await expect(run(out('clear.zip'), { zip: { password: null } })).rejects.toMatchObject(refused);
    expect(readdirSync(join(folder, 'out'))).toEqual([]);
    expect(await run(out('sealed.zip'), { zip: { password: 'pw' } })).toMatchObject({ state: 'done' });
  });

  it.each(['csv', 'xlsx'] as const)(
    'puts %s in a zip that only its password opens, with its manifest inside',
    async (format) => {
      service.rows = MANY.slice(0, FEW);
      const job = await run(out('sealed.zip'), { format, zip: { password: 'påss wörd' } });
      expect(job).toMatchObject({ state: 'done' });
      await expect(unzip(out('sealed.zip'), 'wrong')).rejects.toThrow();
      const { entries, files } = await unzip(out('sealed.zip'), 'påss wörd');
      expect(entries.map(({ filename, encrypted }) => [filename, encrypted])).toEqual([
        [`sealed.${format}`, true],
        [`sealed.${format}.manifest.json`, true],
      ]);
      const content = files.get(`sealed.${format}`)!;
      const sha256 = createHash('sha256').update(content).digest('hex');
      expect(JSON.parse(files.get(`sealed.${format}.manifest.json`)!.toString('utf8'))).toMatchObject({
        rows: FEW,
        sha256,
        encryption: 'AES-256',
      });
      // The file outside the zip reveals nothing about rows, query, columns or the hash of the content.
      const zip = readFileSync(out('sealed.zip'));
      expect(JSON.parse(readFileSync(out('sealed.zip.manifest.json'), 'utf8'))).toEqual({
        kind: 'parapet-sealed-manifest',
        version: 1,
        file: 'sealed.zip',
        bytes: zip.length,
        sha256: createHash('sha256').update(zip).digest('hex'),
        encryption: 'AES-256',
        manifest: 'inside the zip',
      });
      if (format === 'csv') expect(parseCsv(content.toString('utf8'))).toHaveLength(FEW + 1);
      else expect((await readXlsx(new Uint8Array(content))).sheets[0]?.rows).toHaveLength(FEW + 1);
      // Neither the rows nor the password appear anywhere else.
      expect(readdirSync(join(folder, 'profile', 'export-work'))).toEqual([]);
    },
  );

  it('sorts every format identically row by row and while rows arrive', async () => {
    // Some of the rows are rendered by JavaScript only.
    service.rows[77] = { ...service.rows[77]!, subject: 'a\0b' };
    const set = await open();
    await data.sets.fetchAll(set.id, new AbortController().signal, () => undefined);
    const sort = [{ dbId: 'size', direction: 'desc' as const }];
    const expected = service.rows
      .map((row, index) => ({ row, index }))
      .sort((a, b) => Number(b.row['size']) - Number(a.row['size']) || a.index - b.index)
      .map(({ row }) => row);
    for (const format of ['csv', 'ndjson', 'json', 'xlsx'] as const) {
      await ended(await start(set.id, out(`all.${format}`), { format, sort }));
      // A filter that leaves few rows is read through the sort index.
      const filter = { text: '', facets: { verdict: ['found'] } };
      await ended(await start(set.id, out(`some.${format}`), { format, sort, filter }));
      const ids = async (name: string): Promise<unknown[]> => {
        const bytes = readFileSync(out(name));
        const text = bytes.toString('utf8');
        if (format === 'csv')
          return parseCsv(text)
            .slice(1)
            .map(([id]) => id);
        if (format === 'xlsx')
          return (await readXlsx(new Uint8Array(bytes))).sheets[0]!.rows.slice(1).map(([id]) => id);
        if (format === 'json') return JSON.parse(text).map((row: Row) => row['entity_id']);
        return text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).entity_id);
      };
      expect(await ids(`all.${format}`), format).toEqual(expected.map((row) => row['entity_id']));
      expect(await ids(`some.${format}`), format).toEqual(
        expected.filter((row) => row['verdict'] === 'found').map((row) => row['entity_id']),
      );
    }
  });

  it('[promise] exports a frozen selection and says so', async () => {
    service.rows = MANY.slice(0, FEW);
    const set = await open();
    await data.sets.fetchAll(set.id, new AbortController().signal, () => undefined);
    const { selectionId, count } = await data.handlers['results.matching'](
      { resultId: set.id, entityIds: ['e-5', 'e-3', `e-${FEW - 1}`] },
      context(),
    );
    expect(count).toBe(3);
    const job = await ended(await start(set.id, out('chosen.csv'), { selectionId }));
    expect(job.outcome?.['manifest']).toMatchObject({
      rows: 3,
      scope: 'selection',
      completeness: 'complete',
    });
    expect(
      parseCsv(readFileSync(out('chosen.csv'), 'utf8'))
        .slice(1)
        .map(([id]) => id)
        .sort(),
    ).toEqual(['e-3', `e-${FEW - 1}`, 'e-5']);
  });
});

describe('the clock', () => {
  const instants = [
    '2026-03-29T00:59:59Z',
    '2026-03-29T01:00:00Z',
    '2026-10-25T00:59:59.999Z',
    '2026-10-25T01:00:00.000Z',
    '1969-12-31T23:59:59Z',
    '1999-06-30T12:00:00.123Z',
    '2038-06-30T12:00:00Z',
    '2026-07-01T12:00:00.1234567Z',
    '2026-07-01T12:00:00+05:30',
    '2026-07-01',
    'yesterday, at noon.....',
    'no time',
    null,
  ];
  /** Rows of each, in sequence: blocks of one kind, and blocks of two. */
  const EACH = 400;
  it.each(['Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu'])(
    'is the same from SQLite and from JavaScript, ISO with its offset: %s',
    async (zone) => {
      service.rows = instants.flatMap((received, number) =>
        Array.from({ length: EACH }, (_, index) => ({ entity_id: `i${number}-${index}`, received })),
      );
      const set = await open();
      await ended(await start(set.id, out('zone.csv'), { zone }));
      const records = parseCsv(readFileSync(out('zone.csv'), 'utf8')).slice(1);
      for (const [number, received] of instants.entries()) {
        const expected = received === null ? '' : exportTime(received, { tenant: zone }) || received;
        for (const index of [0, EACH / 2, EACH - 1])
          expect(records[number * EACH + index]?.[1]).toBe(expected);
      }
    },
  );
});

describe('when something goes wrong', () => {
  const leftovers = () => readdirSync(join(folder, 'out'));

  it('leaves nothing when cancelled', async () => {
    service.fault = ({ at }) => (at > 5_000 ? new Promise(() => undefined) : undefined);
    const job = await start((await open()).id, out('cancelled.csv'));
    await expect.poll(() => jobOf(job.id).done).toBeGreaterThan(2_000);
    // The fetch waits for a page that never arrives; cancelling does not wait for it.
    await data.handlers['jobs.control']({ id: job.id, action: 'cancel' }, context());
    expect(jobOf(job.id)).toMatchObject({ state: 'cancelled', canRetry: true });
    expect(leftovers()).toEqual([]);
  });

  it('says PARTIAL in the job, the file name, the file and the manifest when rows are missing', async () => {
    service.fault = ({ at }) => (at > 5_000 ? { status: 500, body: {} } : undefined);
    writeFileSync(out('part.csv'), 'a whole one of yesterday');
    const job = await run(out('part.csv'));
    expect(job.state).toBe('partial');
    expect(job.note).toContain('21,000 rows');
    expect(job.outcome).toMatchObject({
      file: 'part PARTIAL.csv',
      manifestFile: 'part PARTIAL.csv.manifest.json',
    });
    expect(readFileSync(out('part.csv'), 'utf8')).toBe('a whole one of yesterday');
    const manifest = JSON.parse(readFileSync(out('part PARTIAL.csv.manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      file: 'part PARTIAL.csv',
      completeness: 'PARTIAL',
      partial_record: true,
      total_announced: 21_000,
    });
    const records = parseCsv(readFileSync(out('part PARTIAL.csv'), 'utf8'));
    expect(records.at(-1)).toEqual([`PARTIAL: ${job.note}`, ...columns.slice(1).map(() => '')]);
    // The header, the rows, and the record that marks it PARTIAL.
    expect(records).toHaveLength(manifest.rows + 2);
    expect(manifest.last_entity_id).toBe(records.at(-2)![0]);
  });

  it('says PARTIAL while the evidence is being read again, even if all rows are loaded', async () => {
    service.rows = makeRows(300);
    const set = await open();
    expect(await data.sets.fetchAll(set.id, context().signal, () => undefined)).toMatchObject({
      state: 'complete',
    });
    const why = 'The evidence is still being read: 1 of 2 files read.';
    data.ctx.coverage = () => ({ version: 1, lack: why });
    const job = await ended(await start(set.id, out('again.csv')));
    expect(job).toMatchObject({ state: 'partial', note: why });
    const manifest = JSON.parse(readFileSync(out('again PARTIAL.csv.manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ completeness: 'PARTIAL', why, rows: 300 });
  });

  it('says that cells were cut in a workbook that is PARTIAL, too', async () => {
    service.rows = makeRows(30);
    service.rows[0] = { ...service.rows[0], subject: 'x'.repeat(40_000) };
    const set = await open();
    await data.sets.fetchAll(set.id, context().signal, () => undefined);
    const why = 'The evidence is still being read: 1 of 2 files read.';
    data.ctx.coverage = () => ({ version: 1, lack: why });
    const job = await ended(await start(set.id, out('cut.xlsx'), { format: 'xlsx' }));
    expect(job.state).toBe('partial');
    expect(job.note).toContain(why);
    expect(job.note).toContain('1 cell was longer than a workbook can hold');
  });

  it.each(['json', 'ndjson', 'xlsx'] as const)('says PARTIAL in %s, sealed or not', async (format) => {
    const set = await open();
    data.setOffline(true);
    const job = await ended(await start(set.id, out(`part.${format}`), { format }));
    expect(job.state).toBe('partial');
    const name = `part PARTIAL.${format}`;
    const manifest = JSON.parse(readFileSync(out(`${name}.manifest.json`), 'utf8'));
    const why = `PARTIAL: ${job.note}`;
    const read = async (bytes: Buffer): Promise<{ rows: number; note: string }> => {
      if (format === 'xlsx') {
        const [sheet] = (await readXlsx(new Uint8Array(bytes))).sheets;
        return { rows: sheet!.rows.length - 1, note: sheet!.name };
      }
      const objects = jsonRowsOf(bytes.toString('utf8'), format);
      return { rows: objects.length - 1, note: `PARTIAL: ${String(objects.at(-1)!['PARTIAL'])}` };
    };
    const note = format === 'xlsx' ? 'PARTIAL Results 1' : why;
    expect(await read(readFileSync(out(name)))).toEqual({ rows: manifest.rows, note });
    expect(manifest).toMatchObject({
      completeness: 'PARTIAL',
      why: job.note,
      last_entity_id: `e-${manifest.rows - 1}`,
    });

    const zip = await ended(
      await start(set.id, out(`part.${format}.zip`), { format, zip: { password: 'x' } }),
    );
    expect(zip.outcome?.['file']).toBe(`part PARTIAL.${format}.zip`);
    const { files } = await unzip(out(`part PARTIAL.${format}.zip`), 'x');
    expect([...files.keys()].sort()).toEqual([name, `${name}.manifest.json`]);
    expect(await read(files.get(name)!)).toEqual({ rows: manifest.rows, note });
    // A second file gets a numbered name.
    const second = await ended(await start(set.id, out(`part.${format}`), { format }));
    expect(second.outcome?.['file']).toBe(`part PARTIAL 2.${format}`);
  });

  it('exports the loaded rows when offline, and says so', async () => {
    const set = await open();
    data.setOffline(true);
    const job = await ended(await start(set.id, out('offline.csv')));
    expect(job).toMatchObject({ state: 'partial' });
    expect(leftovers().sort()).toEqual(['offline PARTIAL.csv', 'offline PARTIAL.csv.manifest.json']);
  });

  it('reports a vanished folder, and a folder in the way', async () => {
    service.rows = MANY.slice(0, FEW);
    const gone = await run(join(folder, 'nowhere', 'x.csv'));
    expect(gone).toMatchObject({ state: 'failed', error: { code: 'path-missing' } });
    mkdirSync(out('taken.csv'));
    expect(await run(out('taken.csv'))).toMatchObject({ state: 'failed', error: { code: 'path-missing' } });
  });

  it('reports a missing column before it touches a file', async () => {
    const set = await open();
    await expect(
      start(set.id, out('x.csv'), { columns: [{ id: 'nope', label: 'x' }] }),
    ).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect(leftovers()).toEqual([]);
  });

  it('reports a full disk and leaves nothing under the final name', async (test: TestContext) => {
    const small = join(folder, 'small');
    mkdirSync(small);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', small], { stdio: 'ignore' });
    } catch {
      test.skip('no tmpfs can be mounted here');
    }
    service.rows = MANY.slice(0, FEW);
    try {
      const job = await run(join(small, 'x.csv'));
      expect(job).toMatchObject({ state: 'failed', error: { code: 'disk-full' } });
      expect(readdirSync(small)).toEqual([]);
    } finally {
      execFileSync('umount', [small]);
    }
  });

  it('pauses and resumes', async () => {
    const set = await open();
    await data.sets.fetchAll(set.id, new AbortController().signal, () => undefined);
    const job = await start(set.id, out('paused.csv'));
    const paused = await data.handlers['jobs.control']({ id: job.id, action: 'pause' }, context());
    expect(paused.state).toBe('paused');
    expect(existsSync(out('paused.csv'))).toBe(false);
    await data.handlers['jobs.control']({ id: job.id, action: 'resume' }, context());
    expect(await ended(job)).toMatchObject({ state: 'done' });
  });

  it('removes the partial file of a Parapet that died', async () => {
    service.fault = ({ at }) => (at > 5_000 ? new Promise(() => undefined) : undefined);
    const job = await start((await open()).id, out('died.csv'));
    await data.ctx.workspace.write([]);
    // The state a killed process leaves: a running job in the workspace, its file partially written.
    const [{ data: stored } = { data: '' }] = await data.ctx.workspace.all<{ data: string }>(
      'SELECT data FROM jobs WHERE id = ?',
      [job.id],
    );
    const { memo } = JSON.parse(stored) as { memo: { part: string } };
    expect(dirname(memo.part)).toBe(join(folder, 'out'));
    expect(basename(memo.part)).toMatch(/^\.parapet-[0-9a-f]{16}\.part$/);
    writeFileSync(memo.part, 'half');
    // Files of others in that folder, one of them named like another export's.
    writeFileSync(out('died.csv.part'), 'theirs');
    writeFileSync(out('.parapet-0123456789abcdef.part'), 'of another export');
    const other = await openData(join(folder, 'profile'), service.url);
    expect(other.jobs.list().find(({ id }) => id === job.id)).toMatchObject({
      state: 'failed',
      note: 'Parapet closed while it ran.',
    });
    expect(leftovers().sort()).toEqual(['.parapet-0123456789abcdef.part', 'died.csv.part']);
    await other.close();
  });
});
