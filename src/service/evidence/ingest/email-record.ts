/** Converts a parsed mail to a record of the store. Nothing is invented: what the mail does not say stays unknown. */
import { dictionary } from '#shared/dictionary.ts';
import type { MailAddress } from '#shared/mail/addresses.ts';
import { firstHeader, type MailHeader } from '#shared/mail/headers.ts';
import { deriveVerdict } from '#shared/model/verdict.ts';
import type { Address, EmailRecord, RawMail, RecipientRecord, ScanRecord } from '../../store/records.ts';
import { mailBegin, narrowed } from '../reader/mail-start.ts';
import type { ParsedMail } from '../reader/types.ts';

export const EVIDENCE_APP = 'evidence';
const MAX_SUBJECT = 10_000;
const MAX_NAME = 4_096;

const MOST_PROBLEMS = 50;
/** The first ones; the last entry gives the number of further ones. */
const upTo = (most: number, problems: readonly string[]): string[] =>
  problems.length <= most
    ? [...problems]
    : [...problems.slice(0, most - 1), `${problems.length - most + 1} more problems`];

/** Derived from the content alone: a mail keeps its id wherever it is stored, and copies are one email. */
export const entityIdOf = (sha256: string): string => sha256.slice(0, 32);

const address = ({ name, address: email }: MailAddress): Address => ({
  name: name === '' ? null : name,
  email,
});

function recipients(mail: ParsedMail): RecipientRecord[] {
  const of = (kind: string, list: readonly MailAddress[]): RecipientRecord[] =>
    list.map((one) => ({ ...address(one), kind, state: null, isRead: null, clicks: null, department: null }));
  return [...of('to', mail.to), ...of('cc', mail.cc), ...of('bcc', mail.bcc)];
}

const FOREFRONT: Readonly<Record<string, string>> = dictionary({
  SPM: 'spm',
  HSPM: 'hspm',
  PHSH: 'phsh',
  HPHSH: 'hphsh',
  HPHISH: 'hphsh',
  BULK: 'bulk',
  MALW: 'malw',
  AMP: 'amp',
  SPOOF: 'spoof',
  NONE: 'none',
  BIMP: 'bimp',
  DIMP: 'dimp',
  GIMP: 'gimp',
  UIMP: 'uimp',
  OSPM: 'ospm',
  SAP: 'sap',
  FTBP: 'ftbp',
  INTOS: 'intos',
});

interface Claim {
  code: string;
  words: string;
}

/** The provider's finding according to a header of the mail. */
function claimOf(headers: readonly MailHeader[]): Claim | null {
  const forefront = firstHeader(headers, 'X-Forefront-Antispam-Report')?.value;
  const category = /(?:^|[;\s])CAT:([A-Z]{2,8})/i.exec(forefront ?? '')?.[1]?.toUpperCase();
  const level = /(?:^|[;\s])SCL:(-?\d)/i.exec(forefront ?? '')?.[1];
  if (category !== undefined)
    return {
      code: FOREFRONT[category] ?? category.toLowerCase(),
      words: `CAT:${category}${level ? `, SCL ${level}` : ''}`,
    };
  if (level !== undefined) return { code: Number(level) >= 5 ? 'spm' : 'none', words: `SCL ${level}` };
  const status = firstHeader(headers, 'X-Spam-Status')?.value.trim();
  const flag = firstHeader(headers, 'X-Spam-Flag')?.value.trim();
  const said = /^(yes|no)\b/i.exec(status ?? flag ?? '')?.[1]?.toLowerCase();
  if (said === undefined) return null;
  return {
    code: said === 'yes' ? 'spm' : 'none',
    words: status ? `X-Spam-Status: ${status.slice(0, 80)}` : `X-Spam-Flag: ${flag ?? ''}`,
  };
}

/**
 * The verdict named by a header of the mail, never a clean one: the sender could have written the header, so any word
 * for clean is only reported.
 */
function providerScan(headers: readonly MailHeader[]): ScanRecord[] {
  const claim = claimOf(headers);
  if (claim === null) return [];
  const { code, words } = claim;
  const summary = `The mail’s own header says ${words}`;
  const scan = { tool: 'ms_defender', status: 'finished' };
  if (deriveVerdict({ ...scan, applicable: true, verdict_code: code }).verdict === 'clean')
    return [{ tool: scan.tool, summary: `${summary}, which anyone could have written` }];
  return [{ ...scan, code, summary }];
}

const HEADER_ENDS = [Buffer.from('\r\n\r\n'), Buffer.from('\n\n'), Buffer.from('\r\r')];

