import { dictionary } from '#shared/dictionary.ts';
import { aligned } from './domains.ts';
import { allHeaders, type MailHeader, placedHeaders } from './headers.ts';
import { parseParameters } from './parameters.ts';
import { receivedOf } from './received.ts';

/**
 * How far a statement can be trusted from the headers alone. 'vouched': in a position where only a server of the
 * receiving side can have put it; 'claimed': anyone on the way could have written it, including the sender; 'presence':
 * unverified, the mail merely carries a signature.
 */
type AuthTrust = 'vouched' | 'claimed' | 'presence';

/** One statement about the authentication of a mail. */
export interface AuthResult {
  /** Lowercased: spf, dkim, dmarc, arc, or any other method the header names. */
  method: string;
  /** Lowercased result word; 'unchecked' for a signature no server reports on. */
  result: string;
  /** The domain the statement is about, lowercased, or null. */
  domain: string | null;
  /** Relaxed alignment of that domain with From (RFC 7489), or null when one of them is unknown. */
  aligned: boolean | null;
  trust: AuthTrust;
  source: {
    header: string /** Position in the header list. */;
    index: number /** authserv-id. */;
    server: string | null;
  };
  /** DKIM selector, when known. */
  selector: string | null;
  /** Comment or reason of the server, as written. */
  reason: string | null;
  /** ptype.property pairs and other properties, names lowercased. */
  properties: Record<string, string>;
  /** Semicolons are missing in the header, so it is a guess that this is a result, and what belongs to it. */
  isGuessed: boolean;
}

const METHOD = /^[a-z0-9-]{1,64}(?:\/\d{1,9})?$/;
const SPF_WORDS = /^(pass|fail|softfail|neutral|none|temperror|permerror|error|unknown)\b/i;
const MAX_VALUE = 32_768;
const plain = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 4096));

interface Statement {
  /** The first word if it is not `name=value`: the authserv-id. */
  lead: string | null;
  /** `name=value` in order; names lowercased, values unquoted. */
  pairs: [string, string][];
  comments: string[];
}

/** Text (without quoted pairs) and end of a quoted string or comment that begins at `start` (RFC 5322 3.2). */
function enclosed(value: string, start: number): { text: string; end: number } {
  const open = value[start];
  let depth = 1;
  let text = '';
  let index = start + 1;
  for (; index < value.length; index++) {
    let char = value[index] ?? '';
    if (char === '\\' && index + 1 < value.length) char = value[++index] ?? '';
    else if (open === '"' ? char === '"' : char === ')') {
      if (--depth === 0) break;
    } else if (open === '(' && char === '(') depth++;
    text += char;
  }
  return { text, end: index + 1 };
}

