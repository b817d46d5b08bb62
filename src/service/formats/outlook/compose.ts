/** Writes an Outlook message as mail (RFC 5322, MIME). Deterministic: the same message gives the same bytes. */
import { createHash } from 'node:crypto';
import { decodeBytes } from '#shared/mail/charsets.ts';
import { allHeaders, firstHeader, type MailHeader, parseHeaders } from '#shared/mail/headers.ts';
import { inBase64 } from '../files/transfer.ts';
import { isCfb } from './cfb.ts';
import { packagedFile } from './package.ts';
import {
  bytesOf,
  charsetOf,
  codePageOf,
  isCutShort,
  NAMED,
  numberOf,
  type Properties,
  TYPE,
  textOf,
  timeOf,
} from './properties.ts';
import { decompressRtf, isWholeRtf, unwrapRtf, wrapsHtml } from './rtf.ts';

export interface OutlookMessage {
  properties: Properties;
  recipients: Properties[];
  attachments: OutlookAttachment[];
}
export interface OutlookAttachment {
  properties: Properties;
  /** The message that is attached, or null. */
  message: OutlookMessage | null;
}

const MAX_RTF = 64 * 1024 * 1024;
const MAX_DEPTH = 10;
const MAX_KEPT = 10_000;

const ID = {
  class: 0x001a,
  subject: 0x0037,
  subjectPrefix: 0x003d,
  subjectRest: 0x0e1d,
  submitted: 0x0039,
  topic: 0x0070,
  threadIndex: 0x0071,
  headers: 0x007d,
  received: 0x0e06,
  flags: 0x0e07,
  replyEntries: 0x004f,
  replyNames: 0x0050,
  text: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  messageId: 0x1035,
  references: 0x1039,
  inReplyTo: 0x1042,
  recipientType: 0x0c15,
  shownBcc: 0x0e02,
  shownCc: 0x0e03,
  shownTo: 0x0e04,
  name: 0x3001,
  addressType: 0x3002,
  address: 0x3003,
  smtp: 0x39fe,
  data: 0x3701,
  shortName: 0x3704,
  method: 0x3705,
  shortPath: 0x3708,
  path: 0x370d,
  fileName: 0x3707,
  mimeType: 0x370e,
  contentId: 0x3712,
  internetCodePage: 0x3fde,
  language: 0x3ff1,
  codePage: 0x3ffd,
} as const;
const SHOWN_TO = { 1: ID.shownTo, 2: ID.shownCc, 3: ID.shownBcc } as const;
/** Name, type of address, address, SMTP address: of the author, otherwise of the sender. */
const AUTHORS = [
  [0x0042, 0x0064, 0x0065, 0x5d02],
  [0x0c1a, 0x0c1e, 0x0c1f, 0x5d01],
] as const;

const UNSENT = 8;
/** Methods that attach a file's location instead of the file: paths, and a web address. */
const BY_REFERENCE: ReadonlySet<number | null> = new Set([2, 3, 4, 7]);
/** The identifier of an entry that contains the full address (MS-OXCDATA 2.2.5.1). */
const ONE_OFF = '812b1fa4bea310199d6e00dd010f5402';
/** Fields of a signed part that may precede those of the mail without changing its meaning. */
const PART_FIELD = /^(?:mime-version|content-[\w-]+|x-[\w-]+)$/i;

export const READ: ReadonlySet<number> = new Set([...Object.values(ID), ...AUTHORS.flat()]);

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
const quoted = (text: string): string => `"${oneLine(text).replace(/["\\]/g, '\\$&')}"`;

function mailbox(properties: Properties, ids: readonly [number, number, number, number], charset: string) {
  const [name = '', type = '', address = '', smtp = ''] = ids.map((id) =>
    oneLine(textOf(properties, id, charset)),
  );
  const isMail = /^(?:smtp)?$/i.test(type) || (address.includes('@') && !/^\/o=/i.test(address));
  const mail = smtp.includes('@') ? smtp : isMail ? address : '';
  if (mail !== '') {
    const bare = (/<([^<>\s@]+@[^<>\s]+)>/.exec(mail)?.[1] ?? mail).replace(/[<>\s]/g, '');
    return name === '' || name === mail ? `<${bare}>` : `${quoted(name)} <${bare}>`;
  }
  // An Exchange address is not a mail address, but identifies the person.
  const shown = address === '' ? name : `${name} [${address}]`.trim();
  if (shown === '') return null;
  if (/^[^\s<>@"]+@[^\s<>@"]+$/.test(name))
    return address === '' ? `<${name}>` : `${quoted(`[${address}]`)} <${name}>`;
  // Without the brackets a name with an @ in it would be read as an address.
  return shown.includes('@') ? `${quoted(shown)} <>` : quoted(shown);
}

