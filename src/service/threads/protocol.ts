/** What the thread that answers HTTP and the threads that hold the database say to each other. */
import type { EmbeddedCommand, EmbeddedMessage, EmbeddedSpec } from '#shared/embedded.ts';
import type { PoolReply, PoolRequest, PoolWorkerData } from '#workers/worker-pool.ts';
import type { Call } from '../http/body.ts';
import type { RoleName } from '../roles.ts';

/** generator: makes the demo tenant and ends, so that the memory it took goes. */
type Role = 'writer' | 'reader' | 'generator';

export interface ThreadData extends Partial<PoolWorkerData> {
  role: Role;
  spec: EmbeddedSpec;
  linkKey: Uint8Array;
  /** The caller's role. */
  as?: RoleName;
  /** Failures that are answered by 500 are printed on the standard error. */
  prints?: boolean;
}

/** Where a call goes: to the writer, or to whoever is free; `later`: it may take long, and leaves a reader to others. */
export type Place = 'writer' | 'normal' | 'later';

/** One call of the contract: enough to tell where a request goes, without the contract itself. */
export interface Way {
  method: string;
  /** Of the path below /api/v1. */
  pattern: RegExp;
  place: Place;
}

export type Ask =
  | { type: 'call'; call: Call; flags: EmbeddedSpec['flags'] }
  /** Applies what has become due. */
  | { type: 'due' }
  /** What comes of it are events. */
  | Extract<EmbeddedCommand, { type: 'import' | 'cancel-import' | 'report' | 'resolve' }>;

/** The answer to a call when what has become due must be applied first. */
export const DUE = 'due';

export interface Opened {
  /** What all paths begin with. */
  base: string;
  /** The first that fits counts. */
  ways: readonly Way[];
}

export type ThreadRequest = PoolRequest<Ask>;
export type ThreadReply = PoolReply<Opened, EmbeddedMessage>;
