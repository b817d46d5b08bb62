import { dictionary } from '#shared/dictionary.ts';

/*
 * Defanging: writing a value so that no mail client, chat or terminal turns it into a link; refang reverses it. Every
 * function accepts hostile text, is linear, and is idempotent.
 */

// Browsers treat the ideographic and full-width dots of a host as dots.
const DOTS = /[.\u{3002}\u{ff0e}\u{ff61}]/gu;

/** A link works without the trailing dot of a host, which could not be told from the end of a sentence. */
function bracketDots(text: string): string {
  return text.replace(DOTS, (dot, index: number) => {
    const next = text[index + 1];
    return next === undefined || next === ':' || next === '/' ? dot : `[${dot}]`;
  });
}

const SEPARATOR = String.raw`(?:\[:\/\/\]|\(:\/\/\)|(?:[[({]:[\])}]|:)(?:\/\/|[[({]\/[\])}]{2}))`;
// Another URL may follow directly, as in a list with commas: its scheme is not part of the authority.
const DEFANGED_URL = new RegExp(
  String.raw`(?<![a-z0-9](?!h[x*]{2}p|fxp))(h[x*t]{2}ps?|f[xt]ps?|[a-z][a-z0-9+.-]{0,30})${SEPARATOR}((?:(?!(?:h[x*t]{2}ps?|f[xt]ps?)${SEPARATOR})[^/?#\\\s])*)`,
  'gi',
);
/** What may precede a host: `//`, or a scheme followed by any slashes. */
const LEAD = /^(?:[a-z][a-z0-9+.-]{0,30}(?:[[({]:[\])}]|:))?[\\/]{2}/i;
const DOT =
  /(?<=[\p{L}\p{N}\p{M}\u00ad%_-])[[({](?:(\.|\u{3002}|\u{ff0e}|\u{ff61})|dot)[\])}](?=[\p{L}\p{N}\u00ad%_-])/giu;
/** Only one of the two brackets, as other programs write it. */
const HALF_DOT =
  /(?<=[\p{L}\p{N}\p{M}_-])(?:\[\.(?![\p{L}\p{N}\p{M}_-]{0,63}\])|(?<!\[[\p{L}\p{N}\p{M}_-]{0,63})\.\])(?=[\p{L}\p{N}_-])/gu;
