/** The one line that says what an email is: derived from the tools' answers, never from the service's roll-up. */

import type { Stack } from '#renderer/entity/stack-rows.ts';
import { toInstant } from '#shared/model/clock.ts';
import type { EmailProfile, Recipient } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import {
  parseVerdictCode,
  type ReadVerdict,
  VERDICT_CODE_LABELS,
  VERDICT_LABELS,
} from '#shared/model/verdict.ts';

export interface LinePart {
  text: string;
  /** caution: something is not known or could not be done. danger: it is still in reach of users. */
  tone: 'plain' | 'caution' | 'danger';
}

export interface VerdictLine {
  verdict: string;
  /** The words in the chip, e.g. "Found: phishing". */
  word: string;
  code: string | null;
  error: boolean;
  parts: LinePart[];
}

const plain = (text: string): LinePart => ({ text, tone: 'plain' });
const sentence = (text: string) => `${text.trim().replace(/[.\s]+$/, '')}.`;
const tools = (count: number, of: number) => `${exact(count)} of ${exact(of)} ${of === 1 ? 'tool' : 'tools'}`;

/** "phishing" for phsh and hphsh, "malware" for malw; null for words that add nothing. */
function findWord(code: string | null): string | null {
  const known = parseVerdictCode(code);
  if (known === null || known === 'clean' || known === 'error') return null;
  return VERDICT_CODE_LABELS[known].replace(/, high confidence$/, '');
}

function countWords(stack: Stack): LinePart[] {
  const { rows, total } = stack;
  const having = (verdict: ReadVerdict) => rows.filter((row) => row.derived.verdict === verdict).length;
  const all = rows.length;
  const failed = rows.filter((row) => row.derived.error).length;
  const missing = rows.filter((row) => row.derived.verdict === 'not-scanned' && !row.derived.error).length;
  if (all === 0) return [{ text: 'No tool has looked at this email.', tone: 'caution' }];
  if (missing === all) {
    return [
      { text: `None of ${exact(all)} tools has looked at it: that is not a clean result.`, tone: 'caution' },
    ];
  }
  const main: Partial<Record<ReadVerdict, string>> = {
    found: `${tools(having('found'), all)} found it`,
    suspicious: `${tools(having('suspicious'), all)} ${having('suspicious') === 1 ? 'is' : 'are'} suspicious of it`,
    'found-no-click': `${tools(having('found-no-click'), all)} matched after delivery, nobody clicked`,
    spam: `${tools(having('spam'), all)} ${having('spam') === 1 ? 'calls' : 'call'} it spam`,
    unknown: `${tools(having('unknown'), all)} answered with a word Parapet does not know`,
    clean: `${tools(having('clean'), all)} found nothing`,
  };
  const parts: LinePart[] = [];
  const said = main[total.verdict];
  if (said) parts.push(plain(said));
  if (failed > 0) parts.push({ text: `${exact(failed)} could not scan`, tone: 'caution' });
  if (missing > 0)
    parts.push({ text: `${exact(missing)} ${missing === 1 ? 'has' : 'have'} no result`, tone: 'caution' });
  return parts.flatMap((part, index) => {
    const last = index === parts.length - 1;
    return [{ ...part, text: `${part.text}` }, plain(last ? '.' : ', ')];
  });
}

/** Why, in the words of the service, else of the tool that gave the verdict. */
function reasonOf(profile: EmailProfile | undefined, stack: Stack): string | null {
  const { verdict, rawCode } = stack.total;
  if (verdict === 'clean' || verdict === 'hidden' || verdict === 'not-scanned') return null;
  if (profile?.verdict_reason) return profile.verdict_reason;
  const row = stack.rows.find(({ derived }) => derived.verdict === verdict && derived.rawCode === rawCode);
  return row?.reasons[0]?.text ?? row?.summary ?? null;
}

/** How long after receipt the first tool changed its mind, in words; null when none did. */
export function reEvaluatedAfter(profile: EmailProfile | undefined, stack: Stack): string | null {
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

/** Copies that a user can still open: in a folder named Inbox. null: no folder is known. */
export function copiesInInbox(recipients: readonly Recipient[]): number | null {
  const known = recipients.filter(({ folder }) => typeof folder === 'string' && folder !== '');
  if (known.length === 0) return null;
  return known.filter(({ folder }) => /^inbox\b/i.test(folder ?? '')).length;
}

const HARMFUL: readonly ReadVerdict[] = ['found', 'suspicious', 'found-no-click'];

/** The chip and the sentence of the profile's header. `recipients` undefined: not known (yet). */
export function verdictLine(
  stack: Stack,
  profile: EmailProfile | undefined,
  recipients: readonly Recipient[] | undefined,
): VerdictLine {
  const { verdict, rawCode, error } = stack.total;
  const kind = verdict === 'found' || verdict === 'spam' ? findWord(rawCode) : null;
  const label = VERDICT_LABELS[verdict];
  const parts: LinePart[] = [];
  const reason = reasonOf(profile, stack);
  if (reason !== null) parts.push(plain(`${sentence(reason)} `));
  parts.push(...countWords(stack));
  const after = reEvaluatedAfter(profile, stack);
  const inboxes = recipients === undefined ? null : copiesInInbox(recipients);
  const harmful = HARMFUL.includes(verdict);
  const reach =
    !harmful || inboxes === null
      ? null
      : inboxes === 0
        ? 'in no inbox any more'
        : `still in ${exact(inboxes)} ${inboxes === 1 ? 'inbox' : 'inboxes'}`;
  const tail = [after, reach].filter((text) => text !== null).join(', ');
  if (tail !== '') parts.push({ text: ` ${tail.charAt(0).toUpperCase()}${tail.slice(1)}.`, tone: 'plain' });
  return {
    verdict,
    word: kind === null || kind === label.toLowerCase() ? label : `${label}: ${kind}`,
    code: rawCode,
    error,
    parts,
  };
}
