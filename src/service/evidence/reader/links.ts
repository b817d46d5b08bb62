import { allHeaders, type MailHeader } from '#shared/mail/headers.ts';
import type { HtmlLink } from '#shared/mail/html.ts';
import type { Link } from '#shared/mail/links.ts';
import { urlsInText } from '#shared/mail/text-urls.ts';
import { readLink } from '#shared/model/link-reading.ts';

const MAX_URL = 8_192;

/** Completes a link: host, and whether its text names another host. */
export function makeLink(url: string, text: string, source: Link['source']): Link {
  const target = url.slice(0, MAX_URL);
  const { host, differs } = readLink(target, source === 'html' ? text : '');
  return {
    url: target,
    host,
    text,
    source,
    mismatched: differs,
  };
}

/** URLs in plain text, at most `max`. */
export function textUrls(text: string, max: number): string[] {
  const out: string[] = [];
  for (const { url } of urlsInText(text)) if (out.push(url) >= max) break;
  return out;
}

/** “http” in base64, as scripts hide it. */
const HIDDEN_URL = /aHR0c[\w+/-]{6,8000}/g;

/** URLs in the text of a script, also with escaped slashes or in base64, at most `max`. */
export function scriptUrls(script: string, max: number): string[] {
  const hidden = [...script.matchAll(HIDDEN_URL)].map(([code]) =>
    Buffer.from(code, 'base64').toString('utf8'),
  );
  return textUrls([script.replaceAll('\\/', '/'), ...hidden].join('\n'), max);
}

/**
 * All links of a mail, once per source, HTML first; at most `max`. `text`: its text parts, and the text outside of
 * links in its HTML.
 */
export function collectLinks(
  html: readonly HtmlLink[],
  text: string,
  headers: readonly MailHeader[],
  max: number,
): Link[] {
  const seen = new Set<string>();
  const out: Link[] = [];
  const add = (url: string, shown: string, source: Link['source']) => {
    const key = `${source} ${url} ${shown}`;
    if (out.length >= max || seen.has(key)) return;
    seen.add(key);
    out.push(makeLink(url, shown, source));
  };
  for (const link of html) add(link.url, link.text, 'html');
  for (const url of textUrls(text, max)) add(url, url, 'text');
  for (const header of allHeaders(headers, 'List-Unsubscribe').slice(0, 20)) {
    for (const [, url = ''] of header.value.slice(0, 20_000).matchAll(/<([^<>\s]{3,4000})>/g))
      add(url, url, 'header');
  }
  // A meeting's place, and the sound of a reminder, which Outlook fetches automatically from any server.
  for (const header of allHeaders(headers, 'X-Outlook-Location').slice(0, 20))
    for (const url of textUrls(header.value, max)) add(url, url, 'header');
  for (const { value } of allHeaders(headers, 'X-Outlook-Reminder-Sound').slice(0, 20))
    if (value.startsWith('\\\\')) add(`file:${value.replaceAll('\\', '/')}`, value, 'header');
  return out;
}
