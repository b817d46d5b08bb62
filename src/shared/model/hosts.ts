/** Hosts as browsers parse them (WHATWG URL standard), so that different spellings of a host compare equal. */

import { URL } from '../platform.ts';
import { foldText } from '../query/text.ts';

const SCHEME = /^[\s\p{Cc}]*[a-z][a-z0-9+.\t\n\r-]*:/iu;
const MAX = 8192;

/**
 * The host that a browser would contact for a URL with or without a scheme: ASCII, lower case, no trailing dot; '' if
 * there is none, as for `mailto:`. Handles `https:evil.test`, `//evil.test`, `u:p@ss@evil.test`, `%65vil.test`,
 * `evil。test`, and a backslash before an @.
 */
export function hostOfUrl(url: string): string {
  if (url.length > MAX) return '';
  // "host:8080/x" has no scheme: a number follows the colon.
  const named = SCHEME.test(url) && !/^[^/?#:]*:\d+(?:[/?#]|$)/.test(url);
  const parsed = URL.parse(named ? url : `http://${url.replace(/^[\\/]{2}/, '')}`);
  return (parsed?.hostname ?? '').replace(/\.$/, '');
}

/** A domain for comparing: ASCII (Punycode), lower case, no trailing dot; text that is not a host is only folded. */
export function asciiDomain(domain: string): string {
  const text = domain.trim();
  const host = /[\s/?#@\\:]/.test(text) ? '' : hostOfUrl(text);
  return host === '' ? text.toLowerCase().replace(/\.$/, '') : host;
}

/** The form in which exceptions compare an address: local part folded, domain in ASCII. */
export function canonicalAddress(address: string): string {
  const position = address.lastIndexOf('@');
  return position < 0
    ? foldText(address)
    : `${foldText(address.slice(0, position))}@${asciiDomain(address.slice(position + 1))}`;
}

const WEB = /^(?:https?|ftp|wss?):$/;

/**
 * Where a link really goes: the host a browser would contact, in ASCII lower case, whatever user names, slashes,
 * controls or look-alike characters precede it. Null if there is no host (mailto:, data:, broken).
 */
export function webHost(url: string): string | null {
  const parsed = url.length > 65_536 ? null : URL.parse(url);
  return parsed === null || !WEB.test(parsed.protocol) || parsed.hostname === '' ? null : parsed.hostname;
}

/**
 * Whether two addresses have the same origin, since a saved credential must not go to another. false when one of them
 * is not a URL.
 */
export function sameOrigin(a: string | null, b: string | null): boolean {
  const origin = URL.parse(a ?? '')?.origin;
  return origin !== undefined && origin !== 'null' && origin === URL.parse(b ?? '')?.origin;
}
