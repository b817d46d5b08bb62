/** What travels between the pool and its workers. */
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { OpenSpec } from './connect.ts';
import type { SqlParams, Statement } from './database.ts';
import type { Repair } from './salvage.ts';
import type { ColumnQuery, IngestTask, SearchTask } from './tasks.ts';

export interface StoreWorkerData extends OpenSpec {
  role: 'writer' | 'reader' | 'search' | 'backup';
  /** Other threads have the file open: damage is reported, and the file not set aside under them. */
  again?: boolean;
  /** Page cache; without it that of its role. */
  cacheKib?: number;
  /** One number: the id of a cancelled request, seen by the cancellation probe in the middle of a statement. */
  stop?: SharedArrayBuffer;
  /** One number: urgent requests under way. Reading ahead gives way to them. */
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
