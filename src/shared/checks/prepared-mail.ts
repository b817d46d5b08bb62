/** A parsed mail, with what several checks ask of it computed once. */
import { getDomain, parse as parseHost } from 'tldts';
import { dictionary } from '../dictionary.ts';
import type { MailAddress } from '../mail/addresses.ts';
import { isForward } from '../mail/base-subject.ts';
import { organisationalDomain } from '../mail/domains.ts';
import { allHeaders, firstHeader, type MailHeader } from '../mail/headers.ts';
import type { ActiveContent } from '../mail/html.ts';
import type { Link } from '../mail/links.ts';
import { messageKind } from '../mail/message-kind.ts';
import type { SignedBody } from '../mail/signed-body.ts';
import type { MessageKind } from '../model/enums.ts';
import { foldText } from '../query/text.ts';
import freeMailers from './data/free-mailers.json' with { type: 'json' };
import { latinized } from './latinized.ts';

/**
 * What in an attachment runs or loads something: macros; embedded objects; a template or object loaded from elsewhere;
 * a script; starting a program; files embedded in it; a script that makes a file.
 */
export type AttachmentTrait =
  | 'macros'
  | 'objects'
  | 'template'
  | 'script'
  | 'launch'
  | 'embedded'
  | 'smuggling';

interface CheckedMember {
  name: string;
  /** In the archive, through nested ones. */
  path: string;
  /** The type by its bytes; null: not read. */
  contentType: string | null;
  encrypted: boolean;
}

export interface CheckedAttachment {
  filename: string;
  declaredName: string | null;
  mimeType: string;
  /** The type by its bytes; null: they show none. */
  contentType: string | null;
  encryption: string | null;
  inline: boolean;
  size: number | null;
  /** In lower case; null: the stored mail lacks the part. */
  sha256: string | null;
  members: readonly CheckedMember[];
  traits: readonly AttachmentTrait[];
}

/** What checks read of a mail; a `ParsedMail` of the reader fits. */
export interface CheckedMail {
  headers: MailHeader[];
  subject: string;
  author: MailAddress | null;
  from: MailAddress[];
  to: MailAddress[];
  cc: MailAddress[];
  delivered: MailAddress[];
  replyTo: MailAddress[];
  /** Milliseconds since the epoch; null: unknown. */
  receivedAt: number | null;
  inReplyTo: string | null;
  references: string[];
  auth: { spf: string | null; dkim: string | null; dmarc: string | null; trusted: boolean };
  /** What became of the body under each DKIM signature. */
  signedBodies: SignedBody[];
  text: string;
  html: string;
  shownText: string;
  links: Link[];
  active: ActiveContent;
  attachments: CheckedAttachment[];
  isEncrypted: boolean;
  /** What of its attachments was not looked into, as sentences. */
  unsearched: readonly string[];
}

/** Characters of the body that checks read: far more than a person does. */
const MAX_CHECKED = 60_000;
/** Links that checks read. */
const MAX_LINKS = 500;

const FREE = new Set(freeMailers.domains);

/** A web link with the owner of its host. */
export interface WebLink extends Link {
  host: string;
  owner: string;
}

export interface PreparedMail extends CheckedMail {
  kind: MessageKind;
  /** In which it was received; null: unknown. */
  year: number | null;
  /** The author's display name, as drawn. */
  name: string;
  domain: string;
  /** The organisational domain of From; '' without one. */
  owner: string;
  isFreeMailer: boolean;
  /** Through a mailing list, or on behalf of one. */
  isList: boolean;
  /** The addresses of the list that people write to, in lower case; empty: no such list. */
  posting: ReadonlySet<string>;
  /** An answer in a conversation, with references and a quotation; what is passed on was written by others. */
  isAnswer: boolean;
  /** A server made it: a bounce, a receipt, a calendar's notice. */
  isAutomatic: boolean;
  /** It tells what became of another mail: a bounce, a read receipt, an abuse or DMARC report. */
  isNotice: boolean;
  /** Addresses that it was sent to, in lower case. */
  recipients: ReadonlySet<string>;
  webLinks: WebLink[];
  /** Words of subject and body for phrases: folded, in Latin letters where others pass for them. */
  words: string[];
  /** The same without separators, if it is in a language that writes none between words; otherwise ''. */
  joined: string;
  subjectWords: string[];
  /** Whether the body is longer than what is read of it. */
  isCut: boolean;
}

export const isFreeMailer = (domain: string): boolean => FREE.has(domain);

export const hasPublicSuffix = (domain: string): boolean => {
  const { isIcann, isIp } = parseHost(domain);
  return isIcann === true || isIp === true;
};

/** The name below the public suffix: `paypal` of `www.paypal.co.uk`. */
export const ownLabel = (domain: string): string => getDomain(domain)?.split('.', 1)[0] ?? '';

