/** What an analyst can do to one entity, in words (specification section 7: Manual actions, rescans, reports). */
import { dictionary } from '#shared/dictionary.ts';
import type { Permission } from './actors.ts';
import { plural } from './format.ts';

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
  /** Past tense: "Quarantined". */
  done: string;
  /** What it does, in a sentence for the dialog. */
  effect: string;
  /** The required permission, or null if everybody may. */
  permission: Permission | null;
  /** required: for the journal. optional: the service accepts a reason. none: it does not. */
  reason: 'required' | 'optional' | 'none';
  planned: boolean;
  danger: boolean;
}

export const RESPONSES: Readonly<Record<ResponseKind, ResponseSpec>> = {
  quarantine: {
    verb: 'Quarantine',
    done: 'Quarantined',
    effect: 'Removes it from all recipients. It can be restored.',
    permission: 'act',
    reason: 'required',
    planned: true,
    danger: true,
  },
  restore: {
    verb: 'Restore',
    done: 'Restored',
    effect: 'Restores it to all recipients, where it was before.',
    permission: 'answer-requests',
    reason: 'required',
    planned: true,
    danger: false,
  },
  decline: {
    verb: 'Decline',
    done: 'Declined',
    effect: 'Declines the release request. It stays in quarantine, and the requester sees the reason.',
    permission: 'answer-requests',
    reason: 'required',
    planned: true,
    danger: false,
  },
  request_restore: {
    verb: 'Request release',
    done: 'Release requested',
    effect: 'Asks an administrator to release it from quarantine.',
    permission: null,
    reason: 'required',
    planned: false,
    danger: false,
  },
  delete: {
    verb: 'Delete',
    done: 'Deleted',
    effect: 'Deletes it from all mailboxes and folders. It can’t be restored from here.',
    permission: 'act',
    reason: 'required',
    planned: true,
    danger: true,
  },
  rescan: {
    verb: 'Rescan',
    done: 'Rescan requested',
    effect: 'Asks the tools to scan it again. This takes a while, and verdicts may change.',
    permission: 'rescan',
    reason: 'none',
    planned: false,
    danger: false,
  },
  report: {
    verb: 'Report',
    done: 'Reported',
    effect: 'Reports a wrong verdict to the service, to improve later ones.',
    permission: null,
    reason: 'optional',
    planned: false,
    danger: false,
  },
  identify: {
    verb: 'Set identifier',
    done: 'Identifier set',
    effect: 'Gives it an identifier, such as a case number, that everyone sees.',
    permission: 'identify',
    reason: 'none',
    planned: false,
    danger: false,
  },
};

/**
 * Exceptions that the service derives from entities (sectool_exception). The call carries entities and a tool, so the
 * service decides about everything else.
 */
export const SERVICE_EXCEPTIONS = {
  id: 'create-exceptions',
  label: 'Create exceptions for',
  params: [{ id: 'tool', label: 'Tool', type: 'text', required: true }],
};

const INVERSES: Readonly<Record<string, string>> = dictionary({
  quarantine: 'restore',
  restore: 'quarantine',
  disable: 'enable',
  enable: 'disable',
});

/** The action that undoes this one, or null if none does. */
export const inverseOf = (action: string): string | null => INVERSES[action] ?? null;

/** The response with its target: "Quarantine 1 email". */
export const responseTitle = (kind: ResponseKind, noun: string): string =>
  kind === 'request_restore' || kind === 'identify'
    ? `${RESPONSES[kind].verb} ${kind === 'identify' ? 'for' : 'of'} ${noun}`
    : `${RESPONSES[kind].verb} ${noun}`;

/** Reads the name that a response is journaled under, "Invoice overdue, to p.kaur@corp.example". */
export function readTargetName(about: string): { name: string; recipient: string | null } {
  const [, name = about, recipient = null] = /^(.*), to (\S+@\S+)$/s.exec(about) ?? [];
  return { name, recipient };
}

const NOUNS: Readonly<Record<string, readonly [string, string]>> = dictionary({
  email: ['email', 'emails'],
  file: ['file', 'files'],
  user: ['user', 'users'],
  group: ['group', 'groups'],
  message: ['message', 'messages'],
  click: ['click', 'clicks'],
  query: ['query', 'queries'],
  exception: ['exception', 'exceptions'],
});

/** "1 email", "212 emails"; "entities" for an unknown domain. */
export function countWords(count: number, domain: string): string {
  const [singular, many] = NOUNS[domain] ?? ['entity', 'entities'];
  return plural(count, singular, many);
}

/** The words of suspicious_report. */
export const REPORTS = [
  { value: 'phishing', label: 'Phishing' },
  { value: 'malware', label: 'Malware' },
  { value: 'spam', label: 'Spam' },
  { value: 'suspicious', label: 'Suspicious' },
  { value: 'clean', label: 'No threat' },
] as const;
export type ReportWord = (typeof REPORTS)[number]['value'];

/** " as phishing"; "" for a response that reports nothing. */
export const reportWords = (kind: ResponseKind, report: ReportWord): string =>
  kind === 'report' ? ` as ${REPORTS.find(({ value }) => value === report)?.label.toLowerCase()}` : '';

export interface ResponseOrder {
  reason: string;
  /** ISO 8601, or null for now. */
  at: string | null;
  /** Tools to scan again; omitted: all that can. */
  tools: readonly string[];
  report: ReportWord;
  identifier: string;
}
