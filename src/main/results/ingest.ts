/**
 * A page of the service into the table of its set: parsed, encoded and bound in the writer's own thread, the rows and
 * the cursor behind them in one transaction. Runs in a store worker: it loads no schema library.
 */
import type Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Cell, Cursor, Row } from '#shared/model/entities.ts';
import { digitsOf, parseExact } from '#shared/model/exact-numbers.ts';
import { isTooDeep } from '#shared/model/json-depth.ts';
import type { Ingested, IngestTask } from '../store/tasks.ts';
import { createEncoder, decodeRow, type EncodedRow, idOf, LEAD, selection } from './encode.ts';
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
};

interface Page {
  rows: Row[];
  search_after?: Cursor | null;
  total_rows: number;
}

const isScalar = (value: unknown): boolean =>
  value === null || typeof value !== 'object' || digitsOf(value) !== null;
const isCursor = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  typeof value === 'string' ||
  (Array.isArray(value) && value.every(isScalar));

/** The catalogue's shape of a page, by hand: the schema library takes longer than storing it. */
function isPage(value: unknown): value is Page {
  if (typeof value !== 'object' || value === null) return false;
  const { rows, search_after, total_rows } = value as Record<string, unknown>;
  return (
    Array.isArray(rows) &&
    rows.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row)) &&
    isCursor(search_after) &&
    Number.isSafeInteger(total_rows) &&
    (total_rows as number) >= 0
  );
}

