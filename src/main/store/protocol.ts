/** What travels between the pool and its workers. */
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { SqlParams, Statement } from './database.ts';
import type { OpenSpec } from './open.ts';

export interface StoreWorkerData extends OpenSpec {
  role: 'writer' | 'reader';
}

export type StoreRequest =
  | { id: number; type: 'all' | 'get' | 'rows'; sql: string; params: SqlParams | undefined }
  | { id: number; type: 'write'; statements: readonly Statement[] }
  | { id: number; type: 'maintain'; sql: string }
  | { id: number; type: 'close' };

export type StoreReply =
  | { type: 'open'; setAside: string | null }
  | { type: 'failed-to-open'; error: BridgeError }
  | { type: 'slow'; ms: number; sql: string }
  | { type: 'done'; id: number; value: unknown }
  | { type: 'fail'; id: number; error: BridgeError };
