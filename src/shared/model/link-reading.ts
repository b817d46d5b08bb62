import { looksLikeDomain } from '../mail/domains.ts';
import { originalLink, type RewrittenLink } from '../mail/rewritten-links.ts';
import { urlsInText } from '../mail/text-urls.ts';
import { URL } from '../platform.ts';
import { asciiDomain, hostOfUrl, webHost } from './hosts.ts';

const bare = (host: string): string => asciiDomain(host).replace(/^www\./, '');
/** A text that reads as a host as a whole, with or without a scheme, a path, and an address before it. */
const HOST_TEXT =
  /^[^\p{L}\p{N}]{0,3}(?:[a-z][a-z0-9+.-]{0,20}:\/{0,2})?(?:[^\s@/]{1,64}@)?((?:[\p{L}\p{M}\p{N}_-]{1,63}[.\u{3002}\u{ff0e}\u{ff61}]){1,8}[\p{L}\p{M}\p{N}-]{2,63})\.?(?:[:/?#]\S*)?[^\p{L}\p{M}\p{N}]{0,3}$/iu;
/** Characters after U+202E, which a reader sees from right to left. */
const REVERSED = /\u202e([^\u202c-\u202e]*)/g;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** A text as a reader sees it: reversed where it says so, and without what is not drawn. */
export const asDrawn = (text: string): string =>
  text.replace(REVERSED, (_, run: string) => [...run].reverse().join('')).replace(INVISIBLE, '');

/** The host that a reader would take a text for: the whole of it, or the first URL in it, or null if there is none. */
export function hostNamedIn(text: string): string | null {
  const drawn = asDrawn(text.slice(0, 2000)).trim();
  const short = originalLink(drawn)?.url ?? drawn;
  const whole = short.length <= 300 ? HOST_TEXT.exec(short)?.[1] : undefined;
  if (whole !== undefined && looksLikeDomain(asciiDomain(whole))) return bare(whole);
  const [url] = urlsInText(short);
  if (url === undefined) return null;
  // A bracket is never part of a host, whatever a browser makes of it.
  const host = hostOfUrl(url.url.split(/[()]/, 1)[0] ?? '');
  return host !== '' && looksLikeDomain(host) ? bare(host) : null;
}

export interface LinkReading {
  /** The host that the text names, or null. */
  says: string | null;
  host: string | null;
  /** The scheme in lower case if it goes to no host: `javascript`, `mailto`, `file`; null if it is broken. */
  scheme: string | null;
  /** The text names a host that the link does not go to, or null if only a rewriter's server knows where it goes. */
  differs: boolean | null;
  /** What it was before a rewriter changed it, whose host `host` is, or null if it was not rewritten. */
  original: RewrittenLink | null;
}

/** Compares what a link says with where it goes, which may be resolved, or as in the mail. */
export function readLink(url: string, text: string): LinkReading {
  const says = hostNamedIn(text);
  const unc = /^\\\\/.test(url);
  const complete = /^\/\//.test(url) ? `http:${url}` : /^www\./i.test(url) ? `http://${url}` : url;
  const original = unc ? null : originalLink(complete);
  const target = original?.url ?? complete;
  const host = unc ? null : webHost(target);
  const parsed = unc || url.length > 65_536 ? null : URL.parse(target);
  const scheme = host !== null ? null : unc ? 'file' : (parsed?.protocol.replace(/:$/, '') ?? null);
  // "a@x.example" over mailto:a@x.example is consistent.
  const goesTo = host ?? (scheme === 'mailto' ? bareMailHost(parsed?.pathname ?? '') : null);
  const isOther = says !== null && (goesTo === null || bare(goesTo) !== says);
  return { says, host, scheme, differs: isOther && original?.isOpaque ? null : isOther, original };
}

const bareMailHost = (path: string): string | null => {
  const position = path.lastIndexOf('@');
  return position < 0 ? null : path.slice(position + 1);
};

/** “Rewritten by Safe Links”, and whether only the rewriter's server knows the original. */
export const rewrittenWords = ({ by, isOpaque }: RewrittenLink): string =>
  `Rewritten by ${by.join(', then ')}${isOpaque ? ', which does not name the original' : ''}`;
