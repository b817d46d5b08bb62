/**
 * The HTML of a mail made safe to look at: a document for a sandboxed frame. Three walls, each enough alone:
 * what is known to load or run is taken out and named here; a strict allow-list (DOMPurify) is the last to touch
 * the markup; the frame has no scripts, no origin and a policy of its own that loads data: pictures only.
 */
import DOMPurify from 'dompurify';
import { type BlockedContent, contentIdKey, isRasterData, nothingBlocked } from './body-blocked.ts';
import { cleanDeclaration, cleanSheet } from './body-css.ts';
import { type Disarm, disarm } from './body-elements.ts';
import { isTooNested } from './body-nesting.ts';
import { parseInert } from './body-parse.ts';

/** Larger bodies are shown as text: parsing them would hold up the window. */
export const MAX_HTML_CHARS = 2 * 1024 * 1024;
/** Elements drawn at once, and when the analyst insists: 10 000 take about half a second on a slow machine. */
export const EASY_ELEMENTS = 10_000;
export const MAX_ELEMENTS = 40_000;
const MAX_ATTRIBUTES = 256;

export interface SafeBody {
  /** A whole document for srcdoc; null: too large to be made safe without holding up the window. */
  document: string | null;
  blocked: BlockedContent;
  /** Links that were made inert. */
  links: number;
  /** Nothing is left that can be read or seen. */
  isEmpty: boolean;
}

const TAGS =
  'abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark menu nav nobr ol p pre q s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr'.split(
    ' ',
  );
const ATTRIBUTES =
  'align alt bgcolor border cellpadding cellspacing class clear color colspan dir face height hspace id lang noshade nowrap rowspan rules scope size span start style title type valign value vspace width'.split(
    ' ',
  );

const gate = DOMPurify(window);
const GATE = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: [...ATTRIBUTES, 'src'],
  // Every attribute but src is no address; src is a data URL of a picture or nothing.
  ADD_URI_SAFE_ATTR: ATTRIBUTES,
  ALLOWED_URI_REGEXP: /^data:image\/(?:png|jpe?g|gif|webp|bmp|avif);base64,/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOW_UNKNOWN_PROTOCOLS: false,
  FORBID_CONTENTS: [
    'script',
    'style',
    'template',
    'svg',
    'math',
    'title',
    'object',
    'iframe',
    'noframes',
    'noembed',
  ],
  FORCE_BODY: true,
};

const FRAME_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-src 'none'";

// !important: a mail's own style must not hide what was done to it.
const OWN_STYLE = `
html{background:#fff;color:#161b23;color-scheme:light;font:13px/1.45 'Noto Sans','Segoe UI',system-ui,sans-serif}
body{margin:12px 16px;overflow-wrap:anywhere}
img{max-width:100%}
.pp-a{color:#1a5bc9!important;text-decoration:underline dotted!important;cursor:help!important}
.pp-url{padding:1px 4px!important;border-radius:3px!important;background:#eef1f5!important;color:#434e5c!important;font:12px/18px 'JetBrains Mono Variable','Noto Sans Mono',Consolas,monospace!important;text-decoration:none!important}
.pp-host{display:inline-block!important;visibility:visible!important;opacity:1!important;margin-left:4px!important;padding:0 3px!important;border-radius:3px!important;background:#eef1f5!important;color:#434e5c!important;font:10px/14px 'JetBrains Mono Variable','Noto Sans Mono',Consolas,monospace!important;text-decoration:none!important;text-transform:none!important}
.pp-host.pp-differs{background:#fcefd9!important;color:#8a4e00!important}
.pp-img,.pp-box{display:inline-flex!important;align-items:center!important;justify-content:center!important;box-sizing:border-box!important;min-height:22px;padding:1px 6px!important;border:1px dashed #7e8998!important;border-radius:3px!important;background:repeating-linear-gradient(-45deg,#f7f8fa 0 6px,#eef2f7 6px 12px)!important;color:#434e5c!important;font:11px/16px system-ui,sans-serif!important;overflow:hidden!important;max-width:100%!important;vertical-align:middle!important}
.pp-form{display:block!important;margin:4px 0!important;padding:6px 8px!important;border:1px dashed #8a4e00!important;border-radius:4px!important}
.pp-form-note{display:block!important;color:#8a4e00!important;font:11px/16px system-ui,sans-serif!important}
`;

