/** An export as a job: fetching the remaining rows, writing the file and its manifest. */
import { basename } from 'node:path';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';
import type { Job, ParsedInputOf } from '#shared/bridge/operations.ts';
import { type CellWords, textOf } from '#shared/model/cell-text.ts';
import { isZone } from '#shared/model/clock.ts';
import { csvText, isFormulaRisk, neutraliseCell } from '#shared/model/spreadsheet-safe.ts';
import { manifestBytes, manifestName, sealedManifest } from '../files/manifest.ts';
import { scratchFolder } from '../files/spill-file.ts';
import { exists, newPart, PARTIAL, partialName } from '../files/temp-file.ts';
import { commitWithManifest, requireNames } from '../files/whole-file.ts';
import type { Context, JobHandle } from '../kernel/context.ts';
import type { ChosenPath } from '../kernel/ports.ts';
import { differences, type Expected, lastIdOf } from '../proof/compare.ts';
import type { FoundFile } from '../proof/read-back.ts';
import { columnOf } from '../results/columns.ts';
import { decodeRow, selection } from '../results/encode.ts';
import type { Rows } from '../results/leases.ts';
import { activeFilter } from '../results/local-query.ts';
import { isAtLeast, reasonOf, rowsWord } from '../results/reason.ts';
import type { SetRecord } from '../results/record.ts';
import type { SelectionLease } from '../results/selections.ts';
import type { ResultSets, SetReference } from '../results/sets.ts';
import type { Choice, Shape } from './chunk-sql.ts';
import { columnsOf, type Manifest, outcomeOf, wordsOf } from './manifest.ts';
import { workbookNote } from './notes.ts';
import type { WriterData, Written } from './protocol.ts';
import { isSortedByWriter, type Order, sortsByKeys, streamRows, withFacts } from './row-stream.ts';
import { keyOrder } from './sort/key-order.ts';
import { bytesPerRow } from './sort/partition.ts';
import { openTarget, readBackError, type Target } from './target.ts';
import { SHEET_DATA_ROWS } from './xlsx-parts.ts';
import { spansOf } from './zone.ts';

export type ExportRequest = Omit<ParsedInputOf<'exports.start'>, 'grantId'>;

/** Values of columns that can be exported as they are: none looks like a formula, and none has control characters. */
function safeWords(words: CellWords | undefined): Pick<Choice, 'words'> {
  const safe = Object.entries(words ?? {}).filter(
    ([, word]) => !isFormulaRisk(word) && !/\p{Cc}/u.test(word) && word.isWellFormed(),
  );
  return safe.length === 0 ? {} : { words: Object.fromEntries(safe) };
}

function chosen(record: SetRecord, columns: ExportRequest['columns']): Choice[] {
  return columns.map(({ id, label, words }) => {
    const source = record.columns.find((column) => column.id === id);
    // The entity id is stored with every row, whether or not the query shows it.
    if (source === undefined && id === 'entity_id')
      return { id, label, index: -1, column: null, escapes: true, gaps: true };
    const column = columnOf(record.columns, id);
    const index = record.columns.indexOf(column);
    return { id, label, index, column, escapes: true, gaps: true, ...safeWords(words) };
  });
}

/**
 * Why the export is incomplete, in words; null when it is complete. Every reason for PARTIAL is found here, before
 * anything is written, because it goes into the file, its name and its manifest.
 */
function shortfall(ctx: Context, record: SetRecord): string | null {
  const { version, lack } = ctx.coverage(record.connectionId);
  const offline = ctx.upstream.isOffline(record.connectionId);
  // While the evidence was not examined in this run (version -1), the set's own state is all that is known.
  if (record.state === 'complete') return version > 0 ? lack : null;
  const why = reasonOf(record) ?? (offline ? 'Parapet is offline.' : 'The fetch was stopped.');
  const total = isAtLeast(record) ? `at least ${rowsWord(record.loaded)}` : rowsWord(record.total);
  return `The query has ${total}; ${rowsWord(record.loaded)} were on this machine. ${why}`;
}

/** Starts the job. The request is validated first, so that an impossible one rejects before any file is touched. */
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
  /** Temporary path of the manifest, in the job's memo so that a crash leaves nothing of it behind either. */
  const beside = newPart(chosenPath.path);
  try {
    if (selection !== null && selection.rows.record.id !== use.record.id)
      throw new ParapetError('invalid-input', 'The selection belongs to another result.');
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
    const path = { ...chosenPath, part, beside };
    void work(ctx, sets, { set: use, selection }, { request, choices, path, job })
      .catch((error: unknown) => job.fail(error))
      .finally(release);
    return job.current();
  } catch (error) {
    release();
    throw error;
  }
}

