/** What kind of mail one is, by its headers and parts: a list’s, an answer, a bounce, a report. */
import type { MessageKind } from '../model/enums.ts';
import { firstHeader, type MailHeader } from './headers.ts';

/** What the kind is read from; a `ParsedMail` of the reader fits. */
export interface KindFacts {
  headers: readonly MailHeader[];
  subject: string;
  author: { local: string } | null;
  inReplyTo: string | null;
  references: readonly string[];
  attachments: readonly { mimeType: string; filename: string }[];
}

const BOUNCER = /^(?:mailer-daemon|mail-daemon|postmaster|bounces?)$/i;
const UNDELIVERED =
  /undeliver|delivery (?:status|failure|has failed|report)|mail delivery|returned (?:mail|to sender)|failure notice|could not be delivered|nicht zugestellt|unzustellbar|non remis|échec|no (?:se )?entregad|não entregue|mancata consegna|недоставлен|не доставлено|配信不能|退信/i;
const AUTHENTICATION_REPORT = /^\s*(?:\[[^\]]*\]\s*)?report[- ]domain:/i;
/** Names of the aggregate reports of DMARC (RFC 7489) and of TLS (RFC 8460). */
const AGGREGATE = /^[^!]+![^!]+!\d+!\d+.*\.(?:xml|json)(?:\.gz)?$|^[^!]+![^!]+!\d+!\d+.*\.(?:zip|gz)$/i;

/** Most telling first: an answer on a list is the list’s mail, a bounce is automatic too. */
export function messageKind(mail: KindFacts): MessageKind {
  const header = (name: string): string => firstHeader(mail.headers, name)?.value.trim().toLowerCase() ?? '';
  const type = header('Content-Type');
  const reportType = /^multipart\/report\b.*?report-type="?([\w-]+)/s.exec(type)?.[1] ?? '';
  const parts = mail.attachments.map(({ mimeType }) => mimeType.toLowerCase());
  if (reportType === 'delivery-status' || parts.includes('message/delivery-status')) return 'bounce';
  if (reportType === 'disposition-notification' || parts.includes('message/disposition-notification'))
    return 'receipt';
  if (
    ['feedback-report', 'tlsrpt'].includes(reportType) ||
    parts.includes('message/feedback-report') ||
    AUTHENTICATION_REPORT.test(mail.subject) ||
    mail.attachments.some(({ filename }) => AGGREGATE.test(filename))
  )
    return 'report';
  const isNull = /^<\s*>$/.test(header('Return-Path'));
  if (BOUNCER.test(mail.author?.local ?? '') && (isNull || UNDELIVERED.test(mail.subject))) return 'bounce';
  if (
    /^text\/calendar\b/.test(type) ||
    parts.some((part) => /^(?:text\/calendar|application\/ics)$/.test(part))
  )
    return 'calendar';
  if (
    /^auto-/.test(header('Auto-Submitted')) ||
    /^auto[_-]?reply$/.test(header('Precedence')) ||
    ['X-Autoreply', 'X-Autorespond', 'X-Auto-Reply'].some((name) => header(name) !== '')
  )
    return 'automatic';
  if (header('List-Post') !== '' || header('Mailing-List') !== '' || header('X-Mailing-List') !== '')
    return 'list';
  if (
    header('List-Unsubscribe') !== '' ||
    header('List-Id') !== '' ||
    /^(?:list|bulk)$/.test(header('Precedence'))
  )
    return 'bulk';
  return mail.inReplyTo !== null || mail.references.length > 0 ? 'answer' : 'message';
}
