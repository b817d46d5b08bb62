import { allHeaders, firstHeader, type MailHeader, parseHeaders } from '#shared/mail/headers.ts';
import { parseParameters } from '#shared/mail/parameters.ts';
import { decodeBytes, decodeHeaderBlock } from './charset.ts';
import { typeByContent } from './magic.ts';
import { mailBegin, narrowed } from './mail-start.ts';
import { isTnef, mailOfTnef } from './outlook/tnef.ts';
import { pgpInFile } from './pgp.ts';
import { readSmime, SIGNED } from './smime.ts';
import { decodeTransfer, uuFiles } from './transfer.ts';
import type { EvidenceLimits } from './types.ts';
import { Unpacking } from './unpacking.ts';

/** A part of the MIME tree; `body` is a view of the raw bytes, not a copy. */
export interface PartNode {
  path: string;
  headers: MailHeader[];
  contentType: string;
  charset: string | null;
  encoding: string;
  disposition: string | null;
  filename: string | null;
  contentId: string | null;
  /** Whether it is a part of a multipart/encrypted, which says nothing about whether it is encrypted. */
  isSealed: boolean;
  /** Parameters of Content-Type, lowercased names. */
  parameters: Map<string, string>;
  body: Buffer;
  /** Parts of a multipart, or the one root of a nested message. */
  children: PartNode[];
  multipart: boolean;
  /** Nested message/rfc822 levels above this part. */
  nested: number;
  /** Lines among a part's headers that are not fields, which would otherwise not be shown anywhere. */
  stray: readonly string[];
}

interface Context {
  limits: EvidenceLimits;
  problems: Set<string>;
  parts: number;
  unpacking: Unpacking;
}

const LF = 0x0a;
const CR = 0x0d;

/** End of the header block and start of the body: the first empty line. Linear. */
export function headerEnd(bytes: Buffer): { end: number; body: number } {
  const bareCr = bytes.indexOf(LF) < 0 && bytes.indexOf(CR) >= 0;
  const eol = bareCr ? CR : LF;
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(eol, at);
    if (found < 0) break;
    if (found === at || (!bareCr && found === at + 1 && bytes[at] === CR))
      return { end: at, body: found + 1 };
    at = found + 1;
  }
  return { end: bytes.length, body: bytes.length };
}

const FIELD = /^(?:>?From |[!-9;-~\x80-\xff]+[ \t]*:)/;
/** Only these fields have a meaning in a part (RFC 2045); any other word before a colon may be text. */
const PART_FIELD = /^(?:content-|mime-|x-)[\w-]*[ \t]*:/i;
/** The beginning of a part with a header, after empty lines. */
export const PART_START = /^\s*(?:content-|mime-)[\w-]*[ \t]*:/i;
const MAIL_FIELD =
  /^(?:from|to|cc|subject|date|message-id|received|reply-to|return-path|mime-version|content-[\w-]+)[ \t]*:/im;
const MAX_FIELD_NAME = 1000;
const MAX_LOOKED_THROUGH = 256 * 1024;

/** Offset of the first line that is neither a field nor a continuation. Linear. */
function fieldsEnd(bytes: Buffer, field: RegExp): number {
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(LF, at);
    const next = found < 0 ? bytes.length : found + 1;
    const goesOn = at > 0 && (bytes[at] === 0x20 || bytes[at] === 0x09);
    if (!goesOn && !field.test(bytes.toString('latin1', at, Math.min(next, at + MAX_FIELD_NAME)))) return at;
    at = next;
  }
  return bytes.length;
}

/**
 * The header block and body, also when the empty line between them is missing: a delimiter line in the header block
 * then starts the body, including non-field lines directly above it; without one the first non-field line does, unless
 * more mail fields follow. A part that begins with text has no headers at all. Otherwise the text would be lost among
 * the headers.
 */
