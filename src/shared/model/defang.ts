/*
 * Defanging: a value as text that no mail client, chat or terminal turns into a link. Undone by refang.
 * Every function takes hostile text, is linear in its length, and gives the same for what is already defanged.
 */

// Browsers read the ideographic and full-width dots of a host as dots.
const DOTS = /[.\u{3002}\u{ff0e}\u{ff61}]/gu;

function bracketDots(text: string): string {
  return text.replace(DOTS, '[$&]');
}

/** Undo every usual way of defanging: hxxp, fxp, [.], (.), {.}, [dot], [@], [at], [:], [://]. */
export function refang(text: string): string {
  return text
    .replace(
      /[[({](?:(\.|\u{3002}|\u{ff0e}|\u{ff61})|dot)[\])}]/giu,
      (_, dot: string | undefined) => dot ?? '.',
    )
    .replace(/[[({](?:@|at)[\])}]/gi, '@')
    .replace(/[[({](:\/\/|:|\/)[\])}]/g, '$1')
    .replace(/(?<![a-z0-9])h[x*]{2}p(s?)(?=:)/gi, 'http$1')
    .replace(/(?<![a-z0-9])fxp(s?)(?=:)/gi, 'ftp$1');
}

const AUTHORITY_END = /[/?#\\\s]/;
const OPAQUE = /^\s*[a-z][a-z0-9+.-]{0,30}:(?!\/\/)/i;
const WITH_AUTHORITY = /([a-z][a-z0-9+.-]{0,30}):\/\/([^/?#\\\s]*)/gi;

function defangColons(text: string): string {
  return text.replace(/:/g, '[:]');
}

function defangAuthority(authority: string): string {
  const host = bracketDots(authority).replace(/@/g, '[@]');
  return authority.includes('[') ? defangColons(host) : host;
}

function defangHost(text: string): string {
  const end = text.search(AUTHORITY_END);
  return end === -1 ? defangAuthority(text) : defangAuthority(text.slice(0, end)) + text.slice(end);
}

function defangScheme(scheme: string): string {
  const word = scheme.toLowerCase();
  if (word === 'http' || word === 'https') return `hxxp${word.slice(4)}`;
  return word === 'ftp' || word === 'ftps' ? `fxp${word.slice(3)}` : scheme;
}

/**
 * `https://a.example/x.html` → `hxxps://a[.]example/x.html`. The host of a URL inside the path or the query is
 * defanged as well. A scheme without `//` (mailto:, javascript:, data:) becomes `mailto[:]`.
 */
export function defangUrl(url: string): string {
  const text = refang(url);
  const opaque = OPAQUE.exec(text)?.[0];
  // "host:8080" has no scheme: what follows its colon is a number.
  if (opaque !== undefined && !/^\d/.test(text.slice(opaque.length))) {
    return `${opaque.slice(0, -1)}[:]${defangOpaque(text.slice(opaque.length))}`;
  }
  let named = false;
  const out = text.replace(WITH_AUTHORITY, (_, scheme: string, authority: string) => {
    named = true;
    return `${defangScheme(scheme)}://${defangAuthority(authority)}`;
  });
  if (named) return out;
  return text.startsWith('//') ? `//${defangHost(text.slice(2))}` : defangHost(text);
}

function defangOpaque(text: string): string {
  return bracketDots(text).replace(/@/g, '[@]');
}

/** `a.example` → `a[.]example`. */
export function defangDomain(domain: string): string {
  return bracketDots(refang(domain));
}

/** `m@a.example` → `m[@]a[.]example`; a display name or list around it is treated the same. */
export function defangEmail(email: string): string {
  return defangOpaque(refang(email));
}

/** `192.0.2.1` → `192[.]0[.]2[.]1`; `2001:db8::1` → `2001[:]db8[:][:]1`. */
export function defangIp(ip: string): string {
  return defangColons(bracketDots(refang(ip)));
}

const IPV6_SHAPE = /^\s*[0-9a-f]{0,4}:[0-9a-f:.]*(?:%[\w.-]+)?(?:\/\d+)?\s*$/i;

/** Defang a value of unknown kind: a URL, an address, an IP or a domain, by its looks. */
export function defang(value: string): string {
  const text = refang(value);
  if (/^\s*[a-z][a-z0-9+.-]{0,30}:/i.test(text) || text.includes('//')) {
    return IPV6_SHAPE.test(text) ? defangIp(text) : defangUrl(text);
  }
  if (text.includes('@')) return defangEmail(text);
  if (IPV6_SHAPE.test(text)) return defangIp(text);
  return defangHost(text);
}

/** Everything in running text that could become a link: schemes, addresses, and dots between letters or digits. */
export function defangText(text: string): string {
  return refang(text)
    .replace(/(?<![a-z0-9])http(s?)(?=:\/\/)/gi, 'hxxp$1')
    .replace(/(?<![a-z0-9])ftp(s?)(?=:\/\/)/gi, 'fxp$1')
    .replace(/@/g, '[@]')
    .replace(/(?<=[\p{L}\p{N}])[.\u{3002}\u{ff0e}\u{ff61}](?=[\p{L}\p{N}])/gu, '[$&]');
}
