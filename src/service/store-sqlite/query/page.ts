import type { Row } from '#shared/model/entities.ts';
import type { SqlValue } from '../../store/stored-values.ts';
import { aliveSql } from '../functions.ts';
import type { IdSet } from '../id-set.ts';
import type { SqliteStore } from '../sqlite-store.ts';
import type { Domain, DomainField, StartedSearch } from './definition.ts';
import { afterClauses, type Clause, orderBy, type SortKey } from './keyset.ts';
import type { Where } from './where.ts';

export interface FoundRow {
  row: Row;
  key: (string | number | null)[];
}

export interface PageQuery {
  domain: Domain;
  where: Where;
  /** All rows that fulfil it, if a search has found them, or null if the condition must be evaluated. */
  matches: IdSet | null;
  /** The same condition for testing rows one by one, or null if it has only one form. */
  byRow: () => Where | null;
  keys: readonly SortKey[];
  columns: readonly DomainField[];
  size: number;
  /** Share of all rows that match: 0 to 1. */
  share: number;
}

/** Reading the ids of this many rows in order takes as long as looking up one row by its id. */
const WALKED = 16;
/** Rows are tested one by one if this many times the expected number of tests … */
const SPARE = 3;
/** … does not exceed this: testing a text takes some 10 µs. */
const MOST_LOOKED_AT = 4_096;
/** A started search reads this many times the ids that the first rows would need if it found every open row. */
const STARTED_STEPS = 16;

const joined = (...conditions: readonly string[]): string =>
  conditions.filter((condition) => condition !== '').join(' AND ');

class PageReader {
  readonly #query: PageQuery;
  readonly #store: SqliteStore;
  readonly #order: string;

  constructor(query: PageQuery, store: SqliteStore) {
    this.#query = query;
    this.#store = store;
    this.#order = orderBy(query.keys);
  }

  rowsOf(clause: Clause, most: number): FoundRow[] {
    const { domain, where, matches } = this.#query;
    const ids =
      matches === null
        ? this.#looked(clause, most)
        : (this.#walked(matches, clause, most) ?? this.#gathered(matches, clause, most));
    if (ids !== null) return this.#rows(ids);
    return this.#select(
      `${domain.source} WHERE ${joined(aliveSql(domain.keys[0]), where.sql, clause.sql)} ORDER BY ${this.#order} LIMIT ?`,
      [...where.params, ...clause.params, most],
    );
  }

  /**
   * The first rows of the clause that the search finds. Null if too many would have to be compared, or no index has
   * the order.
   */
  startedRowsOf({ matches, open, compare }: StartedSearch, clause: Clause, most: number): FoundRow[] | null {
    const step = Math.ceil(most / this.#query.share);
    const first = this.#inOrder(clause, step * STARTED_STEPS);
    if (first === null) return null;
    const ids: number[] = [];
    for (let start = 0; start < first.length && ids.length < most; start += step) {
      const looked = first.slice(start, start + step);
      const fulfilling = new Set(compare(looked.filter((id) => open.has(id))));
      ids.push(...looked.filter((id) => matches.has(id) || fulfilling.has(id)));
    }
    if (ids.length < most && first.length === step * STARTED_STEPS) return null;
    return this.#rows(ids.slice(0, most));
  }

  /**
   * Ids of the first found rows of the clause, by reading all ids in order. Null if there are too many to read, or no
   * index has the order.
   */
  #walked(set: IdSet, clause: Clause, most: number): number[] | null {
    const looks = Math.ceil(most / this.#query.share) * SPARE;
    if (looks > set.size * WALKED) return null;
    const first = this.#inOrder(clause, looks);
    if (first === null) return null;
    const ids = first.filter((id) => set.has(id));
    return ids.length < most && first.length === looks ? null : ids.slice(0, most);
  }

  #gathered(ids: IdSet, clause: Clause, most: number): number[] {
    const { domain } = this.#query;
    const [id] = domain.keys;
    return this.#store.db
      .prepare<unknown[], number>(
        `SELECT ${id} FROM json_each(?) w CROSS JOIN ${domain.source} ON ${id} = w.value WHERE ${joined(aliveSql(id), clause.sql)} ORDER BY ${this.#order} LIMIT ?`,
      )
      .pluck()
      .all(JSON.stringify(ids.values()), ...clause.params, most);
  }

