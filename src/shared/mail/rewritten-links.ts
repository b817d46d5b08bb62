/**
 * Links that a mail gateway or a web service rewrote, so that they lead through its own server: the original is read from
 * the rewritten address alone, without asking that server. Only addresses of the vendor's own hosts are read.
 */
import { dictionary } from '../dictionary.ts';
import { atob, type ParsedUrl, TextDecoder, URL } from '../platform.ts';

export interface RewrittenLink {
  /** Who rewrote it, the outermost first. */
  by: string[];
  /** What was rewritten, as far as it can be read: the original, or the address of an opaque rewriter. */
  url: string;
  /** The innermost address names its target only on the rewriter's server. */
  isOpaque: boolean;
}

interface Rewriter {
  name: string;
  host: RegExp;
  /** A path of the host that is a rewritten link; others are ordinary pages. */
  path: RegExp;
  /** The original as written there, or null if it is not in the address. */
  read: (url: ParsedUrl, written: string) => string | null;
}

const MAX_URL = 8192;
/** Rewriters within each other, as after forwarding. */
const MOST_NESTED = 5;

const decodePercent = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};
const SIGNS: Readonly<Record<string, string>> = dictionary({
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
});
const decodeEntities = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (entity, name: string) => SIGNS[name] ?? entity);
const decodeBase64 = (text: string): string | null => {
  try {
    const bytes = atob(text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
  } catch {
    return null;
  }
};

const parameter =
  (...names: readonly string[]) =>
  ({ searchParams }: ParsedUrl): string | null =>
    names.map((name) => searchParams.get(name)).find((value) => value !== null && value !== '') ?? null;

/** URL Defense v2: `-` stands for `%`, and `_` for `/`. */
function readUrlDefense2(url: ParsedUrl): string | null {
  const written = /[?&]u=([^&]*)/.exec(url.search)?.[1];
  const text = written && decodePercent(written.replaceAll('-', '%').replaceAll('_', '/'));
  return text ? decodeEntities(text) : null;
}

const RUN_LENGTHS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/**
 * URL Defense v3: `__URL__;CHARACTERS!`. Characters that mail programs might change are replaced in the URL, one by `*`
 * and two or more by `**` with a letter for their number, and follow it in base64.
 */
function readUrlDefense3(_: ParsedUrl, written: string): string | null {
  const [, text = '', code = ''] = /\/v3\/__(.+?)__;([^!]*)!/.exec(written) ?? [];
  const characters = [...(decodeBase64(code) ?? '')];
  let next = 0;
  let isWhole = true;
  const take = (count: number): string => {
    isWhole &&= next + count <= characters.length;
    next += count;
    return characters.slice(next - count, next).join('');
  };
  // Some programs take one of two slashes for superfluous.
  const url = decodePercent(text.replace(/^([a-z][a-z0-9+.-]*:\/)(?!\/)/i, '$1/'))?.replace(
    /\*(?:\*(.))?/g,
    (_token, letter: string | undefined) => take(letter === undefined ? 1 : RUN_LENGTHS.indexOf(letter) + 2),
  );
  return url && isWhole ? url : null;
}

/** Every domain of Google has the same redirect. */
const GOOGLE = /^(?:www\.)?google\.(?:[a-z]{2,3}|com?\.[a-z]{2})$/;

const REWRITERS: readonly Rewriter[] = [
  {
    name: 'Safe Links',
    host: /(?:^|\.)safelinks\.protection\.(?:outlook\.com|office365\.us|outlook\.cn|partner\.outlook\.cn)$/,
    path: /^/,
    read: parameter('url'),
  },
  {
    name: 'Safe Links',
    host: /^statics\.teams\.(?:cdn\.office\.net|microsoft\.com)$/,
    path: /\/safelinks\//,
    read: parameter('url'),
  },
  {
    name: 'URL Defense',
    host: /^urldefense(?:\.proofpoint)?\.(?:com|us)$/,
    path: /^\/v1\/url$/,
    read: (url) => decodeEntities(parameter('u')(url) ?? ''),
  },
  {
    name: 'URL Defense',
    host: /^urldefense(?:\.proofpoint)?\.(?:com|us)$/,
    path: /^\/v2\/url$/,
    read: readUrlDefense2,
  },
  {
    name: 'URL Defense',
    host: /^urldefense(?:\.proofpoint)?\.(?:com|us)$/,
    path: /^\/v3\/__/,
    read: readUrlDefense3,
  },
  {
    name: 'Barracuda',
    host: /^linkprotect\.cudasvc\.com$/,
    path: /^\/url$/,
    read: parameter('a'),
  },
  {
    name: 'Mimecast',
    host: /(?:^protect(?:-[a-z]{2,4})?\.mimecast\.com|\.mimecastprotect\.com)$/,
    path: /^\/(?:s|r|l)\//,
    read: () => null,
  },
  {
    name: 'Check Point',
    host: /^protect\.checkpoint\.com$|(?:^|\.)avanan\.click$/,
    path: /^\/v2\//,
    read: (_, written) =>
      (/\/___(.+?)___(?:\.|$)/.exec(written)?.[1] ?? '')
        .replace(/^(https?)%3a/i, '$1:')
        .replace(/^(https?:\/)(?!\/)/i, '$1/'),
  },
  {
    name: 'Check Point',
    host: /^avanan\.url-protection\.com$/,
    path: /^\/v1\/(?:r\d+\/)?url$/,
    read: parameter('o'),
  },
  {
    name: 'Cisco Secure Email',
    host: /^secure-web\.cisco\.com$/,
    path: /^\/[^/]+\/[^/]/,
    read: ({ pathname }) => decodePercent(pathname.slice(pathname.indexOf('/', 1) + 1)),
  },
  {
    name: 'Sophos',
    host: /\.protection\.sophos\.com$/,
    path: /^\/?$/,
    read: (url) => decodeBase64((parameter('u')(url) ?? '').replaceAll(' ', '+')),
  },
  {
    name: 'Trellix',
    host: /^protect2?\.fireeye\.com$/,
    path: /^\/(?:v1\/)?url$/,
    read: parameter('u'),
  },
  {
    name: 'Trend Micro',
    host: /(?:^|[.-])(?:ctp|urlprotect)\.trendmicro\.com$/,
    path: /^\/wis\/clicktime\//,
    read: parameter('url'),
  },
  {
    name: 'Symantec',
    host: /^clicktime\.symantec\.com$/,
    path: /^/,
    read: parameter('u'),
  },
  { name: 'Google', host: GOOGLE, path: /^\/url$/, read: parameter('q', 'url') },
  { name: 'YouTube', host: /^(?:www\.)?youtube\.com$/, path: /^\/redirect$/, read: parameter('q') },
  { name: 'Facebook', host: /^lm?\.facebook\.com$/, path: /^\/l\.php$/, read: parameter('u') },
  { name: 'Instagram', host: /^l\.instagram\.com$/, path: /^\/$/, read: parameter('u') },
  {
    name: 'LinkedIn',
    host: /^(?:www\.)?linkedin\.com$/,
    path: /^\/(?:redir\/redirect|safety\/go)\/?$/,
    read: parameter('url'),
  },
];

/** An address that leads to a server of the web. */
const WEB = /^(?:https?|ftp):$/;

/** One layer: null for an address that nobody rewrote. */
function unwrapOnce(written: string): { by: string; url: string | null } | null {
  if (written.length > MAX_URL || !/^[\s\p{Cc}]*https?:/iu.test(written)) return null;
  const url = URL.parse(written);
  const host = url?.hostname.replace(/\.$/, '') ?? '';
  const rewriter = REWRITERS.find(
    (rewriter) => rewriter.host.test(host) && rewriter.path.test(url?.pathname ?? ''),
  );
  if (url === null || rewriter === undefined) return null;
  const original = rewriter.read(url, written)?.trim() ?? '';
  const target = original.length > MAX_URL ? null : URL.parse(original);
  const isLink = target !== null && WEB.test(target.protocol) && target.hostname !== '';
  return { by: rewriter.name, url: isLink ? original : null };
}

/** The original of a link that was rewritten, through at most five rewriters, or null if it was not. */
export function originalLink(written: string): RewrittenLink | null {
  const by: string[] = [];
  let url = written;
  let layer = unwrapOnce(url);
  for (; layer !== null && by.length < MOST_NESTED; layer = unwrapOnce(url)) {
    by.push(layer.by);
    if (layer.url === null) return { by, url, isOpaque: true };
    url = layer.url;
  }
  // Deeper than that it is not read: what is left leads through one more server.
  return by.length === 0 ? null : { by, url, isOpaque: layer !== null };
}
