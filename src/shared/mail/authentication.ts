import { aligned } from './domains.ts';
import { allHeaders, type MailHeader } from './headers.ts';
import { parseParameters } from './parameters.ts';

/** Result words of RFC 8601 and its registries; other words are kept as they are. */
export const KNOWN_RESULTS = [
  'pass',
  'fail',
  'softfail',
  'neutral',
  'none',
  'temperror',
  'permerror',
  'policy',
] as const;

/**
 * How far a statement can be believed from the headers alone. 'topmost': written by the last server that
 * stamped the mail; 'same-server': by a server giving the same name directly below; 'older': could have
 * been written by anyone before that, the sender included; 'presence': nobody's check, the mail merely
 * carries a signature.
 */
export type AuthTrust = 'topmost' | 'same-server' | 'older' | 'presence';

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
}

const SPF_WORDS = /^(pass|fail|softfail|neutral|none|temperror|permerror|error|unknown)\b/i;
const MAX_VALUE = 32_768;
const plain = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 4096));

interface Statement {
  text: string;
  comments: string[];
}

/** Splits at semicolons outside quotes and comments; comments are set aside per statement. */
function statements(value: string): Statement[] {
  const out: Statement[] = [];
  let current: Statement = { text: '', comments: [] };
  let comment = '';
  let depth = 0;
  let quoted = false;
  for (const char of value.slice(0, MAX_VALUE)) {
    if (depth > 0) {
      if (char === '(') depth++;
      else if (char === ')') depth--;
      if (depth === 0) {
        current.comments.push(comment.trim());
        current.text += ' ';
        comment = '';
      } else comment += char;
    } else if (char === '"') {
      quoted = !quoted;
      current.text += char;
    } else if (!quoted && char === '(') depth = 1;
    else if (!quoted && char === ';') {
      out.push(current);
      current = { text: '', comments: [] };
    } else current.text += char;
  }
  if (comment !== '') current.comments.push(comment.trim());
  out.push(current);
  return out;
}