function headersOf(bytes: Buffer, isPart: boolean): { end: number; body: number } {
  const found = headerEnd(bytes);
  if (found.end === 0) return found;
  if (isPart && fieldsEnd(bytes, FIELD) === 0) return { end: 0, body: 0 };
  const delimiter = bytes.subarray(0, found.end).indexOf('\n--');
  if (delimiter < 0) {
    if (found.end < bytes.length) return found;
    const end = fieldsEnd(bytes, isPart ? PART_FIELD : FIELD);
    const goesOn = !isPart && MAIL_FIELD.test(bytes.toString('latin1', end, end + MAX_LOOKED_THROUGH));
    return goesOn ? found : { end, body: end };
  }
  let end = delimiter + 1;
  while (end > 1) {
    const start = bytes.lastIndexOf(LF, end - 2) + 1;
    const line = bytes.subarray(start, end);
    if (line[0] === 0x20 || line[0] === 0x09 || line.indexOf(0x3a) >= 0) break;
    end = start;
  }
  return { end, body: end };
}

/** The bodies between delimiter lines (RFC 2046 section 5.1.1); null when the body contains no delimiter. */
function splitMultipart(
  body: Buffer,
  boundary: string,
  limit: number,
  isLoose = false,
): { bodies: Buffer[]; closed: boolean; goesOn: boolean } | null {
  const mark = Buffer.from(`--${boundary}`, 'utf8');
  const bodies: Buffer[] = [];
  let start = -1;
  let closed = false;
  let goesOn = false;
  for (let at = 0; ; ) {
    const found = body.indexOf(mark, at);
    if (found < 0) break;
    at = found + mark.length;
    const before = found === 0 ? LF : body[found - 1];
    if (before !== LF && before !== CR) continue;
    const closing = body[at] === 0x2d && body[at + 1] === 0x2d;
    let rest = closing ? at + 2 : at;
    while (body[rest] === 0x20 || body[rest] === 0x09) rest++;
    // Words after a blank do not make it another boundary; text without one does.
    if (isLoose && rest > (closing ? at + 2 : at))
      while (rest < body.length && body[rest] !== LF && body[rest] !== CR) rest++;
    // More text after the delimiter means another, longer boundary.
    if (rest < body.length && body[rest] !== LF && body[rest] !== CR) continue;
    if (closing && start < 0) {
      if (!closed) return null;
      continue;
    }
    if (start >= 0) {
      let end = found;
      if (body[end - 1] === LF) end--;
      if (body[end - 1] === CR) end--;
      bodies.push(body.subarray(start, Math.max(start, end)));
    }
    if (closing) {
      closed = true;
      start = -1;
      continue;
    }
    goesOn ||= closed;
    if (body[rest] === CR && body[rest + 1] === LF) rest++;
    start = Math.min(rest + 1, body.length);
    at = Math.max(at, start);
    if (bodies.length >= limit) return { bodies, closed: false, goesOn };
  }
  if (start < 0) return closed ? { bodies, closed, goesOn } : null;
  bodies.push(body.subarray(start));
  return { bodies, closed, goesOn };
}

/** RFC 2046 allows comparing only the beginning of a delimiter line, and some programs do. Reported, as others see no parts. */
function splitLoosely(body: Buffer, boundary: string, context: Context) {
  const split = splitMultipart(body, boundary, context.limits.maxParts, true);
  if (split !== null)
    context.problems.add(
      'delimiter lines hold further text; programs differ in whether they see parts there',
    );
  return split;
}

function leaf(node: PartNode, context: Context, problem: string): PartNode {
  context.problems.add(problem);
  node.multipart = false;
  return node;
}

function buildMultipart(node: PartNode, depth: number, context: Context): PartNode {
  // RFC 2046: a boundary does not end with white space, but some writers pad it.
  const boundary = (node.parameters.get('boundary') ?? '').trimEnd();
  if (boundary === '') return leaf(node, context, 'a multipart names no boundary; shown as one text');
  if (depth >= context.limits.maxDepth) {
    return leaf(
      node,
      context,
      `parts nested deeper than ${context.limits.maxDepth} levels are kept unopened`,
    );
  }
  const encoded = node.encoding === 'base64' || node.encoding === 'quoted-printable';
  // A multipart must not be encoded as a whole, but some programs read one anyway.
  const split =
    splitMultipart(node.body, boundary, context.limits.maxParts) ??
    (encoded
      ? splitMultipart(decodeTransfer(node.body, node.encoding), boundary, context.limits.maxParts)
      : null) ??
    splitLoosely(node.body, boundary, context);
  if (!split) return leaf(node, context, 'a multipart has no parts; shown as one text');
  if (!split.closed) context.problems.add('a multipart is not closed; the mail may be cut off');
  if (split.goesOn)
    context.problems.add('parts follow the end of a multipart; programs differ in whether they show them');
  const fallback = node.contentType === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  const isSealed = node.contentType === 'multipart/encrypted';
  for (const [index, body] of split.bodies.entries()) {
    if (!hasRoom(context)) break;
    const path = node.path === '0' ? `${index + 1}` : `${node.path}.${index + 1}`;
    node.children.push(
      build(body, { path, isPart: true, fallback, depth: depth + 1, nested: node.nested, isSealed }, context),
    );
  }
  return node;
}

