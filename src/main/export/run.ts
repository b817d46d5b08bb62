/** One export as a job: the rest of the rows, the file, its manifest. */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';
import type { Job, ParsedInputOf } from '#shared/bridge/operations.ts';
import { neutraliseCell } from '#shared/model/spreadsheet-safe.ts';
import { manifestBytes, manifestName, sealedManifest } from '../files/manifest.ts';
import { exists, newPart } from '../files/part.ts';
import { scratchOf } from '../files/spill-file.ts';
import { proved } from '../files/whole-file.ts';
import type { Context, JobHandle } from '../kernel/context.ts';
import type { ChosenPath } from '../kernel/ports.ts';
import { differences, lastIdOf, type Meant } from '../proof/compare.ts';
import { columnOf } from '../results/columns.ts';
import { decodeRow, selection, textOf } from '../results/encode.ts';
import type { Rows } from '../results/leases.ts';
import { activeFilter } from '../results/local-query.ts';
import { isAtLeast, reasonOf, rowsWord } from '../results/reason.ts';
import type { SetRecord } from '../results/record.ts';
import type { SelectionLease } from '../results/selections.ts';
import type { ResultSets, SetReference } from '../results/sets.ts';
import type { Choice } from './chunk-sql.ts';
import { PARTIAL } from './content.ts';
import { columnsOf, type Manifest, outcomeOf, wordsOf } from './manifest.ts';
import type { WriterData, Written } from './protocol.ts';
import { isScattered, known, type Order, walkRows, walksByKeys } from './row-stream.ts';
import { keyOrder } from './sort/key-order.ts';
import { widthOf } from './sort/partition.ts';
import { openTarget, readBackError } from './target.ts';
import { SHEET_ROWS } from './xlsx-parts.ts';
import { CELL_MAX } from './xlsx-rows.ts';
import { isZone, spansOf } from './zone.ts';

export type ExportRequest = Omit<ParsedInputOf<'exports.start'>, 'grantId'>;

function chosen(record: SetRecord, columns: ExportRequest['columns']): Choice[] {
  return columns.map(({ id, label }) => {
    const known = record.columns.find((column) => column.id === id);
    // The entity id leads every row, whether or not the query shows it.
    if (known === undefined && id === 'entity_id')
      return { id, label, index: -1, column: null, escapes: true, gaps: true };
    const column = columnOf(record.columns, id);
    return { id, label, index: record.columns.indexOf(column), column, escapes: true, gaps: true };
  });
}

/**
 * Why what is exported is not all of it, in words; null: it is. Every reason for PARTIAL is found here, before anything
 * is written: it goes into the file, its name and its manifest.
 */
function shortfall(ctx: Context, record: SetRecord): string | null {
  const { version, lack } = ctx.coverage(record.connectionId);
  const offline = ctx.upstream.isOffline(record.connectionId);
  // Of evidence that was not looked at in this run, the set itself says whether it was whole.
  if (record.state === 'complete') return version > 0 ? lack : null;
  const why = reasonOf(record) ?? (offline ? 'Parapet is offline.' : 'The fetch was stopped.');
  const total = isAtLeast(record) ? `at least ${rowsWord(record.loaded)}` : rowsWord(record.total);
  return `The query has ${total}; ${rowsWord(record.loaded)} were on this machine. ${why}`;
}