/** Whether two mailboxes are the same: by their addresses, or by name if only Exchange knows an address. */
function isSameMailbox(a: string, b: string): boolean {
  const [first, other] = [a, b].map((text) => /<([^<>@]+@[^<>]+)>$/.exec(text)?.[1]?.toLowerCase());
  if (first !== undefined && other !== undefined) return first === other;
  const nameOf = (text: string) => text.replace(/["\\]|\[[^[\]]*\]|<[^<>]*>/g, '').trim();
  return nameOf(a) === nameOf(b);
}

/** The reply addresses: complete ones, otherwise the names that Outlook shows. */
function repliesTo(properties: Properties, charset: string): string {
  const bytes = bytesOf(properties, ID.replyEntries) ?? Buffer.alloc(0);
  const addresses: (string | null)[] = [];
  for (let offset = 8; offset + 28 <= bytes.length; ) {
    const length = bytes.readUInt32LE(offset);
    const entry = bytes.subarray(offset + 4, offset + 4 + length);
    offset += 4 + length + (-length & 3);
    if (entry.length < 24 || entry.toString('hex', 4, 20) !== ONE_OFF) continue;
    const isWide = (entry.readUInt16LE(22) & 0x8000) !== 0;
    const texts = (isWide ? entry.toString('utf16le', 24) : decodeBytes(entry.subarray(24), charset)).split(
      '\0',
    );
    const property = (id: number) => ({ type: TYPE.text16, bytes: Buffer.from(texts[id] ?? '', 'utf16le') });
    addresses.push(mailbox(new Map([0, 1, 2].map((id) => [id, property(id)])), [0, 1, 2, 3], charset));
  }
  if (addresses.length > 0) return headerText(addresses);
  return namesText(textOf(properties, ID.replyNames, charset));
}

const headerText = (bytes: readonly (string | null)[]): string => bytes.filter((byte) => byte).join(',\r\n ');
/** A list of names, as Outlook shows it; some are addresses, also in quotation marks. */
const namesText = (list: string): string =>
  headerText(
    list
      .split(';')
      .map((name) => oneLine(name).replace(/^'([^']*)'$/, '$1'))
      .filter((name) => name !== '')
      .map((name) => (/^[^\s<>@]+@[^\s<>@]+$/.test(name) ? `<${name}>` : quoted(name))),
  );
const field = (name: string, value: string | null): string[] => (value ? [`${name}: ${value}`] : []);
const dateText = (time: number | null): string | null =>
  time === null ? null : new Date(time).toUTCString().replace('GMT', '+0000');

/** Drafts have empty header fields; the properties replace them. */
const EMPTY = /^(?:from|to|cc|bcc|sender|reply-to|subject|date|message-id)[ \t]*:\s*$/i;
/** The original header fields, if Outlook stored them; fields about the parts are kept under another name. */
function keptFields(text: string): string[] {
  return text
    .split(/\r?\n(?![ \t])/)
    .filter((line) => /^[!-9;-~]+[ \t]*:/.test(line) && !EMPTY.test(line))
    .map((line) => line.replace(/\r?\n|[\0\r\n]/g, (end) => (end.includes('\n') ? '\r\n' : ' ')))
    .map((line) => line.replace(/^(?=content-|mime-version)/i, 'X-Original-'));
}

/** Whether a field is missing among the stored ones; for recipients also if the stored field has no address. */
function isMissing(headers: readonly MailHeader[], name: string, value: string | null): boolean {
  const headersOfName = allHeaders(headers, name);
  if (headersOfName.length === 0) return true;
  return (
    /^(?:to|cc)$/i.test(name) &&
    (value ?? '').includes('@') &&
    !headersOfName.some((header) => header.value.includes('@'))
  );
}

/** The subject and author that Outlook shows, if they differ from the stored fields: both are evidence. */
function shownElse(headers: readonly MailHeader[], subject: string, author: string | null): string[] {
  const plain = (text: string) => text.replace(/[\s\ufffd]+/g, '').toLowerCase();
  const original = firstHeader(headers, 'Subject')?.decoded;
  const from = allHeaders(headers, 'From');
  const addresses = from.flatMap(({ value }) => value.toLowerCase().split(/[\s<>"',;:()]+/));
  const address = /<([^<>@]+@[^<>]+)>$/.exec(author ?? '')?.[1]?.toLowerCase();
  const isOtherSubject = original !== undefined && subject !== '' && plain(original) !== plain(subject);
  const isOtherAuthor = from.length > 0 && address !== undefined && !addresses.includes(address);
  return [
    ...field('X-Outlook-Subject', isOtherSubject ? subject : null),
    ...field('X-Outlook-From', isOtherAuthor ? author : null),
  ];
}

function fieldsOf({ properties, recipients }: OutlookMessage, charset: string): string[] {
  const text = (id: number) => oneLine(textOf(properties, id, charset));
  const original = keptFields(textOf(properties, ID.headers, charset));
  const { headers } = parseHeaders(`${original.join('\r\n')}\r\n`, decodeBytes, { maxHeaders: MAX_KEPT });
  const isKept = original.length > 0;
  // Without their list, only their names are left.
  const of = (kind: 1 | 2 | 3) =>
    headerText(
      recipients
        .filter((recipient) => (numberOf(recipient, ID.recipientType) ?? 1) % 16 === kind)
        .map((recipient) => mailbox(recipient, [ID.name, ID.addressType, ID.address, ID.smtp], charset)),
    ) || (recipients.length === 0 ? namesText(textOf(properties, SHOWN_TO[kind], charset)) : '');
  const [represented, sender] = AUTHORS.map((ids) => mailbox(properties, ids, charset));
  const author = represented ?? sender ?? null;
  const parts = [ID.subjectPrefix, ID.subjectRest].map((id) => textOf(properties, id, charset)).join('');
  const subject = text(ID.subject) || oneLine(parts) || text(ID.topic);
  const index = bytesOf(properties, ID.threadIndex)?.toString('base64') ?? null;
  const fields: [string, string | null][] = [
    ['From', author],
    ['Sender', !isKept && author && sender && !isSameMailbox(author, sender) ? sender : null],
    ['Reply-To', isKept ? null : repliesTo(properties, charset)],
    ['To', of(1)],
    ['Cc', of(2)],
    ['Bcc', of(3)],
    ['Subject', subject],
    ['Date', dateText(timeOf(properties, ID.submitted) ?? timeOf(properties, ID.received))],
    ['Message-ID', text(ID.messageId)],
    ['In-Reply-To', text(ID.inReplyTo)],
    ['References', text(ID.references)],
    ['Thread-Topic', text(ID.topic)],
    ['Thread-Index', index],
    ['X-Outlook-Location', text(NAMED.location)],
    ['X-Outlook-Start', dateText(timeOf(properties, NAMED.start))],
    ['X-Outlook-End', dateText(timeOf(properties, NAMED.end))],
    ['X-Outlook-Reminder-Sound', text(NAMED.reminderSound)],
    ['X-Unsent', ((numberOf(properties, ID.flags) ?? 0) & UNSENT) !== 0 ? '1' : null],
  ];
  return [
    `X-Parapet-Converted: from an Outlook message; ${isKept ? 'its header fields are as received' : 'its header fields are made of its properties'}`,
    ...original,
    ...fields
      .filter(([name, value]) => isMissing(headers, name, value))
      .flatMap(([name, value]) => field(name, value)),
    ...(isKept ? shownElse(headers, subject, author) : []),
    'MIME-Version: 1.0',
  ];
}

const part = (fields: readonly string[], bytes: Uint8Array): Buffer =>
  Buffer.from([...fields, 'Content-Transfer-Encoding: base64', '', inBase64(bytes)].join('\r\n'));

const URL = /(?:https?|ftp|file):\/\/[^\s<>"]+|\\\\[^\s<>"]+/gi;
const addressesOf = (text: string): Set<string> =>
  new Set((text.match(URL) ?? []).map((address) => address.replace(/(?<![.,;:!?)\]])[.,;:!?)\]]+$/, '')));
/** Letters and digits of a text, without the addresses in it. */
const wordsOf = (text: string): string => text.replaceAll(URL, '').replace(/[^\p{L}\p{N}]+/gu, '');

/** Whether the RTF contains words or addresses that the plain text lacks. */
function saysElse(shown: string, text: string): boolean {
  const addresses = addressesOf(text);
  return (
    [...addressesOf(shown)].some((address) => !addresses.has(address)) || wordsOf(shown) !== wordsOf(text)
  );
}

interface Bodies {
  alternatives: Buffer[];
  further: Buffer[];
  isDamaged: boolean;
}

function bodies(properties: Properties, charset: string): Bodies {
  const alternatives: Buffer[] = [];
  const further: Buffer[] = [];
  const utf8 = (kind: string, text: string) =>
    alternatives.push(part([`Content-Type: text/${kind}; charset=utf-8`], Buffer.from(text)));
  const text = textOf(properties, ID.text, charset);
  if (text !== '') utf8('plain', text);
  const html = properties.get(ID.html);
  if (html?.type === TYPE.bytes) {
    const label = charsetOf(numberOf(properties, ID.internetCodePage) ?? 65001);
    alternatives.push(part([`Content-Type: text/html; charset=${label}`], html.bytes));
  } else if (html !== undefined) utf8('html', textOf(properties, ID.html, charset));
  const isCut = [ID.text, ID.html, ID.headers].some(
    (id) => properties.get(id)?.type !== TYPE.bytes && isCutShort(properties, id, charset),
  );
  const packed = bytesOf(properties, ID.rtf);
  if (packed === null || packed.length === 0) return { alternatives, further, isDamaged: isCut };
  const rtf = decompressRtf(packed, MAX_RTF);
  const isDamaged = isCut || rtf === null || !isWholeRtf(packed);
  // RTF that only wraps the existing HTML adds nothing.
  if (rtf === null || (html !== undefined && wrapsHtml(rtf))) return { alternatives, further, isDamaged };
  const unwrapped = unwrapRtf(rtf);
  if (unwrapped.html !== null) utf8('html', unwrapped.html);
  else {
    // Outlook shows the RTF, so text that is only in it must be found, too.
    const shown = unwrapped.text ?? '';
    if (shown.trim() !== '' && (text === '' || saysElse(shown, text))) utf8('plain', shown);
    further.push(
      part(['Content-Type: application/rtf', 'Content-Disposition: attachment; filename="body.rtf"'], rtf),
    );
  }
  return { alternatives, further, isDamaged };
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A page with a link to the attachment's location, so that the address counts among the links of the mail. */
function referencePart(name: string, path: string): Buffer {
  const address = path.startsWith('\\\\') ? `file:${path.replaceAll('\\', '/')}` : path;
  const page = `<a href="${escapeHtml(address)}">${escapeHtml(path)}</a>`;
  return part(
    [
      'Content-Type: text/html; charset=utf-8',
      `Content-Disposition: attachment; filename=${quoted(`${name || 'attachment'} (reference).html`)}`,
    ],
    Buffer.from(page),
  );
}

function attachmentParts(
  { properties, message }: OutlookAttachment,
  charset: string,
  depth: number,
): { parts: Buffer[]; isDamaged: boolean } {
  const text = (id: number) => oneLine(textOf(properties, id, charset));
  const name = text(ID.fileName) || text(ID.shortName) || text(ID.name);
  const contentId = text(ID.contentId).replace(/[<>]/g, '');
  // Other parts with a Content-ID are files: a text shown inline would be read as the mail's own text.
  const isShown = contentId !== '' && /^image\//i.test(text(ID.mimeType));
  const disposition = `Content-Disposition: ${isShown ? 'inline' : 'attachment'}`;
  const fields = [
    ...(name === '' ? [disposition] : [disposition, ` filename=${quoted(name)}`]),
    ...field('Content-ID', contentId === '' ? null : `<${contentId}>`),
  ]
    .join(';\r\n')
    .replace(/;\r\n(?=Content-ID)/, '\r\n');
  if (message !== null && depth < MAX_DEPTH) {
    const { mail, isDamaged } = composeMail(message, depth + 1);
    const head = Buffer.from(`Content-Type: message/rfc822\r\n${fields}\r\n\r\n`);
    return { parts: [Buffer.concat([head, mail])], isDamaged };
  }
  const type = text(ID.mimeType);
  const isType = /^[\w.+-]+\/[\w.+-]+$/.test(type) && !/^(?:multipart|message)\//i.test(type);
  const bytes = bytesOf(properties, ID.data) ?? Buffer.alloc(0);
  const path = text(ID.path) || text(ID.shortPath);
  const isReference = bytes.length === 0 && path !== '' && BY_REFERENCE.has(numberOf(properties, ID.method));
  if (isReference) return { parts: [referencePart(name, path)], isDamaged: false };
  const parts = [part([`Content-Type: ${isType ? type : 'application/octet-stream'}`, fields], bytes)];
  const inner = isCfb(bytes) ? packagedFile(bytes) : null;
  if (inner !== null)
    parts.push(
      part(
        [
          'Content-Type: application/octet-stream',
          `Content-Disposition: attachment; filename=${quoted(decodeBytes(inner.name, charset))}`,
        ],
        inner.bytes,
      ),
    );
  return { parts, isDamaged: inner?.isCut === true };
}

function multipart(kind: string, parts: readonly Buffer[]): Buffer {
  if (parts.length === 1 && kind === 'alternative') return parts[0] ?? Buffer.alloc(0);
  // A boundary derived from the parts occurs in none of them.
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  const mark = `_${hash.digest('hex').slice(0, 40)}`;
  return Buffer.concat([
    Buffer.from(`Content-Type: multipart/${kind}; boundary="${mark}"\r\n\r\n`),
    ...parts.flatMap((part) => [Buffer.from(`--${mark}\r\n`), part, Buffer.from('\r\n')]),
    Buffer.from(`--${mark}--\r\n`),
  ]);
}

/** Whether bytes begin with the header of a multipart/signed, without any field of a mail. */
function isSignedPart(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 16_384);
  const end = /\r?\n\r?\n/.exec(start);
  if (end === null) return false;
  const { headers, stray } = parseHeaders(start.slice(0, end.index + 2), decodeBytes, { maxHeaders: 100 });
  const type = firstHeader(headers, 'Content-Type')?.value ?? '';
  return (
    stray.length === 0 &&
    headers.every(({ name }) => PART_FIELD.test(name)) &&
    /^multipart\/signed\b/i.test(type)
  );
}

/**
 * The original signed content of a signed message, which Outlook stores as its only attachment, or null if not
 * signed.
 */
function signedOf({ properties, attachments }: OutlookMessage, charset: string): Buffer | null {
  const [attached, another] = attachments;
  if (!/^IPM\.Note\.SMIME\.MultipartSigned$/i.test(textOf(properties, ID.class, charset))) return null;
  const bytes = attached && another === undefined ? bytesOf(attached.properties, ID.data) : null;
  return bytes !== null && isSignedPart(bytes) ? bytes : null;
}

/** The message as mail; `depth` counts the messages that it is attached to. */
export function composeMail(message: OutlookMessage, depth = 0): { mail: Buffer; isDamaged: boolean } {
  const { properties, attachments } = message;
  const page = numberOf(properties, ID.codePage);
  const language = numberOf(properties, ID.language);
  const charset = charsetOf(page ?? (language === null ? 1252 : codePageOf(language)));
  const head = Buffer.from(`${fieldsOf(message, charset).join('\r\n')}\r\n`);
  const signed = signedOf(message, charset);
  if (signed !== null) return { mail: Buffer.concat([head, signed]), isDamaged: false };
  const { alternatives, further, isDamaged } = bodies(properties, charset);
  const body =
    alternatives.length === 0
      ? part(['Content-Type: text/plain; charset=utf-8'], Buffer.alloc(0))
      : multipart('alternative', alternatives);
  const attached = attachments.map((attachment) => attachmentParts(attachment, charset, depth));
  const rest = [...further, ...attached.flatMap(({ parts }) => parts)];
  return {
    mail: Buffer.concat([head, rest.length === 0 ? body : multipart('mixed', [body, ...rest])]),
    isDamaged: isDamaged || attached.some((message) => message.isDamaged),
  };
}
