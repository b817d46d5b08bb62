import { getDomain, parse } from 'tldts';
import { asciiDomain } from '../model/hosts.ts';
import { remembering } from '../remember.ts';

/**
 * Decodes one Punycode label (RFC 3492, without its `xn--`), or null when it is not valid Punycode.
 */
function decodeLabel(label: string): string | null {
  const out: number[] = [];
  const dash = label.lastIndexOf('-');
  for (let i = 0; i < dash; i++) out.push(label.charCodeAt(i));
  let code = 128;
  let index = 0;
  let bias = 72;
  for (let position = dash > 0 ? dash + 1 : 0; position < label.length; ) {
    const start = index;
    for (let weight = 1, k = 36; ; k += 36) {
      const char = label.charCodeAt(position++);
      const digit =
        char >= 0x61 && char <= 0x7a ? char - 0x61 : char >= 0x30 && char <= 0x39 ? char - 22 : -1;
      if (digit < 0) return null;
      index += digit * weight;
      const threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
      if (digit < threshold) break;
      weight *= 36 - threshold;
      if (weight > 0x7fffffff) return null;
    }
    const size = out.length + 1;
    let delta = start === 0 ? Math.floor((index - start) / 700) : (index - start) >> 1;
    delta += Math.floor(delta / size);
    let k = 0;
    for (; delta > 455; k += 36) delta = Math.floor(delta / 35);
    bias = k + Math.floor((36 * delta) / (delta + 38));
    code += Math.floor(index / size);
    if (code > 0x10ffff) return null;
    index %= size;
    out.splice(index++, 0, code);
  }
  return String.fromCodePoint(...out);
}

/** A label in Punycode that belongs to a domain: not to the name before the @ of an address. */
const ENCODED = /(?<![\p{L}\p{N}_-])xn--([a-z\d-]{1,59})(?![\p{L}\p{N}_-]|[^\s@]*@)/giu;
const LONGEST_TEXT = 2_000;

/** A domain, or a text with domains, in the one spelling for storing and showing: its `xn--` labels decoded; those that no browser decodes to the same stay as they are. */
export function unicodeDomain(domain: string): string {
  if (domain.length > LONGEST_TEXT || !/xn--/i.test(domain)) return domain;
  return domain.replace(ENCODED, (label, code: string) => {
    const decoded = decodeLabel(code.toLowerCase());
    // “xn--paypal-” would decode to a name that it is not.
    return decoded !== null && asciiDomain(decoded) === label.toLowerCase() ? decoded : label;
  });
}

/** A domain, or an address with its name as written, in the one spelling of its domain: Unicode, lower case, no root. */
export const spelledAlike = (text: string): string =>
  text.replace(/(?<![^@])[^@]*$/, (domain) => unicodeDomain(domain.toLowerCase()).replace(/(?<!\.)\.+$/, ''));

function clean(domain: string): string {
  return unicodeDomain(
    domain
      .trim()
      .toLowerCase()
      .replace(/(?<!\.)\.+$/, ''),
  );
}

/**
 * The organisational domain of a domain or host name (by the whole public suffix list: two names below `github.io` or
 * `uk.com` have different owners); the name itself when no list entry applies (internal names, IP addresses). Null for
 * an empty name.
 */
export function organisationalDomain(domain: string | null | undefined): string | null {
  const text = domain ?? '';
  return text.length <= LONGEST ? organisationOf(text) : findOrganisation(text);
}

const LONGEST = 253;
const organisationOf = remembering(1_024, findOrganisation);

function findOrganisation(domain: string): string | null {
  const name = clean(domain);
  if (name === '') return null;
  return getDomain(name, { allowPrivateDomains: true }) ?? name;
}

/** True when both domains belong to one organisation: relaxed alignment (RFC 7489 section 3.1). */
export function aligned(a: string | null | undefined, b: string | null | undefined): boolean {
  const domain = organisationalDomain(a);
  return domain !== null && domain === organisationalDomain(b);
}

/** Names that resolve internally or nowhere (RFC 2606, RFC 6762), without a public suffix. */
const LOCAL = /\.(?:example|test|invalid|localhost|local|internal|lan|corp|home)$/;

/** True for what can be the domain of a mail or a web server: a public or local suffix, or an IP address. */
export function looksLikeDomain(text: string): boolean {
  const name = clean(text);
  const parsed = parse(name);
  return parsed.isIp === true || (parsed.domain !== null && (parsed.isIcann === true || LOCAL.test(name)));
}
