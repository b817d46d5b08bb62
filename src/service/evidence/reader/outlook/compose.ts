/** Writes a message of Outlook as mail (RFC 5322, MIME); the same message always as the same bytes. */
import { createHash } from 'node:crypto';
import {
  bytesOf,
  charsetOf,
  codePageOf,
  numberOf,
  type Properties,
  TYPE,
  textOf,
  timeOf,
} from './properties.ts';
import { decompressRtf, unwrapRtf } from './rtf.ts';

export interface OutlookMessage {
  properties: Properties;
  recipients: Properties[];
  attachments: OutlookAttachment[];
}
interface OutlookAttachment {
  properties: Properties;
  /** The message that is attached, or null. */
  message: OutlookMessage | null;
}

const MAX_RTF = 64 * 1024 * 1024;
const MAX_DEPTH = 10;
const LINE = 76;

const ID = {
  class: 0x001a,
  subject: 0x0037,
  submitted: 0x0039,
  topic: 0x0070,
  threadIndex: 0x0071,
  headers: 0x007d,
  received: 0x0e06,
  text: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  messageId: 0x1035,
  references: 0x1039,
  inReplyTo: 0x1042,
  recipientType: 0x0c15,
  name: 0x3001,
  addressType: 0x3002,
  address: 0x3003,
  smtp: 0x39fe,
  data: 0x3701,
  shortName: 0x3704,
  fileName: 0x3707,
  mimeType: 0x370e,
  contentId: 0x3712,
  internetCodePage: 0x3fde,
  language: 0x3ff1,
  codePage: 0x3ffd,
} as const;
/** Name, type of address, address, SMTP address: of who it is from, else of who sent it. */
const AUTHORS = [
  [0x0042, 0x0064, 0x0065, 0x5d02],
  [0x0c1a, 0x0c1e, 0x0c1f, 0x5d01],
] as const;

/** The header of a signed part, and nothing else before it. */
const SIGNED = /^(?:MIME-Version[ \t]*:[^\r\n]*\r?\n)?Content-Type[ \t]*:[ \t]*multipart\/signed\b/i;

/** The properties that a mail is made of. */
export const READ: ReadonlySet<number> = new Set([...Object.values(ID), ...AUTHORS.flat()]);

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
const quoted = (text: string): string => `"${oneLine(text).replace(/["\\]/g, '\\$&')}"`;
const base64 = (bytes: Uint8Array): string =>
  (
    Buffer.from(bytes)
      .toString('base64')
      .match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []
  ).join('\r\n');

function mailbox(properties: Properties, ids: readonly [number, number, number, number], charset: string) {
  const [name = '', type = '', address = '', smtp = ''] = ids.map((id) =>
    oneLine(textOf(properties, id, charset)),
  );
  const mail = smtp.includes('@') ? smtp : /^(?:smtp)?$/i.test(type) || address.includes('@') ? address : '';
  if (mail !== '') {
    const bare = (/<([^<>\s]+@[^<>\s]+)>/.exec(mail)?.[1] ?? mail).replace(/[<>\s]/g, '');
    return name === '' || name === mail ? `<${bare}>` : `${quoted(name)} <${bare}>`;
  }
  // An address within Exchange is no mail address, but tells who it is.
  const shown = address === '' ? name : `${name} [${address}]`.trim();
  if (shown === '') return null;
  // Without the brackets a name with an @ in it would be read as an address.
  return shown.includes('@') && !/^\S+@\S+$/.test(name) ? `${quoted(shown)} <>` : quoted(shown);
}

const headerText = (bytes: readonly (string | null)[]): string => bytes.filter((one) => one).join(',\r\n ');
const field = (name: string, value: string | null): string[] => (value ? [`${name}: ${value}`] : []);
const dateText = (time: number | null): string | null =>
  time === null ? null : new Date(time).toUTCString().replace('GMT', '+0000');

/** The header fields as they came, if Outlook kept them; what described the parts stays under another name. */
function keptFields(text: string): string[] {
  return text
    .split(/\r?\n(?![ \t])/)
    .filter((line) => /^[!-9;-~]+[ \t]*:/.test(line))
    .map((line) => line.replace(/\r?\n|[\0\r\n]/g, (end) => (end.includes('\n') ? '\r\n' : ' ')))
    .map((line) => line.replace(/^(?=content-|mime-version)/i, 'X-Original-'));
}

function fieldsOf({ properties, recipients }: OutlookMessage, charset: string): string[] {
  const text = (id: number) => oneLine(textOf(properties, id, charset));
  const kept = keptFields(textOf(properties, ID.headers, charset));
  const named = new Set(kept.map((line) => line.slice(0, line.indexOf(':')).trim().toLowerCase()));
  const of = (kind: number) =>
    headerText(
      recipients
        .filter((one) => (numberOf(one, ID.recipientType) ?? 1) % 16 === kind)
        .map((one) => mailbox(one, [ID.name, ID.addressType, ID.address, ID.smtp], charset)),
    );
  const author = AUTHORS.map((ids) => mailbox(properties, ids, charset)).find((one) => one !== null);
  const index = bytesOf(properties, ID.threadIndex)?.toString('base64') ?? null;
  const made: [string, string | null][] = [
    ['From', author ?? null],
    ['To', of(1)],
    ['Cc', of(2)],
    ['Bcc', of(3)],
    ['Subject', text(ID.subject)],
    ['Date', dateText(timeOf(properties, ID.submitted) ?? timeOf(properties, ID.received))],
    ['Message-ID', text(ID.messageId)],
    ['In-Reply-To', text(ID.inReplyTo)],
    ['References', text(ID.references)],
    ['Thread-Topic', text(ID.topic)],
    ['Thread-Index', index],
  ];
  const isKept = kept.length > 0;
  return [
    `X-Parapet-Converted: from an Outlook message; ${isKept ? 'its header fields are as received' : 'its header fields are made of its properties'}`,
    ...kept,
    ...made.filter(([name]) => !named.has(name.toLowerCase())).flatMap(([name, value]) => field(name, value)),
    'MIME-Version: 1.0',
  ];
}