  /** Ids of the first rows of the clause, ignoring the condition. Null if no index has the order. */
  #inOrder(clause: Clause, count: number): number[] | null {
    const { domain } = this.#query;
    const sql = `SELECT ${domain.keys[0]} FROM ${domain.source} WHERE ${joined('1', clause.sql)} ORDER BY ${this.#order} LIMIT ?`;
    const params = [...clause.params, count];
    if (this.#sorts(sql, params)) return null;
    return this.#store.db
      .prepare<unknown[], number>(sql)
      .pluck()
      .all(...params);
  }

  /**
   * Ids of the first rows of the clause, found by testing rows in order until there are enough. Null if too many would
   * have to be tested, or no index has the order, so all matches must be collected first.
   */
  #looked(clause: Clause, most: number): number[] | null {
    const { domain, share } = this.#query;
    const expected = Math.ceil(most / share);
    const looks = expected * SPARE;
    const id = domain.keys[0];
    if (domain.keys.length > 1 || looks > MOST_LOOKED_AT) return null;
    const byRow = this.#query.byRow();
    if (byRow === null) return null;
    const first = this.#inOrder(clause, looks);
    if (first === null) return null;
    const holds = this.#store.db
      .prepare<unknown[], number>(
        `SELECT w.value FROM json_each(?) w CROSS JOIN ${domain.source} ON ${id} = w.value WHERE ${joined(aliveSql(id), byRow.sql)} ORDER BY w.key`,
      )
      .pluck();
    const ids: number[] = [];
    for (let start = 0; start < first.length && ids.length < most; start += expected)
      ids.push(...holds.all(JSON.stringify(first.slice(start, start + expected)), ...byRow.params));
    if (ids.length < most && first.length === looks) return null;
    return ids.slice(0, most);
  }

  /** Whether no index has the order, so that all rows would be sorted. */
  #sorts(sql: string, params: readonly (string | number | null)[]): boolean {
    const plan = this.#store.db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...params);
    return plan.some(({ detail }) => detail.includes('TEMP B-TREE'));
  }

  #rows(ids: readonly number[]): FoundRow[] {
    const { source, keys } = this.#query.domain;
    return this.#select(`json_each(?) w CROSS JOIN ${source} ON ${keys[0]} = w.value ORDER BY w.key`, [
      JSON.stringify(ids),
    ]);
  }

  #select(from: string, params: readonly (string | number | null)[]): FoundRow[] {
    const { domain, keys, columns, where } = this.#query;
    const select = [
      domain.entityId,
      ...keys.map(({ sql }) => sql),
      ...columns.map((column) => column.select),
    ];
    const sought = columns.flatMap(({ config }) => (config.matchOf ? [JSON.stringify(where.sought)] : []));
    const rows = this.#store.db
      .prepare<unknown[], SqlValue[]>(`SELECT ${select.join(', ')} FROM ${from}`)
      .raw()
      .all(...sought, ...params);
    return rows.map((cells) => {
      const row: Row = { entity_id: String(cells[0]) };
      for (const [index, column] of columns.entries())
        row[column.config.id] = column.read(cells[index + 1 + keys.length] ?? null);
      return { row, key: cells.slice(1, 1 + keys.length) as FoundRow['key'] };
    });
  }
}

/**
 * The first rows of a started search: only as many open rows are compared as needed. Fewer than the size are all its rows.
 * Null if too many would have to be compared, or no index has the order.
 */
export function firstOf(query: PageQuery, search: StartedSearch, store: SqliteStore): FoundRow[] | null {
  const reader = new PageReader(query, store);
  const rows: FoundRow[] = [];
  for (const clause of afterClauses(query.keys, null)) {
    if (rows.length >= query.size) break;
    const first = reader.startedRowsOf(search, clause, query.size - rows.length);
    if (first === null) return null;
    rows.push(...first);
  }
  return rows;
}

/** The rows after those with the key `after`, or the first ones. */
export function pageOf(query: PageQuery, after: FoundRow['key'] | null, store: SqliteStore): FoundRow[] {
  const reader = new PageReader(query, store);
  const rows: FoundRow[] = [];
  for (const clause of afterClauses(query.keys, after)) {
    if (rows.length >= query.size) break;
    rows.push(...reader.rowsOf(clause, query.size - rows.length));
  }
  return rows;
}