/** How an address in the body is drawn: as a data URL, or null when it is not. */
function imageSource(
  inline: Readonly<Record<string, string>>,
  shown: ReadonlyMap<string, string>,
): (url: string) => string | null {
  const parts = new Map(Object.entries(inline).map(([id, data]) => [contentIdKey(id), data]));
  return (url) => {
    const data = /^data:/i.test(url)
      ? url
      : /^cid:/i.test(url)
        ? parts.get(contentIdKey(url))
        : shown.get(url);
    return data !== undefined && isRasterData(data) ? data : null;
  };
}

/** The address as the mail means it: resolved against its own base, or as it stands. */
function resolver(doc: Document): (raw: string) => string {
  const base = doc.querySelector('base[href]')?.getAttribute('href') ?? null;
  return (raw) => {
    const url = raw.replace(/[\t\n\r]/g, '').trim();
    // Without a scheme of its own an address would be taken as one of the console's.
    const against = base !== null && /^https?:/i.test(base) ? base : undefined;
    const full = url.startsWith('//') ? `https:${url}` : url;
    return URL.parse(full, against)?.href ?? url;
  };
}

/** Whether an address would be fetched from another machine. */
const isRemote = (url: string) => /^(?:https?|ftps?|ws|wss|file|smb):/i.test(url) || url.startsWith('\\\\');

const hasTooMany = (element: Element) => element.attributes.length > MAX_ATTRIBUTES;

/**
 * Makes a body safe. `inline`: data URLs by Content-ID. `shown`: remote pictures that the analyst asked for, as
 * data URLs by address. `limit`: more elements than these are not drawn. Needs a DOM; total on hostile input.
 */
export function makeSafe(
  html: string,
  inline: Readonly<Record<string, string>> = {},
  shown: ReadonlyMap<string, string> = new Map(),
  limit: number = EASY_ELEMENTS,
): SafeBody {
  const blocked = nothingBlocked();
  if (html.length > MAX_HTML_CHARS || isTooNested(html))
    return { document: null, blocked, links: 0, isEmpty: false };
  const doc = parseInert(html);
  const elements = doc.getElementsByTagName('*');
  if (elements.length > limit || Array.from(elements).some(hasTooMany))
    return { document: null, blocked, links: 0, isEmpty: false };

  const absolute = resolver(doc);
  const draw = imageSource(inline, shown);
  const images = new Set<string>();
  const trackers = new Set<string>();
  const drawOrBlock = (raw: string, tracker = false): string | null => {
    const url = absolute(raw);
    const source = draw(url);
    if (source === null && isRemote(url)) (tracker ? trackers : images).add(url);
    return source;
  };

  let css = '';
  const remoteStyle = () => {
    blocked.styles += 1;
  };
  for (const style of doc.querySelectorAll('style')) {
    css += cleanSheet(style.textContent ?? '', (url) => drawOrBlock(url), remoteStyle);
    style.remove();
  }
  const work: Disarm = { doc, blocked, absolute, isRemote, drawOrBlock, remoteStyle, links: 0 };
  disarm(work);
  for (const element of doc.querySelectorAll<HTMLElement>('[style]')) {
    cleanDeclaration(element.style, (url) => drawOrBlock(url));
    // What the parser dropped still stands in the attribute's text until it is written anew.
    element.setAttribute('style', element.style.cssText);
  }
  blocked.images = [...images];
  blocked.trackers = [...trackers].filter((url) => !images.has(url));

  const root = doc.createElement('div');
  for (const name of ['style', 'bgcolor', 'class', 'dir', 'align']) {
    const value = doc.body?.getAttribute(name);
    if (value) root.setAttribute(name, value);
  }
  root.append(...Array.from(doc.body?.childNodes ?? []));
  const isEmpty = (root.textContent ?? '').trim() === '' && root.querySelector('img, hr') === null;
  const markup = gate.sanitize(root.outerHTML, GATE);
  return { document: frameDocument(css, markup), blocked, links: work.links, isEmpty };
}

const frameDocument = (css: string, markup: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${FRAME_POLICY}"><meta name="referrer" content="no-referrer"><style>${css}</style><style>${OWN_STYLE}</style></head><body>${markup}</body></html>`;
