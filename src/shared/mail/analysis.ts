import { asciiDomain } from '../model/hosts.ts';
import { addressesInText, type MailAddress, parseAddresses } from './addresses.ts';
import { type ArcInstance, type AuthResult, arcInstances, authResults, deciding } from './authentication.ts';
import type { DecodeBytes } from './charsets.ts';
import { aligned, unicodeDomain } from './domains.ts';
import { allHeaders, type MailHeader } from './headers.ts';
import { type Hop, parseHops, plausibleTime } from './received.ts';
import { authWords, hopWords } from './words.ts';

/** A disagreement among the addresses that a mail shows. */
interface HeaderMismatch {
  kind:
    | 'reply-to'
    | 'return-path'
    | 'sender'
    | 'display-name'
    | 'several-from'
    | 'no-from'
    | 'no-such-domain'
    | 'look-alike';
  /** 'warning' when another organisation is involved, 'notice' otherwise. */
  severity: 'warning' | 'notice';
  text: string;
}

/** One sentence for the analyst. */
export interface SummaryLine {
  tone: 'good' | 'bad' | 'warning' | 'neutral';
  text: string;
}

export interface HeaderFacts {
  /** The first mailbox of From that has a domain, otherwise the first one, or null. */
  from: MailAddress | null;
  /** Name of the server whose results can be trusted, or null when there is none. */
  authServer: string | null;
  /** The most trusted statement of each kind. */
  spf: AuthResult | null;
  dkim: AuthResult[];
  dmarc: AuthResult | null;
  arc: { result: string; instances: ArcInstance[]; trust: AuthResult['trust'] | null } | null;
  /** Every statement, most trusted first, including methods not listed above. */
  results: AuthResult[];
  /** Oldest first; those of the last 500 Received headers. */
  hops: Hop[];
  /** Received headers older than those of `hops`, which are only counted. */
  unreadHops: number;
  /** Milliseconds from the first hop with a plausible time to the last, or null when fewer than two have one. */
  totalDelay: number | null;
  mismatches: HeaderMismatch[];
}

export interface HeaderAnalysis extends HeaderFacts {
  summary: SummaryLine[];
}

type Read = (name: string) => readonly MailAddress[];

/** Fields of a name in which addresses are looked for. */
export const MOST_LINES = 100;

/**
 * The mailboxes in the first 100 fields of a name, each read once. `decode` decodes display names after splitting into
 * addresses; without it the already decoded values are used.
 */
export function addressReader(headers: readonly MailHeader[], decode?: DecodeBytes): Read {
  const parse = (header: MailHeader, isAuthor: boolean) =>
    decode
      ? parseAddresses(header.value, decode, { isAuthor })
      : parseAddresses(header.decoded, () => '', { isAuthor });
  const cache = new Map<string, MailAddress[]>();
  return (name) => {
    let addresses = cache.get(name);
    if (addresses === undefined) {
      addresses = allHeaders(headers, name)
        .slice(0, MOST_LINES)
        .flatMap((header) => parse(header, name === 'From' || name === 'Sender'));
      cache.set(name, addresses);
    }
    return addresses;
  };
}

function otherAddress(
  kind: 'reply-to' | 'return-path' | 'sender',
  from: MailAddress,
  others: readonly MailAddress[],
): HeaderMismatch[] {
  const words = {
    'reply-to': ['Replies go to another domain', 'Replies go to another address of the same organisation'],
    'return-path': ['Bounces go to another domain', ''],
    sender: [
      'Another domain sent it on behalf of From',
      'Sender names another address of the same organisation',
    ],
  }[kind];
  const out: HeaderMismatch[] = [];
  for (const other of others) {
    if (other.domain === '' || other.address.toLowerCase() === from.address.toLowerCase()) continue;
    const same = aligned(other.domain, from.domain);
    const text = words[same ? 1 : 0];
    if (!text) continue;
    out.push({
      kind,
      severity: same || kind === 'return-path' ? 'notice' : 'warning',
      text: `${text}: ${other.address} (From: ${from.address}).`,
    });
  }
  return out;
}

function displayName(from: MailAddress): HeaderMismatch[] {
  return addressesInText(from.name)
    .filter((address) => address.toLowerCase() !== from.address.toLowerCase())
    .map((address) => ({
      kind: 'display-name' as const,
      severity: aligned(address.slice(address.lastIndexOf('@') + 1), from.domain)
        ? ('notice' as const)
        : ('warning' as const),
      text: `The display name shows another address, ${address}; the mail says it is from ${from.address}.`,
    }));
}

/** Latin mixed with Cyrillic or Greek in one label: the classic look-alike (Unicode TR 39). */
function mixedScripts(domain: string): boolean {
  return domain
    .split('.')
    .some((label) => /\p{Script=Latin}/u.test(label) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(label));
}

