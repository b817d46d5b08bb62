/**
 * Profiles kept for offline: the texts of their answers, for the list and the search. Runs in the threads of the cache.
 */
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { KeptField } from '#shared/bridge/operations.ts';
import { charsetLabel } from '#shared/mail/charsets.ts';
import { unicodeDomain } from '#shared/mail/domains.ts';
import { parseHeaders } from '#shared/mail/headers.ts';
import { readHtml, saidIn } from '#shared/mail/html.ts';
import { toInstant } from '#shared/model/clock.ts';
import type {
  Attachment,
  EmailProfile,
  FileProfile,
  GroupProfile,
  Mailbox,
  MessageProfile,
  Recipient,
  UserProfile,
} from '#shared/model/entities.ts';
import { webHost } from '#shared/model/hosts.ts';
import { excerptOf, type Sought } from '#shared/query/excerpt.ts';
import { foldText, searchable, wordsOf } from '#shared/query/text.ts';

/** Increment to index every kept profile again. */
export const KEPT_RULES = 1;

/** UTF-16 units read of one form of a body, and stored of one text. */
const READ_MOST = 8 * 1024 * 1024;
const TEXT_MOST = 2 * 1024 * 1024;
const LINKS_MOST = 2_000;
const HEADERS_MOST = 3_000;
/** Separates the items of a field, so that no match spans two of them. */
const APART = ' \u00b7 ';

type Listed = readonly (string | null | undefined)[];
type Texts = Partial<Record<KeptField, Listed>>;
interface Body {
  html?: string | null;
  text?: string | null;
}

function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charsetLabel(charset)).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const mailboxes = (boxes: readonly (Mailbox | null | undefined)[]): Listed =>
  boxes.map((box) => box && [box.name, box.email].filter(Boolean).join(' '));

/** A link as written, and its host in readable form if that differs. */
function linkTexts(url: string, text: string | null | undefined): string {
  const host = webHost(url) ?? '';
  const name = unicodeDomain(host);
  return [url, name === host ? null : name, text === url ? null : text].filter(Boolean).join(' ');
}

function bodyTexts({ html, text }: Body): Texts {
  const page = html ? readHtml(html.slice(0, READ_MOST), LINKS_MOST) : null;
  return {
    body: [saidIn([(text ?? '').slice(0, READ_MOST), page?.shown ?? ''])],
    links: page?.links.map((link) => linkTexts(link.url, link.text)) ?? [],
  };
}

function emailTexts(email: EmailProfile): Texts {
  return {
    subject: [email.subject],
    sender: [...mailboxes([email.from, email.sender, ...(email.reply_to ?? [])]), email.return_path],
    recipients: mailboxes([...email.to, ...email.cc, ...(email.bcc ?? [])]),
    links: email.links?.map((link) => linkTexts(link.url, link.text)) ?? [],
    headers: [email.message_id && `Message-ID: ${email.message_id}`],
  };
}

/** Of a user, a group or a chat message. */
function entityTexts(entity: UserProfile & GroupProfile & MessageProfile): Texts {
  return {
    subject: [entity.name, entity.channel],
    sender: [entity.sender, entity.email, entity.owner],
    body: [entity.text, entity.description],
  };
}

/** By endpoint, each reading the answer as the endpoint's schema left it when it was cached. */
const READERS = {
  'email.profile': emailTexts,
  'email.body': bodyTexts,
  'email.headers': ({ raw }: { raw: string }) => ({
    headers: parseHeaders(raw.slice(0, READ_MOST), decode, { maxHeaders: HEADERS_MOST }).headers.map(
      ({ name, decoded }) => `${name}: ${decoded}`,
    ),
  }),
  'email.recipients': ({ rows }: { rows: Recipient[] }) => ({ recipients: mailboxes(rows) }),
  'email.attachments': ({ rows }: { rows: Attachment[] }) => ({
    attachments: rows.map(({ name, md5, sha1, sha256 }) =>
      [name, md5, sha1, sha256].filter(Boolean).join(' '),
    ),
  }),
  'file.profile': (file: FileProfile) => ({
    subject: [file.title],
    sender: [file.owner],
    attachments: [file.path, file.md5, file.sha1, file.sha256],
  }),
  'entity.get': entityTexts,
  'entity.message-body': bodyTexts,
} satisfies Partial<Record<EndpointName, (data: never) => Texts>>;

