/** What rules in MQL read of a mail: Sublime's Message Data Model, as far as the mail itself tells it. */
import type { MailAddress } from '../../mail/addresses.ts';
import { type AuthResult, authResults, deciding } from '../../mail/authentication.ts';
import { allHeaders, firstHeader, type MailHeader } from '../../mail/headers.ts';
import type { Link } from '../../mail/links.ts';
import { receivedOf } from '../../mail/received.ts';
import { isIp } from '../../model/ip.ts';
import { onceFor } from '../../remember.ts';
import type { CheckedAttachment, CheckedMail } from '../prepared-mail.ts';
import { fileType } from './file-types.ts';
import { DOMAIN, domainValue, EMAIL, IP, MAILBOX, URL_SHAPE, urlValue } from './parts.ts';
import { shownText, threadsOf } from './threads.ts';
import {
  bounded,
  items,
  lacking,
  number,
  object,
  type Shape,
  sequence,
  shape,
  text,
  truth,
  UNKNOWN,
  type Value,
} from './values.ts';

/** What rules read of a mail; a `ParsedMail` of the reader fits. */
interface MqlMail
  extends Pick<
    CheckedMail,
    | 'headers'
    | 'subject'
    | 'author'
    | 'to'
    | 'cc'
    | 'delivered'
    | 'replyTo'
    | 'inReplyTo'
    | 'references'
    | 'auth'
    | 'text'
    | 'html'
    | 'links'
  > {
  bcc: MailAddress[];
  returnPath: MailAddress[];
  messageId: string | null;
  hopIps: string[];
  attachments: (CheckedAttachment & {
    contentId: string | null;
    disposition: string | null;
    md5: string | null;
    sha1: string | null;
    sha256: string | null;
  })[];
}
type Attachment = MqlMail['attachments'][number];

/** Servers whose lines a rule looks at. */
const MAX_HOPS = 60;

export const LINK: Shape = shape<Link>({
  href_url: object(URL_SHAPE, ({ rewrittenUrl, url }) => urlValue(rewrittenUrl ?? url)),
  display_text: text(({ source, text: shown }) => (source === 'html' && shown !== '' ? shown : null)),
  display_url: object(URL_SHAPE, ({ text: shown, source, url }) =>
    source === 'text' ? urlValue(url) : /^(?:https?:\/\/|www\.)\S+$/i.test(shown) ? urlValue(shown) : null,
  ),
  mismatched: truth(({ mismatched }) => mismatched ?? UNKNOWN),
  parser: text(({ source }) => (source === 'html' ? 'hyperlink' : 'plain')),
  visible: lacking('field'),
});

const linksOf = (links: readonly Link[]): Value => bounded(links.filter(({ source }) => source !== 'header'));

const extensionOf = ({ declaredName, filename }: CheckedAttachment): string | null =>
  /\.([^.\s]{1,20})\s*$/.exec(declaredName ?? filename)?.[1]?.toLowerCase() ?? null;

export const ATTACHMENT: Shape = shape<Attachment>({
  file_name: text(({ declaredName }) => declaredName),
  file_extension: text(extensionOf),
  file_type: text((attachment) => fileType(attachment.contentType, extensionOf(attachment))),
  content_type: text(({ mimeType }) => mimeType),
  content_id: text(({ contentId }) => contentId),
  content_disposition: text(({ disposition }) => disposition),
  size: number(({ size }) => size),
  md5: text(({ md5 }) => md5),
  sha1: text(({ sha1 }) => sha1),
  sha256: text(({ sha256 }) => sha256),
});

const FIELD: Shape = shape<MailHeader>({
  name: text(({ name }) => name),
  value: text(({ decoded }) => decoded),
});

interface ServerLines {
  index: number;
  headers: readonly MailHeader[];
  results: readonly AuthResult[];
}

const resultOf = ({ results }: ServerLines, method: string): AuthResult | null =>
  deciding(results.filter((result) => result.method === method));
const SPF_DETAILS: Shape = shape<AuthResult>({
  verdict: text(({ result }) => result),
  designator: text(
    ({ reason }) => /domain of (?:transitioning )?([^\s@]+@)?(\S+)/i.exec(reason ?? '')?.[2] ?? null,
  ),
});
const DMARC_DETAILS: Shape = shape<AuthResult>({
  verdict: text(({ result }) => result),
  from: { type: DOMAIN, get: ({ domain }) => domainValue(domain) },
});
const DKIM_DETAILS: Shape = shape<AuthResult>({
  type: text(({ result }) => result),
  domain: { type: DOMAIN, get: ({ domain }) => domainValue(domain) },
  selector: text(({ selector }) => selector),
});
const COMPAUTH: Shape = shape<AuthResult>({ verdict: text(({ result }) => result) });

