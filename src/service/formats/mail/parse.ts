import { hash } from 'node:crypto';
import { mailOfHeaders } from '#shared/mail/header-mail.ts';
import { firstHeader } from '#shared/mail/headers.ts';
import { readHtml } from '#shared/mail/html.ts';
import { isArmored, lockOf } from '../crypto/locked.ts';
import { Unpacking } from '../crypto/unpacking.ts';
import { safeFilename } from '../files/filenames.ts';
import { typeByContent } from '../files/magic.ts';
import { startsMail } from '../files/mail-start.ts';
import { decodeTransfer } from '../files/transfer.ts';
import { attachedMsg } from '../outlook/msg.ts';
import { isLeftOut } from './apple-mail.ts';
import { archiveKindOf } from './attached-archives.ts';
import { contentsOfBodies, type TextBody } from './bodies.ts';
import { signedBodies } from './dkim.ts';
import { type DkimKeys, NO_KEYS } from './dkim-keys.ts';
import { Insides, isSmuggling } from './insides.ts';
import { isPgpFile, isSmime, type PartNode, parseStructure } from './structure.ts';
import { decodePage, decodeText } from './text.ts';
import {
  type AttachedArchive,
  type AttachedPart,
  DEFAULT_LIMITS,
  type EvidenceLimits,
  type InlineImage,
  type MailAttachment,
  type ParsedMail,
  type ParseResult,
  type PartSummary,
} from './types.ts';

interface Collected {
  bodies: TextBody[];
  parts: PartSummary[];
  attachments: MailAttachment[];
  attachedMails: AttachedPart[];
  attachedArchives: AttachedArchive[];
  images: InlineImage[];
  inlineBytesLeft: number;
  problems: Set<string>;
  /** Dovecot may store parts without content in other files. */
  isParted: boolean;
  unpacking: Unpacking;
  insides: Insides;
}

/** Maximum decoded bytes of one text: more than is stored of it in any charset. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;
/** An attached page opens in a browser, so its active content and forms count as the mail's. */
const isPage = (node: PartNode): boolean =>
  /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml)$/.test(node.contentType) ||
  /\.(?:x?html?|shtml|svg)\s*$/i.test(node.filename ?? '');

/** An invitation opens in a calendar program, which shows the links in its texts. */
const isInvitation = (node: PartNode): boolean =>
  /^(?:text\/calendar|application\/ics)$/.test(node.contentType) || /\.ics\s*$/i.test(node.filename ?? '');

/** The text of an invitation, with folded lines joined and escapes decoded (RFC 5545). */
const calendarText = (text: string): string =>
  text
    .replace(/\r?\n[ \t]/g, '')
    .replace(/\\([nN,;\\])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign));

const INLINE_TYPES = /^image\/(?:png|jpe?g|gif|webp|bmp)$/i;

function isBody(node: PartNode): boolean {
  if (node.disposition === 'attachment') return false;
  // A multipart that could not be split is shown, so that its text is not lost.
  return (
    node.contentType === 'text/plain' ||
    node.contentType === 'text/html' ||
    node.contentType.startsWith('multipart/')
  );
}

function summary(node: PartNode, size: number, container: boolean): PartSummary {
  return {
    path: node.path,
    contentType: node.contentType,
    charset: node.charset,
    encoding: node.encoding,
    disposition: node.disposition,
    filename: node.filename === null ? null : safeFilename(node.filename, 'unnamed'),
    contentId: node.contentId,
    size,
    container,
  };
}

function fallbackName(node: PartNode): string {
  const subject = node.children[0] ? firstHeader(node.children[0].headers, 'Subject')?.decoded : undefined;
  if (subject) return safeFilename(`${subject.slice(0, 100)}.eml`, 'message.eml');
  return `part-${node.path}`;
}

function attachment(
  node: PartNode,
  bytes: Buffer,
  { problems, isParted, unpacking }: Collected,
): MailAttachment {
  const filename = safeFilename(node.filename, fallbackName(node));
  const isElsewhere = isParted && node.body.toString('latin1', 0, 64).trim() === '';
  const isHere = !isLeftOut(node) && !isElsewhere;
  if (!isHere)
    problems.add(
      `the attachment “${filename}” is not in this file: ${isElsewhere ? 'Dovecot keeps it elsewhere' : 'Apple Mail keeps it elsewhere, or has not downloaded it'}`,
    );
  // What was opened is not encrypted.
  const lock =
    node.children.length > 0
      ? null
      : lockOf(bytes, { isSmime: isSmime(node), isPgp: isPgpFile(node) }, unpacking);
  if (lock?.words) problems.add(`the attachment “${filename}” ${lock.words}`);
  return {
    path: node.path,
    filename,
    declaredName: node.filename,
    mimeType: node.contentType,
    contentType: typeByContent(bytes),
    encryption: lock?.by ?? null,
    members: [],
    traits: [],
    disposition: node.disposition,
    contentId: node.contentId,
    inline: node.disposition === 'inline' || (node.disposition === null && node.contentId !== null),
    size: isHere ? bytes.length : null,
    md5: isHere ? hash('md5', bytes, 'hex') : null,
    sha1: isHere ? hash('sha1', bytes, 'hex') : null,
    sha256: isHere ? hash('sha256', bytes, 'hex') : null,
  };
}

