/** What makes mails one campaign: keys that they have in common. Pure, with a bounded number of keys for a mail. */
import { brandOfDomain, isOwnDomain } from '../checks/brands.ts';
import { walletIn } from '../checks/content.ts';
import common from '../checks/data/common-hosts.json' with { type: 'json' };
import { entryFor, hostingOf, isShortener, redirectorOf } from '../checks/links.ts';
import { hasPublicSuffix, isFreeMailer, type PreparedMail, type WebLink } from '../checks/prepared-mail.ts';
import { baseSubject } from '../mail/base-subject.ts';
import { organisationalDomain } from '../mail/domains.ts';
import { isPrivateIp } from '../model/ip.ts';
import { textHash } from '../model/text-hash.ts';
import { structureOf } from './html-structure.ts';
import { commonWords, textBands } from './min-hash.ts';

/** What two mails of a campaign can share. The place in the list is a part of every key that is stored. */
export const KEY_KINDS = [
  'text',
  'template',
  'attachment',
  'host',
  'link',
  'reply-address',
  'wallet',
  'subject',
] as const;
type KeyKind = (typeof KEY_KINDS)[number];

/** Keys are integers that a double holds: a hash of 49 bits, then the kind. */
const KINDS = 16;
const HASHES = 2 ** 49;
const keyOf = (kind: KeyKind, text: string): number =>
  (textHash(text) % HASHES) * KINDS + KEY_KINDS.indexOf(kind);
export const kindOfKey = (key: number): KeyKind | undefined => KEY_KINDS[key % KINDS];

const COMMON: ReadonlySet<string> = new Set(common.domains);
/** Keys of one kind: a mail with a thousand attachments does not join a thousand campaigns. */
const MAX_OF_KIND = 4;
/** Words of a subject that mean something alone, and together with another sign. */
const SUBJECT_WORDS = 4;
const FEW_SUBJECT_WORDS = 2;
/** Elements of a page that many would not make in the same way by chance, and with another sign. */
const ELEMENTS = 50;
const FEW_ELEMENTS = 12;
/** Words of a body that shows a picture instead. */
const PICTURE_WORDS = 8;
const SHORTEST_TEXT = 4;
/** Bytes; smaller attachments are empty, smaller pictures logos of a signature. */
const SMALLEST_FILE = 512;
const SMALLEST_PICTURE = 30_000;
/** Parts of the mail's form, which every mail of a sender has. */
const FORMAL_TYPES = /pkcs7|pgp|vcard|calendar|delivery-status|rfc822|ms-tnef/i;
const SHORTEST_PATH = 5;

/** A host whose links say something about who made the mail. */
function isTelling(host: string, recipientOwners: ReadonlySet<string>): boolean {
  if (!hasPublicSuffix(host) || isPrivateIp(host.replace(/[[\]]/g, ''))) return false;
  const owner = organisationalDomain(host) ?? host;
  const brand = brandOfDomain(owner);
  return (
    entryFor(COMMON, host) === undefined &&
    !isFreeMailer(owner) &&
    !recipientOwners.has(owner) &&
    !(brand !== null && isOwnDomain(brand, owner))
  );
}

