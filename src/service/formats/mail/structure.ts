/** The MIME tree of a mail: its parts, and below them what wrappers, signatures and coded files contain. */
import { type DecodeBytes, headerDecoder } from '#shared/mail/charsets.ts';
import { allHeaders, firstHeader, type MailHeader, parseHeaders } from '#shared/mail/headers.ts';
import { parseParameters } from '#shared/mail/parameters.ts';
import { pgpInFile } from '../crypto/pgp.ts';
import { readSmime, SIGNED } from '../crypto/smime.ts';
import { Unpacking } from '../crypto/unpacking.ts';
import { decodeHeaderBlock, headerCharset } from '../files/charset.ts';
import { typeByContent } from '../files/magic.ts';
import { narrowed } from '../files/mail-start.ts';
import { base64Kind, decodeTransfer, uuFiles } from '../files/transfer.ts';
import { isTnef, mailOfTnef } from '../outlook/tnef.ts';
import { evenLines, opened, PART_START, UNEVEN, UNEVEN_LINES } from './header-block.ts';
import { splitMultipart } from './multipart.ts';
import type { EvidenceLimits } from './types.ts';

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
  /** Lists what it guesses as a problem. */
  decode: DecodeBytes;
  mail: Buffer;
  /** Of its raw 8-bit headers. */
  headerCharset: string | null;
  parts: number;
  unpacking: Unpacking;
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
  if (node.body.includes(`--${boundary}${UNEVEN}`)) {
    context.problems.add(UNEVEN_LINES);
    node.body = evenLines(node.body);
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

/**
 * The name of the document in a signed file, `a.pdf` of `a.pdf.p7m`, or null if its content is a text without a
 * header.
 */
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
  for (const [index, file] of uuFiles(text, context.limits.maxParts - context.parts).entries()) {
    const name = context.decode(Buffer.from(file.name, 'latin1'), node.charset ?? 'utf-8');
    node.children.push(
      filePart(node, index + 1, { name, bytes: file.bytes, encoding: 'x-uuencode' }, context),
    );
  }
  return node;
}

/** The transfer encoding that a body has. */
function encodingOf(declared: string, body: Buffer, { problems }: Context): string {
  const kind = declared === 'base64' ? base64Kind(body) : null;
  if (kind === 'stray') problems.add('base64 holds characters that are none of it; they are skipped');
  if (kind !== 'text') return declared;
  problems.add('what is declared as base64 is text; it is read as it stands');
  return '8bit';
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

function build(raw: Buffer, place: Place, context: Context): PartNode {
  const { limits } = context;
  context.parts++;
  const { bytes, end, body, guesses } = opened(raw, place.isPart);
  for (const guess of guesses) context.problems.add(guess);
  if (end > limits.maxHeaderBytes) {
    context.problems.add(`a header block of ${end} bytes is read up to ${limits.maxHeaderBytes}`);
  }
  const { decode, problems } = context;
  const lines = bytes.subarray(0, Math.min(end, limits.maxHeaderBytes));
  context.headerCharset ??= headerCharset(lines, context.mail);
  const block = decodeHeaderBlock(lines, context.headerCharset, (guess) => problems.add(guess));
  const { headers, stray, dropped } = parseHeaders(block, decode, { maxHeaders: limits.maxHeaders });
  if (dropped > 0) context.problems.add(`${dropped} header fields beyond ${limits.maxHeaders} are not kept`);
  if (stray.length > 0) context.problems.add('the header block holds lines that are no header field');
  const type = parseParameters(firstHeader(headers, 'Content-Type')?.value ?? '', decode);
  if (allHeaders(headers, 'Content-Type').length > 1) {
    context.problems.add('a part names its content type twice; the first counts');
  }
  if (allHeaders(headers, 'Content-Transfer-Encoding').length > 1)
    context.problems.add('a part names its transfer encoding twice; the first counts');
  if (type.repeated.has('boundary'))
    context.problems.add('a part names its boundary twice; the first counts');
  const disposition = parseParameters(firstHeader(headers, 'Content-Disposition')?.value ?? '', decode);
  for (const guess of [...type.guesses, ...disposition.guesses]) context.problems.add(guess);
  const encoding = parseParameters(firstHeader(headers, 'Content-Transfer-Encoding')?.value ?? '', decode);
  const contentType = /^[^/\s,]+\/[^/\s,"]+/.exec(type.value)?.[0] ?? place.fallback;
  const content = bytes.subarray(body);
  const node: PartNode = {
    path: place.path,
    headers,
    contentType,
    charset: type.parameters.get('charset') ?? null,
    encoding: encodingOf(encoding.value.split(/[\s;,]/)[0] || '7bit', content, context),
    disposition: /^[^\s,]+/.exec(disposition.value)?.[0] ?? null,
    filename:
      disposition.parameters.get('filename') ??
      type.parameters.get('name') ??
      disposition.parameters.get('name') ??
      null,
    contentId: firstHeader(headers, 'Content-ID')?.value.replace(/^<|>$/g, '') || null,
    isSealed: place.isSealed === true,
    parameters: type.parameters,
    body: content,
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
): { root: PartNode; problems: Set<string>; decode: DecodeBytes; headerCharset: string | null } {
  const problems = new Set<string>();
  const decode = headerDecoder((guess) => problems.add(guess));
  const mail = narrowed(raw);
  const context: Context = { limits, problems, decode, mail, headerCharset: null, parts: 0, unpacking };
  const root = build(raw, { path: '0', isPart: false, fallback: 'text/plain', depth: 0, nested: 0 }, context);
  return { root, problems, decode, headerCharset: context.headerCharset };
}