const AUTHENTICATION_RESULTS: Shape = shape<ServerLines>({
  spf: text((lines) => resultOf(lines, 'spf')?.result ?? null),
  dkim: text((lines) => resultOf(lines, 'dkim')?.result ?? null),
  dmarc: text((lines) => resultOf(lines, 'dmarc')?.result ?? null),
  compauth: object(COMPAUTH, (lines) => resultOf(lines, 'compauth')),
  spf_details: object(SPF_DETAILS, (lines) => resultOf(lines, 'spf')),
  dmarc_details: object(DMARC_DETAILS, (lines) => resultOf(lines, 'dmarc')),
  dkim_details: items(DKIM_DETAILS, ({ results }) => results.filter(({ method }) => method === 'dkim')),
});

const RAW: Shape = shape<string>({ raw: text((value) => value) });

const RECEIVED: Shape = shape<MailHeader>({
  server: { type: RAW, get: (header) => receivedOf(header).by },
  source: { type: RAW, get: (header) => receivedOf(header).from },
});

const hasResults = ({ results }: ServerLines, header: RegExp): boolean =>
  results.some(({ source }) => header.test(source.header));

const HOP: Shape = shape<ServerLines>({
  index: number(({ index }) => index),
  fields: items(FIELD, ({ headers }) => headers),
  received: object(RECEIVED, ({ headers }) => firstHeader(headers, 'Received') ?? null),
  authentication_results: object(AUTHENTICATION_RESULTS, (lines) =>
    hasResults(lines, /^authentication-results/i) ? lines : null,
  ),
  received_spf: object(
    SPF_DETAILS,
    ({ results }) => results.find(({ source }) => /^received-spf$/i.test(source.header)) ?? null,
  ),
  signature: lacking('field'),
});

const resultsOf = onceFor(
  ({ headers, author }: MqlMail) => authResults(headers, author?.domain || null).results,
);

/** From the last server down to the sender; each line `Received` ends what its server wrote. */
const hopsOf = onceFor((mail: MqlMail): Value => {
  const { headers } = mail;
  const results = resultsOf(mail);
  const out: ServerLines[] = [];
  let start = 0;
  const end = (index: number) => {
    const within = results.filter(({ source }) => source.index >= start && source.index < index);
    out.push({ index: out.length, headers: headers.slice(start, index), results: within });
    start = index;
  };
  for (const [index, { name }] of headers.entries()) {
    if (out.length >= MAX_HOPS) break;
    if (name.toLowerCase() === 'received') end(index + 1);
  }
  if (out.length < MAX_HOPS && start < headers.length) end(headers.length);
  return sequence(out, start < headers.length);
});

/** A pass counts only by a server that can be trusted; without any such server, nothing is known. */
const passed = (method: 'spf' | 'dmarc') =>
  truth<MqlMail>(({ auth }) => {
    const result = auth[method];
    if (result === null || !auth.trusted) return UNKNOWN;
    return result === 'claimed pass' ? UNKNOWN : result === 'pass';
  });

const decisive = (mail: MqlMail, method: string): AuthResult | null =>
  deciding(resultsOf(mail).filter((result) => result.method === method));

const AUTH_SUMMARY: Shape = shape<MqlMail>({
  spf: object(
    shape<MqlMail>({ pass: passed('spf'), details: object(SPF_DETAILS, (mail) => decisive(mail, 'spf')) }),
    (mail) => mail,
  ),
  dmarc: object(
    shape<MqlMail>({
      pass: passed('dmarc'),
      details: object(DMARC_DETAILS, (mail) => decisive(mail, 'dmarc')),
    }),
    (mail) => mail,
  ),
});

const first = (mailboxes: readonly MailAddress[]): MailAddress | null => mailboxes[0] ?? null;
const fieldOf = (mail: MqlMail, name: string): string | null =>
  firstHeader(mail.headers, name)?.decoded || null;

/** Names of servers that the lines `Received` give. */
const serverNames = ({ headers }: MqlMail): Value[] =>
  allHeaders(headers, 'Received').flatMap((header) =>
    [receivedOf(header).from, receivedOf(header).by].flatMap((name) =>
      name === null || isIp(name) || !name.includes('.') ? [] : [domainValue(name)],
    ),
  );

const HEADERS: Shape = shape<MqlMail>({
  hops: { type: { items: HOP }, get: hopsOf },
  auth_summary: object(AUTH_SUMMARY, (mail) => mail),
  reply_to: items(MAILBOX, ({ replyTo }) => replyTo),
  return_path: object(EMAIL, ({ returnPath }) => first(returnPath)),
  delivered_to: object(EMAIL, ({ delivered }) => first(delivered)),
  message_id: text(({ messageId }) => (messageId === null ? null : `<${messageId}>`)),
  in_reply_to: text(({ inReplyTo }) => inReplyTo),
  references: items('text', ({ references }) => references),
  mailer: text((mail) => fieldOf(mail, 'X-Mailer') ?? fieldOf(mail, 'User-Agent')),
  domains: items(DOMAIN, (mail) => serverNames(mail)),
  ips: items(IP, ({ hopIps }) => hopIps),
  date: text((mail) => fieldOf(mail, 'Date')),
  x_originating_ip: {
    type: IP,
    get: (mail) => /[\da-f.:]{3,45}/i.exec(fieldOf(mail, 'X-Originating-IP') ?? '')?.[0] ?? null,
  },
});

