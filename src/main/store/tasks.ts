/** The work of result sets in the store's threads. Types alone: how it is done is in `results/`. */
import type { ResultColumn } from '#shared/bridge/operations.ts';
import type { Predicate } from '#shared/query/predicate.ts';
import type { Database, ReadOptions, Statement } from './database.ts';

/** any: the config's type word is not known here; strings and numbers are kept as they come. */
export type Storage = 'text' | 'number' | 'boolean' | 'date' | 'json' | 'any';

export interface StoredColumn extends ResultColumn {
  storage: Storage;
  /** Its column of the set's table. */
  sql: string;
}

/** A scan of the service's pages that began anew, over rows that are here from the one before. */
export interface PageScan {
  /** Rows that were here when it began. */
  base: number;
  /** New rows that no known row has followed yet. */
  pending: number;
  /** The scan before came to the service's end. */
  whole: boolean;
}

export interface IngestTask {
  type: 'ingest';
  n: number;
  setId: string;
  columns: readonly StoredColumn[];
  /** The answer as it came. A large one is moved to the writer: nothing of it is left here. */
  bytes: Uint8Array;
  /** Done before it in the same transaction: what makes the set, with its first page. */
  before?: readonly Statement[];
  /** Rows of the set so far. */
  loaded: number;
  /** Rows wanted by now; stored with the page. */
  target: number | null;
  /** Match with the rows that are here; null: every row is new. */
  pageScan: PageScan | null;
  /** An id can have several rows: they match by all their values. */
  byValues: boolean;
  /** Epoch milliseconds. */
  now: number;
}

export interface Ingested {
  /**
   * unreadable: the answer is not a page of rows, too-deep: it is nested too deep to be read; nothing was written.
   * gone: the set is no longer in the database.
   */
  outcome: 'stored' | 'unreadable' | 'too-deep' | 'gone';
  /** As JSON with every digit of its numbers, which no other thread could be handed. */
  cursor: string | null;
  /** What the page announces; null: nothing, rows without a count. */
  total: number | null;
  /** Rows in the page, and those of them written. */
  received: number;
  added: number;
  withoutId: number;
  /** Bytes as they came, of the rows written. */
  bytes: number;
  widest: number;
  appeared: number;
  duplicates: number;
  pending: number;
}

type IndexedColumn = Pick<StoredColumn, 'id' | 'sql' | 'storage'>;

export interface SearchTask {
  type: 'search';
  n: number;
  setId: string;
  columns: readonly IndexedColumn[];
  /** Rows to search: indexes 0 to this (exclusive). */
  loaded: number;
  /** Folded; a row must have all of them. None: the rows are only read into memory. */
  terms: readonly string[];
  /** Hits wanted: from the start-th to the end-th (exclusive) in the order of rows. */
  start: number;
  end: number;
  /** Whether all row indexes are wanted as a JSON list, for SQL. */
  list: boolean;
  /** Answer as soon as the hits wanted are known; the others are counted afterwards. */
  early: boolean;
}

export interface SearchResult {
  count: number;
  /** More may come: `count` is how many were found so far. */
  counting: boolean;
  rowIndexes: number[];
  list: string | null;
}

/** A question to the columns of a set in memory. */
export interface ColumnQuery {
  type: 'columns';
  n: number;
  setId: string;
  columns: readonly IndexedColumn[];
  loaded: number;
  /** Folded; a row must have all of them. */
  terms: readonly string[];
  /** Facet values chosen, by SQL column; null: rows without a value. */
  choices: readonly { sql: string; values: readonly (string | number | null)[] }[];
  /** Its fields are column ids; null: no condition. */
  predicate: Predicate | null;
  sort: readonly { sql: string; descending: boolean }[];
  /** rows: start to end (exclusive) of the order. order: all of it. facet: the most frequent values of a column. */
  want:
    | { kind: 'rows'; start: number; end: number }
    | { kind: 'order' }
    | { kind: 'facet'; sql: string; limit: number };
}

export interface ColumnAnswer {
  /** Rows that match; of a facet: its distinct values. */
  count: number;
  rowIndexes: Uint32Array;
  values: { value: string | number | null; count: number }[];
}

/** unanswerable: only SQLite can answer. absent: the columns are not in memory, and could be. */
export type ColumnReply = ColumnAnswer | 'unanswerable' | 'absent';

/** What the threads of a database do for result sets beside SQL. */
export interface ResultTasks {
  /** A page of rows into its set's table, parsed and stored in the writer. */
  ingest(task: IngestTask): Promise<Ingested>;
  /** Indexes of the rows that have all words, in the search thread. */
  search(task: SearchTask, options?: ReadOptions): Promise<SearchResult>;
  /** A question to the columns of a set in memory, in the search thread. */
  askColumns(query: ColumnQuery, options?: ReadOptions): Promise<ColumnReply>;
  /** The texts and columns of table n need no longer be in memory. */
  forget(n: number): void;
}

/** The database of result sets. */
export interface ResultStore extends Database, ResultTasks {
  /** The database as it is now: where another takes its place, calls to this one reject `cancelled`. */
  bound(): ResultStore;
}
