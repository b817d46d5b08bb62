/** Failures during an export: an incomplete file never gets its final name. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { type FileCalls, realFiles } from '#main/export/file-out.ts';
import type { WriterData } from '#main/export/protocol.ts';
import { keysOf } from '#main/export/sort/keys.ts';
import { createWriter } from '#main/export/writer.ts';
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import type { Job, ParsedInputOf } from '#shared/bridge/operations.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { makeRows, type RowsService, rowColumns, startRowsService } from '../support/rows-service.ts';
import { NO_SYMLINKS } from '../support/symlinks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-export-faults-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const error = (code: string) => Object.assign(new Error(code), { code });

describe('a full disk', () => {
  const ROWS = 200;
  const WIDTH = 10_000;
  /** Incompressible text, so that zips and workbooks need many writes as well. */
  const noise = (seed: number) => {
    let state = seed + 1;
    return Array.from({ length: WIDTH }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return String.fromCharCode(0x21 + (state % 90));
    })
      .join('')
      .replaceAll('"', '.');
  };
  const cells = Array.from({ length: ROWS }, (_, index) => noise(index));
  /** Sorted: sort indexes arrive before the rows, or among them; or every row carries its key. */
  type Sorting = 'first' | 'among' | 'keys' | null;
  const sorts = {
    first: { by: 'index', rows: ROWS, bytesPerRow: WIDTH },
    among: { by: 'index', rows: ROWS, bytesPerRow: WIDTH },
    keys: { by: 'keys', descending: [true] },
  } as const;
  const spec = (format: ExportFormat, zip: WriterData['zip'], sort: Sorting): WriterData => ({
    part: join(folder, 'x.part'),
    format,
    columns: [{ id: 'a', label: 'A', index: 0, storage: 'text' }],
    stored: [],
    raw: true,
    bom: false,
    zone: 'UTC',
    spans: null,
    rows: ROWS,
    sheetRows: 1_000,
    zip,
    id: null,
    partial: null,
    scratch: join(folder, 'scratch'),
    sort: sort === null ? null : sorts[sort],
  });
  const record = (format: ExportFormat, cell: string) =>
    format === 'xlsx' ? `${cell}\0` : format === 'csv' ? `"${cell}"\r\n` : `{"a":${JSON.stringify(cell)}}\n`;

  async function write(data: WriterData, sort: Sorting, calls: FileCalls): Promise<void> {
    // A part is always a newly created file.
    rmSync(data.part, { force: true });
    const writer = await createWriter(data, { calls });
    const order = Uint32Array.from(cells, (_, index) => ROWS - 1 - index);
    if (sort === 'first') writer.order({ rowIndexes: order });
    if (sort === 'keys') writer.order({ splitters: [keysOf(['[120]'], [true], [0]).bytes] });
    for (let from = 0; from < ROWS; from += 50) {
      if (sort === 'among' && from >= ROWS / 2)
        writer.order({ rowIndexes: order.slice((from - ROWS / 2) * 2, (from - ROWS / 2) * 2 + 100) });
      const records = cells.slice(from, from + 50).map((cell) => record(data.format, cell));
      const lengths = records.map((text) => Buffer.byteLength(text)).join(',');
      await writer.chunk({
        from,
        count: records.length,
        bytes: new TextEncoder().encode(records.join('')),
        lengths,
        keys: sort === 'keys' ? [JSON.stringify(records.map((_, index) => from + index))] : [],
      });
    }
    await writer.end(() => undefined);
    await writer.close(null);
  }

  it.each([
    { format: 'csv' as const, zip: null, sort: null },
    { format: 'csv' as const, zip: null, sort: 'first' as const },
    { format: 'csv' as const, zip: null, sort: 'among' as const },
    { format: 'csv' as const, zip: null, sort: 'keys' as const },
    { format: 'ndjson' as const, zip: { password: 'secret', entry: 'x.ndjson' }, sort: null },
    { format: 'xlsx' as const, zip: null, sort: null },
    { format: 'xlsx' as const, zip: { password: 'secret', entry: 'x.xlsx' }, sort: 'among' as const },
  ])(
    'ends the export at every write: $format, zip $zip.entry, sorted $sort',
    async ({ format, zip, sort }) => {
      let turn = 0;
      const counting: FileCalls = {
        ...realFiles,
        write(fd, bytes, position) {
          turn++;
          return realFiles.write(fd, bytes, position);
        },
      };
      const data = spec(format, zip, sort);
      await write(data, sort, counting);
      const writes = turn;
      expect(writes).toBeGreaterThan(1);
      for (let failing = 0; failing <= writes; failing++) {
        turn = 0;
        const full: FileCalls = {
          ...realFiles,
          write(fd, bytes, position) {
            if (turn++ === failing) throw error('ENOSPC');
            return realFiles.write(fd, bytes, position);
          },
          sync() {
            throw error('ENOSPC');
          },
        };
        // In the last round every write succeeds, and the flush fails.
        await expect(write(data, sort, full)).rejects.toMatchObject({ code: 'ENOSPC' });
      }
    },
  );

  it.each(['first', 'keys'] as const)(
    'is detected when a row of the order did not arrive, the order %s',
    async (sort) => {
      const data = { ...spec('csv', null, sort), rows: ROWS + 1 };
      await expect(write(data, sort, realFiles)).rejects.toThrow('did not arrive');
    },
  );

  it.each(['first', 'among', 'keys'] as const)(
    'handles short writes correctly, the order %s',
    async (sort) => {
      const data = spec('csv', null, sort);
      await write(data, sort, {
        ...realFiles,
        write: (fd, bytes, position) =>
          realFiles.write(fd, bytes.subarray(0, Math.min(bytes.length, position + 1_000)), position),
      });
      expect(parse(readFileSync(data.part), { columns: true })).toEqual(
        cells.toReversed().map((cell) => ({ A: cell })),
      );
    },
  );
});

