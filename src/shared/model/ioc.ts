import { parse } from 'tldts';
import { originalLink } from '../mail/rewritten-links.ts';
import { urlsInText } from '../mail/text-urls.ts';
import { defangDomain, defangEmail, defangIp, defangUrl, refang } from './defang.ts';
import { hashType } from './hashes.ts';
import { hostOfUrl } from './hosts.ts';
import { isIp, isIpv4, isIpv6 } from './ip.ts';
import { withoutInvisible } from './pasted.ts';

/** The types of indicator, in display order. */
const IOC_TYPES = ['address', 'domain', 'ip', 'url', 'md5', 'sha1', 'sha256'] as const;
type IocType = (typeof IOC_TYPES)[number];

export interface Ioc {
  type: IocType;
  /** Not defanged. Domains, IPs and hashes in lower case; addresses and URLs with a lower-case host. */
  value: string;
}

export interface ExtractOptions {
  /** Also lists the host of each URL and address as a domain or IP. Default true. */
  hosts?: boolean;
  /** Maximum number of indicators. Default 100 000. */
  max?: number;
}

const LIMIT = 100_000;
const HOST_MAX = 253;
// Reserved for documentation and tests (RFC 2606, RFC 6761), so not in the public suffix list.
const RESERVED_TLDS: readonly string[] = ['example', 'test', 'invalid'];
// Both a top-level domain and a common file extension: "invoice.zip" in a sentence is a file.
const FILE_TLDS: ReadonlySet<string> = new Set([
  'zip',
  'mov',
  'app',
  'one',
  'pub',
  'dot',
  'inc',
  'mobi',
  'cab',
]);
/** Also country codes: with two labels before it, as in `poczta.onet.pl`, it is a domain. */
const SCRIPT_TLDS: ReadonlySet<string> = new Set([
  'sh',
  'py',
  'pl',
  'rs',
  'md',
  'ps',
  'so',
  'pm',
  'tf',
  'la',
  'bz',
]);
/** Words that may follow a sentence whose space is missing: "Thanks.It is", "Done.No more". */
const WORD_TLDS: ReadonlySet<string> = new Set(
  'am as at be by do in is it me my no now of or so to us work today here you call help pay buy win open'.split(
    ' ',
  ),
);
/** Names of code and products that end like domains and are far more frequent than those domains. */
const NAMES: ReadonlySet<string> = new Set([
  'ado.net',
  'asp.net',
  'vb.net',
  'system.io',
  'system.net',
  'java.io',
  'console.info',
  'logger.info',
  'os.name',
  'user.name',
  'file.name',
  'first.name',
  'last.name',
  'display.name',
  'window.name',
  'req.host',
]);
const LABEL = /^[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_-]{0,61}[\p{L}\p{N}\p{M}])?$/u;

/** A domain name in lower case, or null without a known or reserved top level and valid labels. */
export function asDomain(text: string): string | null {
  if (text.length > HOST_MAX + 1) return null;
  const host = text
    .toLowerCase()
    .replace(/[\u{3002}\u{ff0e}\u{ff61}]/gu, '.')
    .replace(/\.$/, '');
  const labels = host.split('.');
  if (labels.length < 2 || host.length > HOST_MAX || isIp(host)) return null;
  if (!labels.every((label) => LABEL.test(label))) return null;
  if (RESERVED_TLDS.includes(labels.at(-1) ?? '')) return host;
  const parsed = parse(host, { validateHostname: false });
  return parsed.isIcann === true && parsed.domain !== null ? host : null;
}

const LOCAL_CHAR = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const NOT_HOST = /[^\p{L}\p{N}\p{M}._-]/u;

/** An address with its host in lower case, or null. */
export function asAddress(text: string): string | null {
  const position = text.lastIndexOf('@');
  if (position < 1 || position > 64) return null;
  const local = text.slice(0, position);
  const domain = asDomain(text.slice(position + 1));
  const lawful = [...local].every((char) => LOCAL_CHAR.test(char)) && !/^\.|\.$|\.\./.test(local);
  return domain !== null && lawful ? `${local}@${domain}` : null;
}

