/** What result sets hand to the store's threads, and what comes back. Types alone: the store knows nothing of their work. */
import type { ResultColumn } from '#shared/bridge/operations.ts';
import type { Statement } from './database.ts';

/** any: the config's type word is not known here; strings and numbers are kept as they come. */
export type Storage = 'text' | 'number' | 'boolean' | 'date' | 'json' | 'any';

export interface StoredColumn extends ResultColumn {
  storage: Storage;
  /** Its column of the set's table. */
  sql: string;
}

/** A walk that began anew: how far the one before came, and rows not known before that no known row has followed yet. */
export interface Walk {
  base: number;
  pending: number;
  /** The one before came to the service's end. */
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
  /** Match against what is here; null: everything is taken to be new. */
  walk: Walk | null;
  /** An id can have several rows: they match by all they say. */
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

export interface SearchTask {
  type: 'search';
  n: number;
  setId: string;
  columns: readonly { sql: string; storage: Storage }[];
  /** Rows to look at: places 0 to this. */
  loaded: number;
  /** Folded; every one must be in a row. None: the words are only made ready. */
  terms: readonly string[];
  /** Hits wanted, by rank among the hits. */
  start: number;
  end: number;
  /** All places as a JSON list, for SQL. */
  list: boolean;
  /** Answer as soon as the hits wanted are known; the rest is counted behind it. */
  early: boolean;
}

export interface Found {
  count: number;
  /** More may come: `count` is how many were found so far. */
  counting: boolean;
  places: number[];
  list: string | null;
}

/** A condition on the rows of a set, over its columns in memory. */
export type LookNode =
  | { kind: 'group'; any: boolean; negate: boolean; nodes: LookNode[] }
  /** SQL over `v.value`, asked once for each value that the column has. */
  | { kind: 'where'; sql: string; where: string; params: readonly (string | number)[] }
  /** Numbers between two, or among some; null: no row. */
  | { kind: 'range'; sql: string; negate: boolean; range: LookRange | null };
export type LookRange =
  | { low: number; high: number; lowOpen: boolean; highOpen: boolean }
  | { among: readonly number[] };

/** A question to the columns of a set in memory. */
export interface LookTask {
  type: 'look';
  n: number;
  setId: string;
  columns: readonly { sql: string; storage: Storage }[];
  loaded: number;
  /** Folded; every one must be in a row. */
  terms: readonly string[];
  /** Values wanted, by column; null: rows without one. */
  choices: readonly { sql: string; values: readonly (string | number | null)[] }[];
  tree: LookNode | null;
  sort: readonly { sql: string; descending: boolean }[];
  /** rows: places start to end (exclusive) of the order. order: all of them. facet: values of a column, most first. */
  want:
    | { kind: 'rows'; start: number; end: number }
    | { kind: 'order' }
    | { kind: 'facet'; sql: string; most: number };
}

/** unknown: the columns cannot say. absent: they are not there, and could be. */
export type LookAnswer = Looked | 'unknown' | 'absent';

export interface Looked {
  /** Rows that match; of a facet: its different values. */
  count: number;
  places: Uint32Array;
  values: { value: string | number | null; count: number }[];
}