/** The header ends at the first of these. */
function headerBytes(given: Buffer): Buffer {
  const raw = narrowed(given);
  const begin = mailBegin(raw);
  let looked = raw;
  let headers = raw;
  for (const end of HEADER_ENDS) {
    const at = looked.indexOf(end, begin);
    if (at < 0) continue;
    looked = raw.subarray(0, at + 1);
    headers = raw.subarray(0, at + end.length / 2);
  }
  return headers;
}

/** Images by Content-ID, for the sandboxed frame; only HTML can show them. */
function inlineImages(mail: ParsedMail): Record<string, string> {
  if (mail.html === '') return {};
  return Object.fromEntries(
    mail.images.map(({ contentId, mimeType, bytes }) => [
      contentId,
      `data:${mimeType};base64,${bytes.toString('base64')}`,
    ]),
  );
}

const charsetsOf = ({ parts }: ParsedMail): string[] => [
  ...new Set(
    parts.flatMap(({ charset }) => (charset?.trim() ? [charset.trim().slice(0, 40).toLowerCase()] : [])),
  ),
];

/**
 * Whether the `Status` field of a mail in an mbox marks it as read; in other stores, the location decides. null for mail of
 * Thunderbird, which never writes `Status`, so a sender must have, and does not keep its own field up to date.
 */
function isMarkedRead(headers: readonly MailHeader[]): boolean | null {
  if (firstHeader(headers, 'X-Mozilla-Status') !== undefined) return null;
  return firstHeader(headers, 'Status')?.value.includes('R') ?? null;
}

export function recordOf(mail: ParsedMail, raw: Buffer, sha256: string): EmailRecord {
  const { headers } = mail;
  const from = mail.author;
  const stored: RawMail = {
    headers: headerBytes(raw),
    html: mail.html === '' ? null : mail.html,
    text: mail.text === '' ? null : mail.text,
    inline: inlineImages(mail),
    truncated: mail.problems.some((problem) => problem.includes('kept up to')),
  };
  const { auth } = mail;
  return {
    entityId: entityIdOf(sha256),
    saas: EVIDENCE_APP,
    receivedAt: mail.receivedAt,
    sentAt: mail.sentAt,
    subject: mail.subject.slice(0, MAX_SUBJECT),
    from: from && address(from),
    fromDomain: from && from.domain !== '' ? from.domain : null,
    recipients: recipients(mail),
    messageId: mail.messageId,
    threadId: null,
    direction: null,
    state: null,
    department: null,
    size: mail.size,
    clientIp: mail.clientIp,
    language: firstHeader(headers, 'Content-Language')?.value.trim().slice(0, 40) ?? null,
    isRead: isMarkedRead(headers),
    clicksCounted: false,
    clicks: [],
    attachments: mail.attachments.map((one) => ({
      // As declared in the mail, since tricks in a name are evidence. Display and saving make it safe.
      name: one.declaredName?.trim() ? one.declaredName.slice(0, MAX_NAME) : one.filename,
      mimeType: one.mimeType,
      contentType: one.contentType,
      encryption: one.encryption,
      size: one.size,
      md5: one.md5,
      sha1: one.sha1,
      sha256: one.sha256,
      isInline: one.inline,
      verdictCode: null,
      matches: null,
    })),
    links: mail.links.map(({ url, host, text, mismatched, source }) => ({
      url,
      host,
      text,
      status: null,
      mismatched,
      source,
    })),
    scans: providerScan(headers),
    userReported: null,
    spf: auth.spf,
    dkim: auth.dkim,
    dmarc: auth.dmarc,
    linkReplacement: null,
    detail: {
      ...(mail.sender[0] ? { sender: address(mail.sender[0]) } : {}),
      replyTo: mail.replyTo.map(address),
      ...(mail.returnPath[0] ? { returnPath: mail.returnPath[0].address } : {}),
      ...(mail.inReplyTo ? { inReplyTo: mail.inReplyTo } : {}),
      ...(auth.warnings[0] ? { reason: auth.warnings[0] } : {}),
      ...(mail.isEncrypted ? { encryption: 'encrypted' } : {}),
      charsets: charsetsOf(mail),
      bccKnown: mail.bcc.length > 0,
      evidence: {
        sha256,
        problems: upTo(MOST_PROBLEMS, mail.problems),
        active: mail.active,
        authTrusted: auth.trusted,
      },
    },
    raw: stored,
    text: mail.said,
    headerLines: headers.map(({ name, decoded }) => `${name}: ${decoded}`),
    hops: mail.hopIps,
  };
}
