import { Parser } from 'htmlparser2';
import type { ActiveContent } from './types.ts';

export interface HtmlLink {
  url: string;
  text: string;
}

export interface HtmlFacts extends ActiveContent {
  links: HtmlLink[];
}

/** Attributes that make a mail program load something, by element; '*' stands for any. */
const LOADING: Readonly<Record<string, readonly string[]>> = {
  '*': ['background', 'lowsrc', 'dynsrc'],
  img: ['src', 'srcset', 'longdesc'],
  image: ['href', 'xlink:href', 'src'],
  source: ['src', 'srcset'],
  input: ['src'],
  iframe: ['src'],
  frame: ['src'],
  script: ['src'],
  embed: ['src'],
  object: ['data', 'codebase'],
  applet: ['code', 'codebase', 'archive'],
  audio: ['src'],
  video: ['src', 'poster'],
  track: ['src'],
  bgsound: ['src'],
  link: ['href'],
  use: ['href', 'xlink:href'],
};

const MAX_TEXT = 500;
/**
 * The parser searches its stack of open elements at every closing tag, so a hostile page of unclosed
 * elements would cost the square of its length: a new parser starts when the stack is this deep.
 */
const MAX_OPEN = 1_000;
const CHUNK = 16_384;

const isRemote = (url: string): boolean => /^\s*(?:https?:|ftp:|\/\/|\\\\)/i.test(url);

function remoteInStyle(css: string): number {
  let count = 0;
  for (const match of css.matchAll(/url\(\s*["']?\s*([^"')\s]{1,20})|@import\s+["']\s*([^"'\s]{1,20})/gi)) {
    if (isRemote(match[1] ?? match[2] ?? '')) count++;
  }
  return count;
}

function resolved(url: string, base: string | null): string {
  const plain = url.trim();
  if (base === null || plain === '' || /^[a-z][a-z0-9+.-]*:/i.test(plain)) return plain;
  return URL.parse(plain, base)?.href ?? plain;
}

/**
 * Reads links and active content from HTML without building a tree and without loading anything: a, area,
 * form, button, base, meta refresh; at most `maxLinks` links. Never throws, near-linear.
 */
export function readHtml(html: string, maxLinks: number): HtmlFacts {
  const facts: HtmlFacts = { links: [], remote: 0, forms: 0, scripts: 0, handlers: 0 };
  let base: string | null = null;
  let open: HtmlLink | null = null;
  let inStyle = false;
  let depth = 0;

  const addLink = (target: string | undefined, text: string): HtmlLink | null => {
    const url = target?.trim() ?? '';
    if (url === '' || url.startsWith('#') || facts.links.length >= maxLinks) return null;
    const link = { url: resolved(url, base), text };
    facts.links.push(link);
    return link;
  };

  const onopentag = (name: string, attributes: Record<string, string>) => {
    depth++;
    for (const attribute of [...(LOADING['*'] ?? []), ...(LOADING[name] ?? [])]) {
      const value = attributes[attribute];
      if (value === undefined) continue;
      if (attribute === 'srcset') facts.remote += value.split(/,\s+/).filter(isRemote).length;
      else if (isRemote(resolved(value, base))) facts.remote++;
    }
    for (const attribute in attributes) {
      if (attribute.startsWith('on')) facts.handlers++;
      else if (attribute === 'style') facts.remote += remoteInStyle(attributes[attribute] ?? '');
      else if (/^\s*javascript:/i.test(attributes[attribute] ?? '')) facts.handlers++;
    }
    switch (name) {
      case 'a':
        open = addLink(attributes['href'], '');
        break;
      case 'area':
        addLink(attributes['href'], attributes['alt'] ?? '');
        break;
      case 'img':
        if (open && attributes['alt']) open.text = `${open.text} ${attributes['alt']}`.slice(0, MAX_TEXT);
        break;
      case 'form':
        facts.forms++;
        addLink(attributes['action'], '(form)');
        break;
      case 'button':
      case 'input':
        addLink(attributes['formaction'], '(form)');
        break;
      case 'base':
        base ??= URL.parse(attributes['href'] ?? '')?.href ?? null;
        break;
      case 'script':
        facts.scripts++;
        break;
      case 'style':
        inStyle = true;
        break;
      case 'meta':
        if (/^\s*refresh\s*$/i.test(attributes['http-equiv'] ?? '')) {
          addLink(/url\s*=\s*["']?([^"']+)/i.exec(attributes['content'] ?? '')?.[1], '(refresh)');
        }
        break;
    }
  };

  const start = (): Parser =>
    new Parser({
      onopentag,
      ontext(text) {
        if (inStyle) facts.remote += remoteInStyle(text);
        else if (open && open.text.length < MAX_TEXT) open.text = (open.text + text).slice(0, MAX_TEXT);
      },
      onclosetag(name) {
        depth--;
        if (name === 'a') open = null;
        else if (name === 'style') inStyle = false;
      },
    });

  let parser = start();
  for (let at = 0; at < html.length; ) {
    const found = html.length - at <= CHUNK ? -1 : html.indexOf('<', at + CHUNK);
    const end = found < 0 ? html.length : found;
    parser.write(html.slice(at, end));
    at = end;
    if (depth > MAX_OPEN) {
      parser.end();
      parser = start();
      depth = 0;
    }
  }
  parser.end();
  for (const link of facts.links) link.text = link.text.replace(/\s+/g, ' ').trim();
  return facts;
}
