/** Labels of the email screens: clicks, recipients. Pure. */

import type { AnswerOf } from '#shared/api/catalogue.ts';
import { isWholeList } from '#shared/api/list-end.ts';
import { dictionary } from '#shared/dictionary.ts';
import type { EmailProfile, Recipient } from '#shared/model/entities.ts';
import { ATTACHMENT_ENCRYPTION_LABELS, RECIPIENT_KIND_LABELS } from '#shared/model/enums.ts';
import { exact, form, plural, visibleText } from '#shared/model/format.ts';
import { placeLabel } from '#shared/model/labels.ts';
import { parseLinkReplacement } from '#shared/model/link-replacement.ts';
import type { View } from './body-panel.tsx';
import { MAX_READ, MOST_SOUGHT } from './body-text.ts';
import type { EmailTab } from './email-screen.tsx';

type Links = Pick<EmailProfile, 'links' | 'link_replacement'>;

const isReplaced = (state: string | null | undefined): boolean =>
  parseLinkReplacement(state)?.replaced === true;

/** Whether clicks on this link are tracked: only replaced links go through the service. */
export const isCounted = (
  status: string | null | undefined,
  whole: string | null | undefined,
  clicks: AnswerOf<'scan.clicks'> | undefined,
): boolean =>
  clicks !== undefined &&
  clicks.counted !== false &&
  isWholeList(clicks) &&
  (status ? isReplaced(status) : isReplaced(whole));

/** `profile` is undefined while its links are not known. */
export function noClicks(
  clicks: AnswerOf<'scan.clicks'>,
  profile: Links | undefined,
): { isKnown: boolean; title: string; reason: string } {
  if (clicks.counted === false)
    return {
      isKnown: false,
      title: 'Clicks are not tracked',
      reason: 'Recipients of this email may have clicked.',
    };
  const links = profile?.links ?? [];
  const counted = links.filter(({ status }) => isCounted(status, profile?.link_replacement, clicks)).length;
  if (counted === 0 && !isReplaced(profile?.link_replacement))
    return {
      isKnown: false,
      title: 'No clicks recorded',
      reason:
        'Click-time protection tracks replaced links only, and no link in this email is recorded as replaced. Recipients may have clicked.',
    };
  const which = counted === 0 ? 'on the replaced links' : `on ${plural(counted, 'replaced link')}`;
  const rest = links.length - counted;
  return {
    isKnown: true,
    title: 'No clicks',
    reason: `Click-time protection recorded 0 clicks ${which}.${
      rest > 0 && counted > 0 ? ` Clicks on the other ${exact(rest)} are not tracked.` : ''
    }`,
  };
}

const KINDS: Readonly<Record<string, string>> = dictionary(RECIPIENT_KIND_LABELS);

/** "To", "Cc"; another word as it is. */
export const recipientKind = (kind: string): string => KINDS[kind.toLowerCase()] ?? visibleText(kind);

/** "Inbox, read"; an unknown read state is not shown as unread. */
export function recipientPlace({ folder, is_read: read }: Recipient): string {
  const parts = [folder ? visibleText(placeLabel(folder)) : 'Unknown folder', read === true ? 'read' : null];
  return parts.filter((part) => part !== null).join(', ');
}

/** "14 · 2 opened · 0 clicked"; a count is omitted if the service does not report it. */
export function recipientCounts(rows: readonly Recipient[]): string {
  const allHave = (hasValue: (row: Recipient) => boolean) => rows.length > 0 && rows.every(hasValue);
  const parts = [exact(rows.length)];
  if (allHave((row) => typeof row.is_read === 'boolean')) {
    parts.push(`${exact(rows.filter((row) => row.is_read).length)} opened`);
  }
  if (allHave((row) => typeof row.clicks === 'number')) {
    parts.push(`${exact(rows.filter((row) => (row.clicks ?? 0) > 0).length)} clicked`);
  }
  return parts.join(' · ');
}

export const TAB_LABELS: Readonly<Record<EmailTab, string>> = {
  overview: 'Overview',
  stack: 'Security stack',
  recipients: 'Recipients',
  attachments: 'Attachments',
  links: 'Links and clicks',
  headers: 'Headers',
  body: 'Body',
  conversation: 'Conversation',
  splits: 'Split emails',
  events: 'Events',
  findings: 'Findings',
  debug: 'Debug links',
};

export const VIEW_LABELS: Readonly<Record<View, string>> = {
  html: 'HTML',
  text: 'Text',
  source: 'Source',
  message: 'Whole message',
};

export const PICTURE = 'Save picture of the body…';