function lookAlike(from: MailAddress): HeaderMismatch[] {
  const shown = unicodeDomain(from.domain);
  if (/^[\x20-\x7e]*$/.test(shown)) return [];
  return [
    {
      kind: 'look-alike',
      severity: mixedScripts(shown) ? 'warning' : 'notice',
      text: mixedScripts(shown)
        ? `The domain of From mixes alphabets and can pass for another: ${asciiDomain(from.domain)}.`
        : `The domain of From uses letters outside ASCII: ${asciiDomain(from.domain)} shows as ${shown}.`,
    },
  ];
}

/** `%bank.test` and the like: DMARC finds no policy to apply, and mail programs show it all the same. */
function impossibleDomain({ domain }: MailAddress): HeaderMismatch[] {
  const isLiteral = domain.startsWith('[') && domain.endsWith(']');
  if (isLiteral || /^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*$/u.test(domain)) return [];
  return [
    {
      kind: 'no-such-domain',
      severity: 'warning',
      text: `The domain of From cannot exist, so no server can check who sent the mail: ${domain}.`,
    },
  ];
}

function findMismatches(
  headers: readonly MailHeader[],
  read: Read,
): { from: MailAddress | null; mismatches: HeaderMismatch[] } {
  const named = read('From').filter((address) => address.address !== '' || address.name !== '');
  const senders = named.filter(({ domain }) => domain !== '');
  const first = senders[0];
  if (first === undefined) {
    const [from = null] = named;
    const text = from
      ? `From contains no email address: ${from.address || from.name}.`
      : 'The mail has no From address.';
    return {
      from,
      mismatches: [{ kind: 'no-from', severity: 'warning', text }],
    };
  }
  // "PayPal Security, thief@x.test": the part before a stray comma is the name that a reader sees.
  const before = named.slice(0, named.indexOf(first)).map(({ name, address }) => name || address);
  const from = first.name === '' && before.length > 0 ? { ...first, name: before.join(', ') } : first;
  const impossible = impossibleDomain(from);
  const mismatches = [
    ...displayName(from),
    ...otherAddress('reply-to', from, read('Reply-To')),
    ...otherAddress('sender', from, read('Sender')),
    ...otherAddress('return-path', from, read('Return-Path').slice(0, 1)),
    ...(impossible.length > 0 ? impossible : lookAlike(from)),
  ];
  const lines = allHeaders(headers, 'From').length;
  if (lines > 1 || senders.length > 1) {
    mismatches.push({
      kind: 'several-from',
      severity: 'warning',
      text:
        lines > 1
          ? `There are ${lines} From headers; mail programs differ in which one they show.`
          : `From names ${senders.length} mailboxes; mail programs differ in which one they show.`,
    });
  }
  return { from, mismatches };
}

/** One statement per signature, since several servers, or one repeatedly, may report on the same one. */
function signatures(results: readonly AuthResult[]): AuthResult[] {
  const groups = Map.groupBy(results, ({ domain, selector }) => JSON.stringify([domain, selector]));
  return [...groups.values()].flatMap((group) => deciding(group) ?? []);
}

/**
 * Analyses the headers of a mail: who vouches for it, its route, and addresses that disagree. Based only on the
 * headers; nothing is looked up. `read` is an `addressReader` of them. `believed`: authserv-ids that are trusted
 * besides the last receiving server. Product page, section 3.13.
 */
export function headerFacts(
  headers: readonly MailHeader[],
  read: Read,
  believed?: readonly string[],
): HeaderFacts {
  const { from, mismatches } = findMismatches(headers, read);
  const fromDomain = from && from.domain !== '' ? from.domain : null;
  const { server, results } = authResults(headers, fromDomain, believed);
  const best = (method: string): AuthResult | null =>
    deciding(results.filter((result) => result.method === method));
  const instances = arcInstances(headers, fromDomain);
  const arcResult = best('arc');
  const arc =
    arcResult || instances.length > 0
      ? { result: arcResult?.result ?? 'unchecked', instances, trust: arcResult?.trust ?? null }
      : null;
  const hops = parseHops(headers);
  const dated = hops.flatMap((hop) => plausibleTime(hop) ?? []);
  return {
    from,
    authServer: server,
    spf: best('spf'),
    dkim: signatures(results.filter((result) => result.method === 'dkim')),
    dmarc: best('dmarc'),
    arc,
    results,
    hops,
    unreadHops: allHeaders(headers, 'Received').length - hops.length,
    totalDelay: dated.length < 2 ? null : (dated.at(-1) ?? 0) - (dated[0] ?? 0),
    mismatches,
  };
}

/** The facts with sentences that say them. */
export function analyseHeaders(
  headers: readonly MailHeader[],
  decode?: DecodeBytes,
  believed?: readonly string[],
): HeaderAnalysis {
  const facts = headerFacts(headers, addressReader(headers, decode), believed);
  const summary: SummaryLine[] = [
    ...authWords(facts),
    ...facts.mismatches.map(({ severity, text }) => ({
      tone: severity === 'warning' ? ('bad' as const) : ('warning' as const),
      text,
    })),
    ...hopWords(facts),
  ];
  return { ...facts, summary };
}
