/** Converts a parsed mail to a record of the store. Nothing is invented: what the mail does not say stays unknown. */
import { campaignKeys } from '#shared/campaigns/campaign-keys.ts';
import { assess } from '#shared/checks/assess.ts';
import { type GatewayClaim, gatewayClaims } from '#shared/checks/gateways.ts';
import { prepareMail } from '#shared/checks/prepared-mail.ts';
import type { MailAddress } from '#shared/mail/addresses.ts';
import { firstHeader, type MailHeader } from '#shared/mail/headers.ts';
import { languageOf } from '#shared/mail/language.ts';
import { messageKind } from '#shared/mail/message-kind.ts';
import { checkToolId, RECIPIENT_KINDS } from '#shared/model/enums.ts';
import { NOTHING_FOUND } from '#shared/model/verdict.ts';
import { headerBlock } from '../formats/mail/header-block.ts';
import type { ParsedMail } from '../formats/mail/types.ts';
import { checkScans } from '../store/check-scans.ts';
import { entityIdOf } from '../store/evidence.ts';
import {
  type Address,
  type EmailRecord,
  EVIDENCE_APP,
  type RawMail,
  type RecipientRecord,
  type ScanRecord,
} from '../store/records.ts';
import { verdictOf } from '../store/verdicts.ts';

const MAX_SUBJECT = 10_000;
const MAX_NAME = 4_096;

const MOST_PROBLEMS = 50;
/** The first ones; the last entry gives the number of further ones. */
const upTo = (most: number, problems: readonly string[]): string[] =>
  problems.length <= most
    ? [...problems]
    : [...problems.slice(0, most - 1), `${problems.length - most + 1} more problems`];

const address = ({ name, address: email }: MailAddress): Address => ({
  name: name === '' ? null : name,
  email,
});

function recipients(mail: ParsedMail): RecipientRecord[] {
  return RECIPIENT_KINDS.flatMap((kind) =>
    mail[kind]
      .filter((mailbox) => mailbox.address !== '')
      .map((mailbox) => ({
        ...address(mailbox),
        kind,
        state: null,
        isRead: null,
        clicks: null,
        department: null,
      })),
  );
}

/** The worst that a gateway wrote; anybody may have written that it found nothing, so that is only reported. */
function providerScan(headers: readonly MailHeader[]): ScanRecord {
  const tool = checkToolId('provider');
  const isClean = ({ code }: GatewayClaim): boolean => verdictOf({ tool, code }).verdict === 'clean';
  const claims = gatewayClaims(headers);
  const claim = claims.find((claim) => !isClean(claim)) ?? claims[0];
  if (claim === undefined) return { tool, code: NOTHING_FOUND };
  const summary = `The mail’s own header says ${claim.words}`;
  return isClean(claim)
    ? { tool, code: NOTHING_FOUND, summary: `${summary}, which anyone could have written` }
    : { tool, code: claim.code, summary };
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
  const prepared = prepareMail(mail);
  const assessment = assess(mail, prepared);
  const stored: RawMail = {
    headers: headerBlock(raw),
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
    language: languageOf(mail.shownText),
    messageKind: messageKind(mail),
    isRead: isMarkedRead(headers),
    clicksCounted: false,
    clicks: [],
    attachments: mail.attachments.map((attachment) => ({
      // As declared in the mail, since tricks in a name are evidence. Display and saving make it safe.
      name: attachment.declaredName?.trim()
        ? attachment.declaredName.slice(0, MAX_NAME)
        : attachment.filename,
      mimeType: attachment.mimeType,
      contentType: attachment.contentType,
      encryption: attachment.encryption,
      size: attachment.size,
      md5: attachment.md5,
      sha1: attachment.sha1,
      sha256: attachment.sha256,
      isInline: attachment.inline,
      verdictCode: null,
      matches: null,
      members: attachment.members,
    })),
    links: mail.links.map(({ url, host, text, mismatched, source, within, rewrittenUrl }) => ({
      url,
      host,
      text,
      status: null,
      mismatched,
      source,
      within,
      rewrittenUrl,
    })),
    scans: checkScans(assessment, providerScan(headers)),
    score: assessment.score,
    findings: assessment.findings,
    campaignKeys: campaignKeys(prepared, assessment.verdict !== null),
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
        ...(mail.headerCharset === null ? {} : { headerCharset: mail.headerCharset }),
        active: mail.active,
        authTrusted: auth.trusted,
        ...(assessment.unchecked.length > 0 ? { unchecked: assessment.unchecked } : {}),
      },
    },
    raw: stored,
    text: mail.shownText,
    headerLines: headers.map(({ name, decoded }) => `${name}: ${decoded}`),
    hops: mail.hopIps,
  };
}