const BEYOND_ASCII = /[^\0-\x7f]/;
/** Letters with strokes, which do not decompose. */
const STROKED: Readonly<Record<string, string>> = dictionary({ ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ı: 'i' });

/** A text as words to compare: folded, in Latin letters, without invisible characters and apostrophes. */
export function plainText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase().replace(/['`]/g, '');
  const visible = text.replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');
  return latinized(foldText(visible))
    .replace(/[łøđħı]/g, (letter) => STROKED[letter] ?? letter)
    .replace(/['’ʼ`´]/g, '');
}

const NOT_WORD = /[^\p{L}\p{M}\p{N}$€£¥%&@.]+|\.(?!\p{N})|(?<!\p{N})\./gu;
export const wordsOfPhrase = (text: string): string[] => text.split(NOT_WORD).filter((word) => word !== '');

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** The line above a quotation, in the languages of the common mail programs. */
const QUOTATION =
  /^\s*(?:>|On .{5,200} wrote:|Am .{5,200} schrieb|Le .{5,200} a écrit|El .{5,200} escribió:|Em .{5,200} escreveu:|Il .{5,200} ha scritto:|Op .{5,200} schreef|W dniu .{5,200} pisze:|.{5,200} пишет:|-{2,}\s*Original|_{10,}|(?:From|Von|De|Da|Van|Od|От|Kimden|发件人|發件人|差出人|보낸 사람) ?[:：] )/m;

/** `linux-arch-owner@vger.kernel.org`, `users-bounces+a=b@lists.example`: who manages the list that is named before. */
const OWNER = /^<?(?:owner-([^@\s]+)|([^@\s]+?)-(?:owner|bounces?)(?:\+[^@\s]*)?)@([^\s>]+)/i;

/** Newsletters have a List-Id as well, but no address for posts and no owner to whom they bounce. */
function postingAddresses(headers: readonly MailHeader[]): Set<string> {
  const out = new Set<string>();
  for (const { value } of [...allHeaders(headers, 'List-Post'), ...allHeaders(headers, 'X-Mailing-List')])
    for (const [address] of value.slice(0, 500).matchAll(/[\w.+-]{1,64}@[\w.-]{1,255}/g))
      out.add(address.toLowerCase());
  for (const { value } of [...allHeaders(headers, 'Sender'), ...allHeaders(headers, 'Return-Path')]) {
    const [, before, after, host] = OWNER.exec(value.trim().slice(0, 500)) ?? [];
    if (host !== undefined) out.add(`${before ?? after}@${host}`.toLowerCase());
  }
  return out;
}

export function prepareMail(mail: CheckedMail): PreparedMail {
  const domain = (mail.author?.domain ?? '').replace(/(?<!\.)\.+$/, '');
  const body = mail.shownText.slice(0, MAX_CHECKED);
  const plain = plainText(body);
  const subject = plainText(mail.subject.slice(0, 2_000));
  const header = (name: string): string => firstHeader(mail.headers, name)?.value.trim().toLowerCase() ?? '';
  const isList =
    header('List-Id') !== '' || header('List-Post') !== '' || /^(?:list|bulk)$/.test(header('Precedence'));
  const kind = messageKind(mail);
  const isNotice = ['bounce', 'receipt', 'report'].includes(kind);
  const references = mail.references.length + (mail.inReplyTo === null ? 0 : 1);
  return {
    ...mail,
    kind,
    isNotice,
    year: mail.receivedAt === null ? null : new Date(mail.receivedAt).getUTCFullYear(),
    name: mail.author?.name ?? '',
    domain,
    owner: organisationalDomain(domain) ?? '',
    isFreeMailer: isFreeMailer(domain),
    isList,
    posting: isList ? postingAddresses(mail.headers) : new Set(),
    isAnswer: references > 0 && !isForward(mail.subject) && QUOTATION.test(mail.text.slice(0, MAX_CHECKED)),
    isAutomatic:
      isNotice || /^auto-/.test(header('Auto-Submitted')) || header('X-Auto-Response-Suppress') !== '',
    recipients: new Set(
      [...mail.to, ...mail.cc, ...mail.delivered].slice(0, 100).map(({ address }) => address.toLowerCase()),
    ),
    webLinks: mail.links.slice(0, MAX_LINKS).flatMap((link) => {
      if (link.host === null || link.source === 'header') return [];
      return [{ ...link, host: link.host, owner: organisationalDomain(link.host) ?? link.host }];
    }),
    words: wordsOfPhrase(`${subject} | ${plain}`),
    joined: UNSPACED.test(`${subject}${plain}`) ? `${subject}${plain}`.replace(/\s+/g, '') : '',
    subjectWords: wordsOfPhrase(subject),
    isCut: mail.shownText.length > MAX_CHECKED,
  };
}