/** Starts the job. The request is checked first: what cannot work rejects here and no file is touched. */
export async function startExport(
  ctx: Context,
  sets: ResultSets,
  request: ExportRequest,
  chosenPath: ChosenPath,
): Promise<Job> {
  if (!isZone(request.zone))
    throw new ParapetError('invalid-input', `There is no time zone "${request.zone}".`);
  const selection = request.selectionId === undefined ? null : sets.selections.lease(request.selectionId);
  const use = await sets.acquire(request.resultId).catch((error: unknown) => {
    selection?.release();
    throw error;
  });
  const release = () => {
    selection?.release();
    use.release();
  };
  const part = newPart(chosenPath.path);
  /** The manifest in the making: a Parapet that dies must leave nothing of it either. */
  const beside = newPart(chosenPath.path);
  try {
    if (selection !== null && selection.rows.record.id !== use.record.id)
      throw new ParapetError('invalid-input', 'The selection is one of another result.');
    const choices = chosen(use.record, request.columns);
    const job = ctx.jobs.create({
      kind: 'export',
      title: `Export ${chosenPath.name}`,
      connectionId: use.record.connectionId,
      unit: 'rows',
      total: use.record.total,
      canPause: true,
      retry: () => startExport(ctx, sets, request, chosenPath),
      memo: { part, beside },
    });
    void work(ctx, sets, { use, selection }, request, choices, { ...chosenPath, part, beside }, job)
      .catch((error: unknown) => job.fail(error))
      .finally(release);
    return job.current();
  } catch (error) {
    release();
    throw error;
  }
}

const OWN_ORDER = { view: null, keys: null, release: () => undefined };

/** What an export reads: a set, or rows of it that were chosen. */
interface Source {
  use: SetReference;
  selection: SelectionLease | null;
}

async function holdOrder(
  { use, selection }: Source,
  rows: Rows,
  request: ExportRequest,
  signal: AbortSignal,
): Promise<Order & { release(): void }> {
  const { record } = rows;
  if (selection !== null) {
    const { index, count } = selection;
    return { ...OWN_ORDER, view: index?.n ?? null, count, loaded: index?.loaded ?? count };
  }
  const filter = activeFilter(request.filter);
  const sort = request.sort ?? [];
  if (sort.length === 0 && filter === null)
    return { ...OWN_ORDER, count: record.loaded, loaded: record.loaded };
  if (filter === null && walksByKeys(record.loaded)) {
    const held = use.sorted.leaseExisting(rows, sort);
    if (held !== null) return { ...OWN_ORDER, ...held, view: held.n };
    return { ...OWN_ORDER, keys: keyOrder(record, sort), count: record.loaded, loaded: record.loaded };
  }
  const view = await use.sorted.lease(rows, sort, filter, undefined, signal);
  return { ...OWN_ORDER, ...view, view: view.n };
}

async function scratchFolder(ctx: Context): Promise<string> {
  const folder = scratchOf(ctx.ports.paths.profile);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 }).then(
    () => true,
    () => false,
  );
  return made ? folder : mkdtemp(join(tmpdir(), 'parapet-export-'));
}

/** The name of the file inside a zip. */
function entryName(zipName: string, format: ExportRequest['format']): string {
  const stem = zipName.replace(/\.zip$/i, '');
  return stem.toLowerCase().endsWith(`.${format}`) ? stem : `${stem}.${format}`;
}

/** The name of a file that is not whole: it says so wherever the file goes. */
function partialName(path: string): string {
  const extension = /\.[^./\\]{1,6}\.zip$/i.exec(path)?.[0] ?? extname(path);
  return `${path.slice(0, path.length - extension.length)} ${PARTIAL}${extension}`;
}

/** Entity ids of the rows that the file is to begin and end with; undefined: no column of it has them. */
async function idsOf(
  { db, record }: Rows,
  order: Order,
  { ends }: Written,
  { choices, neutralised }: { choices: readonly Choice[]; neutralised: boolean },
): Promise<Meant['ids']> {
  const choice = choices.find(isId);
  if (choice === undefined) return undefined;
  if (order.count === 0) return { first: null, last: null };
  const idAt = async (rank: number, place: number | undefined): Promise<string | null> => {
    const where = order.view === null ? '?' : `(SELECT v.pos FROM rv_${order.view} v WHERE v.rank = ?)`;
    const [row] = await db.rows(
      `SELECT ${selection(record.columns, 'r')} FROM rs_${record.n} r WHERE r.pos = ${where}`,
      [order.view === null ? (place ?? rank - 1) : rank],
    );
    const value = row === undefined ? null : (decodeRow(record.columns, row)[choice.index + 1] ?? null);
    const text = value === null ? '' : textOf(value).toWellFormed();
    return (neutralised ? neutraliseCell(text) : text) || null;
  };
  return { first: await idAt(1, ends?.first), last: await idAt(order.count, ends?.last) };
}

