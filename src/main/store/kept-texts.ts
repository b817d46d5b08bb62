/**
 * Extracts the searchable text of profiles kept for offline. It needs the HTML parser, so only the writer of the cache
 * loads it; `kept-parts.ts` has what the other threads need.
 */
import type { KeptField, OwnVerdict } from '#shared/bridge/operations.ts';
import { assessTenantMail } from '#shared/checks/tenant-mail.ts';
import { decodeBytes } from '#shared/mail/charsets.ts';
import { unicodeDomain } from '#shared/mail/domains.ts';
import { parseHeaders, readHeaders } from '#shared/mail/headers.ts';
import { readHtml, shownTextOf } from '#shared/mail/html.ts';
import { originalLink } from '#shared/mail/rewritten-links.ts';
import {
  type Attachment,
  allRecipients,
  type EmailProfile,
  type FileProfile,
  type GroupProfile,
  type Mailbox,
  type MessageProfile,
  type Recipient,
  type UserProfile,
} from '#shared/model/entities.ts';
import { webHost } from '#shared/model/hosts.ts';
import { foldText, searchable } from '#shared/query/text.ts';
import { APART, type ChecksBasis, CUT, type KeptEndpoint } from './kept-parts.ts';

/** UTF-16 units read of one form of a body, and stored of one text. */
const READ_MOST = 8 * 1024 * 1024;
const TEXT_MOST = 2 * 1024 * 1024;
const LINKS_MOST = 2_000;
const HEADERS_MOST = 3_000;
type Listed = readonly (string | null | undefined)[];
type Texts = Partial<Record<KeptField, Listed>>;
interface Body {
  html?: string | null;
  text?: string | null;
}

const mailboxes = (boxes: readonly (Mailbox | null | undefined)[]): Listed =>
  boxes.map((box) => box && [box.name, box.email].filter(Boolean).join(' '));

/** A link as written, the original of a rewritten one, and its host in readable form if that differs. */
function linkTexts(url: string, text: string | null | undefined): string {
  const original = originalLink(url)?.url ?? null;
  const host = webHost(original ?? url) ?? '';
  const name = unicodeDomain(host);
  return [url, original, name === host ? null : name, text === url ? null : text].filter(Boolean).join(' ');
}

function bodyTexts({ html, text }: Body): Texts {
  const page = html ? readHtml(html.slice(0, READ_MOST), LINKS_MOST) : null;
  return {
    body: [shownTextOf([(text ?? '').slice(0, READ_MOST), page?.shown ?? ''])],
    links: page?.links.map((link) => linkTexts(link.url, link.text)) ?? [],
  };
}

function emailTexts(email: EmailProfile): Texts {
  return {
    subject: [email.subject],
    sender: [...mailboxes([email.from, email.sender, ...(email.reply_to ?? [])]), email.return_path],
    recipients: mailboxes(allRecipients(email)),
    links: email.links?.map((link) => linkTexts(link.url, link.text)) ?? [],
    headers: [email.message_id && `Message-ID: ${email.message_id}`],
  };
}

/** The texts of a user, a group or a chat message. */
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
    headers: parseHeaders(raw.slice(0, READ_MOST), decodeBytes, { maxHeaders: HEADERS_MOST }).headers.map(
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
} satisfies Record<KeptEndpoint, (data: never) => Texts>;

const isRead = (endpoint: string): endpoint is KeptEndpoint => Object.hasOwn(READERS, endpoint);

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
export function keptTexts(endpoint: string, data: string): string {
  if (!isRead(endpoint)) return '[]';
  try {
    const read = READERS[endpoint];
    return JSON.stringify(textsOf(read(JSON.parse(data))));
  } catch {
    return JSON.stringify([CUT_ROW]);
  }
}

/**
 * JSON of the verdict of Parapet's own checks and the strongest reason for it, with their basis, which is all if they fail.
 * null if neither headers nor body are there. Never throws.
 */
export function keptChecks(
  headers: string | null,
  body: string | null,
  attachments: string | null,
  basis: string,
): string | null {
  if (headers === null && body === null) return null;
  try {
    const { believed } = JSON.parse(basis) as ChecksBasis;
    const { verdict, findings } = assessTenantMail({
      headers:
        headers === null
          ? null
          : readHeaders((JSON.parse(headers) as { raw: string }).raw, decodeBytes).headers,
      body: body === null ? null : (JSON.parse(body) as Body),
      attachments: attachments === null ? null : (JSON.parse(attachments) as { rows: Attachment[] }).rows,
      believed,
    });
    const reason = verdict === null ? null : (findings[0]?.sentence ?? null);
    return JSON.stringify({ verdict, reason, basis } satisfies OwnVerdict & { basis: string });
  } catch {
    return JSON.stringify({ basis });
  }
}
