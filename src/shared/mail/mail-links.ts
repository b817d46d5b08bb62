import { readLink } from '../model/link-reading.ts';
import { allHeaders, type MailHeader } from './headers.ts';
import type { Link } from './links.ts';
import { urlsInText } from './text-urls.ts';

const MAX_URL = 8_192;

export type PlacedLink = Pick<Link, 'url' | 'text' | 'source' | 'within'>;

/** Completes a link: host, and whether its text names another host. */
export function makeLink({ url, text, source, within }: PlacedLink): Link {
  const target = url.slice(0, MAX_URL);
  const { host, differs, original } = readLink(target, source === 'html' ? text : '');
  return {
    url: original?.url ?? target,
    host,
    text,
    source,
    within,
    mismatched: differs,
    rewrittenUrl: original === null ? null : target,
  };
}

/** URLs in plain text, at most `max`. */
export function textUrls(text: string, max: number): string[] {
  const out: string[] = [];
  for (const { url } of urlsInText(text)) if (out.push(url) >= max) break;
  return out;
}

/** What is listed as a problem of addresses whose bounds in a text are guessed, or null if there is none. */
function guessedWords(guessed: ReadonlySet<string>): string | null {
  const [first] = guessed;
  if (first === undefined) return null;
  const shown = `“${first.slice(0, 200)}”`;
  return guessed.size === 1
    ? `words stand directly next to the web address ${shown}: where it begins or ends is guessed`
    : `words stand directly next to ${guessed.size} web addresses, as to ${shown}: where they begin or end is guessed`;
}

interface LinkPlaces {
  html: readonly PlacedLink[];
  /** Its text parts, and the text outside of links in its HTML. */
  text: string;
  attached: readonly PlacedLink[];
  headers: readonly MailHeader[];
}

/** All links of a mail, once per source, HTML first; at most `max`. */
export function collectLinks(
  { html, text, attached, headers }: LinkPlaces,
  { max, problems }: { max: number; problems: Set<string> },
): Link[] {
  const keys = new Set<string>();
  const out: Link[] = [];
  const add = (link: PlacedLink) => {
    const key = `${link.source} ${link.within ?? ''} ${link.url} ${link.text}`;
    if (out.length >= max || keys.has(key)) return;
    keys.add(key);
    out.push(makeLink(link));
  };
  const addOwn = (url: string, shown: string, source: 'text' | 'header') =>
    add({ url, text: shown, source, within: null });
  for (const link of html) add(link);
  const guessed = new Set<string>();
  for (const { url, isGuessed } of urlsInText(text)) {
    if (out.length >= max) break;
    addOwn(url, url, 'text');
    if (isGuessed) guessed.add(url);
  }
  const words = guessedWords(guessed);
  if (words !== null) problems.add(words);
  for (const link of attached) add(link);
  for (const header of allHeaders(headers, 'List-Unsubscribe').slice(0, 20)) {
    for (const [, url = ''] of header.value.slice(0, 20_000).matchAll(/<([^<>\s]{3,4000})>/g))
      addOwn(url, url, 'header');
  }
  // A meeting's place, and the sound of a reminder, which Outlook fetches automatically from any server.
  for (const header of allHeaders(headers, 'X-Outlook-Location').slice(0, 20))
    for (const url of textUrls(header.value, max)) addOwn(url, url, 'header');
  for (const { value } of allHeaders(headers, 'X-Outlook-Reminder-Sound').slice(0, 20))
    if (value.startsWith('\\\\')) addOwn(`file:${value.replaceAll('\\', '/')}`, value, 'header');
  return out;
}