/** Whether a part may be added; a problem says why not. */
function hasRoom({ parts, limits, problems }: Context): boolean {
  if (parts < limits.maxParts) return true;
  problems.add(`more than ${limits.maxParts} parts; the rest is not read`);
  return false;
}

/** Whether what a part contains may become a part below it; a problem says why not. */
function mayOpen(depth: number, context: Context): boolean {
  const { maxDepth } = context.limits;
  if (depth < maxDepth) return hasRoom(context);
  context.problems.add(`parts nested deeper than ${maxDepth} levels are kept unopened`);
  return false;
}

function buildNested(node: PartNode, depth: number, context: Context): PartNode {
  if (!mayOpen(depth, context)) return node;
  const body = decodeTransfer(node.body, node.encoding);
  const place = {
    path: `${node.path}.0`,
    isPart: false,
    fallback: 'text/plain',
    depth: depth + 1,
    nested: node.nested + 1,
  };
  node.children.push(build(body, place, context));
  return node;
}

/** The content of an Exchange wrapper becomes a part below it. */
function buildTnef(node: PartNode, depth: number, context: Context): PartNode {
  if (depth >= context.limits.maxDepth || context.parts >= context.limits.maxParts) return node;
  try {
    const { mail, isDamaged } = mailOfTnef(decodeTransfer(node.body, node.encoding));
    const place = { path: `${node.path}.1`, isPart: true, fallback: 'text/plain', depth: depth + 1 };
    node.children.push(build(mail, { ...place, nested: node.nested }, context));
    if (isDamaged) context.problems.add('winmail.dat is damaged; what could be read of it is shown');
  } catch (error) {
    context.problems.add(
      `winmail.dat cannot be opened: ${error instanceof Error ? error.message : 'it is damaged'}`,
    );
  }
  return node;
}

/** By type or name; for a generic type, by its first bytes. */
const holdsTnef = ({ contentType, filename, body, encoding }: PartNode): boolean =>
  /^application\/(?:vnd\.)?ms-tnef$/.test(contentType) ||
  /^winmail\.dat$/i.test(filename ?? '') ||
  (contentType === 'application/octet-stream' && isTnef(decodeTransfer(body.subarray(0, 100), encoding)));

export const isSmime = ({ contentType, filename }: PartNode): boolean =>
  /^application\/(?:(?:x-)?pkcs7-mime|cms)$/.test(contentType) || /\.p7[mz]\s*$/i.test(filename ?? '');

/** Whether a part without a type begins as a signature does. */
const isSigned = ({ contentType, body, encoding }: PartNode): boolean =>
  contentType === 'application/octet-stream' &&
  decodeTransfer(body.subarray(0, 100), encoding).subarray(0, 30).includes(SIGNED);

/** The name of the document in a signed file, `a.pdf` of `a.pdf.p7m`; null: its content is a text without a header. */
function documentName(filename: string | null, content: Buffer): string | null {
  const name = /^(.+)\.p7[mz]\s*$/i.exec(filename ?? '')?.[1] ?? '';
  if (/\.[^.\s]+$/.test(name)) return name;
  return [null, 'text/plain'].includes(typeByContent(content)) ? null : name || 'signed content';
}