function pairs(text: string): [string, string][] {
  return [...text.matchAll(/([a-z0-9._/-]{1,64})\s*=\s*("[^"]*"|[^\s;]+)/gi)].map(
    ([, name = '', value = '']) => [name.toLowerCase(), value.replace(/^"|"$/g, '')],
  );
}

/** The domain of an address, an @domain or a bare domain. */
export function domainOf(value: string | undefined): string | null {
  if (value === undefined) return null;
  const domain = value
    .slice(value.lastIndexOf('@') + 1)
    .replace(/[<>"]/g, '')
    .trim()
    .toLowerCase()
    .replace(/\.+$/, '');
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

/** The server's name and the statements of one Authentication-Results value (RFC 8601 section 2.2). */
export function parseAuthenticationResults(
  value: string,
  origin: Origin,
): { server: string | null; results: AuthResult[] } {
  const all = statements(value);
  let server: string | null = null;
  const head = all[0]?.text.trim() ?? '';
  // Some servers leave their name out and start with the first statement.
  if (head !== '' && !/^[a-z0-9-]+(?:\/\d+)?\s*=/i.test(head)) {
    server = head.split(/\s+/)[0]?.toLowerCase() ?? null;
    all.shift();
  }
  const results: AuthResult[] = [];
  for (const { text, comments } of all) {
    const found = pairs(text);
    const [method, result] = found[0] ?? [];
    if (method === undefined || result === undefined || !/^[a-z0-9-]+(?:\/\d+)?$/.test(method)) continue;
    const properties: Record<string, string> = Object.fromEntries(found.slice(1));
    const name = method.replace(/\/\d+$/, '');
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
    });
  }
  return { server, results };
}

/** One Received-SPF value (RFC 7208 section 9.1). */
export function parseReceivedSpf(value: string, origin: Origin): AuthResult | null {
  const word = SPF_WORDS.exec(value.trim())?.[1];
  if (word === undefined) return null;
  const all = statements(value);
  const properties: Record<string, string> = Object.fromEntries(all.flatMap(({ text }) => pairs(text)));
  const comment = all.flatMap(({ comments }) => comments)[0] ?? null;
  const named = /domain of (?:transitioning )?(\S+)/i.exec(comment ?? '')?.[1];
  const domain = domainOf(properties['envelope-from'] || named || properties['helo']);
  return {
    method: 'spf',
    result: word.toLowerCase(),
    domain,
    aligned: alignment(domain, origin.fromDomain),
    trust: origin.trust,
    source: { header: origin.header, index: origin.index, server: domainOf(properties['receiver']) },
    selector: null,
    reason: comment,
    properties,
  };
}

/** One link of an ARC chain (RFC 8617). */
export interface ArcInstance {
  instance: number;
  /** Domain that sealed it, or null. */
  domain: string | null;
  /** The sealer's word on the chain before it: none, pass, fail. */
  chain: string | null;
  results: AuthResult[];
}

/** Tags of a DKIM-Signature or ARC-Seal value (`d=…; s=…`). */
export function signatureTags(value: string): Map<string, string> {
  return parseParameters(`x;${value.slice(0, MAX_VALUE)}`, plain).parameters;
}

/** Every ARC instance the headers carry, oldest first; at most 50, the limit of RFC 8617. */
export function arcInstances(headers: readonly MailHeader[], fromDomain: string | null): ArcInstance[] {
  const byNumber = new Map<number, ArcInstance>();
  const at = (number: number): ArcInstance | null => {
    if (!Number.isInteger(number) || number < 1 || number > 50) return null;
    const known = byNumber.get(number);
    if (known) return known;
    const fresh: ArcInstance = { instance: number, domain: null, chain: null, results: [] };
    byNumber.set(number, fresh);
    return fresh;
  };
  for (const header of allHeaders(headers, 'ARC-Seal')) {
    const tags = signatureTags(header.value);
    const entry = at(Number(tags.get('i')));
    if (!entry || entry.domain !== null) continue;
    entry.domain = domainOf(tags.get('d'));
    entry.chain = tags.get('cv')?.toLowerCase() ?? null;
  }
  for (const header of allHeaders(headers, 'ARC-Authentication-Results')) {
    const lead = /^\s*i\s*=\s*(\d{1,3})\s*;/i.exec(header.value);
    const entry = at(Number(lead?.[1]));
    if (!lead || !entry || entry.results.length > 0) continue;
    const origin: Origin = {
      header: header.name,
      index: headers.indexOf(header),
      trust: 'older',
      fromDomain,
    };
    entry.results = parseAuthenticationResults(header.value.slice(lead[0].length), origin).results;
  }
  return [...byNumber.values()].sort((a, b) => a.instance - b.instance);
}

/** Every statement of Authentication-Results, Received-SPF and DKIM-Signature headers, most trusted first. */
export function authResults(
  headers: readonly MailHeader[],
  fromDomain: string | null,
): { server: string | null; results: AuthResult[] } {
  const results: AuthResult[] = [];
  let server: string | null = null;
  let trust: AuthTrust = 'topmost';
  let seen = false;
  for (const [index, header] of headers.entries()) {
    if (header.name.toLowerCase() !== 'authentication-results') continue;
    const parsed = parseAuthenticationResults(header.value, {
      header: header.name,
      index,
      trust,
      fromDomain,
    });
    if (!seen) {
      server = parsed.server;
      trust = 'same-server';
    } else if (trust === 'same-server' && parsed.server !== server) {
      trust = 'older';
      for (const result of parsed.results) result.trust = 'older';
    }
    seen = true;
    results.push(...parsed.results);
  }
  let spfSeen = false;
  for (const [index, header] of headers.entries()) {
    if (header.name.toLowerCase() !== 'received-spf') continue;
    const origin: Origin = {
      header: header.name,
      index,
      trust: spfSeen || seen ? 'older' : 'topmost',
      fromDomain,
    };
    const result = parseReceivedSpf(header.value, origin);
    if (result) results.push(result);
    spfSeen = true;
  }
  for (const [index, header] of headers.entries()) {
    if (header.name.toLowerCase() !== 'dkim-signature') continue;
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
    });
  }
  const order: Record<AuthTrust, number> = { topmost: 0, 'same-server': 1, older: 2, presence: 3 };
  return { server, results: results.sort((a, b) => order[a.trust] - order[b.trust]) };
}