const SET_ORDER = { sortIndex: null, keys: null, release: () => undefined };

/** What is exported: a result set, or selected rows of it. */
interface Source {
  set: SetReference;
  selection: SelectionLease | null;
}

async function leaseOrder(
  { set: use, selection }: Source,
  rows: Rows,
  request: ExportRequest,
  signal: AbortSignal,
): Promise<Order & { release(): void }> {
  const { record } = rows;
  if (selection !== null) {
    const { index, count } = selection;
    return { ...SET_ORDER, sortIndex: index?.n ?? null, count, loaded: index?.loaded ?? count };
  }
  const filter = activeFilter(request.filter);
  const sort = request.sort ?? [];
  if (sort.length === 0 && filter === null)
    return { ...SET_ORDER, count: record.loaded, loaded: record.loaded };
  if (filter === null && sortsByKeys(record.loaded)) {
    const existing = use.sorted.leaseExisting(rows, sort);
    if (existing !== null) return { ...SET_ORDER, ...existing, sortIndex: existing.n };
    return { ...SET_ORDER, keys: keyOrder(record, sort), count: record.loaded, loaded: record.loaded };
  }
  const index = await use.sorted.lease(rows, sort, filter, undefined, signal);
  return { ...SET_ORDER, ...index, sortIndex: index.n };
}

/** The name of the file inside a zip. */
function entryName(zipName: string, format: ExportRequest['format']): string {
  const stem = zipName.replace(/\.zip$/i, '');
  return stem.toLowerCase().endsWith(`.${format}`) ? stem : `${stem}.${format}`;
}

/** The entity ids that the file should start and end with; undefined when no column holds them. */
async function idsOf(
  { db, record }: Rows,
  order: Order,
  { ends }: Written,
  { choices, written }: { choices: readonly Choice[]; written: (text: string) => string },
): Promise<Expected['ids']> {
  const choice = choices.find(isId);
  if (choice === undefined) return undefined;
  if (order.count === 0) return { first: null, last: null };
  const idAt = async (rank: number, rowIndex: number | undefined): Promise<string | null> => {
    const where =
      order.sortIndex === null ? '?' : `(SELECT v.pos FROM rv_${order.sortIndex} v WHERE v.rank = ?)`;
    const [row] = await db.rows(
      `SELECT ${selection(record.columns, 'r')} FROM rs_${record.n} r WHERE r.pos = ${where}`,
      [order.sortIndex === null ? (rowIndex ?? rank - 1) : rank],
    );
    const value = row === undefined ? null : (decodeRow(record.columns, row)[choice.index + 1] ?? null);
    return (value === null ? '' : written(textOf(value))) || null;
  };
  return { first: await idAt(1, ends?.first), last: await idAt(order.count, ends?.last) };
}

/** The column that holds the entity id as text. */
const isId = ({ id, column }: Choice): boolean =>
  id === 'entity_id' && (column === null || column.storage === 'text');

/** Fetches what is missing, fixes rows and order, and exports them. */
async function work(
  ctx: Context,
  sets: ResultSets,
  source: Source,
  run: Pick<RunOptions, 'request' | 'choices' | 'path' | 'job'>,
): Promise<void> {
  const { request, job } = run;
  const set = source.set.record;
  const startedAt = ctx.ports.now();
  // Selected rows and comparisons need no further fetching.
  if (set.state !== 'complete' && source.selection === null) {
    job.update({ note: 'Fetching the rows that are not here yet' });
    await sets.fetchAll(set.id, job.signal, ({ loaded, total }) => job.update({ done: loaded, total }));
  }
  await job.ready();
  // From here on the rows are fixed, so that the file and its manifest describe the same moment.
  const lease = source.set.lease();
  const rows = source.selection?.rows ?? lease;
  const missing = request.selectionId === undefined ? shortfall(ctx, rows.record) : null;
  job.update({ note: 'Ordering rows', done: 0, total: null });
  const order = await leaseOrder(source, rows, request, job.signal).catch((error: unknown) => {
    lease.release();
    throw error;
  });
  try {
    await new ExportRun(ctx, { ...run, rows, order, missing, startedAt }).run();
  } finally {
    order.release();
    lease.release();
  }
}

type PartPath = ChosenPath & { part: string; beside: string };

interface RunOptions {
  request: ExportRequest;
  choices: readonly Choice[];
  rows: Rows;
  order: Order;
  /** Why the export is incomplete; null when it is complete. */
  missing: string | null;
  startedAt: number;
  path: PartPath;
  job: JobHandle;
}

