/** Messages between the database thread and the thread that runs rules in YARA and MQL over the bytes of mails. */
import type { FindingPlace } from '#shared/checks/check.ts';

export interface HeldMail {
  id: number;
  raw: Uint8Array<ArrayBuffer>;
}

export type ScanRequest =
  /** Mails to look at, instead of those before. */
  | { type: 'hold'; mails: HeldMail[]; ownDomains: readonly string[] }
  | { type: 'compile'; key: string; kind: 'yara' | 'mql'; text: string }
  | { type: 'find'; key: string; ids: readonly number[] }
  | { type: 'forget'; key: string };

export interface ScanHit {
  emailId: number;
  place: FindingPlace;
  detail?: string;
}

export type ScanReply =
  /** While it is at work, so that nothing is lost if the thread must be ended. */
  | { type: 'hit'; hit: ScanHit }
  /** A mail of which a part was not looked at, or not to its end. */
  | { type: 'unfinished'; id: number }
  /** `note` says what the rule cannot do here. */
  | { type: 'done'; note: string | null }
  /** The text of the rule is wrong, in words with the line. */
  | { type: 'refused'; words: string };

/** In the shared memory: the index of the mail that is looked at, within the request. */
export const PROGRESS = 0;
