/** What the checks found in a mail of evidence, as reasons that lead to their places. Pure. */
import { dictionary } from '#shared/dictionary.ts';
import { allHeaders } from '#shared/mail/headers.ts';
import type { EmailEvidence, EmailFinding } from '#shared/model/entities.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { MOST_SOUGHT, textOfHtml } from './body-text.ts';
import type { EmailTab } from './email-screen.tsx';
import { phraseSpans } from './phrase-spans.ts';
import type { EmailReads } from './use-email.ts';

export type Strength = 'strong' | 'medium' | 'weak';

/** A mail becomes suspicious at 5 and found at 8; two strong reasons are enough. */
export const strengthOf = ({ weight }: EmailFinding): Strength => {
  const size = Math.abs(weight);
  return size >= 3 ? 'strong' : size >= 1.2 ? 'medium' : 'weak';
};

const byStrength = (a: EmailFinding, b: EmailFinding): number => Math.abs(b.weight) - Math.abs(a.weight);

/** Those against the mail and those for it, each with the heaviest first. */
export const sides = (findings: readonly EmailFinding[]) => ({
  // What weighs nothing by itself stands last among them: it counts beside others.
  against: findings.filter(({ weight }) => weight >= 0).sort(byStrength),
  inFavour: findings.filter(({ weight }) => weight < 0).sort(byStrength),
});

/** "5 reasons against it, 2 for it", or null if it was not checked. */
export function reasonCounts({ findings, score }: Pick<EmailEvidence, 'findings' | 'score'>): string | null {
  if (score === null) return null;
  const struck = findings.filter((finding) => finding.false_positive).length;
  const { against, inFavour } = sides(findings.filter((finding) => !finding.false_positive));
  const forIt = inFavour.length === 0 ? '' : `, ${exact(inFavour.length)} for it`;
  return `${plural(against.length, 'reason')} against it${forIt}${struck === 0 ? '' : `, ${plural(struck, 'false positive')}`}`;
}

const PARTS: Readonly<Record<string, EmailTab>> = dictionary({
  header: 'headers',
  body: 'body',
  link: 'links',
  attachment: 'attachments',
});

/** The part of the profile that shows its place, or null for an unknown kind of place. */
export const partOf = ({ place }: EmailFinding): EmailTab | null => PARTS[place.kind] ?? null;

/** Whether two are one reason, of which one was read again. */
export const isSame = (a: EmailFinding, b: EmailFinding): boolean =>
  a.check === b.check &&
  a.sentence === b.sentence &&
  a.place.name === b.place.name &&
  a.place.text === b.place.text;

const shortened = (text: string): string => {
  const shown = visibleText(text);
  return shown.length > 60 ? `${shown.slice(0, 59)}…` : shown;
};

/** "From header", "Body", "Link", "invoice.zip". */
export function placeWords({ place }: EmailFinding): string {
  if (place.kind === 'header') return `${shortened(place.name)} header`;
  if (place.kind === 'attachment') return shortened(place.name);
  if (place.kind === 'mail') return 'The whole email';
  return place.kind === 'body' ? 'Body' : place.kind === 'link' ? 'Link' : 'Place unknown';
}

/** A place looked up in what the profile shows. */
export interface Located {
  /** What became of it, for the bar above the part, or null while it is loading. */
  words: string | null;
  /** Nothing is marked, although there is a place to mark. */
  isMissing: boolean;
  /** Header: where its field begins and ends in the raw headers. Body: where the quotation does in the source. */
  range?: readonly [start: number, end: number];
  /** Body: the views that contain the quotation, best first, and the quotation. */
  views?: readonly ('html' | 'text' | 'source')[];
  phrase?: string;
  /** Link or attachment: the indexes of its rows. */
  rows?: readonly number[];
  /** Attachment: the path of the file in it that is meant. */
  member?: string;
}

const LOADING: Located = { words: null, isMissing: false };
const missing = (words: string): Located => ({ words, isMissing: true });
const quotedWords = (text: string): string => `“${shortened(text)}”`;

