/** Messages between the thread that answers HTTP and the database threads. */
import type { EmbeddedCommand, EmbeddedMessage, EmbeddedSpec } from '#shared/embedded.ts';
import type { PoolReply, PoolRequest, PoolWorkerData } from '#workers/worker-pool.ts';
import type { Call } from '../http/body.ts';
import type { RoleName } from '../roles.ts';

/** generator: generates the demo tenant and ends, which frees its memory. */
type Role = 'writer' | 'reader' | 'generator';

export interface ThreadData extends Partial<PoolWorkerData> {
  role: Role;
  spec: EmbeddedSpec;
  linkKey: Uint8Array;
  as?: RoleName;
  /** Prints failures that answer 500 to standard error. */
  prints?: boolean;
}

/** The thread for a call: the writer, or any free one. A `later` call may take long, and leaves a reader to others. */
export type CallTarget = 'writer' | 'normal' | 'later';

/** The dispatch rule of one call, so that this thread need not load the contract. */
export interface DispatchRule {
  method: string;
  /** Matches the path below /api/v1. */
  pattern: RegExp;
  target: CallTarget;
}

/** Commands about evidence, which its database thread obeys. */
export type EvidenceCommand =
  | 'import'
  | 'cancel-import'
  | 'report'
  | 'resolve'
  | 'rules'
  | 'rule-text'
  | 'run-rules'
  | 'cancel-rules'
  | 'try-rule'
  | 'cancel-trial';

export type Ask =
  | {
      type: 'call';
      call: Call;
      flags: EmbeddedSpec['flags'];
    }
  /** Applies what has become due. */
  | { type: 'due' }
  | Extract<EmbeddedCommand, { type: EvidenceCommand }>;

/** A reader's answer when due work must be applied first. */
export const DUE = 'due';

export interface Opened {
  base: string;
  /** The first match applies. */
  rules: readonly DispatchRule[];
}

export type ThreadRequest = PoolRequest<Ask>;
export type ThreadReply = PoolReply<Opened, EmbeddedMessage>;
