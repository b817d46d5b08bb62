/** What the headers of a mail say of it: who wrote it, to whom, when, by which way, and who vouches for it. */
import { isPlausibleTime } from '../model/constants.ts';
import { exact } from '../model/format.ts';
import { isPrivateIp } from '../model/ip.ts';
import { MAX_ADDRESSES, type MailAddress, parseAddresses } from './addresses.ts';
import { addressReader, type HeaderFacts, headerFacts, MOST_LINES } from './analysis.ts';
import type { AuthResult } from './authentication.ts';
import type { DecodeBytes } from './charsets.ts';
import { readMailDate } from './dates.ts';
import { allHeaders, firstHeader, type MailHeader } from './headers.ts';
import { type Hop, plausibleTime } from './received.ts';

/** Authentication results of the headers, for verdicts; in the words of RFC 8601. */
export interface AuthSummary {
  spf: string | null;
  dkim: string | null;
  dmarc: string | null;
  arc: string | null;
  /** Name of the server whose results can be trusted, or null. */
  server: string | null;
  /** False when every result is in a header that the sender could have written; a pass is then 'claimed pass'. */
  trusted: boolean;
  /** Addresses that disagree with From, worst first. */
  warnings: string[];
}

export interface HeaderMail {
  subject: string;
  /** The author: the first mailbox of From that has a domain, otherwise the first one. */
  author: MailAddress | null;
  from: MailAddress[];
  to: MailAddress[];
  cc: MailAddress[];
  bcc: MailAddress[];
  /** Further recipients, which only lines of servers name. */
  delivered: MailAddress[];
  replyTo: MailAddress[];
  sender: MailAddress[];
  returnPath: MailAddress[];
  /** Without angle brackets, or null. */
  messageId: string | null;
  inReplyTo: string | null;
  references: string[];
  /** The Date header, ms since 1970, or null. */
  sentAt: number | null;
  /**
   * The address recorded by the oldest Received that has one, if possible not a private one: the sender's, as far as
   * headers can be trusted; or null.
   */
  clientIp: string | null;
  /** Addresses recorded by Received, oldest first. */
  hopIps: string[];
  /** The topmost dated Received, else Date, else null; ms since 1970. */
  receivedAt: number | null;
  auth: AuthSummary;
}

function identifier(header: MailHeader | undefined): string | null {
  const value = header?.value.trim().slice(0, 2_000) ?? '';
  return (/<([^<>]+)>/.exec(value)?.[1]?.trim() ?? value) || null;
}

function references(header: MailHeader | undefined): string[] {
  const value = header?.value.slice(0, 100_000) ?? '';
  return [...value.matchAll(/<([^<>\s]+)>/g)].map((match) => match[1] ?? '').slice(0, 1_000);
}

/** A pass that was not written by a trusted server must not be found, counted or shown as one. */
const stored = (result: AuthResult | null | undefined): string | null =>
  result?.result === 'pass' && result.trust !== 'vouched' ? 'claimed pass' : (result?.result ?? null);

export function authSummary(analysis: HeaderFacts): AuthSummary {
  const shown =
    analysis.dkim.find(
      (signature) => signature.result === 'pass' && signature.aligned && signature.trust === 'vouched',
    ) ?? analysis.dkim[0];
  return {
    spf: stored(analysis.spf),
    dkim: stored(shown),
    dmarc: stored(analysis.dmarc),
    arc: analysis.arc?.result ?? null,
    server: analysis.authServer,
    trusted: analysis.results.some((result) => result.trust === 'vouched'),
    warnings: analysis.mismatches
      .toSorted((a, b) => Number(b.severity === 'warning') - Number(a.severity === 'warning'))
      .map(({ text }) => text),
  };
}

/** When the mail says it was sent; null, and a problem, if that is unreadable. */
function sent(header: MailHeader | undefined, problems: Set<string>): number | null {
  const value = header?.value ?? '';
  const plain = readMailDate(value);
  const date = plain ?? readMailDate(header?.decoded ?? '');
  if (plain === null && date !== null)
    problems.add('the date is an encoded word, which mail programs need not read');
  if (date === null && value.trim() !== '') problems.add(`the date "${value.slice(0, 80)}" cannot be read`);
  if (date?.isGuessed)
    problems.add(
      `the date "${value.slice(0, 80)}" is not in the form of mail; it is read as ${new Date(date.time).toISOString()}`,
    );
  if (date?.zone === 'missing')
    problems.add(`the date "${value.slice(0, 80)}" names no time zone and is read as UTC`);
  return date?.time ?? null;
}

