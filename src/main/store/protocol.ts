/** Messages between the pool and its workers. */
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { OpenSpec } from './connect.ts';
import type { SqlParams, Statement } from './database.ts';
import type { Repair } from './salvage.ts';
import type { ColumnQuery, IngestTask, SearchTask } from './tasks.ts';

export interface StoreWorkerData extends OpenSpec {
  role: 'writer' | 'reader' | 'search' | 'backup';
  /** Other threads have the file open, so damage is reported instead of setting the file aside. */
  again?: boolean;
  /** Size of the page cache; by default that of its role. */
  cacheKib?: number;
  /** One number: the id of a cancelled request, which the cancellation probe reads during a statement. */
  stop?: SharedArrayBuffer;
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

export type StoreReply =
  | { type: 'open'; setAside: string | null; repair: Repair | null }
  | { type: 'failed-to-open'; error: BridgeError }
  | { type: 'slow'; ms: number; sql: string }
  | { type: 'done'; id: number; value: unknown }
  | { type: 'fail'; id: number; error: BridgeError };
