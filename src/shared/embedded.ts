/** How a host starts the embedded service in a worker and hears of it. */
import type { BridgeError } from './bridge/errors.ts';

export type EmbeddedSource =
  | { kind: 'demo'; emails: number; seed: number }
  /** path: a folder of mail, or one file. */
  | { kind: 'evidence'; path: string };

export interface EmbeddedSpec {
  source: EmbeddedSource;
  /** Where its database lives; the same path again opens what is there. */
  databasePath: string;
  /** Key of the database, hex; null: in clear (the demo tenant holds nothing real). */
  databaseKey: string | null;
  /** Bearer token that the service will ask for. */
  token: string;
}

export interface EvidenceReport {
  imported: number;
  unchanged: number;
  removed: number;
  notMail: number;
  problems: { file: string; offset: number | null; reason: string }[];
}

/** Worker to host. */
export type EmbeddedMessage =
  | { type: 'ready'; port: number }
  | { type: 'progress'; done: number; total: number | null; unit: 'messages' | 'bytes'; file: string | null }
  | { type: 'imported'; report: EvidenceReport }
  /** The answer to `report`: what is known by now, also while an import runs. */
  | { type: 'report'; report: EvidenceReport }
  | { type: 'failed'; error: BridgeError };

/** Host to worker. */
export type EmbeddedCommand = { type: 'cancel-import' } | { type: 'report' } | { type: 'stop' };