/**
 * The address of the oldest server beyond the sender's own network, which only counts if there is no other; a problem then
 * says which one was left out.
 */
function clientIp(hops: readonly Hop[], problems: Set<string>): string | null {
  const all = hops.flatMap(({ ip }) => ip ?? []);
  const [first = null] = all;
  const beyond = all.find((ip) => !isPrivateIp(ip)) ?? first;
  if (beyond !== first)
    problems.add(`the first server names a private address, ${first}; the client’s is taken from the next`);
  return beyond;
}

/** Fields in which servers write for whom they took or delivered the mail. */
const DELIVERED = [
  'Delivered-To',
  'X-Delivered-To',
  'X-Original-To',
  'Envelope-To',
  'X-Envelope-To',
  'Apparently-To',
];

/** The recipients that only lines of servers name, in which a name can be that of a list or an alias. */
function deliveredTo(
  read: (name: string) => MailAddress[],
  hops: readonly Hop[],
  named: readonly MailAddress[],
  decode: DecodeBytes,
): MailAddress[] {
  const addresses = new Set(named.map(({ address }) => address.toLowerCase()));
  const further = [
    ...DELIVERED.flatMap(read),
    ...hops.flatMap((hop) => parseAddresses(hop.for ?? '', decode)),
  ];
  return further.flatMap((field) => {
    const key = field.address.toLowerCase();
    if (field.domain === '' || addresses.has(key)) return [];
    addresses.add(key);
    return { ...field, name: '' };
  });
}

/** What is guessed of the servers' own lines. */
function guesses({ hops, results }: HeaderFacts, problems: Set<string>): void {
  const times = hops.filter(({ isTimeGuessed }) => isTimeGuessed).length;
  if (times > 0)
    problems.add(`${times} of ${hops.length} Received headers have their time in another place or form`);
  if (results.some(({ isGuessed }) => isGuessed))
    problems.add(
      'Authentication-Results lacks semicolons; which domain belongs to which result is guessed, and none is trusted',
    );
}

/** The time of the last server with a plausible Received time; otherwise the Date, if plausible. */
function receivedAt(hops: readonly Hop[], sentAt: number | null): number | null {
  const last = hops.map(plausibleTime).findLast((time) => time !== null);
  return last ?? (sentAt !== null && isPlausibleTime(sentAt) ? sentAt : null);
}

interface Reading {
  decode: DecodeBytes;
  /** Authserv-ids that are trusted besides the last receiving server. */
  believed?: readonly string[];
  /** Receives what was cut or guessed, as sentences. */
  problems: Set<string>;
}

export function mailOfHeaders(
  headers: readonly MailHeader[],
  { decode, believed, problems }: Reading,
): HeaderMail {
  const read = addressReader(headers, decode);
  const analysis = headerFacts(headers, read, believed);
  const addresses = (name: string): MailAddress[] => {
    const all = allHeaders(headers, name);
    const listed =
      all.length <= MOST_LINES
        ? [...read(name)]
        : all.flatMap((header) => parseAddresses(header.value, decode));
    const isCut =
      listed.length >= MAX_ADDRESSES &&
      all.some(
        ({ value }) => parseAddresses(value, decode, { most: MAX_ADDRESSES + 1 }).length > MAX_ADDRESSES,
      );
    if (isCut) problems.add(`only the first ${exact(MAX_ADDRESSES)} addresses of ${name} are listed`);
    return listed;
  };
  guesses(analysis, problems);
  const sentAt = sent(firstHeader(headers, 'Date'), problems);
  const [to, cc, bcc] = [addresses('To'), addresses('Cc'), addresses('Bcc')];
  return {
    subject: firstHeader(headers, 'Subject')?.decoded ?? '',
    author: analysis.from,
    from: addresses('From'),
    to,
    cc,
    bcc,
    delivered: deliveredTo(addresses, analysis.hops, [...to, ...cc, ...bcc], decode),
    replyTo: addresses('Reply-To'),
    sender: addresses('Sender'),
    returnPath: addresses('Return-Path'),
    messageId: identifier(firstHeader(headers, 'Message-ID')),
    inReplyTo: identifier(firstHeader(headers, 'In-Reply-To')),
    references: references(firstHeader(headers, 'References')),
    sentAt,
    hopIps: analysis.hops.flatMap(({ ip }) => ip ?? []),
    clientIp: clientIp(analysis.hops, problems),
    receivedAt: receivedAt(analysis.hops, sentAt),
    auth: authSummary(analysis),
  };
}
