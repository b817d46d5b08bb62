/** URLs in running text, as mail programs make them clickable: where they begin and end. */
import { defang } from '../model/defang.ts';
import { URL } from '../platform.ts';
import { looksLikeDomain } from './domains.ts';

/** Maximum characters of a URL; longer ones are cut. */
const MAX_URL = 8192;

/** The scheme of the web may follow a word directly, as where a line break was lost; of two schemes the second counts. */
const START = /https?:\/\/(?!https?:\/\/)|(?<![a-z0-9])(?:ftps?:\/\/|www\.(?=[\p{L}\p{N}_-]))/giu;
/**
 * Characters that end a URL: white space, brackets and quotes of any script, CJK punctuation, arrows, lines and boxes.
 * Zero-width characters are not among them, since browsers ignore them.
 */
const RUN =
  /[^\t-\r "<>\\^`{|}\p{Cc}\u00a0\u00ab\u00bb\u1680\u2000-\u200a\u2018-\u201f\u2028\u2029\u202f\u2039\u203a\u205f\u2190-\u21ff\u2329\u232a\u2500-\u25ff\u2768-\u2775\u27e6-\u27ef\u3000-\u3003\u3004\u3008-\u3020\u3030\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]{1,8192}/uy;
/** Dots of other scripts: browsers treat them as dots in a host; after one, and in a path, they end a sentence. */
const WIDE_DOT = /[\u3002\uff0e\uff61]/u;
/** Characters of a host including user info. */
const MAX_HOST = 300;
const LABEL = /^[\p{L}\p{N}\p{M}\u00ad%_-]+/u;
const LABELS = /^[\p{L}\p{N}\p{M}\u00ad%_.\u3002\uff0e\uff61-]+/u;
const PLAIN = /^[a-z0-9\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/i;

export interface TextUrl {
  index: number;
  /** As it stands there, without the punctuation around it. */
  url: string;
  /** Words of the text stand directly before it or after its host, so that its bounds are a guess. */
  isGuessed: boolean;
}

/** Whether it looks like a domain in the form a browser would use. */
const isDomain = (host: string): boolean => looksLikeDomain(URL.parse(`http://${host}`)?.hostname ?? '');

/** Whether a host continues after a wide dot, or the sentence does. */
function goesOn(host: string, rest: string): boolean {
  if (host.length > MAX_HOST || /[/?#]/.test(host)) return false;
  const name = host.replace(/^.*@/s, '');
  const isWhole = isDomain(name);
  const more = (isWhole ? LABEL : LABELS).exec(rest)?.[0] ?? '';
  if (more !== '' && isDomain(`${name}.${more}`)) return true;
  return PLAIN.test(rest) && !isWhole;
}

/** The characters of a URL at `index`, whose host begins at `host`. */
function runAt(text: string, index: number, host: number): string {
  let end = index;
  for (;;) {
    RUN.lastIndex = end;
    end += RUN.exec(text)?.[0].length ?? 0;
    const isDot = end > host && WIDE_DOT.test(text[end] ?? '');
    if (
      !isDot ||
      !goesOn(text.slice(host, Math.min(end, host + MAX_HOST + 1)), text.slice(end + 1, end + 65))
    )
      return text.slice(index, Math.min(end, index + MAX_URL));
    end += 1;
  }
}

/**
 * Where a host may end and a sentence begin: before signs and letters of scripts that cannot be taken for Latin ones, or
 * before a word of three letters beyond ASCII. A single one in a name deceives: "paypal.coм" is not "paypal.co".
 */
const WORDS =
  /(?=[^\p{ASCII}\p{M}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]|(?:(?!\p{ASCII})\p{L}){3})/gu;
/** Places that are tried in one host: enough for any name, and little work for a hostile one. */
const MAX_PLACES = 16;

/** A host contains no other scheme: there, another address begins, as in a list with commas or with nothing between. */
const NEXT = /^([^,;/?#]+?)([,;]?)(?:https?|ftps?):\/\//i;

/** Where the host of a URL ends although its characters go on, and whether that is a guess, or null if it does not. */
function hostEnd(url: string): { length: number; isGuessed: boolean } | null {
  const [, first, comma] = NEXT.exec(url) ?? [];
  const authority = first ?? /^[^/?#]*/.exec(url)?.[0] ?? '';
  const next = first === undefined ? null : { length: first.length, isGuessed: comma === '' };
  if (!/\P{ASCII}/u.test(authority) || (authority.length < MAX_HOST && isDomain(authority))) return next;
  let places = 0;
  for (const { index } of authority.matchAll(WORDS)) {
    const host = authority.slice(0, index).replace(/[.\u3002\uff0e\uff61-]$/u, '');
    if (!/[.\u3002\uff0e\uff61\]]/u.test(host)) continue;
    if (isDomain(host)) return { length: host.length, isGuessed: true };
    places += 1;
    if (places === MAX_PLACES) break;
  }
  return next;
}

const SENTENCE = ".,;:!?'*_\u2026\u00ad\u200b\u200c\u200d\u2060\ufeff";

/** Strips the punctuation of the surrounding sentence; keeps a closing bracket that the URL opened. */
function trimUrl(url: string): string {
  const open = { ')': 0, ']': 0 };
  for (const char of url) {
    if (char === ')' || char === '(') open[')'] += char === ')' ? 1 : -1;
    if (char === ']' || char === '[') open[']'] += char === ']' ? 1 : -1;
  }
  let end = url.length;
  for (; end > 0; end -= 1) {
    const last = url[end - 1] ?? '';
    if ((last === ')' || last === ']') && open[last] > 0) open[last] -= 1;
    else if (!SENTENCE.includes(last)) break;
  }
  return url.slice(0, end);
}

/** Every URL with a web scheme or starting with www, in order. Linear. */
export function* urlsInText(text: string): Generator<TextUrl> {
  START.lastIndex = 0;
  for (let from = 0; ; ) {
    START.lastIndex = from;
    const start = START.exec(text);
    if (start === null) return;
    const { index } = start;
    const lead = start[0].endsWith('/') ? start[0].length : 0;
    const host = index + lead;
    const end = hostEnd(runAt(text.slice(host, host + MAX_HOST), 0, 0));
    let url = end === null ? runAt(text, index, host) : text.slice(index, host + end.length);
    from = index + Math.max(url.length, start[0].length);
    const isGlued = /[a-z0-9]/i.test(text.charAt(index - 1));
    // Inside single quotes, the closing quote ends it.
    const quote = text[index - 1] === "'" ? url.indexOf("'") : -1;
    if (quote >= 0) url = url.slice(0, quote);
    url = trimUrl(url);
    if (url.length <= start[0].length) continue;
    from = index + url.length;
    yield { index, url, isGuessed: isGlued || end?.isGuessed === true };
  }
}

export function defangUrlsIn(text: string): string {
  if (!/:\/\/|www\./i.test(text)) return text;
  let out = '';
  let end = 0;
  for (const { index, url } of urlsInText(text)) {
    out += text.slice(end, index) + defang(url);
    end = index + url.length;
  }
  return out + text.slice(end);
}