/** Whether a part is a mail: by its type, by its name and first line, or, without a type, by its beginning. */
function isMail(node: PartNode, bytes: Buffer): boolean {
  if (bytes.length === 0 || node.nested > 0) return false;
  if (/^message\/(?:rfc822|global)$/.test(node.contentType)) return true;
  if (/\.eml\s*$/i.test(node.filename ?? '')) return startsMail(bytes);
  return (
    /^(?:application\/octet-stream|message\/(?!\S*headers$)\S+)$/.test(node.contentType) &&
    startsMail(bytes, 2)
  );
}

/** An attached `.msg` is a mail as well. */
function attachMsg(node: PartNode, bytes: Buffer, out: Collected): void {
  const message = attachedMsg(node, bytes);
  if (message === null) return;
  if (message.mail === null) {
    out.problems.add(`the Outlook message at part ${node.path} cannot be read: ${message.reason}`);
    return;
  }
  const { mail, isDamaged } = message;
  out.attachedMails.push({ path: node.path, bytes: mail, sha256: hash('sha256', mail, 'hex') });
  if (isDamaged)
    out.problems.add(
      `the Outlook message at part ${node.path} is damaged; parts of it are missing or changed`,
    );
}

async function collect(node: PartNode, out: Collected): Promise<void> {
  if (node.multipart) {
    out.parts.push(summary(node, node.body.length, true));
    for (const child of node.children) await collect(child, out);
    return;
  }
  if (node.stray.length > 0)
    out.bodies.push({ text: node.stray.join('\n'), html: false, nested: node.nested > 0, within: null });
  const bytes = decodeTransfer(node.body, node.encoding);
  out.parts.push(summary(node, bytes.length, node.children.length > 0 && node.contentType !== 'text/plain'));
  const body = isBody(node);
  if (body && isLeftOut(node))
    out.problems.add(
      `the text at part ${node.path} is not in this file: Apple Mail keeps it elsewhere, or has not downloaded it`,
    );
  const start = bytes.subarray(0, MAX_TEXT_BYTES);
  if (body) {
    const text = decodeText(node, start, out.problems);
    if (start.length < bytes.length)
      out.problems.add(`a text of ${bytes.length} bytes is read up to ${start.length}`);
    out.bodies.push({
      text,
      html: node.contentType === 'text/html',
      nested: node.nested > 0,
      within: null,
    });
  }
  // A named text part is both shown with the body and listed with its hashes.
  if (!body || node.filename !== null) {
    const file = attachment(node, bytes, out);
    out.attachments.push(file);
    const within = file.filename;
    if (!body && node.children.length === 0 && isPage(node)) {
      const text = decodePage(start);
      if (isSmuggling(text)) file.traits.push('smuggling');
      out.bodies.push({ text, html: true, nested: true, within });
    } else if (!body && isInvitation(node)) {
      const text = calendarText(decodeText(node, start, new Set()));
      out.bodies.push({ text, html: false, nested: true, within });
    }
    if (!body && node.nested === 0 && node.children.length === 0) await out.insides.look(file, bytes);
    if (file.sha256 !== null && isMail(node, bytes))
      out.attachedMails.push({ path: node.path, bytes, sha256: file.sha256 });
    else if (node.nested === 0) {
      attachMsg(node, bytes, out);
      const kind =
        bytes.length === 0 || body ? null : await archiveKindOf(node.filename, file.contentType, bytes);
      if (kind !== null) out.attachedArchives.push({ path: node.path, name: file.filename, kind, bytes });
    }
  }
  if (node.contentId !== null && INLINE_TYPES.test(node.contentType) && bytes.length <= out.inlineBytesLeft) {
    out.inlineBytesLeft -= bytes.length;
    out.images.push({ contentId: node.contentId, mimeType: node.contentType, bytes });
  }
  for (const child of node.children) await collect(child, out);
}