/** How the manifest describes such a picture. */
export const pictureWords = (facts: { isTruncated: boolean; remoteShown: number; opened: number }): string =>
  [
    'A picture of the body of an email, sanitised, with every element compared with the body on screen',
    facts.remoteShown > 0
      ? `with ${plural(facts.remoteShown, 'remote image')} that the analyst loaded`
      : 'without remote content',
    ...(facts.opened > 0
      ? [
          `with ${plural(facts.opened, 'area')} that ${form(facts.opened, 'scrolls', 'scroll')} on screen shown in full`,
        ]
      : []),
    ...(facts.isTruncated ? ['of the first part only: the service truncated the body'] : []),
  ].join(', ');

export const VIEW_NOTES: Readonly<Record<View, string>> = {
  html: 'Sanitised HTML',
  text: 'Plain text',
  source: 'As received',
  message: 'Raw message',
};

/**
 * The match count above a body. `marked`: how many of `count` are highlighted; `hidden`: how many of these are not
 * visible; `isCut`: only the first MOST_SOUGHT characters were searched;
 * `current`: the index of the match shown, below 0 before the first.
 */
export function matchWords(
  matches: { count: number; marked: number; hidden: number; isCut: boolean },
  current: number,
): string {
  const { count, marked, hidden, isCut } = matches;
  const where = isCut ? `in the first ${exact(MOST_SOUGHT)} characters of this view` : 'in this view';
  if (count === 0) return `No match ${where}`;
  const of =
    current < 0 ? plural(count, 'match', 'matches') : `${exact(current + 1)} of ${exact(count)} matches`;
  const rest = marked < count ? `, the first ${exact(marked)} marked` : '';
  return `${of} ${where}${rest}${hidden === 0 ? '' : `, ${exact(hidden)} in text that is not shown`}`;
}

/** An attachment whose real type differs from the declared one. */
export const typeByBytes = (type: string): string => `By its bytes: ${type}`;

/** How an attachment is encrypted; '' if there is no sign of encryption. */
export function encryptedBy(by: string | null | undefined): string {
  const labels: Readonly<Record<string, string>> = dictionary(ATTACHMENT_ENCRYPTION_LABELS);
  return by ? `Encrypted (${labels[by] ?? visibleText(by)})` : '';
}

/** Explains where text extracted from HTML comes from. */
export const extractedWords = (characters: number, hasText: boolean): string =>
  [
    hasText
      ? 'Text extracted from the HTML; the email’s own text part is under Text.'
      : 'No text part: this text was extracted from the HTML.',
    characters > MAX_READ
      ? `Only the first ${exact(MAX_READ)} of ${exact(characters)} characters were read.`
      : '',
  ]
    .filter(Boolean)
    .join(' ');

export const DIRECTION_LABELS: Readonly<Record<string, string>> = dictionary({
  incoming: 'Incoming, external',
  outgoing: 'Outgoing',
  internal: 'Internal',
});

export const ENCRYPTION_LABELS: Readonly<Record<string, string>> = dictionary({
  none: 'No',
  encrypted: 'Yes',
});

/** State of a chat message. */
export const MESSAGE_STATES: Readonly<Record<string, string>> = dictionary({
  posted: 'Posted',
  quarantined: 'Quarantined',
  deleted: 'Deleted',
});

/** The position of a mail's bytes in a file. */
export const placeWords = ({ offset, length }: { offset: number; length: number }): string =>
  `${exact(length)} bytes at ${exact(offset)}`;

/** Active content of the HTML: what it would load or run. */
export function activeContent({
  remote,
  forms,
  scripts,
  handlers,
}: {
  remote: number;
  forms: number;
  scripts: number;
  handlers: number;
}): string {
  const counts = [
    remote > 0 ? plural(remote, 'remote resource') : null,
    forms > 0 ? plural(forms, 'form') : null,
    scripts > 0 ? plural(scripts, 'script') : null,
    handlers > 0 ? plural(handlers, 'event handler') : null,
  ].filter((part) => part !== null);
  return counts.length === 0 ? 'None' : counts.join(', ');
}

/** Why no body is shown. A service that returned neither part may just not provide it; evidence has been read here. */
export function noBody(
  profile: Pick<EmailProfile, 'encryption_status' | 'provenance'> | undefined,
  { html, text }: Pick<AnswerOf<'email.body'>, 'html' | 'text'>,
): { title: string; reason: string } {
  if (profile?.encryption_status && profile.encryption_status !== 'none')
    return { title: 'Encrypted', reason: 'Body unavailable without the key.' };
  return html === '' || text === '' || profile?.provenance !== undefined
    ? { title: 'No body', reason: 'The email has no text or HTML part.' }
    : {
        title: 'Body not provided',
        reason: 'The service returned neither text nor HTML, so it is unknown whether the email has a body.',
      };
}
