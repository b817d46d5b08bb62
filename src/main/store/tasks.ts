/** What the store's threads do for result sets. Types only; the implementation is in `results/`. */
import type { ResultColumn } from '#shared/bridge/operations.ts';
import type { Predicate } from '#shared/query/predicate.ts';
import type { Database, ReadOptions, Statement } from './database.ts';

/** any: the config's column type is unknown; strings and numbers are stored as they are. */
export type Storage = 'text' | 'number' | 'boolean' | 'date' | 'json' | 'any';

export interface StoredColumn extends ResultColumn {
  storage: Storage;
  /** Name of its column in the set's table. */
  sql: string;
  long?: LongNumbers;
}

/**
 * Numbers in a column that a double does not hold. whole: integers of 64 bits, which SQLite holds. any: also others,
 * stored as BLOBs of their digits.
 */
export type LongNumbers = 'whole' | 'any';

/** A page scan that started again, over rows that an earlier scan had fetched. */
export interface PageScan {
  /** Rows present when it started. */
  base: number;
  /** New rows since the last known row. */
  pending: number;
  /** The previous scan reached the service's end. */
  whole: boolean;
}

export interface IngestTask {
  type: 'ingest';
  n: number;
  setId: string;
  columns: readonly StoredColumn[];
  /** The response body. A large one is transferred to the writer and is then empty here. */
  bytes: Uint8Array;
  /** Statements that run first in the same transaction, such as creating the set with its first page. */
  before?: readonly Statement[];
  /** Rows of the set so far. */
  loaded: number;
  /** Rows wanted at this time; stored with the page. */
  target: number | null;
  /** Match against existing rows, or null if every row is new. */
  pageScan: PageScan | null;
  /** Ids may have several rows, so rows are matched by all their values. */
  byValues: boolean;
  /** Epoch milliseconds. */
  now: number;
}

export interface Ingested {
  /**
   * unreadable: the response is not a page of rows; too-deep: it is nested too deeply to parse. Nothing was written in
   * either case. gone: the set no longer exists.
   */
  outcome: 'stored' | 'unreadable' | 'too-deep' | 'gone';
  /** As JSON, because its numbers may have more digits than can be passed between threads. */
  cursor: string | null;
  /** The total that the page announces, or null if none, the rows come without a count. */
  total: number | null;
  /** Rows in the page, and how many of them were written. */
  received: number;
  added: number;
  withoutId: number;
  /** Size of the rows written, as received. */
  bytes: number;
  widest: number;
  appeared: number;
  duplicates: number;
  pending: number;
  /** The columns, if the page had the first long numbers of some, or null if they are as before. */
  columns: readonly StoredColumn[] | null;
}

type IndexedColumn = Pick<StoredColumn, 'id' | 'sql' | 'storage' | 'long'>;

export interface SearchTask {
  type: 'search';
  n: number;
  setId: string;
  columns: readonly IndexedColumn[];
  /** Rows to search: indexes 0 to this (exclusive). */
  loaded: number;
  /** Folded; a row must contain all of them. Empty: only loads the rows into memory. */
  terms: readonly string[];
  /** Range of hits wanted (end exclusive), in row order. */
  start: number;
  end: number;
  /** Whether all row indexes are wanted as a JSON list, for SQL. */
  list: boolean;
  /** Reply as soon as the range is known; the remaining hits are counted afterwards. */
  early: boolean;
}

export interface SearchResult {
  count: number;
  /** There may be more hits: `count` is the number found so far. */
  counting: boolean;
  rowIndexes: number[];
  list: string | null;
}

/** A query on the columns of a set in memory. */
export interface ColumnQuery {
  type: 'columns';
  n: number;
  setId: string;
  columns: readonly IndexedColumn[];
  loaded: number;
  /** Folded; a row must contain all of them. */
  terms: readonly string[];
  /** Selected facet values by SQL column, or null for rows without a value. */
  choices: readonly { sql: string; values: readonly (string | number | null)[] }[];
  /** Its fields are column ids, or null if there is no condition. */
  predicate: Predicate | null;
  sort: readonly { sql: string; descending: boolean; verdicts: boolean }[];
  /**
   * rows: a range (end exclusive) of the order. order: all of it. facet: the most frequent values of a column. groups:
   * rows counted by up to two axes.
   */
  want:
    | { kind: 'rows'; start: number; end: number }
    | { kind: 'order' }
    | { kind: 'facet'; sql: string; limit: number }
    | { kind: 'groups'; axes: readonly GroupAxis[]; time: string | null };
}

/** Values of a column that get a group each, or where spans of time begin (ISO, ascending). */
export type GroupAxis =
  | { sql: string; values: readonly (string | number | null)[] }
  | { sql: string; starts: readonly string[] };

/** Rows of one group. */
export interface GroupCell {
  /** Its slot on each axis; one beyond the last: any other value, or no time. */
  at: number[];
  count: number;
  /** The smallest and largest instant of the time column, in sortable form. */
  first: string | null;
  last: string | null;
}

export interface ColumnAnswer {
  /** Matching rows; for a facet, its distinct values. */
  count: number;
  rowIndexes: Uint32Array;
  /** `rowIndexes` are not the rows in order, but all rows up to the last one that is wanted, for SQLite to sort. */
  areCandidates?: boolean;
  values: { value: string | number | null; count: number }[];
  /** For groups: those that have rows. */
  cells?: GroupCell[];
}

/** unanswerable: only SQLite can evaluate it. absent: the columns are not in memory yet. */
export type ColumnReply = ColumnAnswer | 'unanswerable' | 'absent';

/** What a database's threads do for result sets besides SQL. */
export interface ResultTasks {
  /** Parses a page of rows and stores it in its set's table, in the writer. */
  ingest(task: IngestTask): Promise<Ingested>;
  /** Indexes of the rows that contain all terms, from the search thread. */
  search(task: SearchTask, options?: ReadOptions): Promise<SearchResult>;
  /** Queries the columns of a set in memory, in the search thread. */
  askColumns(query: ColumnQuery, options?: ReadOptions): Promise<ColumnReply>;
  /** Frees the texts and columns of table n. */
  forget(n: number): void;
}

/** The database of result sets. */
export interface ResultStore extends Database, ResultTasks {
  /** The current database; when it is replaced, calls to this object reject `cancelled`. */
  bound(): ResultStore;
}
