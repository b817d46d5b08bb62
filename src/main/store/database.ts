/** A SQLite database behind worker threads: one writer, separate readers. No call blocks the main thread. */
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

/** now: somebody waits in front of an empty grid. later: it gives way to all else. */
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
  /** All statements in one transaction in the writer, or none of them; answers the changes of each. A cancelled one may be done all the same. */
  write(
    statements: readonly Statement[],
    options?: ReadOptions,
  ): Promise<{ changes: number; lastInsertRowid: number }[]>;
  /** Runs outside a transaction: VACUUM, ANALYZE, pragmas. */
  maintain(sql: string): Promise<void>;
  close(): Promise<void>;
}