/** The page of a service where anybody can make one, if the address names one. */
function pageOf({ url, host }: WebLink): string | null {
  const path = /^[a-z]+:\/*[^/?#]*([^?#]*)/i.exec(url.slice(0, 2_000))?.[1] ?? '';
  return path.length < SHORTEST_PATH ? null : `${host}${path.replace(/\/+$/, '')}`;
}

function linkKeys(mail: PreparedMail, isFlagged: boolean): number[] {
  const recipientOwners = new Set(
    [...mail.recipients].map(
      (address) => organisationalDomain(address.slice(address.lastIndexOf('@') + 1)) ?? '',
    ),
  );
  const hosts = new Set<string>();
  const pages = new Set<string>();
  for (const link of mail.webLinks) {
    const host = link.host.replace(/^www\./, '');
    // What a redirector leads to stands in the query, which names the recipient as well.
    if (redirectorOf(link) !== undefined) continue;
    if (isShortener(host) || hostingOf(host) === host) {
      const page = pageOf(link);
      if (page !== null) pages.add(page);
    } else if ((isFlagged || link.owner !== mail.owner) && isTelling(host, recipientOwners)) hosts.add(host);
  }
  // A mail with links to many places, as a digest has, says little by one of them, and would connect what they belong to.
  const owners = new Set([...hosts].map((host) => organisationalDomain(host) ?? host));
  return [
    ...(owners.size > 1 ? [] : [...hosts].slice(0, MAX_OF_KIND).map((host) => keyOf('host', host))),
    ...(pages.size > 1 ? [] : [...pages].map((page) => keyOf('link', page))),
  ];
}

function attachmentKeys(mail: PreparedMail, isPicture: boolean): number[] {
  const hashes = mail.attachments.flatMap(({ sha256, size, inline, mimeType, contentType }) => {
    const isImage = /^image\//i.test(contentType ?? mimeType);
    const isSmall = (size ?? 0) < (isImage && !isPicture ? SMALLEST_PICTURE : SMALLEST_FILE);
    return sha256 === null || isSmall || (inline && !isPicture) || FORMAL_TYPES.test(mimeType)
      ? []
      : [sha256];
  });
  return [...new Set(hashes)].slice(0, MAX_OF_KIND).map((hash) => keyOf('attachment', hash));
}

/** Where an answer goes, if anybody could have made that address. */
function replyAddress({ replyTo, author }: PreparedMail, isFlagged: boolean): string | null {
  const [reply] = replyTo;
  const from = author?.address.toLowerCase() ?? '';
  if (reply !== undefined && reply.address.toLowerCase() !== from)
    return isFreeMailer(reply.domain) ? reply.address.toLowerCase() : null;
  return isFlagged && isFreeMailer(author?.domain ?? '') ? from : null;
}

/**
 * The keys of a mail; mails with a common key are one campaign. Empty for a mail that shows nothing to compare, such as an
 * empty one. If the checks found it suspicious, weaker signs count.
 */
export function campaignKeys(mail: PreparedMail, isFlagged: boolean): number[] {
  const body = mail.words.slice(mail.subjectWords.length);
  const keys = attachmentKeys(mail, body.length < PICTURE_WORDS);
  const reply = mail.isList ? null : replyAddress(mail, isFlagged);
  if (reply !== null) keys.push(keyOf('reply-address', reply));
  const wallet = walletIn(mail);
  if (wallet !== undefined) keys.push(keyOf('wallet', wallet));
  // The mails of a conversation quote each other. A subject with “Re:” alone is often forged, except on mailing lists.
  const isReference = mail.isList || mail.inReplyTo !== null || mail.references.length > 0;
  if (mail.isAnswer || (isReference && baseSubject(mail.subject).isAnswer)) return keys;

  const text = commonWords(body);
  const bands = textBands(text, mail.joined);
  for (const band of bands) keys.push(keyOf('text', band));
  const subject = commonWords(mail.subjectWords);
  const telling = subject.filter((word) => word !== '#').length;
  const title = telling < FEW_SUBJECT_WORDS ? null : subject.join(' ');
  if (title !== null) {
    const sender = mail.name === '' ? (mail.author?.address ?? '') : mail.name;
    keys.push(keyOf('subject', `${title} | ${sender.toLowerCase()}`));
    if (telling >= SUBJECT_WORDS && !mail.isList) keys.push(keyOf('subject', title));
    if (bands.length === 0 && text.length >= SHORTEST_TEXT)
      keys.push(keyOf('text', [title, '|', ...text].join(' ')));
  }
  if (mail.isList) return keys;
  const links = linkKeys(mail, isFlagged);
  const elements = structureOf(mail.html);
  if (elements.length >= ELEMENTS) keys.push(keyOf('template', elements.join('\n')));
  else if (elements.length >= FEW_ELEMENTS && title !== null)
    keys.push(keyOf('template', [title, ...elements].join('\n')));
  return [...keys, ...links];
}