/** A bracketed dot in the path of a URL, which programs that defang a whole URL write. */
const PATH_DOT = /(?<=[\p{L}\p{N}%_-])\[(?:\.|dot)\](?=[\p{L}\p{N}%_-])/giu;
/** A bracketed word may follow a bracket in a sentence; a bracketed sign also follows one in the user name of a URL. */
const AT = /(?:(?<=\S)[[({]@|(?<=[^\s[\](){}])[[({]at)[\])}](?=[\p{L}\p{N}\u00ad[%_-])/giu;

/** Removes the brackets around dots, colons and @ in a host, address or URL authority. */
const refangHost = (text: string): string =>
  text
    .replace(DOT, (_, dot: string | undefined) => dot ?? '.')
    .replace(HALF_DOT, '.')
    .replace(AT, '@')
    .replace(/[[({]:[\])}]/g, ':');

const SCHEMES: Readonly<Record<string, string>> = dictionary({ h: 'http', f: 'ftp' });
const refangScheme = (scheme: string): string => {
  if (!/^(?:h[x*t]{2}p|f[xt]p)s?$/i.test(scheme)) return scheme;
  const live = `${SCHEMES[scheme.charAt(0).toLowerCase()]}${/s$/i.test(scheme) ? 's' : ''}`;
  return /[x*]/i.test(scheme) ? live : scheme;
};

/**
 * A token escaped as in a pattern or in JSON (`evil\.example\.com`, `http:\/\/a.example\/x`) without its backslashes. A
 * browser takes a backslash for a slash: where the host also has bare dots, the first backslash ends it.
 */
function unescapePattern(token: string): string {
  if (!token.includes('\\')) return token;
  const text = token.replace(/(?<=:)\\\/\\\//g, '//');
  const host = /^(?:[^/]*:\/\/)?[^/]*/.exec(text)?.[0] ?? '';
  if (text !== token && !host.includes('\\.')) return text.replaceAll('\\/', '/');
  const isPattern =
    !/\\(?![./:@?-])/.test(text) && /[\p{L}\p{N}]\\\.[\p{L}\p{N}]/u.test(host) && !/(?<!\\)\.[^/]/.test(host);
  return isPattern ? text.replace(/\\(.)/g, '$1') : token;
}

const DEFANGED = /[[({\]\\]|h[x*]{2}p|fxp/i;

/**
 * Reverses every common way of defanging: hxxp, fxp, [.], (.), {.}, [., \., [dot], [@], [at], [:], [://]. In schemes,
 * hosts and addresses, and dots also in the path of a URL that is defanged: other brackets there, and those of a live URL
 * or a sentence, are left alone.
 */
export function refang(text: string): string {
  if (!DEFANGED.test(text)) return text;
  return text
    .split(/(\s+)/)
    .map((written) => {
      if (!DEFANGED.test(written)) return written;
      const token = unescapePattern(written);
      const begin = LEAD.exec(token)?.[0].length ?? 0;
      const path = token.slice(begin).search(/[/?#\\](?![\])}])/);
      const end = path < 0 ? -1 : begin + path;
      const named = token.includes(':') ? token.search(DEFANGED_URL) : -1;
      // Before the first path: a host, an address or an opaque scheme; from the first scheme on, each authority.
      const head = named >= 0 ? named : end < 0 ? token.length : end;
      const rest = token.slice(head).replace(DEFANGED_URL, (_, scheme: string, authority: string) => {
        return `${refangScheme(scheme)}://${refangHost(authority)}`;
      });
      const live =
        refangHost(token.slice(0, head)).replace(/(?<![a-z0-9])(?:h[x*]{2}ps?|fxps?)(?=:)/gi, refangScheme) +
        rest;
      return live === token || !live.includes('://') ? live : live.replace(PATH_DOT, '.');
    })
    .join('');
}

const AUTHORITY_END = /[/?#\\\s]/;
// Browsers ignore controls before a scheme, and tabs and line breaks inside it.
const SCHEME = /^[\s\p{Cc}]*[a-z][a-z0-9+.\t\r\n-]{0,60}:/iu;
const OPAQUE = new RegExp(String.raw`${SCHEME.source}(?!\/\/)`, 'iu');
const WITH_AUTHORITY = /([a-z][a-z0-9+.-]{0,30}):\/\/((?:(?!(?:https?|ftps?|wss?):\/\/)[^/?#\\\s])*)/gi;

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

/** Other schemes keep their name, with their colon bracketed: `javascript[:]//a[.]example`. */
const WEB = /^(?:https?|ftps?|wss?|hxxps?|fxps?)$/i;

/**
 * `https://a.example/x.html` → `hxxps://a[.]example/x.html`. Hosts of URLs inside the path or query are defanged, too.
 * A scheme without `//` (mailto:, javascript:, data:) becomes `mailto[:]`.
 */
export function defangUrl(url: string): string {
  // A path that has them would lose them on the way back.
  const text = refang(url).replace(PATH_DOT, (brackets) => `%5B${brackets.slice(1, -1)}%5D`);
  const opaque = OPAQUE.exec(text)?.[0];
  // "host:8080" has no scheme: a number follows the colon.
  if (opaque !== undefined && !/^\d/.test(text.slice(opaque.length))) {
    return `${opaque.slice(0, -1)}[:]${defangOpaque(text.slice(opaque.length))}`;
  }
  let named = false;
  const out = text.replace(WITH_AUTHORITY, (_, scheme: string, authority: string) => {
    named = true;
    return `${defangScheme(scheme)}${WEB.test(scheme) ? ':' : '[:]'}//${defangAuthority(authority)}`;
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

/** Defangs a value of unknown kind: a URL, an address, an IP or a domain, by its form. */
export function defang(value: string): string {
  const text = refang(value);
  if (SCHEME.test(text) || text.includes('//')) {
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
    .replace(/\[@\]|@/g, '[@]')
    .replace(/(?<=[\p{L}\p{N}])[.\u{3002}\u{ff0e}\u{ff61}](?=[\p{L}\p{N}])/gu, '[$&]');
}