function inHeaders({ parsed, headers }: EmailReads, { name, text }: EmailFinding['place']): Located {
  if (parsed === null) return headers.error ? missing('The headers could not be loaded.') : LOADING;
  const fields = allHeaders(parsed.headers.headers, name);
  const only = fields.length === 1 ? fields[0] : undefined;
  const holding = fields.find(
    ({ value, decoded }) => phraseSpans(decoded, text).length > 0 || phraseSpans(value, text).length > 0,
  );
  const field = text === '' ? fields[0] : (holding ?? only);
  const range = field && parsed.places[parsed.headers.headers.indexOf(field)];
  const called = shortened(name);
  if (fields.length === 0) return missing(`The mail has no ${called} header.`);
  if (range === undefined)
    return missing(`None of its ${fields.length} ${called} headers contains ${quotedWords(text)}.`);
  const words =
    text === '' || holding
      ? `The ${called} header is marked.`
      : `The ${called} header is marked; ${quotedWords(text)} is written differently in it.`;
  return { words, isMissing: false, range };
}

/** Characters of HTML that are searched for a quotation. */
const MAX_HTML = 1024 * 1024;

function inBody({ body }: EmailReads, { text }: EmailFinding['place']): Located {
  const { data } = body;
  if (data === undefined) return body.error ? missing('The body could not be loaded.') : LOADING;
  if (text === '') return { words: 'This is about the body as a whole.', isMissing: false };
  const html = (data.html ?? '').slice(0, MAX_HTML);
  const ofHtml = html === '' ? '' : textOfHtml(html);
  const spans = (shown: string) => phraseSpans(shown.slice(0, MOST_SOUGHT), text);
  const holds = (shown: string) => spans(shown).length > 0;
  const [range] = spans(html || (data.text ?? ''));
  const views = [
    ...(holds(ofHtml) ? ['html' as const] : []),
    ...(holds(data.text || ofHtml) ? ['text' as const] : []),
    ...(range ? ['source' as const] : []),
  ];
  return views.length === 0
    ? missing(`${quotedWords(text)} could not be found in the body. Nothing is marked.`)
    : { words: 'The words are marked.', isMissing: false, views, phrase: text, ...(range ? { range } : {}) };
}

/** Longer addresses are stored cut. */
const MAX_URL = 2_000;

function amongLinks({ profile }: EmailReads, { name, text }: EmailFinding['place']): Located {
  const { data } = profile;
  if (data === undefined) return LOADING;
  const links = data.links ?? [];
  const isSame = (url: string | null | undefined) => url?.slice(0, MAX_URL) === name;
  const rows = links.flatMap(({ url, rewritten_url: written }, index) =>
    isSame(url) || isSame(written) ? [index] : [],
  );
  const withText = rows.filter((index) => phraseSpans(links[index]?.text ?? '', text).length > 0);
  const [row] = withText.length > 0 ? withText : rows;
  return row === undefined
    ? missing('The link is not among those listed. Nothing is marked.')
    : { words: 'The link is marked.', isMissing: false, rows: [row] };
}

/** `text` is the path of a file in the attachment, cut as quotations are, or '' for the attachment itself. */
function amongAttachments({ attachments }: EmailReads, { name, text }: EmailFinding['place']): Located {
  const { data } = attachments;
  if (data === undefined)
    return attachments.error ? missing('The attachments could not be loaded.') : LOADING;
  const named = data.rows.flatMap((row, index) => (row.name === name ? [index] : []));
  if (named.length === 0) return missing(`No attachment is named ${quotedWords(name)}. Nothing is marked.`);
  if (text === '') return { words: 'The attachment is marked.', isMissing: false, rows: named };
  const start = text.replace(/…$/, '');
  for (const index of named) {
    const member = data.rows[index]?.members?.find(({ path }) =>
      path.replace(/\s+/g, ' ').trim().startsWith(start),
    );
    if (member !== undefined)
      return {
        words: 'The file in the archive is marked.',
        isMissing: false,
        rows: [index],
        member: member.path,
      };
  }
  const words = `The attachment is marked; ${quotedWords(text)} is not among the files listed in it.`;
  return { words, isMissing: false, rows: named };
}

/** Looks a reason's place up. What cannot be found is said; nothing else is marked instead. */
export function located(email: EmailReads, { place }: EmailFinding): Located {
  switch (place.kind) {
    case 'header':
      return inHeaders(email, place);
    case 'body':
      return inBody(email, place);
    case 'link':
      return amongLinks(email, place);
    case 'attachment':
      return amongAttachments(email, place);
    default:
      return missing('This kind of place is not known.');
  }
}