/** What the manifest says of the rows, before the file was read back. */
type Facts = Omit<Manifest, 'file' | 'bytes' | 'sha256' | 'content'>;

/** Writes fixed rows in a fixed order to one file, verifies it, and gives it and its manifest their names. */
class ExportRun {
  readonly #ctx: Context;
  readonly #options: RunOptions;
  readonly #clock: Shape['clock'];
  readonly #sortedByWriter: boolean;
  /** The last record of the file says that it is incomplete. */
  readonly #noted: boolean;
  readonly #neutralised: boolean;

  constructor(ctx: Context, options: RunOptions) {
    const { format, raw, zone } = options.request;
    this.#ctx = ctx;
    this.#options = options;
    this.#clock = spansOf(zone, ctx.ports.now());
    this.#sortedByWriter = isSortedByWriter(options.order);
    this.#noted = options.missing !== null && format !== 'xlsx';
    this.#neutralised = format === 'csv' && !raw;
  }

  async run(): Promise<void> {
    const { request, missing, path, job } = this.#options;
    // An incomplete file never replaces one that may be complete.
    const finalPath = missing === null ? path.path : partialName(path.path);
    const naming = { replace: missing === null && (await exists(finalPath)), number: missing !== null };
    // Otherwise it would only be noticed once everything is written.
    await requireNames(finalPath, naming);
    const entry = request.zip === undefined ? null : entryName(basename(finalPath), request.format);
    // The first rows are rendered while the writer thread starts.
    const opening = openTarget(
      this.#ctx.ports.workers.exports,
      path.path,
      this.#writerData(entry, await scratchFolder(this.#ctx.ports.paths.profile)),
      job.signal,
    );
    opening.catch(() => undefined);
    try {
      const content = await this.#stream(opening);
      job.update({ note: 'Closing the file' });
      const expected = await this.#expected(content);
      const facts = this.#facts(expected, content);
      const target = await opening;
      const foundContent = await this.#close(target, { entry, facts, content, expected });
      if (job.signal.aborted) throw cancelled();
      const manifestOf = (file: string) => this.#manifest(file, facts, foundContent, entry);
      const isSealed = request.zip?.password != null;
      const { file, beside } = await commitWithManifest(
        finalPath,
        (name) => (isSealed ? sealedManifest(name, foundContent) : manifestOf(name)),
        naming,
        async () => target.commit(finalPath, naming),
        path.beside,
      );
      path.finished?.([beside], file);
      this.#finish(outcomeOf(manifestOf(file), beside), content);
    } finally {
      await opening.then(
        (target) => target.discard(),
        () => undefined,
      );
    }
  }

