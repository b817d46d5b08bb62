import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { textOf } from '#main/results/encode.ts';
import type { Job, ParsedInputOf } from '#shared/bridge/operations.ts';
import type { Cell, Row } from '#shared/model/entities.ts';
import { neutraliseCell } from '#shared/model/spreadsheet-safe.ts';
import { parseCsv } from '../support/csv.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
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

let folder: string;
let service: RowsService;
let data: DataHarness;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-exports-'));
  service = await startRowsService(makeRows(30_000));
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
  return data.handlers['exports.start'](
    { resultId, grantId: data.grant(path), format: 'csv', columns, raw: false, bom: false, zone: 'UTC', ...change },
    context(),
  );
}
const jobOf = (id: string) => data.jobs.list().find((job) => job.id === id)!;
async function ended(job: Job): Promise<Job> {
  await expect.poll(() => jobOf(job.id).state, { timeout: 15_000 }).not.toMatch(/running|paused/);
  return jobOf(job.id);
}
const run = async (path: string, change: Change = {}) => ended(await start((await open()).id, path, change));

/** What a field of a CSV stands for, by the rules of the export. */
const shown = (value: Cell | undefined, raw: boolean): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return raw ? textOf(value) : neutraliseCell(textOf(value));
};

describe('a whole export', () => {
  it('fetches the rest first, and its manifest proves it complete', async () => {
    const job = await run(out('all.csv'));
    expect(job).toMatchObject({ state: 'done', done: 30_000, total: 30_000, error: null });
    const bytes = readFileSync(out('all.csv'));
    const manifest = JSON.parse(readFileSync(out('all.csv.manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      rows: 30_000,
      total_announced: 30_000,
      completeness: 'complete',
      why: null,
      connection: 'Test tenant',
      clock: 'UTC',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
    });
    const records = parseCsv(bytes.toString('utf8'));
    expect(records[0]).toEqual(columns.map(({ label }) => label));
    expect(records).toHaveLength(30_001);
    expect(records[12_346]).toEqual(columns.map(({ id }) => shown(service.rows[12_345]![id], false)));
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(['all.csv', 'all.csv.manifest.json']);
  });

  it('writes NDJSON that is the rows, column by column', async () => {
    await run(out('all.ndjson'), { format: 'ndjson' });
    const lines = readFileSync(out('all.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(30_000);
    for (const index of [0, 999, 1_000, 29_999])
      expect(JSON.parse(lines[index]!)).toEqual(
        Object.fromEntries(columns.map(({ id }) => [id, service.rows[index]![id]])),
      );
  });

  it('follows the order, the filter and the columns on screen', async () => {
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
    const wanted = service.rows
      .map((row, index) => ({ row, index }))
      .filter(({ row }) => row['is_read'] === true && String(row['subject']).includes('payroll'))
      .sort((a, b) => Number(b.row['size']) - Number(a.row['size']) || a.index - b.index)
      .map(({ row }) => [String(row['size']), String(row['entity_id'])]);
    expect(parseCsv(text.slice(1)).slice(1)).toEqual(wanted);
    expect(JSON.parse(readFileSync(out('view.csv.manifest.json'), 'utf8'))).toMatchObject({
      rows: wanted.length,
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
  ])('parse back to the same values: $format, raw $raw', async ({ format, raw }) => {
    service.rows = rows();
    const set = await data.handlers['results.open'](
      { connectionId: CONNECTION, payload, columns: [...rowColumns, note], refresh: false },
      context(),
    );
    const all = [...columns, note];
    const job = await ended(await start(set.id, out('hostile'), { format, raw, columns: all }));
    expect(job.state).toBe('done');
    const text = readFileSync(out('hostile'), 'utf8');
    if (format === 'ndjson') {
      const parsed = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
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

  it('are the same bytes from SQLite as from JavaScript', async () => {
    // Every value here has its own row in the first set, so that some chunks are all SQLite's work.
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
    // A row that only `odd` has exactly turns the same rows over to JavaScript.
    service.rows = [...service.rows, { entity_id: 'odd', subject: 5 }];
    const again = await data.handlers['results.open'](
      { connectionId: CONNECTION, payload, columns: rowColumns, refresh: true },
      context(),
    );
    await ended(await start(again.id, out('js.csv')));
    const sql = readFileSync(out('sql.csv'), 'utf8');
    expect(readFileSync(out('js.csv'), 'utf8').startsWith(sql)).toBe(true);
  });
});

describe('what goes wrong', () => {
  const leftovers = () => readdirSync(join(folder, 'out'));

  it('leaves nothing when cancelled', async () => {
    service.fault = ({ at }) => (at > 5_000 ? new Promise(() => undefined) : undefined);
    const job = await start((await open()).id, out('cancelled.csv'));
    await expect.poll(() => jobOf(job.id).done).toBeGreaterThan(2_000);
    const began = performance.now();
    await data.handlers['jobs.control']({ id: job.id, action: 'cancel' }, context());
    expect(performance.now() - began).toBeLessThan(500);
    expect(jobOf(job.id)).toMatchObject({ state: 'cancelled', canRetry: true });
    expect(leftovers()).toEqual([]);
  });

  it('says PARTIAL, in the job and in the manifest, when rows are missing', async () => {
    service.fault = ({ at }) => (at > 5_000 ? { status: 500, body: {} } : undefined);
    const job = await run(out('part.csv'));
    expect(job.state).toBe('partial');
    expect(job.note).toContain('30 000 rows');
    const manifest = JSON.parse(readFileSync(out('part.csv.manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ completeness: 'PARTIAL', total_announced: 30_000 });
    expect(manifest.rows).toBe(parseCsv(readFileSync(out('part.csv'), 'utf8')).length - 1);
  });

  it('exports what is here when offline, and says so', async () => {
    const set = await open();
    data.setOffline(true);
    const job = await ended(await start(set.id, out('offline.csv')));
    expect(job).toMatchObject({ state: 'partial' });
    expect(existsSync(out('offline.csv'))).toBe(true);
  });

  it('tells a vanished folder, and a folder in the way', async () => {
    const gone = await run(join(folder, 'nowhere', 'x.csv'));
    expect(gone).toMatchObject({ state: 'failed', error: { code: 'path-missing' } });
    mkdirSync(out('taken.csv'));
    expect(await run(out('taken.csv'))).toMatchObject({ state: 'failed', error: { code: 'path-missing' } });
  });

  it('tells a column that is not there before it touches a file', async () => {
    const set = await open();
    await expect(
      start(set.id, out('x.csv'), { columns: [{ id: 'nope', label: 'x' }] }),
    ).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect(leftovers()).toEqual([]);
  });

  it('tells a full disk and leaves nothing under the final name', async (test: TestContext) => {
    const small = join(folder, 'small');
    mkdirSync(small);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', small], { stdio: 'ignore' });
    } catch {
      test.skip('no tmpfs can be mounted here');
    }
    try {
      const job = await run(join(small, 'x.csv'));
      expect(job).toMatchObject({ state: 'failed', error: { code: 'disk-full' } });
      expect(readdirSync(small)).toEqual([]);
    } finally {
      execFileSync('umount', [small]);
    }
  });

  it('pauses and goes on', async () => {
    const set = await open();
    await data.sets.fetchAll(set.id, new AbortController().signal, () => undefined);
    const job = await start(set.id, out('paused.csv'));
    const paused = await data.handlers['jobs.control']({ id: job.id, action: 'pause' }, context());
    expect(paused.state).toBe('paused');
    expect(existsSync(out('paused.csv'))).toBe(false);
    await data.handlers['jobs.control']({ id: job.id, action: 'resume' }, context());
    expect(await ended(job)).toMatchObject({ state: 'done' });
  });

  it('removes the half-written file of a Parapet that died', async () => {
    service.fault = ({ at }) => (at > 5_000 ? new Promise(() => undefined) : undefined);
    const job = await start((await open()).id, out('died.csv'));
    await data.ctx.workspace.write([]);
    // The state as a killed process leaves it: a running job in the workspace, its file half written.
    const { writeFileSync } = await import('node:fs');
    writeFileSync(out('died.csv.part'), 'half');
    const other = await openData(join(folder, 'profile'), service.url);
    expect(other.jobs.list().find(({ id }) => id === job.id)).toMatchObject({
      state: 'failed',
      note: 'Parapet closed while it ran.',
    });
    expect(leftovers()).toEqual([]);
    await other.close();
  });
});
