/** What the texts of a mail contain: its links, active content, and what it says. */
import type { MailHeader } from '#shared/mail/headers.ts';
import { type ActiveContent, readHtml, shownTextOf } from '#shared/mail/html.ts';
import type { Link } from '#shared/mail/links.ts';
import { collectLinks, type PlacedLink, textUrls } from '#shared/mail/mail-links.ts';
import type { Insides } from './insides.ts';
import type { EvidenceLimits } from './types.ts';

export interface TextBody {
  text: string;
  html: boolean;
  /** True if it is not text of this mail itself, but of an attached message or page. */
  nested: boolean;
  /** The attachment that it is, otherwise null. */
  within: string | null;
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
 * Links and active content of all bodies, including nested messages, since a forwarded lure is still a lure.
 * `shownText`: only of the mail’s own bodies.
 */
export function contentsOfBodies(
  { bodies, insides, problems }: { bodies: readonly TextBody[]; insides: Insides; problems: Set<string> },
  headers: readonly MailHeader[],
  limits: EvidenceLimits,
): { links: Link[]; active: ActiveContent; shownText: string } {
  const active: ActiveContent = { remote: 0, forms: 0, scripts: 0, handlers: 0 };
  const html: PlacedLink[] = [];
  const attached: PlacedLink[] = [];
  let charactersLeft = limits.maxBodyChars;
  let plain = '';
  const parts: [string, string] = ['', ''];
  for (const body of bodies) {
    const text = body.text.slice(0, charactersLeft);
    charactersLeft -= text.length;
    const { within } = body;
    const place = (url: string, shown: string, source: 'html' | 'text') => ({
      url,
      text: shown,
      source,
      within,
    });
    const written = (text: string): void => {
      if (within === null) plain = plain === '' ? text : `${plain}\n${text}`;
      else
        for (const url of textUrls(text, limits.maxLinks - attached.length))
          attached.push(place(url, url, 'text'));
    };
    if (!body.html) {
      if (!body.nested) parts[0] += `${text}\n`;
      written(text);
      continue;
    }
    const facts = readHtml(text, limits.maxLinks - html.length);
    for (const link of facts.links) html.push(place(link.url, link.text, 'html'));
    // Scripts in the mail itself never run; those of an attached page do.
    const room = limits.maxLinks - html.length;
    if (body.nested && room > 0)
      for (const url of scriptUrls(facts.script, room)) html.push(place(url, '(script)', 'html'));
    if (!body.nested) parts[1] += `${facts.shown}\n`;
    written(facts.text);
    active.remote += facts.remote;
    active.forms += facts.forms;
    active.scripts += facts.scripts;
    active.handlers += facts.handlers;
  }
  attached.push(...insides.links);
  const links = collectLinks({ html, text: plain, attached, headers }, { max: limits.maxLinks, problems });
  return { links, active, shownText: shownTextOf(parts) };
}
