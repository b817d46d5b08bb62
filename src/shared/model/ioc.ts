import { parse } from 'tldts';
import { defangDomain, defangEmail, defangIp, defangUrl, refang } from './defang.ts';
import { hashType } from './hashes.ts';
import { isIp, isIpv4, isIpv6 } from './ip.ts';

/** The kinds of indicator, in the order they are listed. */
export const IOC_TYPES = ['address', 'domain', 'ip', 'url', 'md5', 'sha1', 'sha256'] as const;
export type IocType = (typeof IOC_TYPES)[number];

export interface Ioc {
  type: IocType;
  /** Live, not defanged. Domains, IPs and hashes in lower case; addresses and URLs with a lower-case host. */
  value: string;
}

export interface ExtractOptions {
  /** Also list the host of each URL and address as a domain or IP. Default true. */
  hosts?: boolean;
  /** Stop after so many. Default 100 000. */
  max?: number;
}

const LIMIT = 100_000;
const HOST_MAX = 253;
// Reserved for documentation and tests (RFC 2606, RFC 6761), so in no public suffix list.
const RESERVED_TLDS: readonly string[] = ['example', 'test', 'invalid'];
// Both a top-level domain and a common file extension: "invoice.zip" in a sentence is a file.
const FILE_TLDS: readonly string[] = ['zip', 'mov', 'sh', 'py', 'pl', 'rs', 'md', 'ps', 'so', 'app', 'pub'];

const LABEL = /^[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_-]{0,61}[\p{L}\p{N}\p{M}])?$/u;

/** A domain name in lower case, or null: known or reserved top level, lawful labels. */
export function asDomain(text: string): string | null {
  if (text.length > HOST_MAX + 1) return null;
  const host = text
    .toLowerCase()
    .replace(/[\u{3002}\u{ff0e}\u{ff61}]/gu, '.')
    .replace(/\.$/, '');
  const labels = host.split('.');
  if (labels.length < 2 || host.length > HOST_MAX || isIp(host)) return null;
  if (!labels.every((label) => LABEL.test(label))) return null;
  if (RESERVED_TLDS.includes(labels.at(-1)!)) return host;
  const parsed = parse(host, { validateHostname: false });
  return parsed.isIcann === true && parsed.domain !== null ? host : null;
}

const LOCAL_CHAR = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const NOT_HOST = /[^\p{L}\p{N}\p{M}._-]/u;

/** An address with its host in lower case, or null. */
export function asAddress(text: string): string | null {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > 64) return null;
  const local = text.slice(0, at);
  const domain = asDomain(text.slice(at + 1));
  const lawful = [...local].every((char) => LOCAL_CHAR.test(char)) && !/^\.|\.$|\.\./.test(local);
  return domain !== null && lawful ? `${local}@${domain}` : null;
}

