/** Labels of the exceptions screen: the blast radius and its warnings. Pure. */
import { EXCEPTIONS, hint } from '#renderer/commands/keys.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import type { LintNote } from '#shared/exceptions/lint.ts';
import type { ExceptionList } from '#shared/exceptions/types.ts';
import { exact, plural } from '#shared/model/format.ts';

type Radius = OutputOf<'exceptions.blast-radius'>;

const countOf = ({ verdicts }: Radius, kinds: readonly string[]): number =>
  verdicts.reduce((sum, { verdict, count }) => sum + (kinds.includes(verdict ?? '') ? count : 0), 0);

/** The status bar: "140 of 220 exceptions · 3 selected". `sum` is that of all tools; both are null if unknown. */
export function countsText(total: number | null, sum: number | null, selected: number): string {
  const of = sum !== null && sum !== total ? ` of ${exact(sum)}` : '';
  const listed =
    total === null
      ? 'Exceptions, number unknown'
      : of === ''
        ? plural(total, 'exception')
        : `${exact(total)}${of} exceptions`;
  return selected > 0 ? `${listed} · ${exact(selected)} selected` : listed;
}

/** Number of matches with a harmful verdict of any kind. */
export const foundIn = (radius: Radius): number =>
  countOf(radius, ['found', 'found-no-click', 'suspicious', 'spam']);
export const cleanIn = (radius: Radius): number => countOf(radius, ['clean']);

/** A count by verdict: a lower bound where some matches have no verdict, unknown where none has. */
export function verdictWords(radius: Radius, count: number): string {
  const unknown = radius.verdicts.find(({ verdict }) => verdict === null)?.count ?? 0;
  if (unknown > 0 && unknown === radius.matches) return 'Unknown';
  return `${unknown > 0 ? 'at least ' : ''}${exact(count)}`;
}

/** "131", "at least 131", "Unknown". */
export const mailboxesWords = ({ mailboxes, mailboxesAtLeast }: Radius): string =>
  mailboxes === null ? 'Unknown' : `${mailboxesAtLeast ? 'at least ' : ''}${exact(mailboxes)}`;

/** "emails would have been blocked, to 131 mailboxes". */
export function radiusWords(radius: Radius, list: ExceptionList): string {
  const { matches, mailboxes } = radius;
  const noun = matches === 1 ? 'email' : 'emails';
  const verb = list === 'block' ? 'blocked' : 'allowed';
  const to =
    mailboxes === null || matches === 0
      ? ''
      : `, to ${mailboxesWords(radius)} ${mailboxes === 1 && !radius.mailboxesAtLeast ? 'mailbox' : 'mailboxes'}`;
  return `${noun} would have been ${verb}${to}`;
}

/** Warns when a block rule matches clean mail, or an allow rule matches malicious mail. */
export function radiusWarning(radius: Radius, list: ExceptionList): string | null {
  if (list === 'block') {
    const clean = cleanIn(radius);
    return clean === 0 ? null : `${plural(clean, 'clean email')} would be blocked.`;
  }
  const harmful = countOf(radius, ['found', 'found-no-click', 'suspicious']);
  return harmful === 0 ? null : `${plural(harmful, 'malicious or suspicious email')} would be allowed.`;
}

/** Nothing on this machine could be compared, so zero would be misleading. */
export const isBlind = ({ checked }: Radius): boolean => checked.results === 0;

export function uncheckedWords({ unchecked }: Radius): string[] {
  return unchecked.map(({ reason, rows }) => (rows > 0 ? `${reason} (${plural(rows, 'row')})` : reason));
}

/** Order of the notes: conflicts first. */
const WEIGHT: Readonly<Record<LintNote['code'], number>> = {
  contradiction: 0,
  'too-broad': 1,
  duplicate: 2,
  overlapped: 3,
  overlap: 4,
};
export const byWeight = (notes: readonly LintNote[]): LintNote[] =>
  [...notes].sort((a, b) => WEIGHT[a.code] - WEIGHT[b.code]);

export const HINTS = [
  hint('move', EXCEPTIONS.next, EXCEPTIONS.previous),
  hint('details', EXCEPTIONS.show),
  hint('select', EXCEPTIONS.select),
  hint('new', EXCEPTIONS.create),
  hint('paste values', EXCEPTIONS.paste),
  hint('search', EXCEPTIONS.search),
];
