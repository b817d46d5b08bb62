/** What an analyst can do to one entity, in words (specification section 7: Manual actions, rescans, reports). */
import type { Permission } from './actors.ts';

export const RESPONSE_KINDS = [
  'quarantine',
  'restore',
  'decline',
  'request_restore',
  'delete',
  'rescan',
  'report',
  'identify',
] as const;
export type ResponseKind = (typeof RESPONSE_KINDS)[number];

export interface ResponseSpec {
  /** In menus, and the verb of the button. */
  verb: string;
  /** What it does, in a sentence for the dialog. */
  effect: string;
  /** What the role must be allowed; null: everybody may. */
  permission: Permission | null;
  /** required: it goes into the journal. optional: the service takes one. none: it does not. */
  reason: 'required' | 'optional' | 'none';
  /** Can be asked for a date to come. */
  planned: boolean;
  danger: boolean;
}

export const RESPONSES: Readonly<Record<ResponseKind, ResponseSpec>> = {
  quarantine: {
    verb: 'Quarantine',
    effect: 'Takes it out of the reach of all who have it. It can be restored.',
    permission: 'act',
    reason: 'required',
    planned: true,
    danger: true,
  },
  restore: {
    verb: 'Restore',
    effect: 'Gives it back to all who had it, where it was before.',
    permission: 'answer-requests',
    reason: 'required',
    planned: true,
    danger: false,
  },
  decline: {
    verb: 'Decline',
    effect: 'Refuses the request to restore it. It stays in quarantine, and who asked reads the reason.',
    permission: 'answer-requests',
    reason: 'required',
    planned: true,
    danger: false,
  },
  request_restore: {
    verb: 'Ask back',
    effect: 'Asks those who may for it to be restored.',
    permission: null,
    reason: 'required',
    planned: false,
    danger: false,
  },
  delete: {
    verb: 'Delete',
    effect: 'Removes it from all mailboxes and folders. It cannot be restored from here.',
    permission: 'act',
    reason: 'required',
    planned: true,
    danger: true,
  },
  rescan: {
    verb: 'Rescan',
    effect: 'Asks the tools to look again. It takes a while, and verdicts may change.',
    permission: 'rescan',
    reason: 'none',
    planned: false,
    danger: false,
  },
  report: {
    verb: 'Report',
    effect: 'Tells the service that its verdict is wrong, so that others are judged better.',
    permission: null,
    reason: 'optional',
    planned: false,
    danger: false,
  },
  identify: {
    verb: 'Set identifier',
    effect: 'Gives it a name of your own, such as a case number, for all who look at it.',
    permission: 'identify',
    reason: 'none',
    planned: false,
    danger: false,
  },
};

/** The words of suspicious_report. */
export const REPORTS = [
  { value: 'phishing', label: 'Phishing' },
  { value: 'malware', label: 'Malware' },
  { value: 'spam', label: 'Spam' },
  { value: 'suspicious', label: 'Suspicious' },
  { value: 'clean', label: 'No threat' },
] as const;
export type ReportWord = (typeof REPORTS)[number]['value'];

export interface ResponseOrder {
  reason: string;
  /** ISO 8601; null: now. */
  at: string | null;
  /** Tools to look again; none: all that can. */
  tools: readonly string[];
  report: ReportWord;
  identifier: string;
}