/** Endpoints whose texts are searched, and the name under which a missing one is reported. */
export const KEPT_PARTS = {
  'email.profile': 'profile',
  'file.profile': 'profile',
  'entity.get': 'profile',
  'email.body': 'body',
  'entity.message-body': 'body',
  'email.headers': 'headers',
  'email.recipients': 'recipients',
  'email.attachments': 'attachments',
} as const satisfies Record<keyof typeof READERS, string>;

const isRead = (endpoint: string): endpoint is keyof typeof READERS => Object.hasOwn(READERS, endpoint);

/** The field of a row that says that a profile is searched only in part. */
export const CUT = 'cut';
const CUT_ROW = [CUT, '', null] as const;

function textsOf(texts: Texts) {
  return Object.entries(texts).flatMap(([field, listed]) => {
    const whole = searchable(listed.filter(Boolean).join(APART));
    if (whole === '') return [];
    const shown = whole.slice(0, TEXT_MOST).toWellFormed();
    const folded = foldText(shown);
    const row = [field, folded, folded === shown ? null : shown] as const;
    return whole.length > TEXT_MOST ? [row, CUT_ROW] : [row];
  });
}

/** JSON of [field, folded text, text as written or null where that is the same]. Never throws. */
function keptTexts(endpoint: string, data: string): string {
  if (!isRead(endpoint)) return '[]';
  try {
    const read = READERS[endpoint] as (data: unknown) => Texts;
    return JSON.stringify(textsOf(read(JSON.parse(data))));
  } catch {
    return JSON.stringify([CUT_ROW]);
  }
}

/** What an email, a file, a chat message, a user or a group says of itself, if anything. */
interface Main {
  subject?: string | null;
  name?: string | null;
  title?: string | null;
  channel?: string | null;
  email?: string | null;
  from?: Mailbox | null;
  owner?: string | null;
  sender?: Mailbox | string | null;
  received?: string | null;
  sent_at?: string | null;
  modified?: string | null;
  verdict?: string | null;
  verdict_code?: string | null;
}

const addressOf = (from: Mailbox | string | null | undefined): string | null =>
  typeof from === 'object' ? (from?.email ?? null) : (from ?? null);

/** JSON of what a list shows of a profile, taken from its own part. */
function keptAbout(data: string): string {
  const main = JSON.parse(data) as Main;
  return JSON.stringify({
    title: main.subject ?? main.name ?? main.title ?? main.channel ?? main.email ?? null,
    from: addressOf(main.from ?? main.sender ?? main.owner),
    verdict: main.verdict ?? null,
    verdictCode: main.verdict_code ?? null,
    received: toInstant(main.received ?? main.sent_at ?? main.modified ?? null),
  });
}

/** `words`: as returned by `wordsOf`. */
const hasWords = (folded: string, words: string): 0 | 1 => (wordsOf(folded).includes(words) ? 1 : 0);

/** A longer entry of a list is shown around the hit only. */
const ENTRY_MOST = 200;

/** A line around the hit; of a list, the whole entry that contains it. */
function lineOf(sought: readonly Sought[], field: string, folded: string, shown: string): string | null {
  const entries = shown.split(APART);
  const own = folded.split(APART);
  // An entry with a character that folds to the separator makes the entries impossible to count.
  if (field !== 'body' && entries.length === own.length)
    for (const [at, entry] of entries.entries()) {
      const line = excerptOf(sought, own[at] ?? '', () => entry);
      if (line !== null) return entry.length > ENTRY_MOST ? line : entry;
    }
  return excerptOf(sought, folded, () => shown);
}

/**
 * SQL functions: pp_kept_texts(endpoint, data), pp_kept_about(data); pp_has_words(folded, words) and
 * pp_excerpt(sought as JSON, field, folded, shown) of a text.
 */
export function keptFunctions() {
  let last: { json: string; sought: Sought[] } = { json: '[]', sought: [] };
  return {
    pp_kept_texts: keptTexts,
    pp_kept_about: keptAbout,
    pp_has_words: hasWords,
    pp_excerpt: (json: string, field: string, folded: string, shown: string | null) => {
      if (last.json !== json) last = { json, sought: JSON.parse(json) as Sought[] };
      return lineOf(last.sought, field, folded, shown ?? folded);
    },
  };
}
