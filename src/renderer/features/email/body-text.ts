/** A body as readable text: from its text part, else from its HTML. */
import { urlsInText } from '#shared/mail/text-urls.ts';
import { defangUrl } from '#shared/model/defang.ts';
import { visibleText } from '#shared/model/format.ts';
import { lowerInPlace } from '#shared/query/text.ts';

/** Characters shown at first and with each "Show more". */
export const TEXT_STEP = 100_000;
/** Number of characters of a view that are searched for the matches of a query. */
export const MOST_SOUGHT = 100_000;

/** Number of characters of the HTML that are read. */
export const MAX_READ = 8 * 1024 * 1024;
/** Lines with hidden characters named and live addresses defanged. */
export function readableText(text: string): string {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => visibleText(defangUrlsIn(line)))
    .join('\n');
}

function defangUrlsIn(line: string): string {
  let out = '';
  let offset = 0;
  for (const { index, url } of urlsInText(line)) {
    out += line.slice(offset, index) + defangUrl(url);
    offset = index + url.length;
  }
  return out + line.slice(offset);
}

const BLOCK =
  /^(?:address|article|blockquote|br|center|div|dl|dt|dd|fieldset|figure|footer|form|h[1-6]|header|hr|li|ol|p|pre|section|table|tr|ul)$/i;
const SILENT = /^(?:script|style|head|title|template|noembed|noframes|object|svg|math)$/i;
/** A tag longer than this has an unclosed quote: it ends at its first bracket. */
const MAX_TAG = 8192;

/** The end of the tag that begins at `start`: its closing bracket outside of quotes. */
function tagEnd(html: string, start: number): number {
  let quote = '';
  const most = Math.min(html.length, start + MAX_TAG);
  for (let index = start; index < most; index += 1) {
    const char = html[index] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '>') return index;
    else if ((char === '"' || char === "'") && html[index - 1] === '=') quote = char;
  }
  return html.indexOf('>', start);
}

/** Markup without its tags, blocks on lines of their own, entities as they are. Builds no tree; linear. */
export function stripTags(html: string): string {
  const lower = lowerInPlace(html);
  const out: string[] = [];
  let index = 0;
  while (index < html.length) {
    const open = html.indexOf('<', index);
    out.push(html.slice(index, open < 0 ? html.length : open));
    if (open < 0) break;
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open + 4);
      index = end < 0 ? html.length : end + 3;
      continue;
    }
    const [, slash = '', name = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(html.slice(open, open + 40)) ?? [];
    if (name === '' && !/[!?/]/.test(html[open + 1] ?? '')) {
      out.push('<');
      index = open + 1;
      continue;
    }
    const end = tagEnd(html, open);
    index = end < 0 ? html.length : end + 1;
    if (slash === '' && SILENT.test(name)) {
      const close = lower.indexOf(`</${name.toLowerCase()}`, index);
      index = close < 0 ? html.length : close;
    } else if (BLOCK.test(name)) out.push('\n');
    else if (/^t[dh]$/i.test(name)) out.push(' ');
  }
  return out
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The text of the HTML as a reader would see it, without formatting. */
export function textOfHtml(html: string): string {
  const text = stripTags(html.slice(0, MAX_READ)).replaceAll('<', '&lt;');
  // Brackets are escaped, so the parser only decodes entities.
  return new DOMParser().parseFromString(text, 'text/html').documentElement.textContent ?? '';
}

/** Void elements, and elements that mails routinely leave open. */
const OPEN_ENDED =
  /^(?:area|base|br|col|colgroup|dd|dt|embed|frame|hr|img|input|li|link|meta|option|p|param|source|tbody|td|tfoot|th|thead|tr|track|wbr|html|body|head)$/i;
/** Nested unclosed elements take the parser quadratic time. */
const MAX_OPEN = 2000;

/** Whether so many elements are open at once that parsing would block the window. Linear. */
export function isTooNested(html: string): boolean {
  let open = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (slash === '/') open = Math.max(0, open - 1);
    else if (!OPEN_ENDED.test(name)) open += 1;
    if (open > MAX_OPEN) return true;
  }
  return false;
}