/** What a name, and what a value, is made of, besides quoted strings. */
const NAME = /[^\s;(="]+/y;
const VALUE = /[^\s;("]+/y;

/** Reads `word name=value (comment); …` with the quoting of RFC 5322. Linear; never throws. */
function statements(input: string): Statement[] {
  const value = input.slice(0, MAX_VALUE);
  const out: Statement[] = [];
  let current: Statement = { lead: null, pairs: [], comments: [] };
  let position = 0;
  const skipSpace = () => {
    for (; position < value.length; ) {
      if (value[position] === '(') {
        const { text, end } = enclosed(value, position);
        current.comments.push(text.trim());
        position = end;
      } else if (/\s/.test(value[position] ?? '')) position++;
      else return;
    }
  };
  /** A run of plain characters and quoted strings, as in `"a b"@example.com`. */
  const readRun = (plain: RegExp): string => {
    let run = '';
    while (position < value.length) {
      plain.lastIndex = position;
      if (plain.test(value)) {
        run += value.slice(position, plain.lastIndex);
        position = plain.lastIndex;
      } else if (value[position] === '"') {
        const { text, end } = enclosed(value, position);
        run += text;
        position = end;
      } else break;
    }
    return run;
  };
  while (position < value.length) {
    skipSpace();
    if (value[position] === ';') {
      out.push(current);
      current = { lead: null, pairs: [], comments: [] };
      position++;
      continue;
    }
    const name = readRun(NAME);
    skipSpace();
    if (value[position] === '=') {
      position++;
      skipSpace();
      current.pairs.push([name.toLowerCase(), readRun(VALUE)]);
    } else if (name !== '' && current.pairs.length === 0) current.lead ??= name;
  }
  out.push(current);
  return out;
}

/** The domain of an address, an @domain or a bare domain. */
function domainOf(value: string | undefined): string | null {
  if (value === undefined) return null;
  const domain = value
    .slice(value.lastIndexOf('@') + 1)
    .replace(/[<>"]/g, '')
    .trim()
    .toLowerCase()
    .replace(/(?<!\.)\.+$/, '');
  return domain === '' ? null : domain;
}

function subject(method: string, properties: Record<string, string>): string | null {
  switch (method) {
    case 'spf':
      return domainOf(properties['smtp.mailfrom'] ?? properties['smtp.mail'] ?? properties['smtp.helo']);
    case 'dkim':
    case 'dkim-adsp':
    case 'domainkeys':
      return domainOf(properties['header.d'] ?? properties['header.i'] ?? properties['header.from']);
    case 'dmarc':
      return domainOf(properties['header.from'] ?? properties['from']);
    default:
      return domainOf(properties['header.d'] ?? properties['header.from'] ?? properties['smtp.mailfrom']);
  }
}

interface Origin {
  header: string;
  index: number;
  trust: AuthTrust;
  fromDomain: string | null;
}

function alignment(domain: string | null, fromDomain: string | null): boolean | null {
  return domain === null || fromDomain === null ? null : aligned(domain, fromDomain);
}

/** Methods that servers report on (IANA), and those of Microsoft. */
const METHODS = new Set(
  'arc auth bimi compauth dara dkim dkim-adsp dkim-atps dmarc dnswl domainkeys iprev rrvs sender-id smime spf vbr'.split(
    ' ',
  ),
);

const isMethod = ([name]: readonly [string, string]): boolean => METHODS.has(name.replace(/\/\d+$/, ''));

/**
 * The methods of a statement, each with its properties. Where semicolons are missing, one statement holds several; a
 * server that writes the properties first, as Yahoo does, begins with one.
 */
function methodsOf(pairs: readonly [string, string][]): readonly (readonly [string, string])[][] {
  const starts = pairs.flatMap((pair, index) => (isMethod(pair) ? [index] : []));
  const [first] = starts;
  // One method that stands first, or none that is registered.
  if (first === undefined || (first === 0 && starts.length === 1)) return [[...pairs]];
  if (first === 0) return starts.map((start, index) => pairs.slice(start, starts[index + 1] ?? pairs.length));
  return starts.flatMap((end, index) => {
    const method = pairs[end];
    const isLast = index === starts.length - 1;
    const before = pairs.slice((starts[index - 1] ?? -1) + 1, end);
    return method === undefined ? [] : [[method, ...before, ...(isLast ? pairs.slice(end + 1) : [])]];
  });
}

/** Yahoo's `spfDomain=a.example spfResult=pass` as others write it. */
const COMMON: Readonly<Record<string, string>> = dictionary({ spfresult: 'spf', spfdomain: 'smtp.mailfrom' });
const inCommonWords = (pairs: readonly [string, string][]): [string, string][] =>
  pairs.map(([name, value]) => [COMMON[name] ?? name, value]);

/** The server's name and the statements of one Authentication-Results value (RFC 8601 section 2.2). */
function parseAuthenticationResults(
  value: string,
  origin: Origin,
): { server: string | null; results: AuthResult[] } {
  const all = statements(value);
  // Some servers omit their name and start with the first statement.
  const server = all[0]?.lead?.toLowerCase() ?? null;
  const results: AuthResult[] = [];
  for (const { lead, pairs, comments } of all) {
    const words = inCommonWords(pairs);
    const first = lead === null ? words[0] : undefined;
    for (const [method, ...rest] of methodsOf(words)) {
      if (method === undefined || !METHOD.test(method[0]) || (lead !== null && !isMethod(method))) continue;
      const [name, result] = [method[0].replace(/\/\d+$/, ''), method[1]];
      const properties: Record<string, string> = Object.fromEntries(rest);
      const domain = subject(name, properties);
      results.push({
        method: name,
        result: result.toLowerCase(),
        domain,
        aligned: alignment(domain, origin.fromDomain),
        trust: origin.trust,
        source: { header: origin.header, index: origin.index, server },
        selector: properties['header.s'] ?? null,
        reason: properties['reason'] ?? comments.find((comment) => comment !== '') ?? null,
        properties,
        isGuessed: method !== first,
      });
    }
  }
  return { server, results };
}

/** One Received-SPF value (RFC 7208 section 9.1). */
function parseReceivedSpf(value: string, origin: Origin): AuthResult | null {
  const word = SPF_WORDS.exec(value.trim())?.[1];
  if (word === undefined) return null;
  const all = statements(value);
  const properties: Record<string, string> = Object.fromEntries(all.flatMap(({ pairs }) => pairs));
  const comment = all.flatMap(({ comments }) => comments)[0] ?? null;
  const named = /domain of (?:transitioning )?(\S+)/i.exec(comment ?? '')?.[1];
  const domain = domainOf(properties['envelope-from'] || named || properties['helo']);
  return {
    method: 'spf',
    result: word.toLowerCase(),
    domain,
    aligned: alignment(domain, origin.fromDomain),
    trust: origin.trust,
    source: {
      header: origin.header,
      index: origin.index,
      // Many servers identify themselves only in the comment: "(mx.example.com: domain of …)".
      server: domainOf(properties['receiver'] ?? /^([\w.-]{1,255}):\s/.exec(comment ?? '')?.[1]),
    },
    selector: null,
    reason: comment,
    properties,
    isGuessed: false,
  };
}

/** One link of an ARC chain (RFC 8617). */
export interface ArcInstance {
  instance: number;
  /** Domain that sealed it, or null. */
  domain: string | null;
  /** The sealer's verdict on the earlier chain: none, pass, fail. */
  chain: string | null;
  results: AuthResult[];
}

/** Tags of a DKIM-Signature or ARC-Seal value (`d=…; s=…`). */
function signatureTags(value: string): Map<string, string> {
  return parseParameters(`x;${value.slice(0, MAX_VALUE)}`, plain).parameters;
}

/** All ARC instances, oldest first; at most 50, the limit of RFC 8617. */
export function arcInstances(headers: readonly MailHeader[], fromDomain: string | null): ArcInstance[] {
  const byNumber = new Map<number, ArcInstance>();
  const instanceOf = (number: number): ArcInstance | null => {
    if (!Number.isInteger(number) || number < 1 || number > 50) return null;
    const instance = byNumber.get(number);
    if (instance) return instance;
    const fresh: ArcInstance = { instance: number, domain: null, chain: null, results: [] };
    byNumber.set(number, fresh);
    return fresh;
  };
  for (const header of allHeaders(headers, 'ARC-Seal')) {
    const tags = signatureTags(header.value);
    const entry = instanceOf(Number(tags.get('i')));
    if (!entry || entry.domain !== null) continue;
    entry.domain = domainOf(tags.get('d'));
    entry.chain = tags.get('cv')?.toLowerCase() ?? null;
  }
  for (const header of allHeaders(headers, 'ARC-Authentication-Results')) {
    const lead = /^\s*i\s*=\s*(\d{1,3})\s*;/i.exec(header.value);
    const entry = instanceOf(Number(lead?.[1]));
    if (!lead || !entry || entry.results.length > 0) continue;
    const origin: Origin = {
      header: header.name,
      index: headers.indexOf(header),
      trust: 'claimed',
      fromDomain,
    };
    entry.results = parseAuthenticationResults(header.value.slice(lead[0].length), origin).results;
  }
  return [...byNumber.values()].sort((a, b) => a.instance - b.instance);
}

/** From best to worst; an unregistered word ranks after `none` and before every negative result. */
const BADNESS = ['pass', 'none', '', 'neutral', 'policy', 'temperror', 'softfail', 'permerror', 'fail'];
const badness = ({ result }: AuthResult): number =>
  BADNESS.indexOf(BADNESS.includes(result) ? result : result === 'hardfail' ? 'fail' : '');
const TRUST: Record<AuthTrust, number> = { vouched: 0, claimed: 1, presence: 2 };

/**
 * The most trusted first, as a sender can add any number of claims for the domain of From; of equal trust those for the
 * domain of From, then from worst to best.
 */
export const mostTelling = (results: readonly AuthResult[]): AuthResult[] =>
  results.toSorted(
    (a, b) =>
      TRUST[a.trust] - TRUST[b.trust] ||
      Number(b.aligned === true) - Number(a.aligned === true) ||
      badness(b) - badness(a),
  );

/**
 * The statement that counts among several of one method: the most trusted, and of contradicting ones the worst. SPF of
 * the HELO name says nothing of the envelope sender and counts only when there is no other.
 */
export function deciding(results: readonly AuthResult[]): AuthResult | null {
  const aside = (result: AuthResult) =>
    result.properties['identity'] === 'helo' ||
    (result.properties['smtp.helo'] !== undefined && result.properties['smtp.mailfrom'] === undefined)
      ? 1
      : 0;
  return (
    results.toSorted(
      (a, b) => TRUST[a.trust] - TRUST[b.trust] || aside(a) - aside(b) || badness(b) - badness(a),
    )[0] ?? null
  );
}

/** Whether a trusted server says that an aligned identifier passed. */
const dmarcPassed = (dmarc: AuthResult | null): boolean =>
  dmarc?.trust === 'vouched' && dmarc.result === 'pass' && dmarc.aligned !== false;

interface Authentication {
  dmarc: AuthResult | null;
  results: readonly AuthResult[];
}

/** Whether DMARC passed by another aligned identifier than this one, as with forwarded mail, whose SPF seldom passes. */
const backedWithout = (result: AuthResult, { dmarc, results }: Authentication): boolean =>
  dmarcPassed(dmarc) &&
  results.some(
    (item) =>
      item !== result &&
      (item.method === 'spf' || item.method === 'dkim') &&
      item.trust === 'vouched' &&
      item.result === 'pass' &&
      item.aligned === true,
  );

/** Results that are neither a pass nor a failure nor a missing statement. */
const UNSURE: readonly string[] = ['softfail', 'permerror', 'temperror', 'policy'];

/**
 * How a result speaks for or against the mail. DMARC requires one aligned identifier: with it, a pass for another domain,
 * or a result weaker than a failure, is not a warning.
 */
export function toneOf(
  result: AuthResult,
  authentication: Authentication,
): 'good' | 'neutral' | 'warning' | 'bad' {
  if (result.trust !== 'vouched') return 'neutral';
  if (result.result === 'fail') return 'bad';
  if (result.result === 'pass')
    return result.aligned !== false ? 'good' : dmarcPassed(authentication.dmarc) ? 'neutral' : 'warning';
  return UNSURE.includes(result.result) && !backedWithout(result, authentication) ? 'warning' : 'neutral';
}

/**
 * Whether a header at `index` by `server` can only come from the receiving side: it is above the topmost Received,
 * which the last server wrote, and names that server's organisation; or it names a server that the analyst trusts and
 * is above that server's own topmost Received (RFC 8601 sections 1.6 and 5).
 */
function trustAt(headers: readonly MailHeader[], believed: readonly string[]) {
  const stamps = placedHeaders(headers, 'Received');
  const topmost = stamps[0];
  const isBy = ({ header }: { header: MailHeader }, server: string): boolean => {
    const { by } = receivedOf(header);
    return by !== null && aligned(server, by);
  };
  return (index: number, server: string | null): AuthTrust => {
    if (server === null || topmost === undefined) return 'claimed';
    if (index < topmost.index && isBy(topmost, server)) return 'vouched';
    if (!believed.includes(server)) return 'claimed';
    const stamp = stamps.find((stamp) => isBy(stamp, server)) ?? topmost;
    return index < stamp.index ? 'vouched' : 'claimed';
  };
}

/**
 * All statements of Authentication-Results, Received-SPF and DKIM-Signature headers, most trusted first. `believed`:
 * lowercased authserv-ids that are trusted besides the last receiving server.
 */
export function authResults(
  headers: readonly MailHeader[],
  fromDomain: string | null,
  believed: readonly string[] = [],
): { server: string | null; results: AuthResult[] } {
  const results: AuthResult[] = [];
  const trust = trustAt(headers, believed);
  for (const { index, header } of placedHeaders(headers, 'Authentication-Results')) {
    const origin: Origin = { header: header.name, index, trust: 'claimed', fromDomain };
    const parsed = parseAuthenticationResults(header.value, origin);
    // Where semicolons are missing, a name that the sender chose could have become a result.
    for (const result of parsed.results)
      results.push({ ...result, trust: result.isGuessed ? 'claimed' : trust(index, parsed.server) });
  }
  for (const { index, header } of placedHeaders(headers, 'Received-SPF')) {
    const origin: Origin = { header: header.name, index, trust: 'claimed', fromDomain };
    const result = parseReceivedSpf(header.value, origin);
    if (result) results.push({ ...result, trust: trust(index, result.source.server) });
  }
  for (const { index, header } of placedHeaders(headers, 'DKIM-Signature')) {
    const tags = signatureTags(header.value);
    const domain = domainOf(tags.get('d'));
    const selector = tags.get('s') ?? null;
    const reported = results.some(
      (result) =>
        result.method === 'dkim' &&
        result.domain === domain &&
        (result.selector === null || selector === null || result.selector === selector),
    );
    if (reported) continue;
    results.push({
      method: 'dkim',
      result: 'unchecked',
      domain,
      aligned: alignment(domain, fromDomain),
      trust: 'presence',
      source: { header: header.name, index, server: null },
      selector,
      reason: null,
      properties: {},
      isGuessed: false,
    });
  }
  const sorted = results.toSorted((a, b) => TRUST[a.trust] - TRUST[b.trust]);
  return {
    server: sorted.find((result) => result.trust === 'vouched')?.source.server ?? null,
    results: sorted,
  };
}