/** Marks of an answer or a forwarded mail before a subject, in the main languages. */
const ANSWERED = /^\s*(?:re|aw|antw|sv|vs|odp|ynt|回复|答复|返信)\s*(?:\[\d+\])?\s*[::]\s*/i;
const FORWARDED = /^\s*(?:fwd?|wg|tr|rv|enc|i|vb|pd|转发|転送)\s*[::]\s*/i;
const AUTO_REPLY =
  /^\s*(?:automatic reply|auto(?:matische antwort|reply)|réponse automatique|out of (?:the )?office)\b/i;

function baseSubject(subject: string): string {
  let base = subject;
  for (let count = 0; count < 20; count += 1) {
    const next = base.replace(ANSWERED, '').replace(FORWARDED, '');
    if (next === base) break;
    base = next;
  }
  return base;
}

const SUBJECT: Shape = shape<MqlMail>({
  subject: text(({ subject }) => subject),
  base: text(({ subject }) => baseSubject(subject)),
  is_reply: truth(({ subject }) => ANSWERED.test(subject)),
  is_forward: truth(({ subject }) => FORWARDED.test(subject)),
  is_auto_reply: truth(({ subject }) => AUTO_REPLY.test(subject)),
});

const HTML: Shape = shape<MqlMail>({
  raw: text(({ html }) => html),
  display_text: text(shownText),
  inner_text: text((mail) => shownText(mail).replaceAll('\n', ' ')),
});

const THREAD: Shape = shape<string>({
  text: text((part) => part),
  preamble: text((part) => /^.*$/m.exec(part)?.[0] ?? null),
  links: lacking('field'),
  sender: lacking('field'),
  recipients: lacking('field'),
  subject: lacking('field'),
});

const CURRENT: Shape = shape<MqlMail>({
  text: text((mail) => threadsOf(mail)[0] ?? null),
  preamble: text((mail) => /^.*$/m.exec(threadsOf(mail)[0] ?? '')?.[0] ?? null),
  /** Which links are in an earlier mail that it quotes is only known if it quotes none. */
  links: {
    type: { items: LINK },
    get: (mail) => (threadsOf(mail).length > 1 ? UNKNOWN : linksOf(mail.links)),
  },
  banners: lacking('field'),
});

const BODY: Shape = shape<MqlMail>({
  html: object(HTML, (mail) => (mail.html === '' ? null : mail)),
  plain: object(shape<MqlMail>({ raw: text(({ text: plain }) => plain) }), (mail) =>
    mail.text === '' ? null : mail,
  ),
  links: { type: { items: LINK }, get: ({ links }) => linksOf(links) },
  current_thread: object(CURRENT, (mail) => mail),
  previous_threads: items(THREAD, (mail) => threadsOf(mail).slice(1)),
  ips: lacking('field'),
});

/** A mail of a case, with what the case knows. */
export interface MqlInput {
  mail: MqlMail;
  /** Organisational domains of the case's own side. */
  ownDomains: ReadonlySet<string>;
}

const mailboxes = (get: (mail: MqlMail) => readonly MailAddress[]) =>
  items<MqlMail>(MAILBOX, (mail) => get(mail));

const isOwn = ({ mail, ownDomains }: MqlInput): boolean => {
  const domain = mail.author?.domain ?? '';
  return [...ownDomains].some((parent) => domain === parent || domain.endsWith(`.${parent}`));
};

/** Mail of a folder counts as received, as its direction is not recorded, unless it is from the case's own side. */
const TYPE: Shape = shape<MqlInput>({
  inbound: truth((input) => !isOwn(input)),
  internal: truth((input) => (isOwn(input) ? UNKNOWN : false)),
  outbound: truth((input) => (isOwn(input) ? UNKNOWN : false)),
});

const RECIPIENTS: Shape = shape<MqlMail>({
  to: mailboxes(({ to }) => to),
  cc: mailboxes(({ cc }) => cc),
  bcc: mailboxes(({ bcc }) => bcc),
});

export const MAIL: Shape = shape<MqlInput>({
  type: object(TYPE, (input) => input),
  sender: object(MAILBOX, ({ mail }) => mail.author),
  subject: object(SUBJECT, ({ mail }) => mail),
  body: object(BODY, ({ mail }) => mail),
  attachments: items(ATTACHMENT, ({ mail }) => mail.attachments),
  headers: object(HEADERS, ({ mail }) => mail),
  recipients: object(RECIPIENTS, ({ mail }) => mail),
  mailbox: lacking('history'),
  external: lacking('field'),
});
