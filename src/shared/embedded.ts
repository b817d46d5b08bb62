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
  /** Authserv-ids that the analyst trusts, lowercased; of evidence only. */
  believed: readonly string[];
  /** Bearer token that the service will ask for. */
  token: string;
}

export interface EvidenceReport {
  imported: number;
  unchanged: number;
  removed: number;
  notMail: number;
  problems: { file: string; offset: number | null; reason: string }[];
  /** Files and folders that may hold mail or sign-ins and could not be read, or not all of them. */
  unreadable: number;
  /** Emails and sign-ins that were here before this reading of the evidence. */
  known: number;
  /** Of these, not in the evidence any more: they stay until the analyst has answered. */
  gone: number;
  /** Of these, in places that cannot be looked into now. */
  unreachable: number;
}

/** Worker to host. */
export type EmbeddedMessage =
  | { type: 'ready'; port: number }
  | {
      type: 'progress';
      done: number;
      total: number | null;
      unit: 'messages' | 'bytes';
      file: string | null;
      /** Files of mail that were read, and that were found; null: they are still being counted. */
      files: number;
      totalFiles: number | null;
    }
  | { type: 'imported'; report: EvidenceReport }
  /** The answer to `report`: what is known by now, also while an import runs. */
  | { type: 'report'; report: EvidenceReport }
  /** What is gone was kept or removed, as asked. */
  | { type: 'resolved'; report: EvidenceReport }
  | { type: 'failed'; error: BridgeError };

/** Host to worker. */
export type EmbeddedCommand =
  | { type: 'cancel-import' }
  | { type: 'report' }
  /** Answers `resolved`; only after an import that has ended. */
  | { type: 'resolve'; answer: 'keep' | 'remove' }
  | { type: 'stop' };
