/** A SQLite database behind worker threads: one writer, separate readers. No call blocks the main thread. */
import type { ColumnQuery, ColumnReply, Ingested, IngestTask, SearchResult, SearchTask } from './tasks.ts';

export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

export interface Statement {
  sql: string;
  params?: SqlParams;
  /** Runs the statement once for each. */
  many?: readonly SqlParams[];
  /** The same, for statements with one number. */
  each?: Uint32Array;
}

/** now: somebody looks at an empty place until it is done. later: it gives way to all else. */
export type Urgency = 'now' | 'normal' | 'later';

export interface ReadOptions {
  signal?: AbortSignal | undefined;
  urgency?: Urgency;
}

export interface Database {
  /** Rows as objects. Rejects with ParapetError: damaged, disk-full, read-only-profile, cancelled, internal. */
  all<T extends object>(sql: string, params?: SqlParams, options?: ReadOptions): Promise<T[]>;
  get<T extends object>(sql: string, params?: SqlParams, options?: ReadOptions): Promise<T | undefined>;
  /** Rows as arrays, for grids and exports. */
  rows(sql: string, params?: SqlParams, options?: ReadOptions): Promise<SqlValue[][]>;
  /** The same in threads for reading a whole table once, with a cache of their own. */
  scan(sql: string, params?: SqlParams, options?: ReadOptions): Promise<SqlValue[][]>;
  /** The whole numbers, below 2^32, of a statement's only column; `scanIntegers` in the threads of `scan`. */
  scanIntegers(sql: string, params?: SqlParams, options?: ReadOptions): Promise<Uint32Array>;
  integers(sql: string, params?: SqlParams, options?: ReadOptions): Promise<Uint32Array>;
  /** All statements in one transaction in the writer, or none of them. Answers the changes of each. One that is cancelled may be done all the same. */
  write(
    statements: readonly Statement[],
    options?: ReadOptions,
  ): Promise<{ changes: number; lastInsertRowid: number }[]>;
  /** A page of rows into its set's table, parsed and stored in the writer. */
  ingest(task: IngestTask): Promise<Ingested>;
  /** Indexes of the rows that have all words, in a thread of its own. */
  search(task: SearchTask, options?: ReadOptions): Promise<SearchResult>;
  /** A question to the columns of a set in memory. */
  askColumns(query: ColumnQuery, options?: ReadOptions): Promise<ColumnReply>;
  /** The words and columns of a set need no longer be in memory. */
  forget(n: number): void;
  /** The database as it is now: where another takes its place, calls to this one reject `cancelled`. */
  bound(): Database;
  /** Runs outside a transaction: VACUUM, ANALYZE, pragmas. */
  maintain(sql: string): Promise<void>;
  close(): Promise<void>;
}