  #writerData(entry: string | null, scratch: string): WriterData {
    const { request, choices, rows, order, missing, path } = this.#options;
    const { format, zone, raw, bom } = request;
    const clock = this.#clock;
    const idIndex = choices.findIndex(isId);
    return {
      part: path.part,
      format,
      columns: choices.map(({ id, label, index, column, words }) => ({
        id,
        label,
        index,
        storage: column?.storage ?? 'text',
        ...(words === undefined ? {} : { words }),
      })),
      stored: rows.record.columns,
      raw,
      bom,
      zone,
      spans: clock?.spans ?? null,
      ...(clock === null ? {} : { until: clock.until }),
      rows: order.count,
      sheetRows: SHEET_DATA_ROWS,
      id: idIndex < 0 ? null : { index: idIndex, key: 'entity_id' },
      partial: missing,
      zip: entry === null ? null : { entry, password: request.zip?.password ?? null },
      scratch,
      sort: this.#sortedByWriter
        ? (order.keys ?? { by: 'index', rows: order.loaded, bytesPerRow: bytesPerRow(rows.record) })
        : null,
    };
  }

  /** Sends every row to the writer. */
  async #stream(opening: Promise<Target>): Promise<Written> {
    const { request, choices, rows, order, job } = this.#options;
    const { format, raw } = request;
    const { count, loaded } = order;
    job.update({ done: 0, total: count });
    const shape = { format, raw, clock: this.#clock, ...(await withFacts(rows, choices)) };
    // When the writer sorts, reading is half of the work and merging the other half.
    const share = this.#sortedByWriter ? count / Math.max(1, loaded) / 2 : 1;
    await streamRows(
      { rows, order, shape, signal: job.signal },
      async (message) => (await opening).send(message),
      (sent) => {
        job.update({ note: 'Writing', done: Math.floor(sent * share) });
        return job.ready();
      },
    );
    const target = await opening;
    return target.end((merged) => job.update({ done: Math.floor((count + merged) / 2) }));
  }

  /** What reading the file back has to find. */
  async #expected(content: Written): Promise<Expected> {
    const { choices, rows, order } = this.#options;
    const header = this.#header();
    return {
      records: this.#noted ? order.count + 1 : order.count,
      header: header ?? (this.#noted ? [PARTIAL] : null),
      ids: await idsOf(rows, order, content, { choices, written: (text) => this.#written(text) }),
      noted: this.#noted,
    };
  }

  /** A text as it stands in the file. */
  #written(text: string): string {
    const held = this.#options.request.format === 'csv' ? csvText(text) : text.toWellFormed();
    return this.#neutralised ? neutraliseCell(held) : held;
  }

  /** The labels as they stand in the file; null when it has none. */
  #header(): string[] | null {
    const { request, choices, order } = this.#options;
    const { format } = request;
    if (format !== 'csv' && format !== 'xlsx' && order.count === 0) return null;
    return choices.map(({ id, label }) =>
      format === 'ndjson' || format === 'json' ? id.toWellFormed() : this.#written(label),
    );
  }

  #facts({ ids }: Expected, { sheets, cut }: Written): Facts {
    const { request, choices, rows, order, missing, startedAt } = this.#options;
    const { format, raw, bom, zone } = request;
    const { record } = rows;
    const { ports } = this.#ctx;
    const filter = activeFilter(request.filter);
    const isXlsx = format === 'xlsx';
    return {
      kind: 'parapet-export-manifest',
      version: 3,
      format,
      encryption: request.zip?.password == null ? null : 'AES-256',
      rows: order.count,
      header: this.#header(),
      first_entity_id: ids?.first ?? null,
      last_entity_id: ids?.last ?? null,
      partial_record: this.#noted,
      total_announced: record.total,
      rows_fetched: record.loaded,
      completeness: missing === null ? 'complete' : 'PARTIAL',
      why: missing,
      scope: request.selectionId !== undefined ? 'selection' : filter === null ? 'everything' : 'filtered',
      query: record.payload,
      query_in_words: request.words ?? wordsOf(record),
      local_sort: [...(request.sort ?? [])],
      local_filter: filter,
      columns: columnsOf(choices, record.columns),
      formulas: isXlsx ? 'texts, never formulas' : raw || format !== 'csv' ? 'as they are' : 'neutralised',
      byte_order_mark: format === 'csv' && bom,
      sheets: isXlsx ? sheets : null,
      cells_cut: isXlsx ? cut : null,
      clock: zone,
      connection: this.#ctx.connection(record.connectionId).name,
      app_version: ports.version,
      fetched_at: new Date(record.fetchedAt).toISOString(),
      started_at: new Date(startedAt).toISOString(),
      finished_at: new Date(ports.now()).toISOString(),
    };
  }

  /** Closes the file, reads it back and compares. Rejects `damaged` with everything that differs. */
  async #close(
    target: Target,
    parts: { entry: string | null; facts: Facts; content: Written; expected: Expected },
  ): Promise<FoundFile> {
    const { entry, facts, content, expected } = parts;
    const inside: Manifest | null =
      entry === null
        ? null
        : { ...facts, file: entry, bytes: content.bytes, sha256: content.sha256, content: null };
    const { found, whole } = await target.close(
      inside === null || entry === null ? null : { name: manifestName(entry), bytes: manifestBytes(inside) },
    );
    const read = found.inside ?? found;
    const wrong = differences(expected, read);
    if (!whole || (inside !== null && read.sha256 !== inside.sha256))
      wrong.push('does not hold the bytes that were written, in their order');
    if (inside !== null && !Buffer.from(manifestBytes(inside)).equals(found.manifest ?? new Uint8Array()))
      wrong.push('does not hold its manifest');
    if (wrong.length > 0) throw readBackError(this.#options.path.name, wrong.join(', and '));
    return found;
  }

  #manifest(file: string, facts: Facts, content: FoundFile, entry: string | null): Manifest {
    const read = content.inside ?? content;
    return {
      ...facts,
      file,
      bytes: content.bytes,
      sha256: content.sha256,
      // Taken from the file that was read back, not from what was meant to be written.
      rows: (read.scanned?.records ?? 0) - (this.#noted ? 1 : 0),
      first_entity_id: read.scanned?.firstId ?? null,
      last_entity_id: lastIdOf(read, this.#noted),
      content: entry === null ? null : { file: entry, bytes: read.bytes, sha256: read.sha256 },
    };
  }

  #finish(outcome: NonNullable<Job['outcome']>, content: Written): void {
    const { missing, job } = this.#options;
    const note = workbookNote(content);
    if (missing === null) job.done(outcome, note);
    else job.partial(note === null ? missing : `${missing} ${note}`, outcome);
  }
}
