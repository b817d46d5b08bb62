/** A SQLite database in worker threads: one writer, separate readers. No call blocks the main thread. */
import type { RunOptions } from '#workers/worker-pool.ts';

export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

export interface Statement {
  sql: string;
  params?: SqlParams;
  /** Runs the statement once per parameter set. */
  many?: readonly SqlParams[];
  /** The same for statements with a single numeric parameter. */
  each?: Uint32Array;
}

export type ReadOptions = RunOptions;

export interface Database {
  /** Rows as objects. Rejects with ParapetError: damaged, disk-full, read-only-profile, cancelled, internal. */
  all<T extends object>(sql: string, params?: SqlParams, options?: ReadOptions): Promise<T[]>;
  get<T extends object>(sql: string, params?: SqlParams, options?: ReadOptions): Promise<T | undefined>;
  /** Rows as arrays, for grids and exports. */
  rows(sql: string, params?: SqlParams, options?: ReadOptions): Promise<SqlValue[][]>;
  /** The same in separate threads for reading a whole table once, with a page cache of their own. */
  scan(sql: string, params?: SqlParams, options?: ReadOptions): Promise<SqlValue[][]>;
  /** The only column of a statement, of integers below 2^32; `scanIntegers` uses the threads of `scan`. */
  scanIntegers(sql: string, params?: SqlParams, options?: ReadOptions): Promise<Uint32Array>;
  integers(sql: string, params?: SqlParams, options?: ReadOptions): Promise<Uint32Array>;
  /**
   * All statements in one transaction, or none of them; returns the changes of each. A cancelled write may still have
   * been committed.
   */
  write(
    statements: readonly Statement[],
    options?: ReadOptions,
  ): Promise<{ changes: number; lastInsertRowid: number }[]>;
  /** Runs outside of a transaction: VACUUM, ANALYZE, pragmas. */
  maintain(sql: string): Promise<void>;
  close(): Promise<void>;
}
