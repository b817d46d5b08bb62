/**
 * The HTML of a mail made safe to look at: a document for a sandboxed frame. Three defences, each sufficient alone:
 * what is known to load or run is removed and reported here; a strict allow-list (DOMPurify) is the last to touch
 * the markup; the frame runs no scripts and has a policy of its own that loads data: pictures only.
 */
import DOMPurify from 'dompurify';
import { MAX_OVERRIDES, type OverrideRule, overrideRules } from '#shared/mail/overrides.ts';
import { type BlockedContent, contentIdKey, isRasterData, nothingBlocked } from './body-blocked.ts';
import { cleanDeclaration, cleanSheet } from './body-css.ts';
import { type Disarm, disarm, MARK_NAMES, type MarkName } from './body-elements.ts';
import { isTooNested } from './body-text.ts';
import { pixelGate } from './picture-size.ts';

/** HTML of a mail as an inert document: nothing runs, nothing loads, and no name shadows the DOM. */

const rootOf = Object.getOwnPropertyDescriptor(Document.prototype, 'documentElement')?.get;
const CLOBBERS = 'form, embed, iframe, img, object, button, fieldset, input, output, select, textarea';

/**
 * Parses hostile HTML. An element named "querySelectorAll" would stand in for the document's own method, and a
 * field named "childNodes" for its form's: such names and ids are removed first.
 */
function parseInert(html: string): Document {
  // Chromium tries to load the text track of a video even in an inert document; the page's policy refuses it.
  const doc = new DOMParser().parseFromString(html.replace(/<track\b/gi, '<span'), 'text/html');
  const root = rootOf?.call(doc) as HTMLElement;
  const { removeAttribute } = Element.prototype;
  for (const element of root.querySelectorAll('[name]')) removeAttribute.call(element, 'name');
  for (const element of root.querySelectorAll(CLOBBERS)) removeAttribute.call(element, 'id');
  return doc;
}

/** Larger bodies are shown as text: parsing them would block the window. */
export const MAX_HTML_CHARS = 2 * 1024 * 1024;
/** Elements drawn at once, and when the analyst insists: 10 000 take about half a second on a slow machine. */
export const EASY_ELEMENTS = 10_000;
export const MAX_ELEMENTS = 40_000;
const MAX_ATTRIBUTES = 256;

