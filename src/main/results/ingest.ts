/**
 * Stores a page of the service in its set's table: parsed, encoded and bound in the writer thread, with the rows and
 * the cursor after them in one transaction. Runs in a store worker: loads no schema library.
 */
import type Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { isComplaint } from '#shared/api/list-end.ts';
import type { Cell, Cursor, Row } from '#shared/model/entities.ts';
import { digitsOf, parseExact } from '#shared/model/exact-numbers.ts';
import { isTooDeep } from '#shared/model/json-depth.ts';
import type { SqlValue } from '../store/database.ts';
import type { Ingested, IngestTask } from '../store/tasks.ts';
import { storedForm } from './columns.ts';
import { createEncoder, decodeRow, type EncodedRow, idOf, LEAD, selection, withLong } from './encode.ts';
import { factsOfPage } from './text-facts.ts';

const NOTHING: Ingested = {
  outcome: 'unreadable',
  cursor: null,
  total: null,
  received: 0,
  added: 0,
  withoutId: 0,
  bytes: 0,
  widest: 0,
  appeared: 0,
  duplicates: 0,
  pending: 0,
  columns: null,
};

interface Page {
  rows: Row[];
  search_after?: Cursor | null;
  total_rows: number;
}

const isScalar = (value: unknown): boolean =>
  value === null || typeof value !== 'object' || digitsOf(value) !== null;
const isCursor = (value: unknown): value is Cursor | null | undefined =>
  value === undefined || isScalar(value) || Object.values(value as object).every(isScalar);

const isRow = (row: unknown): row is Row => typeof row === 'object' && row !== null && !Array.isArray(row);

/** A count as a number or in digits; absent: the service does not count, as with 0 beside rows. */
const countOf = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : (value ?? 0);

/**
 * Reads a page by hand, because validating with the schema library takes longer than storing it. The specification
 * names the fields in two spellings (sections 3 and 7). Null if it is no page.
 */
function pageOf(value: unknown): Page | null {
  if (typeof value !== 'object' || value === null) return null;
  const page = value as Record<string, unknown>;
  const { rows, search_after, searchAfter, total_rows, totalRows } = page;
  // Rows beside an error may be incomplete.
  if (page['success'] === false || isComplaint(page['error'] ?? page['errors'])) return null;
  const cursor = search_after ?? searchAfter;
  const total = countOf(total_rows ?? totalRows);
  if (!Array.isArray(rows) || !rows.every(isRow) || !isCursor(cursor)) return null;
  if (!Number.isSafeInteger(total) || (total as number) < 0) return null;
  return { rows, search_after: isEnd(cursor) ? null : cursor, total_rows: total as number };
}

/** An empty text or list leads to no further page. */
const isEnd = (cursor: Cursor | null | undefined): cursor is null | undefined =>
  cursor == null || cursor === '' || (Array.isArray(cursor) && cursor.length === 0);

const utf8 = new TextDecoder();
function readPage(bytes: Uint8Array): Page | 'unreadable' | 'too-deep' {
  if (isTooDeep(bytes)) return 'too-deep';
  try {
    const value = parseExact(utf8.decode(bytes));
    return pageOf(value) ?? 'unreadable';
  } catch {
    return 'unreadable';
  }
}

interface SetStatements {
  setId: string;
  encode: (row: Row) => EncodedRow;
  insert: Sqlite.Statement;
  save: Sqlite.Statement;
}

const BACKSLASH = 0x5c;
/** Sets whose statements are cached. */
const CACHED_SETS = 8;

/** The set was dropped, or the database replaced, while the page was in transit. */
class SetGone extends Error {}

/** Finds the existing rows that a row matches, including those added by the same page. */
class Matcher {
  readonly #task: IngestTask;
  readonly #byId: Sqlite.Statement<unknown[], SqlValue[]>;
  readonly #withoutId: Sqlite.Statement<unknown[], SqlValue[]>;
  /** Row indexes by all values of a row, for the ids read so far. */
  readonly #rowsByKey = new Map<string, number[]>();
  /** null stands for the rows without an id. */
  readonly #readIds = new Set<string | null>();

  constructor(db: Sqlite.Database, task: IngestTask) {
    const { n, columns, byValues } = task;
    const cells = selection(columns, 'r');
    this.#task = task;
    this.#byId = db
      .prepare<unknown[], SqlValue[]>(
        `SELECT ${byValues ? `${cells}, r.pos` : 'r.pos'} FROM rs_${n} r WHERE r.entity_id = ?`,
      )
      .raw();
    this.#withoutId = db
      .prepare<unknown[], SqlValue[]>(`SELECT ${cells}, r.pos FROM rs_${n} r WHERE r.entity_id IS NULL`)
      .raw();
  }

