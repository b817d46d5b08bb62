/** Messages between the pool and its workers. */
import type { PoolReply, PoolWorkerData } from '#workers/worker-pool.ts';
import type { OpenSpec } from './connect.ts';
import type { SqlParams, Statement } from './database.ts';
import type { Repair } from './salvage.ts';
import type { ColumnQuery, IngestTask, SearchTask } from './tasks.ts';

export interface StoreWorkerData extends OpenSpec, Partial<PoolWorkerData> {
  role: 'writer' | 'reader' | 'search' | 'backup';
  /** Size of the page cache; by default that of its role. */
  cacheKib?: number;
  /** One number: urgent requests in progress, to which read-ahead yields. */
  urgent?: SharedArrayBuffer;
}

export type StoreRequest =
  | { id: number; type: 'all' | 'get' | 'rows' | 'integers'; sql: string; params: SqlParams | undefined }
  | { id: number; type: 'write'; statements: readonly Statement[] }
  | { id: number; type: 'maintain'; sql: string }
  | { id: number; type: 'ingest'; task: IngestTask }
  | { id: number; type: 'search'; task: SearchTask }
  | { id: number; type: 'columns'; task: ColumnQuery }
  | { id: number; type: 'forget'; n: number }
  | { id: number; type: 'cancel' }
  | { id: number; type: 'close' };

/** A request without the id that the pool gives it. */
export type RequestBody = StoreRequest extends infer R
  ? R extends { id: number }
    ? Omit<R, 'id'>
    : never
  : never;

/** A thread's report on the file that it opened. */
export interface Opened {
  setAside: string | null;
  repair: Repair | null;
}

export type StoreReply = PoolReply<Opened>;