/** The column that holds the entity id as text. */
const isId = ({ id, column }: Choice): boolean =>
  id === 'entity_id' && (column === null || column.storage === 'text');

async function work(
  ctx: Context,
  sets: ResultSets,
  source: Source,
  request: ExportRequest,
  choices: readonly Choice[],
  path: ChosenPath & { part: string; beside: string },
  job: JobHandle,
): Promise<void> {
  const set = source.use.record;
  const { format, zone, raw, bom } = request;
  const startedAt = ctx.ports.now();
  // A selection is of rows that are here; so is a comparison.
  if (set.state !== 'complete' && source.selection === null) {
    job.update({ note: 'Fetching the rows that are not here yet' });
    await sets.fetchAll(set.id, job.signal, ({ loaded, total }) => job.update({ done: loaded, total }));
  }
  await job.ready();
  // From here on the file is of these rows, and what the manifest says of them is of the same moment.
  const lease = source.use.lease();
  const rows = source.selection?.rows ?? lease;
  const { record } = rows;
  const missing = request.selectionId === undefined ? shortfall(ctx, record) : null;
  job.update({ note: 'Ordering rows', done: 0, total: null });
  const order = await holdOrder(source, rows, request, job.signal).catch((error: unknown) => {
    lease.release();
    throw error;
  });
  try {
    const { count } = order;
    const clock = spansOf(zone, ctx.ports.now());
    const scattered = isScattered(order);
    // A file that is not whole never takes the name of one that may be.
    const wanted = missing === null ? path.path : partialName(path.path);
    const naming = { replace: missing === null && (await exists(wanted)), number: missing !== null };
    const entry = request.zip === undefined ? null : entryName(basename(wanted), format);
    const neutralised = format === 'csv' && !raw;
    const idIndex = choices.findIndex(isId);
    const spec: WriterData = {
      part: path.part,
      format,
      columns: choices.map(({ id, label, index, column }) => ({
        id,
        label,
        index,
        storage: column?.storage ?? 'text',
      })),
      stored: record.columns,
      raw,
      bom,
      zone,
      spans: clock?.spans ?? null,
      ...(clock === null ? {} : { until: clock.until }),
      rows: count,
      sheetRows: SHEET_ROWS - 1,
      id: idIndex < 0 ? null : { index: idIndex, key: 'entity_id' },
      partial: missing,
      zip: entry === null ? null : { entry, password: request.zip?.password ?? null },
      scratch: await scratchFolder(ctx),
      scatter: scattered ? (order.keys ?? { by: 'ranks', rows: order.loaded, width: widthOf(record) }) : null,
    };
    // The first rows are rendered while its thread starts.
    const opening = openTarget(ctx.ports.workers.exports, path.path, spec, job.signal);
    opening.catch(() => undefined);
    try {
      job.update({ done: 0, total: count });
      const shape = { format, raw, clock, ...(await known(rows, choices)) };
      // Rows that are read in one order and written in another are half done when they are read.
      const share = scattered ? count / Math.max(1, order.loaded) / 2 : 1;
      await walkRows(
        { rows, order, shape, signal: job.signal },
        async (message) => (await opening).send(message),
        (rows) => {
          job.update({ note: 'Writing', done: Math.floor(rows * share) });
          return job.ready();
        },
      );
      const target = await opening;
      const content = await target.end((rows) => job.update({ done: Math.floor((count + rows) / 2) }));
      job.update({ note: 'Closing the file' });
      const noted = missing !== null && format !== 'xlsx';
      const labels = choices.map(({ id, label }) => {
        if (format === 'ndjson' || format === 'json') return id;
        return neutralised ? neutraliseCell(label) : label;
      });
      const isLabelled = format === 'csv' || format === 'xlsx' || count > 0;
      const meant: Meant = {
        records: noted ? count + 1 : count,
        header: isLabelled ? labels.map((label) => label.toWellFormed()) : noted ? [PARTIAL] : null,
        ids: await idsOf(rows, order, content, { choices, neutralised }),
        noted,
      };
      const facts = {
        kind: 'parapet-export-manifest',
        version: 3,
        format,
        encryption: request.zip?.password == null ? null : 'AES-256',
        rows: count,
        header: isLabelled ? [...(meant.header ?? [])] : null,
        first_entity_id: meant.ids?.first ?? null,
        last_entity_id: meant.ids?.last ?? null,
        partial_record: noted,
        total_announced: record.total,
        rows_fetched: record.loaded,
        completeness: missing === null ? 'complete' : 'PARTIAL',
        why: missing,
        scope:
          request.selectionId !== undefined
            ? 'selection'
            : activeFilter(request.filter) === null
              ? 'everything'
              : 'filtered',
        query: record.payload,
        query_in_words: request.words ?? wordsOf(record),
        local_sort: [...(request.sort ?? [])],
        local_filter: activeFilter(request.filter),
        columns: columnsOf(choices, record.columns),
        formulas:
          format === 'xlsx'
            ? 'texts, never formulas'
            : raw || format !== 'csv'
              ? 'as they are'
              : 'neutralised',
        byte_order_mark: format === 'csv' && bom,
        sheets: format === 'xlsx' ? content.sheets : null,
        cells_cut: format === 'xlsx' ? content.cut : null,
        clock: zone,
        connection: ctx.connection(record.connectionId).name,
        app_version: ctx.ports.version,
        fetched_at: new Date(record.fetchedAt).toISOString(),
        started_at: new Date(startedAt).toISOString(),
        finished_at: new Date(ctx.ports.now()).toISOString(),
      } satisfies Partial<Manifest>;
      const inside: Manifest | null =
        entry === null
          ? null
          : { ...facts, file: entry, bytes: content.bytes, sha256: content.sha256, content: null };
      const { found, whole } = await target.close(
        inside === null || entry === null
          ? null
          : { name: manifestName(entry), bytes: manifestBytes(inside) },
      );
      const read = found.inside ?? found;
      const wrong = differences(meant, read);
      if (!whole || (inside !== null && read.sha256 !== inside.sha256))
        wrong.push('does not hold the bytes that were written, in their order');
      if (inside !== null && !Buffer.from(manifestBytes(inside)).equals(found.manifest ?? new Uint8Array()))
        wrong.push('does not hold its manifest');
      if (wrong.length > 0) throw readBackError(path.name, wrong.join(', and '));
      if (job.signal.aborted) throw cancelled();
      const isSealed = request.zip?.password != null;
      const manifestOf = (file: string): Manifest => ({
        ...facts,
        file,
        bytes: found.bytes,
        sha256: found.sha256,
        // What was found in the file, not what was meant to be there.
        rows: (read.scanned?.records ?? 0) - (noted ? 1 : 0),
        first_entity_id: read.scanned?.firstId ?? null,
        last_entity_id: lastIdOf(read, noted),
        content: entry === null ? null : { file: entry, bytes: read.bytes, sha256: read.sha256 },
      });
      const { file, beside } = await proved(
        wanted,
        (name) => (isSealed ? sealedManifest(name, found) : manifestOf(name)),
        naming.replace,
        async () => (await opening).settle(wanted, naming),
        path.beside,
      );
      path.finished?.([beside], file);
      const outcome = outcomeOf(manifestOf(file), beside);
      const cut =
        content.cut === 0
          ? null
          : `${content.cut} cells were longer than a workbook can hold and end after ${CELL_MAX} characters.`;
      if (missing === null) job.done(outcome, cut);
      else job.partial(missing, outcome);
    } finally {
      await opening.then(
        (target) => target.discard(),
        () => undefined,
      );
    }
  } finally {
    order.release();
    lease.release();
  }
}
