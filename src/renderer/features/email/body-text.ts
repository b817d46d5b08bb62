/** A body as text to read: from its text part, else from its HTML. */
import { defangUrl } from '#shared/model/defang.ts';
import { visibleText } from '#shared/model/format.ts';
import { parseInert } from './body-parse.ts';

/** Characters drawn before the reader asks for more. */
export const TEXT_STEP = 100_000;

const URL_IN_TEXT = /\b(?:https?|ftps?):\/\/[^\s<>"]+/gi;

/** Lines with hidden characters named and live addresses defanged. */
export function readableText(text: string): string {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => visibleText(line.replace(URL_IN_TEXT, (url) => defangUrl(url))))
    .join('\n');
}

const BLOCKS = 'p, div, br, tr, li, h1, h2, h3, h4, h5, h6, blockquote, table, ul, ol, pre, hr';
const MAX_PARSED = 8 * 1024 * 1024;

/** What a reader of the HTML would read, without its look. Parsed in an inert document; nothing loads. */
export function textOfHtml(html: string): string {
  const doc = parseInert(html.slice(0, MAX_PARSED));
  for (const element of doc.querySelectorAll('script, style, template, head, noembed')) element.remove();
  for (const element of doc.querySelectorAll(BLOCKS)) element.append('\n');
  for (const cell of doc.querySelectorAll('td, th')) cell.append(' ');
  return (doc.body?.textContent ?? '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