const URL_PARTS = /^(https?|ftps?):\/\/([^/?#\\\s]*)(.*)$/is;
const URL_MAX = 8192;

/** The host of an authority: as written if that is a name or an address, else as a browser parses it. */
function hostOf(authority: string): string | null {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const ipv6 = /^\[([0-9a-f:.]{2,45})\](?::\d*)?$/i.exec(host)?.[1];
  if (ipv6 !== undefined) return isIpv6(ipv6) ? ipv6.toLowerCase() : null;
  const name = host.replace(/:\d*$/, '').toLowerCase();
  if (name === '') return null;
  // A number in any notation, escapes, full-width letters.
  return isIpv4(name) || asDomain(name) !== null ? name : hostOfUrl(`http://${name}`) || name;
}

/** An http, https or ftp URL with scheme and authority in lower case, and its host; or null. */
function asUrl(text: string): { value: string; host: string } | null {
  if (text.length > URL_MAX) return null;
  const parts = URL_PARTS.exec(text);
  if (!parts) return null;
  const [, scheme = '', authority = '', rest = ''] = parts;
  const host = hostOf(authority);
  if (host === null) return null;
  const position = authority.lastIndexOf('@') + 1;
  const name = authority.slice(0, position) + authority.slice(position).toLowerCase();
  return { value: `${scheme.toLowerCase()}://${name}${rest}`, host };
}

/** The indicator that a whole value represents, live or defanged; null for any other value. */
export function classifyIoc(value: string): Ioc | null {
  if (value.length > URL_MAX * 2) return null;
  const text = refang(withoutInvisible(value).trim());
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

const TOKEN = /[\p{L}\p{N}\p{M}_.:%+@!#$&'*=?^~/-]+/gu;

/** By hand: a pattern such as /[.]+$/ takes quadratic time on a long run in the middle of the text. */
function trimEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function trim(text: string, chars: string): string {
  let start = 0;
  while (start < text.length && chars.includes(text.charAt(start))) start += 1;
  return trimEnd(text.slice(start), chars);
}

/** Whether a name without scheme, path or @ is more likely a file, a sentence or code. `word` is as written. */
function isNoDomain(word: string, domain: string): boolean {
  const labels = domain.split('.');
  const top = labels.at(-1) ?? '';
  if (labels[0] === 'www') return false;
  if (FILE_TLDS.has(top)) return true;
  if (labels.length > 2) return false;
  const written = word.slice(word.lastIndexOf('.') + 1);
  return (
    SCRIPT_TLDS.has(top) || NAMES.has(domain) || (WORD_TLDS.has(top) && /^\p{Lu}\p{Ll}+$/u.test(written))
  );
}

/** A name without the punctuation around it. The underscore of a service, as in `_dmarc.a.example`, is part of it. */
function trimName(text: string): string {
  const name = trim(text, '._-');
  if (!text.endsWith(`_${name}`)) return name;
  const service = `_${name}`;
  return service.length <= HOST_MAX && (parse(service, { validateHostname: false }).subdomain ?? '') !== ''
    ? service
    : name;
}

/** The server of a path of Windows over HTTP, without what names the protocol and the port: `\\a.example@SSL@443\x`. */
const bareServers = (text: string): string =>
  text
    .replace(/([\\/][^\s\\/@]{1,253})@SSL(?:@\d{1,5})?(?=[\\/])/gi, '$1')
    .replace(/(\\\\[^\s\\/@]{1,253})@\d{1,5}(?=\\)/g, '$1');

const PUNCTUATION = ".:'*/!?%+=&#$^~-";

/** Defanged names, which are meant as domains whatever they end in. */
function defangedNames(raw: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [token] of raw.matchAll(/\S+/g)) {
    if (!/[[({](?:\.|dot)[\])}]|\[\.|\.\]/i.test(token)) continue;
    for (const [name] of refang(token)
      .toLowerCase()
      .matchAll(/[\p{L}\p{N}_.-]+/gu))
      names.add(name);
  }
  return names;
}

/** Normalises full-width letters, digits and @, and the dots of other scripts between letters, as browsers do. */
const narrow = (text: string): string =>
  text
    .replace(/[\uff10-\uff19\uff20-\uff3a\uff41-\uff5a]/g, (char) =>
      String.fromCharCode(char.charCodeAt(0) - 0xfee0),
    )
    .replace(/(?<=[a-z0-9])[\u3002\uff0e\uff61](?=[a-z0-9])/gi, '.');

/** Reads the tokens of a text that contains no URL with a scheme. */
class TokenReader {
  private readonly indicators: Found;
  private readonly hosts: boolean;
  private readonly raw: string;
  private defanged: ReadonlySet<string> | null = null;

  /** `raw` is the text before refanging. */
  constructor(indicators: Found, hosts: boolean, raw: string) {
    this.indicators = indicators;
    this.hosts = hosts;
    this.raw = raw;
  }

  private wasDefanged(domain: string): boolean {
    this.defanged ??= defangedNames(this.raw);
    return this.defanged.has(domain);
  }

  read(text: string): void {
    for (const [token] of bareServers(narrow(text)).matchAll(TOKEN)) {
      if (this.indicators.full) return;
      this.readToken(token);
    }
  }

  private readToken(token: string): void {
    if (this.readIp(token)) return;
    const around = trim(token, PUNCTUATION).split('@');
    for (const [index, part] of around.entries()) {
      const isLast = index === around.length - 1;
      const pieces = part.split(NOT_HOST);
      // The pieces directly before an @ are a local part.
      const names = isLast ? pieces : pieces.slice(0, -localPieces(part));
      for (const [position, piece] of names.entries()) {
        const word = trimName(piece);
        const local = index > 0 && position === 0 ? localPart(around[index - 1] ?? '') : '';
        const address = local === '' ? null : asAddress(`${local}@${word}`);
        if (address !== null) this.indicators.add('address', address);
        const beforePath =
          position === 0 && /^(?::\d{1,5})?\//.test(part.slice(piece.length, piece.length + 8));
        if (address === null || this.hosts) this.readWord(word, (index > 0 && position === 0) || beforePath);
      }
    }
  }

  /** An IP address of either version, alone or after a key and "=". */
  private readIp(token: string): boolean {
    const text = trim(token, PUNCTUATION.replace(':', ''));
    for (const whole of [text, text.slice(text.lastIndexOf('=') + 1)])
      for (const part of [whole, whole.replace(/(?<!:):$/, ''), trim(whole, ':')]) {
        const ip = part.replace(/[/%].*$/s, '').toLowerCase();
        if (!isIpv4(ip) && !(isIpv6(ip) && /\d/.test(ip) && !/^(?:[0-9a-f]{2}:){7}[0-9a-f]{2}$/.test(ip)))
          continue;
        this.indicators.add('ip', ip);
        return true;
      }
    return false;
  }

  /** A host stands before a path or after an @. */
  private readWord(word: string, isHost: boolean): void {
    const hash = hashType(word);
    const named = hash === null && word.length <= HOST_MAX && word.includes('.');
    const domain = named ? asDomain(word) : null;
    if (hash !== null) this.indicators.add(hash, word.toLowerCase());
    else if (named && isIpv4(word)) this.indicators.add('ip', word);
    else if (domain !== null && (isHost || !isNoDomain(word, domain) || this.wasDefanged(domain)))
      this.indicators.add('domain', domain);
  }
}

/** Keys of a query string or log before an address: `rcpt=m@a.example`. */
const KEY =
  /^(?:e?-?mail|to|cc|bcc|from|user(?:name)?|rcpt|recipient|sender|addr(?:ess)?|login|account|upn|id|m|e|u)$/i;

/**
 * The local part at the end of a text, before its @. Bounces have whole addresses in it, as in
 * `bounce-m=a.example@list.example`.
 */
function localPart(text: string): string {
  const local = text.slice(-200).replace(/^.*[:/?&]/s, '');
  const equals = local.indexOf('=');
  return equals >= 0 && equals === local.lastIndexOf('=') && KEY.test(local.slice(0, equals))
    ? local.slice(equals + 1)
    : local;
}

/** Number of pieces of a text that its local part covers. */
const localPieces = (text: string): number => localPart(text).split(NOT_HOST).length;

function readText(text: string, indicators: Found, hosts: boolean, tokens: TokenReader): void {
  // Text between URLs: without its invisible characters it may contain another scheme.
  const between = (part: string): void => {
    const plain = withoutInvisible(part);
    if (plain.length === part.length) tokens.read(plain);
    else readText(plain, indicators, hosts, tokens);
  };
  let scanned = 0;
  for (const { index, url: written } of urlsInText(text)) {
    if (indicators.full) return;
    // Without a scheme it is treated as any other name.
    if (/^www\./i.test(written)) continue;
    between(text.slice(scanned, index));
    scanned = index + written.length;
    const path = written.replace(/^[a-z]+:\/\//i, '').search(/[/?#]/);
    const end = path < 0 ? written.length : written.indexOf('//') + 2 + path;
    const clean = withoutInvisible(written.slice(0, end)) + written.slice(end);
    const original = originalLink(clean);
    const url = asUrl(original?.url ?? clean);
    if (url === null) continue;
    indicators.add('url', url.value);
    // Every mail through an opaque rewriter has its host.
    if (hosts && original?.isOpaque !== true) indicators.addHost(url.host);
  }
  between(text.slice(scanned));
}

/**
 * The indicators of one or more texts, live or defanged: typed, distinct, ordered by type and then appearance. Linear.
 * A name is a domain only with a known or reserved top level; a bare "invoice.zip" is a file, "Thanks.It" a sentence.
 * Invisible characters are ignored. A rewritten link counts as its original.
 */
export function extractIocs(texts: string | Iterable<string>, options: ExtractOptions = {}): Ioc[] {
  const hosts = options.hosts ?? true;
  const indicators = new Found(options.max ?? LIMIT);
  for (const raw of typeof texts === 'string' ? [texts] : texts) {
    if (indicators.full) break;
    const tokens = new TokenReader(indicators, hosts, raw);
    readText(refang(raw), indicators, hosts, tokens);
  }
  return IOC_TYPES.flatMap((type) => indicators.list.filter((ioc) => ioc.type === type));
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

export function iocText(ioc: Ioc, defanged: boolean): string {
  return defanged ? DEFANG[ioc.type](ioc.value) : ioc.value;
}

/** For the clipboard: one indicator per line, in order of type. */
export function iocList(iocs: readonly Ioc[], defanged: boolean): string {
  return iocs.map((ioc) => iocText(ioc, defanged)).join('\n');
}