const utf8 = new TextDecoder();
function readPage(bytes: Uint8Array): Page | 'unreadable' | 'too-deep' {
  if (isTooDeep(bytes)) return 'too-deep';
  try {
    const value = parseExact(utf8.decode(bytes));
    return isPage(value) ? value : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

interface Known {
  setId: string;
  encode: (row: Row) => EncodedRow;
  insert: Sqlite.Statement;
  save: Sqlite.Statement;
}

const BACKSLASH = 0x5c;
/** Sets whose statements are kept. */
const KEPT = 8;

export function createIngest(db: Sqlite.Database): (task: IngestTask) => Ingested {
  const sets = new LRUCache<number, Known>({ max: KEPT });

  const prepare = ({ n, setId, columns }: IngestTask): Known => {
    const found = sets.get(n);
    if (found?.setId === setId) return found;
    const names = ['pos', ...LEAD, ...columns.map(({ sql }) => sql)];
    const known: Known = {
      setId,
      encode: createEncoder(columns),
      insert: db.prepare(
        `INSERT INTO rs_${n} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      ),
      save: db.prepare(
        // On the right the values of before: a total that differs from the last one of this scan has shifted.
        `UPDATE result_sets SET cursor = @cursor, cursor_at = @now, target = @target,
          shifts = shifts + (first_total IS NOT NULL AND total <> coalesce(@total, total)),
          first_total = coalesce(first_total, @total), total = coalesce(@total, total), loaded = @loaded,
          without_id = without_id + @withoutId, bytes = bytes + @bytes, widest = max(widest, @widest),
          appeared = appeared + @appeared, duplicates = duplicates + @duplicates,
          escapes = coalesce(escapes, @unknown) | @escapes, gaps = coalesce(gaps, @unknown) | @gaps
          WHERE n = @n AND id = @id`,
      ),
    };
    sets.set(n, known);
    return known;
  };

  /** Which row of the set says the same; null: none does. Sees the rows that this page added as well. */
  const matcher = ({ n, columns, byValues }: IngestTask) => {
    const byId = db
      .prepare(
        `SELECT ${byValues ? `${selection(columns, 'r')}, r.pos` : 'r.pos'} FROM rs_${n} r WHERE r.entity_id = ?`,
      )
      .raw();
    const nameless = db
      .prepare(`SELECT ${selection(columns, 'r')}, r.pos FROM rs_${n} r WHERE r.entity_id IS NULL`)
      .raw();
    const keyOf = (cells: Cell[]) => JSON.stringify(cells);
    const places = new Map<string, number[]>();
    let readNameless = false;
    const remember = (cells: unknown[]) => {
      const key = keyOf(decodeRow(columns, cells as never[]));
      const list = places.get(key) ?? [];
      list.push(Number(cells.at(-1)));
      places.set(key, list);
    };
    const seenIds = new Set<string>();
    return {
      of(row: Row, id: string | null): number[] {
        if (id !== null && !byValues) return byId.all(id).map((cells) => Number((cells as unknown[])[0]));
        if (id === null && !readNameless) {
          readNameless = true;
          for (const cells of nameless.all()) remember(cells as unknown[]);
        }
        if (id !== null && !seenIds.has(id)) {
          seenIds.add(id);
          for (const cells of byId.all(id)) remember(cells as unknown[]);
        }
        return places.get(keyOf([id, ...columns.map((column) => row[column.id] ?? null)])) ?? [];
      },
      added(row: Row, id: string | null, pos: number) {
        if (id !== null && !byValues) return;
        const key = keyOf([id, ...columns.map((column) => row[column.id] ?? null)]);
        places.set(key, [...(places.get(key) ?? []), pos]);
      },
    };
  };

  const store = (task: IngestTask, page: Page): Ingested => {
    const { n, walk } = task;
    for (const { sql, params = [] } of task.before ?? []) db.prepare(sql).run(params);
    const { encode, insert, save } = prepare(task);
    const match = walk === null ? null : matcher(task);
    const see = walk === null ? null : db.prepare(`INSERT OR IGNORE INTO temp.seen_${n} (pos) VALUES (?)`);
    const done: Ingested = {
      ...NOTHING,
      outcome: 'stored',
      cursor: page.search_after == null ? null : JSON.stringify(page.search_after),
      // A service that does not count says 0 beside its rows.
      total: page.total_rows === 0 && page.rows.length > 0 ? null : page.total_rows,
      received: page.rows.length,
      pending: walk?.pending ?? 0,
    };
    const facts = factsOfPage(task.columns, task.bytes.includes(BACKSLASH));
    let pos = task.loaded;
    for (const row of page.rows) {
      if (match !== null && walk !== null && see !== null) {
        const places = match.of(row, idOf(row));
        const place = places.find((at) => at < walk.base && see.run(at).changes === 1);
        if (place !== undefined) {
          // Rows that came before one that was here already came in between.
          done.appeared += done.pending;
          done.pending = 0;
          continue;
        }
        if (places.length > 0) {
          done.duplicates++;
          continue;
        }
        done.pending++;
      }
      const { values, id, width } = encode(row);
      facts.see(values, LEAD.length);
      insert.run(pos, ...values);
      match?.added(row, id, pos);
      if (id === null) done.withoutId++;
      if (width > done.widest) done.widest = width;
      pos++;
    }
    done.added = pos - task.loaded;
    done.bytes = Math.round((task.bytes.byteLength * done.added) / Math.max(1, page.rows.length));
    const { escapes, gaps } = facts.facts();
    // Of a run whose first rows were not looked at, nothing is known.
    const unknown = task.loaded === 0 ? 0 : null;
    const { changes } = save.run({
      cursor: done.cursor,
      now: task.now,
      target: task.target,
      total: done.total,
      loaded: pos,
      withoutId: done.withoutId,
      bytes: done.bytes,
      widest: done.widest,
      appeared: done.appeared,
      duplicates: done.duplicates,
      unknown,
      escapes,
      gaps,
      n,
      id: task.setId,
    });
    if (changes === 0) throw new SetGone();
    return done;
  };

  return (task) => {
    const page = readPage(task.bytes);
    if (typeof page === 'string') return { ...NOTHING, outcome: page };
    try {
      return db.transaction(() => store(task, page)).immediate();
    } catch (error) {
      const missing = error instanceof Error && /no such table: rs_|has no column/.test(error.message);
      if (error instanceof SetGone || missing) return { ...NOTHING, outcome: 'gone' };
      throw error;
    }
  };
}

/** The set was dropped, or the database replaced, while the page was on its way. */
class SetGone extends Error {}