  find(row: Row, id: string | null): readonly number[] {
    if (id !== null && !this.#task.byValues) return this.#byId.all(id).map(([rowIndex]) => Number(rowIndex));
    if (!this.#readIds.has(id)) {
      this.#readIds.add(id);
      for (const cells of id === null ? this.#withoutId.all() : this.#byId.all(id))
        this.#remember(decodeRow(this.#task.columns, cells), Number(cells.at(-1)));
    }
    return this.#rowsByKey.get(JSON.stringify(this.#valuesOf(row, id))) ?? [];
  }

  added(row: Row, id: string | null, rowIndex: number): void {
    if (id === null || this.#task.byValues) this.#remember(this.#valuesOf(row, id), rowIndex);
  }

  #valuesOf(row: Row, id: string | null): Cell[] {
    return [id, ...this.#task.columns.map((column) => row[column.id] ?? null)];
  }

  #remember(values: Cell[], rowIndex: number): void {
    const key = JSON.stringify(values);
    const rows = this.#rowsByKey.get(key);
    if (rows === undefined) this.#rowsByKey.set(key, [rowIndex]);
    else rows.push(rowIndex);
  }
}

export function createIngest(db: Sqlite.Database): (task: IngestTask) => Ingested {
  const sets = new LRUCache<number, SetStatements>({ max: CACHED_SETS });
  return (task) => {
    const page = readPage(task.bytes);
    if (typeof page === 'string') return { ...NOTHING, outcome: page };
    const store = () => {
      for (const { sql, params = [] } of task.before ?? []) db.prepare(sql).run(params);
      const set = sets.get(task.n);
      const statements = set?.setId === task.setId ? set : prepare(db, task);
      sets.set(task.n, statements);
      return storeRows(db, statements, task, page);
    };
    try {
      return db.transaction(store).immediate();
    } catch (error) {
      const missing = error instanceof Error && /no such table: rs_|has no column/.test(error.message);
      if (error instanceof SetGone || missing) return { ...NOTHING, outcome: 'gone' };
      throw error;
    }
  };
}

function prepare(db: Sqlite.Database, { n, setId, columns }: IngestTask): SetStatements {
  const names = ['pos', ...LEAD, ...columns.map(({ sql }) => sql)];
  return {
    setId,
    encode: createEncoder(columns),
    insert: db.prepare(
      `INSERT INTO rs_${n} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    ),
    save: db.prepare(
      // Expressions on the right see the old values: a total that differs from the scan's previous one has shifted.
      `UPDATE result_sets SET cursor = @cursor, cursor_at = @now, target = @target,
        shifts = shifts + (first_total IS NOT NULL AND total <> coalesce(@total, total)),
        first_total = coalesce(first_total, @total), total = coalesce(@total, total), loaded = @loaded,
        without_id = without_id + @withoutId, bytes = bytes + @bytes, widest = max(widest, @widest),
        appeared = appeared + @appeared, duplicates = duplicates + @duplicates,
        escapes = coalesce(escapes, @unknown) | @escapes, gaps = coalesce(gaps, @unknown) | @gaps
        WHERE n = @n AND id = @id`,
    ),
  };
}

function storeRows(
  db: Sqlite.Database,
  { encode, insert, save }: SetStatements,
  task: IngestTask,
  page: Page,
): Ingested {
  const { n, pageScan } = task;
  const scan =
    pageScan === null
      ? null
      : {
          base: pageScan.base,
          matcher: new Matcher(db, task),
          see: db.prepare(`INSERT OR IGNORE INTO temp.seen_${n} (pos) VALUES (?)`),
        };
  const ingested: Ingested = {
    ...NOTHING,
    outcome: 'stored',
    cursor: page.search_after == null ? null : JSON.stringify(page.search_after),
    // A service that does not count announces 0 along with rows.
    total: page.total_rows === 0 && page.rows.length > 0 ? null : page.total_rows,
    received: page.rows.length,
    pending: pageScan?.pending ?? 0,
  };
  const facts = factsOfPage(task.columns, task.bytes.includes(BACKSLASH));
  let rowIndex = task.loaded;
  let columns = task.columns;
  for (const row of page.rows) {
    if (scan !== null) {
      const matches = scan.matcher.find(row, idOf(row));
      const overlap = matches.find((index) => index < scan.base && scan.see.run(index).changes === 1);
      if (overlap !== undefined) {
        // New rows followed by a known one appeared in between.
        ingested.appeared += ingested.pending;
        ingested.pending = 0;
        continue;
      }
      if (matches.length > 0) {
        ingested.duplicates++;
        continue;
      }
      ingested.pending++;
    }
    const encoded = encode(row);
    const { values, id, width } = encoded;
    columns = withLong(columns, [encoded]);
    facts.see(values, LEAD.length);
    insert.run(rowIndex, ...values);
    scan?.matcher.added(row, id, rowIndex);
    if (id === null) ingested.withoutId++;
    if (width > ingested.widest) ingested.widest = width;
    rowIndex++;
  }
  ingested.added = rowIndex - task.loaded;
  ingested.bytes = Math.round((task.bytes.byteLength * ingested.added) / Math.max(1, page.rows.length));
  const { cursor, total, withoutId, bytes, widest, appeared, duplicates } = ingested;
  const { changes } = save.run({
    ...{ cursor, total, withoutId, bytes, widest, appeared, duplicates },
    ...facts.facts(),
    now: task.now,
    target: task.target,
    loaded: rowIndex,
    // Without facts for its first rows, nothing is known about a run's texts.
    unknown: task.loaded === 0 ? 0 : null,
    n,
    id: task.setId,
  });
  if (changes === 0) throw new SetGone();
  if (columns !== task.columns) {
    ingested.columns = columns;
    db.prepare('UPDATE result_sets SET columns = ? WHERE n = ?').run(storedForm(columns), n);
  }
  return ingested;
}
