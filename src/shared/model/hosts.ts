/** Hosts as browsers read them (WHATWG URL standard), so that two spellings of one host are one. */

// Part of every place this runs in, and of no library of types that they share.
declare const URL: { parse(text: string): { protocol: string; hostname: string } | null };

const SCHEME = /^[\s\p{Cc}]*[a-z][a-z0-9+.\t\n\r-]*:/iu;
const MAX = 8192;

/**
 * The host that a browser goes to for a URL or a URL without a scheme: ASCII, lower case, no dot at its end; '' for
 * what has none, such as `mailto:`. `https:evil.test`, `//evil.test`, `u:p@ss@evil.test`, `%65vil.test` and
 * `evil。test` are all read; so is a backslash before an @.
 */
export function hostOfUrl(url: string): string {
  if (url.length > MAX) return '';
  // "host:8080/x" has no scheme: what follows its colon is a number.
  const named = SCHEME.test(url) && !/^[^/?#:]*:\d+(?:[/?#]|$)/.test(url);
  const parsed = URL.parse(named ? url : `http://${url.replace(/^[\\/]{2}/, '')}`);
  return (parsed?.hostname ?? '').replace(/\.$/, '');
}

/** A domain as it is compared: ASCII (Punycode), lower case, no dot at its end; what is no host is only folded. */
export function asciiDomain(domain: string): string {
  const text = domain.trim();
  const host = /[\s/?#@\\:]/.test(text) ? '' : hostOfUrl(text);
  return host === '' ? text.toLowerCase().replace(/\.$/, '') : host;
}