/** The content of an opaque signature becomes a part below it: as the part of a mail, or as the document that was signed. */
function buildSmime(node: PartNode, depth: number, context: Context): PartNode {
  const read = readSmime(decodeTransfer(node.body, node.encoding), context.unpacking);
  const isPart = read.kind === 'content' && PART_START.test(read.content.toString('latin1', 0, 100));
  // Other programs sign files, too.
  if (!isSmime(node) && !isPart) return node;
  if (read.kind === 'encrypted')
    context.problems.add('encrypted with S/MIME: what it says is for its recipient');
  else if (read.kind === 'empty')
    context.problems.add('an S/MIME part has no content, only certificates or a signature');
  else if (read.kind === 'unread') context.problems.add(`an S/MIME part is not opened: ${read.reason}`);
  else if (read.isCut) context.problems.add('an S/MIME part is cut off; its content may be incomplete');
  if (read.kind !== 'content') return node;
  if (!mayOpen(depth, context)) return node;
  const { content } = read;
  const name = documentName(node.filename, content);
  if (name !== null && (!isPart || /\.eml$/i.test(name))) {
    const document = filePart(node, 1, { name, bytes: content, encoding: 'binary' }, context);
    node.children.push(isSmime(document) ? buildSmime(document, depth + 1, context) : document);
    return node;
  }
  const place = { path: `${node.path}.1`, isPart: true, fallback: 'text/plain', depth: depth + 1 };
  node.children.push(build(content, { ...place, nested: node.nested }, context));
  return node;
}

const ARMOR = '-----BEGIN PGP MESSAGE';
const ARMOR_WITHIN = 4_096;
/** Whether a part is PGP by its name, or by its place in a mail. */
export const isPgpFile = ({ filename, isSealed }: PartNode): boolean =>
  isSealed || /\.(?:asc|gpg|pgp)\s*$/i.test(filename ?? '');

/** Whether a part may be PGP, or is a text with a message of PGP. */
const holdsPgp = (node: PartNode): boolean => isPgpFile(node) || holdsArmor(node);
const holdsArmor = ({ contentType, body, encoding }: PartNode): boolean =>
  contentType === 'text/plain' &&
  (encoding === 'base64'
    ? decodeTransfer(body.subarray(0, ARMOR_WITHIN), encoding)
    : body.subarray(0, ARMOR_WITHIN)
  ).includes(ARMOR);

/** The content of a PGP message that is only signed or compressed becomes a part below it. */
function buildPgp(node: PartNode, depth: number, context: Context): PartNode {
  const read = pgpInFile(decodeTransfer(node.body, node.encoding), isPgpFile(node), context.unpacking);
  if (read?.kind === 'unread') context.problems.add(`a PGP message is not opened: ${read.reason}`);
  if (read === null && node.isSealed && node.contentType === 'application/octet-stream')
    context.problems.add('a part that should be encrypted with PGP is no PGP message, or damaged');
  if (read?.kind !== 'content') return node;
  if (!mayOpen(depth, context)) return node;
  if (read.isCut) context.problems.add('a PGP message is cut off; its content may be incomplete');
  if (node.isSealed) {
    // Mail programs show it as the mail, as they do with encrypted content.
    const place = { path: `${node.path}.1`, isPart: true, fallback: 'text/plain', depth: depth + 1 };
    node.children.push(build(read.content, { ...place, nested: node.nested }, context));
    return node;
  }
  const name = node.filename?.replace(/\.(?:asc|gpg|pgp)\s*$/i, '') ?? '';
  const file = filePart(node, 1, { name, bytes: read.content, encoding: 'binary' }, context);
  const isText = node.filename === null && node.contentType === 'text/plain';
  const text = { contentType: 'text/plain', charset: 'utf-8', disposition: null, filename: null };
  node.children.push(isText ? { ...file, ...text } : file);
  return node;
}

/** A file inside a part becomes a part below it. */
function filePart(
  node: PartNode,
  number: number,
  { name, bytes, encoding }: { name: string; bytes: Buffer; encoding: string },
  context: Context,
): PartNode {
  context.parts++;
  return {
    ...node,
    path: `${node.path}.${number}`,
    headers: [],
    contentType: 'application/octet-stream',
    charset: null,
    encoding,
    disposition: 'attachment',
    filename: name,
    contentId: null,
    isSealed: false,
    parameters: new Map(),
    body: bytes,
    children: [],
    stray: [],
  };
}

