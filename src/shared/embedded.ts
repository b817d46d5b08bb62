/** Starting the embedded service in a worker, and the messages it exchanges with its host. */
import type { BridgeError } from './bridge/errors.ts';
import type { RuleEffect, RuleHead, RuleTrial } from './rules/rule.ts';

export type EmbeddedSource =
  | { kind: 'demo'; emails: number; seed: number }
  /** path: a folder of mail, or one file. */
  | { kind: 'evidence'; path: string };

/** Folders of evidence that are watched for changes. */
export const WATCHED_FOLDERS = 1_000;

/** What limits the watched folders of evidence: their number, or the system. */
export type Unwatched = 'folders' | 'system';

export interface EmbeddedSpec {
  source: EmbeddedSource;
  /** Path of its database; the same path opens the existing one. */
  databasePath: string;
  /** Key of the database, hex, or null if unencrypted (the demo tenant has nothing confidential). */
  databaseKey: string | null;
  /** Authserv-ids that the analyst trusts, lowercased; only for evidence. */
  believed: readonly string[];
  /** The rules of the profile; only for evidence. */
  rules: readonly RuleHead[];
  /** Bearer token that the service requires. */
  token: string;
  /** Feature flags of the connection that it serves. */
  flags: Readonly<Record<string, boolean>>;
}

export interface EvidenceReport {
  imported: number;
  unchanged: number;
  removed: number;
  notMail: number;
  problems: { file: string; offset: number | null; reason: string }[];
  /** Files and folders that may contain mail or sign-ins and could not be read completely. */
  unreadable: number;
  /** Emails and sign-ins known from an earlier reading of the evidence. */
  known: number;
  /** Of these, no longer in the evidence: kept until the analyst decides. */
  gone: number;
  /** Of these, in locations that are currently inaccessible. */
  unreachable: number;
}

/** What applying rules to the mail of evidence came to. */
export interface RulesReport {
  /** Emails that were checked. */
  checked: number;
  /** Rules that could not be applied. */
  failed: { name: string; reason: string }[];
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
      /** Mail files read and found, or null while they are being counted. */
      files: number;
      totalFiles: number | null;
    }
  /** The database could not be used and was created again: the reason, and the old one's location, for the analyst. */
  | { type: 'replaced'; level: 'error' | 'warning'; message: string }
  /** A reading starts: on request, or because the folder changed. */
  | { type: 'reading' }
  /** Not every change of the evidence is noticed. */
  | { type: 'unwatched'; limit: Unwatched }
  | { type: 'imported'; report: EvidenceReport }
  /** Answers `report` with the current state, also during an import. */
  | { type: 'report'; report: EvidenceReport }
  /** Missing items were kept or removed, as decided. */
  | { type: 'resolved'; report: EvidenceReport }
  /** Says why there is no `report` or `resolved`. */
  | { type: 'refused'; answer: 'report' | 'resolved'; error: BridgeError }
  | { type: 'failed'; error: BridgeError }
  /** Asks for the text of a rule, which `rule-text` answers. */
  | { type: 'rule-wanted'; ruleId: string }
  /** Rules are being applied to mail that was already here: how many were checked. */
  | { type: 'rules-progress'; done: number; total: number }
  | { type: 'rules-applied'; report: RulesReport }
  /** Also when cancelled: the rest is done at the next start. */
  | { type: 'rules-failed'; error: BridgeError }
  | { type: 'trial-progress'; trialId: number; done: number; total: number }
  /** The answer to `try-rule`. */
  | { type: 'tried'; trialId: number; effect: RuleEffect }
  | { type: 'trial-failed'; trialId: number; error: BridgeError };

/** Host to worker. */
export type EmbeddedCommand =
  /**
   * Reads whatever is new, changed or unread; ignored while a reading is in progress. `verifies` reads everything and
   * compares each mail with its hash, after the current reading.
   */
  | { type: 'import'; verifies?: boolean }
  | { type: 'cancel-import' }
  | { type: 'report' }
  /** The connection's feature flags were changed. */
  | { type: 'flags'; flags: Readonly<Record<string, boolean>> }
  /** Answers `resolved`; only after an import that has ended. */
  | { type: 'resolve'; answer: 'keep' | 'remove' }
  /** The rules of the profile, after a change. */
  | { type: 'rules'; rules: readonly RuleHead[] }
  /** Null if the rule is gone. */
  | { type: 'rule-text'; ruleId: string; text: string | null }
  /** Applies enabled rules, or those with these ids, to all mail again. */
  | { type: 'run-rules'; ids: readonly string[] | null }
  | { type: 'cancel-rules' }
  /** Counts what a rule would find; the one before is cancelled. */
  | { type: 'try-rule'; trialId: number; trial: RuleTrial }
  | { type: 'cancel-trial'; trialId: number }
  | { type: 'stop' };
