/** The summary line of an email: reason, tool verdicts, re-evaluations, and the inboxes that still have it. */
import { defangedText } from '#renderer/entity/labels.ts';
import type { Stack } from '#renderer/entity/stack-rows.ts';
import { HARMFUL, type LinePart, stackLine, type VerdictLine } from '#renderer/entity/verdict-line.ts';
import { toInstant } from '#shared/model/clock.ts';
import type { EmailProfile, Recipient } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import { NOTHING_FOUND, type ReadVerdict } from '#shared/model/verdict.ts';
import { sides } from './reasons.ts';

const plain = (text: string): LinePart => ({ text, tone: 'plain' });
const sentence = (text: string) => `${text.trim().replace(/(?<![.\s])[.\s]+$/, '')}.`;

/** Verdicts that need no reason. */
const QUIET: readonly ReadVerdict[] = ['clean', 'hidden', 'not-scanned', NOTHING_FOUND];

/** The strongest reason of a mail of evidence, that given by the service, else by the tool that decided the verdict. */
function reasonOf(profile: EmailProfile | undefined, stack: Stack): string | null {
  const { verdict, rawCode } = stack.total;
  if (QUIET.includes(verdict)) return null;
  const [worst] = sides(profile?.provenance?.findings ?? []).against;
  if (worst) return defangedText(worst.sentence);
  if (profile?.verdict_reason) return profile.verdict_reason;
  const row = stack.rows.find(({ derived }) => derived.verdict === verdict && derived.rawCode === rawCode);
  return row?.reasons[0]?.text ?? row?.summary ?? null;
}

/** How long after receipt the first tool changed its verdict; null when none did. */
function reEvaluatedAfter(profile: EmailProfile | undefined, stack: Stack): string | null {
  const changed = stack.rows.filter((row) => row.reEvaluated);
  if (changed.length === 0) return null;
  const received = toInstant(profile?.received);
  const times = changed.map((row) => toInstant(row.scannedAt)).filter((time) => time !== null);
  const ms = received === null || times.length === 0 ? null : Math.min(...times) - received;
  return ms === null || ms < 0 ? 'Re-evaluated after delivery' : `Re-evaluated ${later(ms)} later`;
}

function later(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** Copies that a user can still open, in a folder named Inbox; null if a copy of unknown folder may be in one. */
export function copiesInInbox(recipients: readonly Recipient[]): number | null {
  const located = recipients.filter(({ folder }) => typeof folder === 'string' && folder !== '');
  const inInbox = located.filter(({ folder }) => /^inbox\b/i.test(folder ?? '')).length;
  return located.length === 0 || (inInbox === 0 && located.length < recipients.length) ? null : inInbox;
}

function reachOf(recipients: readonly Recipient[] | undefined): string | null {
  const inboxes = recipients === undefined ? null : copiesInInbox(recipients);
  if (inboxes === null) return null;
  return inboxes === 0 ? 'no longer in any inbox' : `still in ${plural(inboxes, 'inbox', 'inboxes')}`;
}

/** The chip and the sentence of the profile's header. `recipients` is undefined while they are not known. */
export function verdictLine(
  stack: Stack,
  profile: EmailProfile | undefined,
  recipients: readonly Recipient[] | undefined,
): VerdictLine {
  const reason = reasonOf(profile, stack);
  const reach = HARMFUL.includes(stack.total.verdict) ? reachOf(recipients) : null;
  const tail = [reEvaluatedAfter(profile, stack), reach].filter((text) => text !== null).join(', ');
  return stackLine(stack, 'email', {
    before: reason === null ? [] : [plain(`${sentence(reason)} `)],
    after: tail === '' ? [] : [plain(` ${tail.charAt(0).toUpperCase()}${tail.slice(1)}.`)],
  });
}