const URL_PARTS = /^(https?|ftps?):\/\/([^/?#\\\s]*)(.*)$/is;
const URL_MAX = 8192;

function hostOf(authority: string): string | null {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const ipv6 = /^\[([0-9a-f:.]{2,45})\](?::\d*)?$/i.exec(host)?.[1];
  if (ipv6 !== undefined) return isIpv6(ipv6) ? ipv6.toLowerCase() : null;
  const name = host.replace(/:\d*$/, '').toLowerCase();
  return isIpv4(name) ? name : name === '' ? null : name;
}

/** A URL of http, https or ftp with scheme and authority in lower case, and its host; or null. */
function asUrl(text: string): { value: string; host: string } | null {
  if (text.length > URL_MAX) return null;
  const parts = URL_PARTS.exec(text);
  if (!parts) return null;
  const [, scheme = '', authority = '', rest = ''] = parts;
  const host = hostOf(authority);
  if (host === null) return null;
  const at = authority.lastIndexOf('@') + 1;
  const name = authority.slice(0, at) + authority.slice(at).toLowerCase();
  return { value: `${scheme.toLowerCase()}://${name}${rest}`, host };
}

/** The indicator that a whole value is, live or defanged; null when it is none. */
export function classifyIoc(value: string): Ioc | null {
  if (value.length > URL_MAX * 2) return null;
  const text = refang(value.trim());
  const hash = hashType(text);
  if (hash !== null) return { type: hash, value: text.toLowerCase() };
  const url = asUrl(text);
  if (url !== null && !/\s/.test(text)) return { type: 'url', value: url.value };
  if (isIp(text)) return { type: 'ip', value: text.toLowerCase() };
  const address = asAddress(text);
  if (address !== null) return { type: 'address', value: address };
  const domain = asDomain(text);
  return domain === null ? null : { type: 'domain', value: domain };
}

class Found {
  readonly list: Ioc[] = [];
  private readonly seen = new Set<string>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  get full(): boolean {
    return this.list.length >= this.max;
  }

  add(type: IocType, value: string): void {
    const key = `${type} ${type === 'address' ? value.toLowerCase() : value}`;
    if (this.full || this.seen.has(key)) return;
    this.seen.add(key);
    this.list.push({ type, value });
  }

  addHost(host: string): void {
    const ip = isIp(host);
    const value = ip ? host : asDomain(host);
    if (value !== null) this.add(ip ? 'ip' : 'domain', value);
  }
}

const URL_IN_TEXT = /(?<![a-z0-9])(?:https?|ftps?):\/\/[^\s<>"`{}|^\u{201c}\u{201d}\p{Cc}]+/giu;
const TOKEN = /[\p{L}\p{N}\p{M}_.:%+@!#$&'*=?^~/-]+/gu;

/** By hand: a pattern such as /[.]+$/ takes quadratic time on a long run that does not end the text. */
function trimEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

function trim(text: string, chars: string): string {
  let start = 0;
  while (start < text.length && chars.includes(text[start]!)) start += 1;
  return trimEnd(text.slice(start), chars);
}

/** Without the punctuation of the sentence around; a closing bracket stays when the URL opened it. */
function trimUrl(url: string): string {
  let surplus = 0;
  for (const char of url) surplus += char === ')' ? 1 : char === '(' ? -1 : 0;
  let end = url.length;
  for (; end > 0; end -= 1) {
    const last = url[end - 1]!;
    if (last === ')' && surplus > 0) surplus -= 1;
    else if (!".,;:!?'*\u{2026}\u{2019}".includes(last)) break;
  }
  const trimmed = url.slice(0, end);
  return trimmed.endsWith(']') && !trimmed.includes('[') ? trimmed.slice(0, -1) : trimmed;
}

function looksLikeFile(domain: string): boolean {
  const labels = domain.split('.');
  return labels.length === 2 && FILE_TLDS.includes(labels[1]!);
}

const PUNCTUATION = ".:'*/!?%+=&#$^~-";

function readTokens(text: string, found: Found, hosts: boolean): void {
  for (const [token] of text.matchAll(TOKEN)) {
    if (found.full) return;
    readToken(token, found, hosts);
  }
}

function readToken(token: string, found: Found, hosts: boolean): void {
  const text = trim(token, PUNCTUATION);
  const ip = text.replace(/[/%].*$/s, '').toLowerCase();
  if (isIpv4(ip) || (isIpv6(ip) && ip.length > 4 && /\d/.test(ip))) {
    found.add('ip', ip);
    return;
  }
  const around = text.split('@');
  for (const [index, part] of around.entries()) {
    const before = index === 0 ? '' : around[index - 1]!.slice(-64).replace(/^.*[:=/]/s, '');
    const pieces = part.split(NOT_HOST);
    for (const [at, piece] of pieces.entries()) {
      // What stands right before an @ is a local part, not a name.
      if (index < around.length - 1 && at === pieces.length - 1) continue;
      const word = trim(piece, '._-');
      const address = index > 0 && at === 0 ? asAddress(`${before}@${word}`) : null;
      if (address !== null) found.add('address', address);
      if (address === null || hosts) readWord(word, found, address !== null);
    }
  }
}

function readWord(word: string, found: Found, afterAt: boolean): void {
  const hash = hashType(word);
  const named = hash === null && word.length <= HOST_MAX && word.includes('.');
  const domain = named ? asDomain(word) : null;
  if (hash !== null) found.add(hash, word.toLowerCase());
  else if (named && isIpv4(word)) found.add('ip', word);
  else if (domain !== null && (afterAt || !looksLikeFile(domain))) found.add('domain', domain);
}

/**
 * The indicators of one or more texts, live or defanged: typed, each once, in order of type and then of
 * appearance. Linear in the length of the text. Names are domains only under a known or reserved top level, and
 * a bare "invoice.zip" is a file.
 */
export function extractIocs(texts: string | Iterable<string>, options: ExtractOptions = {}): Ioc[] {
  const hosts = options.hosts ?? true;
  const found = new Found(options.max ?? LIMIT);
  for (const raw of typeof texts === 'string' ? [texts] : texts) {
    if (found.full) break;
    const text = refang(raw);
    let done = 0;
    for (const match of text.matchAll(URL_IN_TEXT)) {
      if (found.full) break;
      readTokens(text.slice(done, match.index), found, hosts);
      const trimmed = trimUrl(match[0]);
      const url = asUrl(trimmed);
      done = match.index + trimmed.length;
      if (url === null) continue;
      found.add('url', url.value);
      if (hosts) found.addHost(url.host);
    }
    readTokens(text.slice(done), found, hosts);
  }
  return IOC_TYPES.flatMap((type) => found.list.filter((ioc) => ioc.type === type));
}

const DEFANG: Readonly<Record<IocType, (value: string) => string>> = {
  address: defangEmail,
  domain: defangDomain,
  ip: defangIp,
  url: defangUrl,
  md5: (value) => value,
  sha1: (value) => value,
  sha256: (value) => value,
};

/** One indicator as text. */
export function iocText(ioc: Ioc, defanged: boolean): string {
  return defanged ? DEFANG[ioc.type](ioc.value) : ioc.value;
}

/** For the clipboard: one indicator per line, in order of type. */
export function iocList(iocs: readonly Ioc[], defanged: boolean): string {
  return iocs.map((ioc) => iocText(ioc, defanged)).join('\n');
}

const COUNT_WORDS: readonly (readonly [readonly IocType[], string, string])[] = [
  [['address'], 'address', 'addresses'],
  [['domain'], 'domain', 'domains'],
  [['ip'], 'IP', 'IPs'],
  [['url'], 'URL', 'URLs'],
  [['md5', 'sha1', 'sha256'], 'hash', 'hashes'],
];

/** "1 address, 2 domains, 3 URLs, 2 hashes"; "no IOCs" when there are none. */
export function iocSummary(iocs: readonly Ioc[]): string {
  const parts = COUNT_WORDS.flatMap(([types, one, many]) => {
    const count = iocs.filter((ioc) => types.includes(ioc.type)).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return parts.length === 0 ? 'no IOCs' : parts.join(', ');
}