/** More than WRITER_SORT_FROM: so many rows are sorted while they are written. */
const MANY = makeRows(21_000);
/** More than one chunk of any format. */
const FEW = 5_000;

describe('an export of a run', () => {
  let service: RowsService;
  let data: DataHarness;
  const context = () => ({ signal: new AbortController().signal });
  const out = (name: string) => join(folder, 'out', name);
  beforeEach(async () => {
    service = await startRowsService(MANY);
    data = await openData(join(folder, 'profile'), service.url);
    mkdirSync(join(folder, 'out'));
  });
  afterEach(async () => {
    await data.close();
    await service.close();
  });

  const payload = {
    query_domain: 'email',
    saas_id: 'mail',
    query_entity_type: 'email',
    condition: { operator: 'and' as const, conditions: [] },
    columns: rowColumns.map((column) => column.id),
    sort_by: [],
    include_copies: false,
  };
  const sort = [{ dbId: 'size', direction: 'asc' as const }];
  async function fetched(rows = MANY.length): Promise<string> {
    service.rows = MANY.slice(0, rows);
    const set = await data.handlers['results.open'](
      { connectionId: CONNECTION, payload, columns: rowColumns, refresh: false },
      context(),
    );
    await data.sets.fetchAll(set.id, context().signal, () => undefined);
    return set.id;
  }
  const start = (
    resultId: string,
    path: string,
    change: Partial<ParsedInputOf<'exports.start'>> = {},
  ): Promise<Job> => data.export(resultId, path, { columns: rowColumns, ...change });
  const jobOf = (id: string) => data.jobs.list().find((job) => job.id === id)!;
  async function ended(job: Job): Promise<Job> {
    await expect.poll(() => jobOf(job.id).state, { timeout: 30_000 }).not.toMatch(/running|paused/);
    return jobOf(job.id);
  }
  const control = (job: Job, action: 'cancel' | 'pause' | 'resume') =>
    data.handlers['jobs.control']({ id: job.id, action }, context());
  /** Resolves once the part exists. */
  const isBegun = () => readdirSync(join(folder, 'out')).some((name) => name.endsWith('.part'));
  const mounted = async (folder: string, options: string, test: TestContext, work: () => Promise<void>) => {
    mkdirSync(folder, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      test.skip('no tmpfs can be mounted here');
    }
    try {
      await work();
    } finally {
      execFileSync('umount', ['-l', folder]);
    }
  };

  it('reports a folder that is not writable', async (test: TestContext) => {
    const id = await fetched(FEW);
    const locked = join(folder, 'locked');
    await mounted(locked, 'ro,size=64k', test, async () => {
      const job = await ended(await start(id, join(locked, 'x.csv')));
      expect(job).toMatchObject({ state: 'failed', error: { code: 'permission-denied' } });
      expect(readdirSync(locked)).toEqual([]);
    });
  });

  it('reports a profile without space for spill files', async (test: TestContext) => {
    const id = await fetched();
    await mounted(join(folder, 'profile', 'export-work'), 'size=64k', test, async () => {
      const job = await ended(await start(id, out('x.csv'), { sort }));
      expect(job).toMatchObject({ state: 'failed', error: { code: 'disk-full' } });
      expect(job.error?.message).toContain('profile folder');
      expect(readdirSync(join(folder, 'out'))).toEqual([]);
    });
  });

  it('reports a folder that vanishes during the export', async () => {
    const id = await fetched(FEW);
    const job = await start(id, out('x.csv'));
    await control(job, 'pause');
    await expect.poll(() => isBegun() || jobOf(job.id).note === 'Ordering rows').toBe(true);
    rmSync(join(folder, 'out'), { recursive: true });
    await control(job, 'resume');
    expect(await ended(job)).toMatchObject({ state: 'failed', error: { code: 'path-missing' } });
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  it('never replaces a file that appeared in the meantime, nor a manifest', async () => {
    const id = await fetched();
    writeFileSync(out('y.csv.manifest.json'), 'mine');
    expect(await ended(await start(id, out('y.csv')))).toMatchObject({
      state: 'done',
      outcome: { manifestFile: 'y.csv.manifest 2.json' },
    });
    expect(readFileSync(out('y.csv.manifest.json'), 'utf8')).toBe('mine');

    service.fault = () => undefined;
    const job = await start(id, out('x.csv'), { sort });
    await expect.poll(isBegun, { interval: 1, timeout: 15_000 }).toBe(true);
    writeFileSync(out('x.csv'), 'mine');
    const last = await ended(job);
    // Chosen before the file existed, or after the export saw it.
    if (last.state === 'failed') expect(last.error?.code).toBe('file-exists');
    expect(readFileSync(out('x.csv'), 'utf8')).toBe('mine');
    expect(isBegun()).toBe(false);
  });

  it('replaces the file that the analyst agreed to replace', async () => {
    const id = await fetched(FEW);
    writeFileSync(out('x.csv'), 'old');
    writeFileSync(out('x.csv.manifest.json'), 'old');
    expect(await ended(await start(id, out('x.csv')))).toMatchObject({ state: 'done' });
    expect(parse(readFileSync(out('x.csv')))).toHaveLength(FEW + 1);
    expect(JSON.parse(readFileSync(out('x.csv.manifest.json'), 'utf8'))).toMatchObject({ rows: FEW });
  });

  it.each(['Ordering rows', 'Writing', 'Closing the file'])(
    'cancelled during "%s" leaves nothing behind',
    async (phase) => {
      const id = await fetched();
      const job = await start(id, out('x.xlsx'), { format: 'xlsx', sort });
      await expect
        .poll(() => jobOf(job.id).note === phase || jobOf(job.id).state !== 'running', {
          interval: 1,
          timeout: 15_000,
        })
        .toBe(true);
      await control(job, 'cancel');
      await ended(job);
      // Work that finished before the cancellation is kept.
      if (jobOf(job.id).state === 'cancelled')
        await expect.poll(() => readdirSync(join(folder, 'out')), { timeout: 15_000 }).toEqual([]);
      else expect(jobOf(job.id).state).toBe('done');
      const work = join(folder, 'profile', 'export-work');
      expect(existsSync(work) ? readdirSync(work) : []).toEqual([]);
    },
  );

  it('shares the machine with another export and a fetch', async () => {
    const set = await data.handlers['results.open'](
      { connectionId: CONNECTION, payload, columns: rowColumns, refresh: false },
      context(),
    );
    const jobs = [
      await start(set.id, out('a.csv'), { sort }),
      await start(set.id, out('b.xlsx'), { format: 'xlsx' }),
      await data.sets.fetchJob(set.id),
    ];
    for (const job of jobs) expect((await ended(job)).state).toBe('done');
    expect(parse(readFileSync(out('a.csv')))).toHaveLength(21_001);
    await expect(
      start(set.id, out('c.csv')).then(async (job) => {
        const second = await start(set.id, out('c.csv'));
        const both = [await ended(job), await ended(second)];
        return both.map(({ state, error }) => error?.code ?? state).toSorted();
      }),
      // Either export may get the name first.
    ).resolves.toEqual(['done', 'file-exists']);
  });

  it.each([
    ['csv', undefined],
    ['json', undefined],
    ['ndjson', undefined],
    ['xlsx', undefined],
    ['csv', { password: null }],
    ['json', { password: 'x' }],
  ] as const)(
    'does not name %s whose bytes are in a different order than they were written, zip %j',
    async (format, zip) => {
      const id = await fetched(FEW);
      const broken = data.ctx.ports.workers;
      Object.assign(broken, { exports: new URL('../support/disordered-export.ts', import.meta.url) });
      const job = await ended(
        await start(id, out(`x.${format}`), { format, ...(zip === undefined ? {} : { zip }) }),
      );
      expect(job).toMatchObject({ state: 'failed', error: { code: 'damaged', retryable: true } });
      expect(job.error?.message).toContain('read back');
      expect(readdirSync(join(folder, 'out'))).toEqual([]);
    },
  );

  it.each(['csv', 'json', 'ndjson'] as const)(
    'does not name %s in which two rows were swapped',
    async (format) => {
      const id = await fetched(FEW);
      const { workers } = data.ctx.ports;
      Object.assign(workers, { exports: new URL('../support/swapped-rows-export.ts', import.meta.url) });
      const job = await ended(await start(id, out(`x.${format}`), { format }));
      expect(job).toMatchObject({ state: 'failed', error: { code: 'damaged', retryable: true } });
      expect(job.error?.message).toContain('the bytes that were written, in their order');
      expect(readdirSync(join(folder, 'out'))).toEqual([]);
    },
  );

  it('leaves a file and a link under an earlier part name untouched', async ({ skip }) => {
    skip(NO_SYMLINKS !== null, `${NO_SYMLINKS}`);
    const id = await fetched(FEW);
    writeFileSync(join(folder, 'victim'), 'mine');
    symlinkSync(join(folder, 'victim'), out('a.csv.part'));
    writeFileSync(out('b.csv.part'), 'mine');
    for (const name of ['a.csv', 'b.csv'])
      expect((await ended(await start(id, out(name)))).state).toBe('done');
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('mine');
    expect(readFileSync(out('b.csv.part'), 'utf8')).toBe('mine');
    expect(lstatSync(out('a.csv.part')).isSymbolicLink()).toBe(true);
  });

  it("interrupted by Parapet's death leaves neither a part nor spill files", async () => {
    const id = await fetched(FEW);
    service.fault = () => new Promise(() => undefined);
    const work = join(folder, 'profile', 'export-work');
    const again = await data.handlers['results.open'](
      {
        connectionId: CONNECTION,
        payload: { ...payload, include_copies: true },
        columns: rowColumns,
        refresh: false,
      },
      { signal: AbortSignal.timeout(1) },
    ).catch(() => null);
    expect(again).toBeNull();
    const job = await start(id, out('died.csv'));
    await control(job, 'pause');
    await data.ctx.workspace.write([]);
    mkdirSync(work, { recursive: true });
    writeFileSync(join(work, 'work-left'), 'sealed');
    const [{ data: stored } = { data: '' }] = await data.ctx.workspace.all<{ data: string }>(
      'SELECT data FROM jobs WHERE id = ?',
      [job.id],
    );
    const { memo } = JSON.parse(stored) as { memo: { part: string; beside: string } };
    // The state after a kill just before the manifest is renamed.
    writeFileSync(memo.beside, 'a manifest');
    await expect.poll(() => existsSync(memo.part), { timeout: 30_000 }).toBe(true);
    const other = await openData(join(folder, 'profile'), service.url);
    expect(other.jobs.list().find((entry) => entry.id === job.id)?.state).toBe('failed');
    expect(existsSync(memo.part)).toBe(false);
    expect(existsSync(memo.beside)).toBe(false);
    expect(existsSync(work)).toBe(false);
    await other.close();
  });

  it.each([
    ['its manifest gets its name', 'a,b\r\n1,2\r\n', true],
    ['another file keeps to itself', 'what was there before', false],
  ])('killed between naming the file and the manifest: %s', async (_, bytes, named) => {
    const job = await ended(await start(await fetched(), out('between.csv')));
    const manifestText = readFileSync(out('between.csv.manifest.json'), 'utf8');
    const manifest = {
      ...JSON.parse(manifestText),
      bytes: 10,
      sha256: createHash('sha256').update('a,b\r\n1,2\r\n').digest('hex'),
    };
    const [{ data: stored } = { data: '' }] = await data.ctx.workspace.all<{ data: string }>(
      'SELECT data FROM jobs WHERE id = ?',
      [job.id],
    );
    const record = JSON.parse(stored) as {
      job: { state: string; endedAt: unknown };
      memo: { beside: string };
    };
    // The state after a kill between the two renames.
    writeFileSync(out('between.csv'), bytes);
    rmSync(out('between.csv.manifest.json'));
    writeFileSync(record.memo.beside, JSON.stringify(manifest));
    record.job = { ...record.job, state: 'running', endedAt: null };
    await data.ctx.workspace.write([
      { sql: 'UPDATE jobs SET data = ? WHERE id = ?', params: [JSON.stringify(record), job.id] },
    ]);
    const other = await openData(join(folder, 'profile'), service.url);
    expect(existsSync(record.memo.beside)).toBe(false);
    expect(existsSync(out('between.csv.manifest.json'))).toBe(named);
    if (named) expect(JSON.parse(readFileSync(out('between.csv.manifest.json'), 'utf8'))).toEqual(manifest);
    expect(readFileSync(out('between.csv'), 'utf8')).toBe(bytes);
    await other.close();
  });
});