const part = (fields: readonly string[], bytes: Uint8Array): Buffer =>
  Buffer.from([...fields, 'Content-Transfer-Encoding: base64', '', base64(bytes)].join('\r\n'));

function bodies(properties: Properties, charset: string): { alternatives: Buffer[]; further: Buffer[] } {
  const alternatives: Buffer[] = [];
  const further: Buffer[] = [];
  const utf8 = (kind: string, text: string) =>
    alternatives.push(part([`Content-Type: text/${kind}; charset=utf-8`], Buffer.from(text)));
  let text = textOf(properties, ID.text, charset);
  const html = properties.get(ID.html);
  const rtf = properties.has(ID.rtf)
    ? decompressRtf(bytesOf(properties, ID.rtf) ?? Buffer.alloc(0), MAX_RTF)
    : null;
  const unwrapped = rtf === null || html !== undefined ? { html: null, text: null } : unwrapRtf(rtf);
  if (text === '') text = unwrapped.text ?? '';
  if (text !== '') utf8('plain', text);
  if (html?.type === TYPE.bytes) {
    const label = charsetOf(numberOf(properties, ID.internetCodePage) ?? 65001);
    alternatives.push(part([`Content-Type: text/html; charset=${label}`], html.bytes));
  } else if (html !== undefined) utf8('html', textOf(properties, ID.html, charset));
  else if (unwrapped.html !== null) utf8('html', unwrapped.html);
  else if (rtf !== null)
    further.push(
      part(['Content-Type: application/rtf', 'Content-Disposition: attachment; filename="body.rtf"'], rtf),
    );
  return { alternatives, further };
}

function attachmentPart({ properties, message }: OutlookAttachment, charset: string, depth: number): Buffer {
  const text = (id: number) => oneLine(textOf(properties, id, charset));
  const name = text(ID.fileName) || text(ID.shortName) || text(ID.name);
  const contentId = text(ID.contentId).replace(/[<>]/g, '');
  // What else has a Content-ID is a file: a text shown inline would be read as the mail's own.
  const isShown = contentId !== '' && /^image\//i.test(text(ID.mimeType));
  const disposition = `Content-Disposition: ${isShown ? 'inline' : 'attachment'}`;
  const fields = [
    ...(name === '' ? [disposition] : [disposition, ` filename=${quoted(name)}`]),
    ...field('Content-ID', contentId === '' ? null : `<${contentId}>`),
  ]
    .join(';\r\n')
    .replace(/;\r\n(?=Content-ID)/, '\r\n');
  if (message !== null && depth < MAX_DEPTH)
    return Buffer.concat([
      Buffer.from(`Content-Type: message/rfc822\r\n${fields}\r\n\r\n`),
      composeMail(message, depth + 1),
    ]);
  const type = text(ID.mimeType);
  const isType = /^[\w.+-]+\/[\w.+-]+$/.test(type) && !/^(?:multipart|message)\//i.test(type);
  return part(
    [`Content-Type: ${isType ? type : 'application/octet-stream'}`, fields],
    bytesOf(properties, ID.data) ?? Buffer.alloc(0),
  );
}

function multipart(kind: string, parts: readonly Buffer[]): Buffer {
  if (parts.length === 1 && kind === 'alternative') return parts[0] ?? Buffer.alloc(0);
  // A boundary made of the parts stands in none of them.
  const hash = createHash('sha256');
  for (const one of parts) hash.update(one).update('\0');
  const mark = `_${hash.digest('hex').slice(0, 40)}`;
  return Buffer.concat([
    Buffer.from(`Content-Type: multipart/${kind}; boundary="${mark}"\r\n\r\n`),
    ...parts.flatMap((one) => [Buffer.from(`--${mark}\r\n`), one, Buffer.from('\r\n')]),
    Buffer.from(`--${mark}--\r\n`),
  ]);
}

/** Of a signed message: what was signed, as it came, which Outlook keeps as its only attachment; null: it is none. */
function signedOf({ properties, attachments }: OutlookMessage, charset: string): Buffer | null {
  const [attached, another] = attachments;
  if (!/^IPM\.Note\.SMIME\.MultipartSigned$/i.test(textOf(properties, ID.class, charset))) return null;
  const bytes = attached && another === undefined ? bytesOf(attached.properties, ID.data) : null;
  return bytes !== null && SIGNED.test(bytes.toString('latin1', 0, 4_096)) ? bytes : null;
}

/** The message as mail; `depth`: messages that it is attached to. */
export function composeMail(message: OutlookMessage, depth = 0): Buffer {
  const { properties, attachments } = message;
  const page = numberOf(properties, ID.codePage);
  const language = numberOf(properties, ID.language);
  const charset = charsetOf(page ?? (language === null ? 1252 : codePageOf(language)));
  const head = Buffer.from(`${fieldsOf(message, charset).join('\r\n')}\r\n`);
  const signed = signedOf(message, charset);
  if (signed !== null) return Buffer.concat([head, signed]);
  const { alternatives, further } = bodies(properties, charset);
  const body =
    alternatives.length === 0
      ? part(['Content-Type: text/plain; charset=utf-8'], Buffer.alloc(0))
      : multipart('alternative', alternatives);
  const rest = [...further, ...attachments.map((one) => attachmentPart(one, charset, depth))];
  return Buffer.concat([head, rest.length === 0 ? body : multipart('mixed', [body, ...rest])]);
}