export interface SafeBody {
  /** A whole document for srcdoc, or null if it is too large to sanitise without blocking the window. */
  document: string | null;
  blocked: BlockedContent;
  links: number;
  /** Nothing readable or visible is left. */
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
  // No allowed attribute except src holds a URL, and src is either a data URL of a picture or removed.
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

const OWN_STYLE = (mark: (name: MarkName) => string): string => `
html{background:#fff;color:#161b23;color-scheme:light;font:13px/1.45 'Noto Sans','Segoe UI',system-ui,sans-serif}
body{margin:12px 16px;overflow-wrap:anywhere}
img{max-width:100%}
.${mark('a')}{color:#1a5bc9!important;text-decoration:underline dotted!important;cursor:help!important}
`;

const MONO = "'JetBrains Mono Variable','Noto Sans Mono',Consolas,monospace";
const STAND_IN =
  'display:inline-flex;align-items:center;justify-content:center;box-sizing:border-box;min-height:22px;padding:1px 6px;border:1px dashed #7e8998;border-radius:3px;background:repeating-linear-gradient(-45deg,#f7f8fa 0 6px,#eef2f7 6px 12px);color:#434e5c;font:11px/16px system-ui,sans-serif;overflow:hidden;max-width:100%;vertical-align:middle';
const HOST = `display:inline-block;margin-left:4px;padding:0 3px;border-radius:3px;font:10px/14px ${MONO}`;

/**
 * Our marks carry their own inline style, with every declaration important and everything else reset: an
 * element's own important style is the one thing that no style sheet of a mail outranks.
 */
const MARK_STYLE: Readonly<Partial<Record<MarkName, string>>> = {
  url: `all:initial;padding:1px 4px;border-radius:3px;background:#eef1f5;color:#434e5c;font:12px/18px ${MONO};overflow-wrap:anywhere`,
  host: `all:initial;${HOST};background:#eef1f5;color:#434e5c`,
  differs: `all:initial;${HOST};background:#fcefd9;color:#8a4e00`,
  img: `all:initial;${STAND_IN}`,
  box: `all:initial;${STAND_IN}`,
  form: 'display:block;margin:4px 0;padding:6px 8px;border:1px dashed #8a4e00;border-radius:4px',
  'form-note': 'all:initial;display:block;color:#8a4e00;font:11px/16px system-ui,sans-serif',
};

/** Styles the marks after the mail's own content has been sanitised. */
function styleMarks(root: ParentNode, mark: (name: MarkName) => string): void {
  for (const name of MARK_NAMES) {
    const look = MARK_STYLE[name];
    if (look === undefined) continue;
    for (const element of root.querySelectorAll<HTMLElement>(`.${mark(name)}`)) {
      // A placeholder keeps the size of its picture.
      const { width, height } = element.style;
      const size = `${width && `;width:${width}`}${height && `;height:${height}`}`;
      element.setAttribute('style', `${(look + size).replaceAll(';', '!important;')}!important`);
    }
  }
}

/** Random class names that a mail cannot guess. */
function freshMarks(): (name: MarkName) => string {
  const secret = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');
  return (name) => `m${secret}-${name}`;
}

/** The data URL to draw for a URL of the body, or null if it is blocked. */
function imageSource(
  inline: Readonly<Record<string, string>>,
  shown: ReadonlyMap<string, string>,
  gate: (data: string) => string | null,
): (url: string) => string | null {
  const parts = new Map(Object.entries(inline).map(([id, data]) => [contentIdKey(id), data]));
  return (url) => {
    const data = /^data:/i.test(url)
      ? url
      : /^cid:/i.test(url)
        ? parts.get(contentIdKey(url))
        : shown.get(url);
    return data !== undefined && isRasterData(data) ? gate(data) : null;
  };
}

/** The address as a mail client would read it: resolved against the mail's base URL, if it has one. */
function resolver(doc: Document): (raw: string) => string {
  const base = doc.querySelector('base[href]')?.getAttribute('href') ?? null;
  return (raw) => {
    const url = raw.replace(/[\t\n\r]/g, '').trim();
    // A relative address must not resolve against the console's own origin.
    const against = base !== null && /^https?:/i.test(base) ? base : undefined;
    const full = url.startsWith('//') ? `https:${url}` : url;
    return URL.parse(full, against)?.href ?? url;
  };
}

/** Whether an address would be fetched from another machine. */
const isRemote = (url: string) => /^(?:https?|ftps?|ws|wss|file|smb):/i.test(url) || url.startsWith('\\\\');

const hasTooMany = (element: Element) => element.attributes.length > MAX_ATTRIBUTES;

/**
 * Sanitises a body. `inline`: data URLs by Content-ID. `shown`: remote pictures that the analyst asked for, as
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
  const draw = imageSource(
    inline,
    shown,
    pixelGate((words) => blocked.undrawn.push(words)),
  );
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
  const overrides: OverrideRule[] = [];
  for (const style of doc.querySelectorAll('style')) {
    overrides.push(...overrideRules(style.textContent ?? '').slice(0, MAX_OVERRIDES - overrides.length));
    css += cleanSheet(style.textContent ?? '', (url) => drawOrBlock(url), remoteStyle);
    style.remove();
  }
  const mark = freshMarks();
  const work: Disarm = {
    doc,
    blocked,
    absolute,
    isRemote,
    drawOrBlock,
    remoteStyle,
    overrides,
    links: 0,
    mark,
  };
  disarm(work);
  for (const element of doc.querySelectorAll<HTMLElement>('[style]')) {
    cleanDeclaration(element.style, (url) => drawOrBlock(url));
    // Writing the attribute back removes the parts that the parser dropped.
    element.setAttribute('style', element.style.cssText);
  }
  styleMarks(doc, mark);
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
  return { document: frameDocument(css + OWN_STYLE(mark), markup), blocked, links: work.links, isEmpty };
}

const frameDocument = (css: string, markup: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${FRAME_POLICY}"><meta name="referrer" content="no-referrer"><style>${css}</style></head><body>${markup}</body></html>`;