/** The texts of one kind as displayed, one below the other. */
function joined(bodies: readonly TextBody[], html: boolean, max: number, problems: Set<string>): string {
  const texts = bodies.filter((body) => body.html === html).map((body) => body.text);
  const whole = texts.length === 1 ? (texts[0] ?? '') : texts.filter((text) => text.trim() !== '').join('\n');
  if (whole.length <= max) return whole;
  problems.add(`the ${html ? 'HTML' : 'text'} of ${whole.length} characters is kept up to ${max}`);
  return whole.slice(0, max);
}

/** The text of a body as displayed. */
const shownIn = ({ text, html }: TextBody): string => (html ? readHtml(text, 0).shown : text);

/** Whether the mail's own content is encrypted; the problems then include the reason. */
function isEncrypted(bodies: readonly TextBody[], { attachments, problems, unpacking }: Collected): boolean {
  if (bodies.some((body) => body.text.includes('-----BEGIN PGP') && isArmored(shownIn(body), unpacking))) {
    problems.add('the text is encrypted with PGP: what it says is for its recipient');
    return true;
  }
  return (
    attachments.some(({ encryption }) => encryption === 'smime' || encryption === 'pgp') &&
    // An image alone can be a message.
    bodies.every((body) => !(body.html && /<img\b/i.test(body.text)) && shownIn(body).trim() === '')
  );
}

async function parse(
  raw: Buffer,
  limits: EvidenceLimits,
  believed: readonly string[],
  isParted: boolean,
  unpacking: Unpacking,
  keys: DkimKeys,
): Promise<ParseResult> {
  if (raw.length > limits.maxMessageBytes) {
    return {
      ok: false,
      reason: `the message has ${raw.length} bytes; the limit is ${limits.maxMessageBytes}`,
    };
  }
  const { root, problems, decode, headerCharset } = parseStructure(raw, limits, unpacking);
  const { headers } = root;
  if (headers.length === 0) {
    return { ok: false, reason: raw.length === 0 ? 'the file is empty' : 'no mail header was found' };
  }
  const out: Collected = {
    bodies: [],
    parts: [],
    attachments: [],
    attachedMails: [],
    attachedArchives: [],
    images: [],
    inlineBytesLeft: limits.maxInlineBytes,
    problems,
    isParted,
    unpacking,
    insides: new Insides(),
  };
  await collect(root, out);
  const bodies = out.bodies.filter((body) => !body.nested);
  const text = joined(bodies, false, limits.maxBodyChars, problems);
  const html = joined(bodies, true, limits.maxBodyChars, problems);
  await out.insides.lookInHtml(html);
  const { links, active, shownText } = contentsOfBodies(out, headers, limits);
  if (links.length >= limits.maxLinks) problems.add(`only the first ${limits.maxLinks} links are listed`);
  const facts = mailOfHeaders(headers, { decode, believed, problems });
  const signed = isParted ? [] : signedBodies(raw, headers, keys, facts.receivedAt);
  const unverified = signed.flatMap(({ domain, unverified: why }) =>
    why === null ? [] : [`The signature of ${domain || 'nobody'} was not verified: ${why}`],
  );
  const mail: ParsedMail = {
    size: raw.length,
    headers,
    headerCharset,
    ...facts,
    parts: out.parts,
    isEncrypted: isEncrypted(bodies, out),
    text,
    html,
    shownText,
    attachments: out.attachments,
    attachedMails: out.attachedMails,
    attachedArchives: out.attachedArchives,
    images: out.images,
    links,
    active,
    unsearched: [...out.insides.unsearched(), ...unverified],
    signedBodies: signed,
    problems: [...problems],
  };
  return { ok: true, mail };
}

/**
 * Parses one raw message (RFC 5322, MIME). Never throws and fetches nothing; `problems` lists what was cut or guessed.
 * `ok: false` only for what is not mail or exceeds the size limit. `believed` are the authserv-ids that the analyst trusts.
 * `isParted`: Dovecot keeps attachments elsewhere, which are empty in it. `unpacking`: shared with the mail that it is
 * attached to. `keys`: verify its signatures.
 */
export async function parseMessage(
  bytes: Uint8Array,
  limits: EvidenceLimits = DEFAULT_LIMITS,
  believed: readonly string[] = [],
  isParted = false,
  unpacking = new Unpacking(),
  keys = NO_KEYS,
): Promise<ParseResult> {
  try {
    return await parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      limits,
      believed,
      isParted,
      unpacking,
      keys,
    );
  } catch (error) {
    return {
      ok: false,
      isUnread: true,
      reason: `the parser gave up: ${error instanceof Error ? error.message : 'unknown error'}`,
    };
  }
}