/** Each uuencoded file in a text becomes a part below it, as mail programs show it. */
function buildCoded(node: PartNode, context: Context): PartNode {
  const text = decodeTransfer(node.body, node.encoding);
  for (const [index, one] of uuFiles(text, context.limits.maxParts - context.parts).entries()) {
    const name = decodeBytes(Buffer.from(one.name, 'latin1'), node.charset ?? 'utf-8');
    node.children.push(
      filePart(node, index + 1, { name, bytes: one.bytes, encoding: 'x-uuencode' }, context),
    );
  }
  return node;
}

interface Place {
  isSealed?: boolean;
  path: string;
  /** A part of a multipart; otherwise a whole message. */
  isPart: boolean;
  /** Content type when the part names none. */
  fallback: string;
  depth: number;
  nested: number;
}

function build(given: Buffer, place: Place, context: Context): PartNode {
  const { limits } = context;
  const whole = place.isPart ? given : narrowed(given);
  if (whole !== given)
    context.problems.add('the whole mail is written in UTF-16; it is read as if it were not');
  const bytes = place.isPart ? whole : whole.subarray(mailBegin(whole));
  context.parts++;
  const { end, body } = headersOf(bytes, place.isPart);
  if (end > limits.maxHeaderBytes) {
    context.problems.add(`a header block of ${end} bytes is read up to ${limits.maxHeaderBytes}`);
  }
  const block = decodeHeaderBlock(bytes.subarray(0, Math.min(end, limits.maxHeaderBytes)));
  const { headers, stray, dropped } = parseHeaders(block, decodeBytes, { maxHeaders: limits.maxHeaders });
  if (dropped > 0) context.problems.add(`${dropped} header fields beyond ${limits.maxHeaders} are not kept`);
  if (stray.length > 0) context.problems.add('the header block holds lines that are no header field');
  const type = parseParameters(firstHeader(headers, 'Content-Type')?.value ?? '', decodeBytes);
  if (allHeaders(headers, 'Content-Type').length > 1) {
    context.problems.add('a part names its content type twice; the first counts');
  }
  if (allHeaders(headers, 'Content-Transfer-Encoding').length > 1)
    context.problems.add('a part names its transfer encoding twice; the first counts');
  if (type.repeated.has('boundary'))
    context.problems.add('a part names its boundary twice; the first counts');
  const disposition = parseParameters(firstHeader(headers, 'Content-Disposition')?.value ?? '', decodeBytes);
  const encoding = parseParameters(
    firstHeader(headers, 'Content-Transfer-Encoding')?.value ?? '',
    decodeBytes,
  );
  const contentType = /^[^/\s,]+\/[^/\s,"]+/.exec(type.value)?.[0] ?? place.fallback;
  const node: PartNode = {
    path: place.path,
    headers,
    contentType,
    charset: type.parameters.get('charset') ?? null,
    encoding: encoding.value.split(/[\s;,]/)[0] || '7bit',
    disposition: disposition.value || null,
    filename: disposition.parameters.get('filename') ?? type.parameters.get('name') ?? null,
    contentId: firstHeader(headers, 'Content-ID')?.value.replace(/^<|>$/g, '') || null,
    isSealed: place.isSealed === true,
    parameters: type.parameters,
    body: bytes.subarray(body),
    children: [],
    multipart: contentType.startsWith('multipart/'),
    nested: place.nested,
    stray: place.isPart ? stray : [],
  };
  if (node.multipart) return buildMultipart(node, place.depth, context);
  if (contentType === 'message/rfc822' || contentType === 'message/global') {
    return buildNested(node, place.depth, context);
  }
  if (holdsTnef(node)) return buildTnef(node, place.depth, context);
  if (isSmime(node) || isSigned(node)) return buildSmime(node, place.depth, context);
  if (holdsPgp(node)) return buildPgp(node, place.depth, context);
  return contentType === 'text/plain' && node.disposition !== 'attachment' && node.body.includes('begin ')
    ? buildCoded(node, context)
    : node;
}

/** Reads the MIME tree of a raw message. Never throws; depth, parts and header size are capped. */
export function parseStructure(
  raw: Buffer,
  limits: EvidenceLimits,
  unpacking = new Unpacking(),
): { root: PartNode; problems: Set<string> } {
  const context: Context = { limits, problems: new Set(), parts: 0, unpacking };
  const root = build(raw, { path: '0', isPart: false, fallback: 'text/plain', depth: 0, nested: 0 }, context);
  return { root, problems: context.problems };
}
