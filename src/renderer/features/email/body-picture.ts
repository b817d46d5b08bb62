/**
 * A picture of a mail's body as the frame draws it, from its first line to its last. Where the host has a Chromium of its
 * own, that takes it (`window.capture`). Elsewhere, and where that differs from the frame, a copy of the document becomes an
 * image of its own (SVG around the markup): browsers run nothing in such an image and load nothing but data: URLs, so it
 * cannot show, or fetch, what the frame did not. But they parse it as XML, and in a window of its own size. What depends
 * on either is settled beforehand, in a frame with the window on screen; then every element of the copy is compared with
 * that frame. Without equality there is no picture.
 */

import type { Bridge } from '#shared/bridge/bridge.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { exact } from '#shared/model/format.ts';

/** Limit of canvases in Chromium and Firefox. */
const MOST_SIDE = 16_384;
/** 256 MiB of pixels. */
const MOST_PIXELS = 64 * 1024 * 1024;

interface Size {
  width: number;
  height: number;
}

/** Why a body of this size, in CSS pixels, has no picture, or null if it can have one. */
export function pictureProblem({ width, height }: Size): string | null {
  if (width < 1 || height < 1) return 'The body is not on screen.';
  if (width <= MOST_SIDE && height <= MOST_SIDE && width * height <= MOST_PIXELS) return null;
  return `The body is ${exact(width)} × ${exact(height)} pixels. A picture can have at most ${exact(MOST_SIDE)} per side and ${exact(MOST_PIXELS)} in total, and part of a body could be mistaken for all of it.`;
}

/** The window of the body's frame on screen in CSS pixels, with its scroll bars. */
export const windowOf = (frame: HTMLIFrameElement | null | undefined): Size => ({
  width: frame?.clientWidth ?? 0,
  height: frame?.clientHeight ?? 0,
});

const notDrawn = () => new ParapetError('internal', 'This browser could not draw the body as a picture.');
const notTrue = (words: string) =>
  new ParapetError('internal', `The picture would differ from the screen: ${words}.`);

// Named elements of a mail can shadow properties of its document, but not those read through the prototype.
const rootIn = ({ contentDocument }: HTMLIFrameElement): Element | null =>
  contentDocument &&
  Object.getOwnPropertyDescriptor(Document.prototype, 'documentElement')?.get?.call(contentDocument);

type View = Window & typeof globalThis;

/** Shows content in a hidden frame, locked like the one on screen, for as long as `work` takes. */
async function inFrame<T>(
  { width, height }: Size,
  content: Pick<HTMLIFrameElement, 'srcdoc'> | Pick<HTMLIFrameElement, 'src'>,
  work: (root: Element, view: View) => Promise<T>,
): Promise<T> {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-same-origin');
  frame.referrerPolicy = 'no-referrer';
  frame.setAttribute(
    'style',
    `position:fixed;left:-${2 * MOST_SIDE}px;top:0;border:0;visibility:hidden;color-scheme:light;width:${width}px;height:${height}px`,
  );
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  Object.assign(frame, content);
  document.body.append(frame);
  try {
    await loaded;
    const root = rootIn(frame);
    // A window is its own global scope, which its type does not say.
    const view = frame.contentWindow as View | null;
    if (root === null || view === null) throw notDrawn();
    return await work(root, view);
  } finally {
    frame.remove();
  }
}

/** How often areas are opened: one inside another may scroll only then. */
const MOST_TRIES = 5;

const setStyle = (element: HTMLElement, styles: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, 'important');
};

/** Gives every area that scrolls room for all of its content, as a picture cannot be scrolled. Returns their number. */
function openScrollers(root: HTMLElement, view: View): number {
  const opened = new Set<HTMLElement>();
  // Of these two, the window scrolls.
  for (const element of [root, ...root.querySelectorAll<HTMLElement>(':scope > body')])
    setStyle(element, { overflow: 'visible' });
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const scrollers = [...root.querySelectorAll<HTMLElement>('body *')].filter((element) => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
      if (scrollWidth <= clientWidth && scrollHeight <= clientHeight) return false;
      const { overflowX, overflowY } = view.getComputedStyle(element);
      return [overflowX, overflowY].some((overflow) => overflow === 'auto' || overflow === 'scroll');
    });
    if (scrollers.length === 0) return opened.size;
    for (const element of scrollers) {
      const { offsetWidth, clientWidth, scrollWidth, offsetHeight, clientHeight, scrollHeight } = element;
      opened.add(element);
      setStyle(element, {
        'box-sizing': 'border-box',
        'min-width': `${offsetWidth - clientWidth + scrollWidth}px`,
        'min-height': `${offsetHeight - clientHeight + scrollHeight}px`,
      });
    }
  }
  throw notTrue('an area of the body scrolls at any size');
}

/** Lengths that are parts of the window, outside of strings and addresses. */
const WINDOW_LENGTH =
  /url\("[^"]*"\)|"(?:[^"\\]|\\.)*"|(?<![\w.#-])(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)[sld]?v(w|h|i|b|min|max)\b/gi;

/** The same CSS with such lengths in pixels. */
export const withPixels = (css: string, { width, height }: Size): string =>
  css.replace(WINDOW_LENGTH, (whole: string, count: string | undefined, side: string | undefined) => {
    if (count === undefined || side === undefined) return whole;
    const of = new Map(
      Object.entries({ h: height, b: height, min: Math.min(width, height), max: Math.max(width, height) }),
    );
    return `${(Number(count) * (of.get(side.toLowerCase()) ?? width)) / 100}px`;
  });

/** The selectors of a list, divided at its own commas. */
export function selectorsOf(list: string): string[] {
  const out = [''];
  let depth = 0;
  for (const [part] of list.matchAll(/"(?:[^"\\]|\\.)*"|\\.|./gsu)) {
    if (part === '(' || part === '[') depth += 1;
    if (part === ')' || part === ']') depth -= 1;
    if (part === ',' && depth === 0) out.push('');
    else out[out.length - 1] += part;
  }
  return out.map((selector) => selector.trim());
}

/** Of an element: the numbers of the selectors that match it. No mail has such an attribute. */
const MATCHES = 'data-matches';

/**
 * The rules that apply on screen, for another parser and window: each selector stands for the elements that it matches
 * here, with its own weight.
 */
function settledRules(rules: CSSRuleList, root: Element, view: View, counter: { count: number }): string {
  return Array.from(rules, (rule) => {
    if (rule instanceof view.CSSMediaRule)
      return view.matchMedia(rule.conditionText).matches
        ? settledRules(rule.cssRules, root, view, counter)
        : '';
    if (rule instanceof view.CSSSupportsRule)
      return view.CSS.supports(rule.conditionText) ? settledRules(rule.cssRules, root, view, counter) : '';
    if (!(rule instanceof view.CSSStyleRule)) return '';
    const style = withPixels(rule.style.cssText, { width: view.innerWidth, height: view.innerHeight });
    return selectorsOf(rule.selectorText)
      .map((selector) => {
        const matched = [...(root.matches(selector) ? [root] : []), ...root.querySelectorAll(selector)];
        if (matched.length === 0) return '';
        counter.count += 1;
        for (const element of matched)
          element.setAttribute(MATCHES, `${element.getAttribute(MATCHES) ?? ''} ${counter.count}`);
        return `:where([${MATCHES}~="${counter.count}"]):is(*,${selector}){${style}}\n`;
      })
      .join('');
  }).join('');
}

/** Characters that XML cannot represent; most of them are invisible in browsers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what this matches.
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** The document as an SVG of its full size, in which its page is still as large as the window. */
function settledSvg(root: HTMLElement, view: View, size: Size): string {
  const counter = { count: 0 };
  const sheets = [...root.querySelectorAll('style')].map(({ sheet }) =>
    sheet === null ? '' : settledRules(sheet.cssRules, root, view, counter),
  );
  const { clientWidth, clientHeight } = root;
  const look = view.getComputedStyle(root);
  if (look.backgroundImage !== 'none' || !/^rgb\b/.test(look.backgroundColor))
    throw notTrue('the email paints the page behind its body');
  const copy = root.cloneNode(true) as HTMLElement;
  for (const [index, style] of copy.querySelectorAll('style').entries())
    style.textContent = sheets[index] ?? '';
  const window = { width: view.innerWidth, height: view.innerHeight };
  for (const element of copy.querySelectorAll('[style]'))
    element.setAttribute('style', withPixels(element.getAttribute('style') ?? '', window));
  // As the root of a page, it keeps the margins of its body inside.
  setStyle(copy, { display: 'flow-root' });
  const markup = new XMLSerializer().serializeToString(copy).replace(NOT_XML, '').toWellFormed();
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" style="font-size:${look.fontSize}"><rect width="100%" height="100%" fill="${look.backgroundColor}"/><foreignObject width="${clientWidth}" height="${clientHeight}" style="overflow:visible">${markup}</foreignObject></svg>`;
}

/** What an element looks like, beside its place. */
const LOOKS =
  'align-items background-color background-image background-position-x background-position-y background-repeat background-size border-bottom-color border-bottom-style border-bottom-width border-left-color border-left-style border-left-width border-right-color border-right-style border-right-width border-top-color border-top-style border-top-width box-shadow clip clip-path color direction filter float font-family font-size font-style font-variant font-weight letter-spacing line-height list-style-type mask-image mix-blend-mode opacity outline-color outline-style outline-width overflow-x overflow-y position text-align text-decoration-color text-decoration-line text-indent text-overflow text-shadow text-transform transform unicode-bidi vertical-align visibility white-space word-spacing writing-mode z-index'.split(
    ' ',
  );
/** Layouts of the same boxes differ by rounding. */
const NEAR = 0.51;

interface Drawn {
  name: string;
  place: number[];
  look: string[];
}

function drawnIn(root: Element, view: View): Drawn[] {
  return [root, ...root.querySelectorAll('body, body *')].map((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const style = view.getComputedStyle(element);
    const isRoot = element === root;
    return {
      name: element.localName,
      // The root of a page may be shorter than its window; what it paints was checked.
      place: isRoot ? [left, width] : [left, top, width, height],
      look: LOOKS.map((name) => style.getPropertyValue(name)),
    };
  });
}

/** The first difference in words, or null if there is none. */
function difference(screen: readonly Drawn[], picture: readonly Drawn[]): string | null {
  if (screen.length !== picture.length) return 'it has other elements';
  for (const [index, { name, place, look }] of screen.entries()) {
    const other = picture[index]!;
    if (place.some((side, axis) => Math.abs(side - other.place[axis]!) > NEAR))
      return `an element “${name}” is elsewhere or of another size`;
    const difference = look.findIndex((value, which) => value !== other.look[which]);
    if (difference >= 0) return `an element “${name}” has another ${LOOKS[difference]}`;
  }
  return null;
}

/** Chromium's own picture of the frame, or null if the host has none or it draws the document otherwise. */
async function capturedBy(bridge: Bridge, root: Element, view: View, size: Size): Promise<Blob | null> {
  const captured = await bridge.call('window.capture', {
    document: `<!doctype html>${root.outerHTML}`,
    view: { width: root.clientWidth, height: root.clientHeight },
    size,
    isDark: view.matchMedia('(prefers-color-scheme: dark)').matches,
    looks: LOOKS,
  });
  if (captured === null) return null;
  const elements = captured.elements.map(({ place, ...element }, index) => ({
    ...element,
    place: index === 0 ? [place[0] ?? 0, place[2] ?? 0] : place,
  }));
  if (difference(drawnIn(root, view), elements) !== null) return null;
  return new Blob([Uint8Array.from(atob(captured.png), (unit) => unit.charCodeAt(0))], { type: 'image/png' });
}

async function load(src: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = src;
  try {
    await image.decode();
  } catch {
    throw notDrawn();
  }
  return image;
}

/** A PNG of a body, and how many of its areas scroll on screen. */
export interface BodyPicture {
  blob: Blob;
  opened: number;
}

/**
 * The picture of a safe body (`makeSafe`) in a window of this size, or as large as it needs. Throws with the reason
 * where there is no true picture of all of it. `bridge`: of a host that may have a Chromium of its own.
 */
export async function pictureOf(safe: string, window: Size, bridge: Bridge | null): Promise<BodyPicture> {
  const refuse = (size: Size) => {
    const problem = pictureProblem(size);
    if (problem !== null) throw new ParapetError('too-large', problem);
  };
  refuse(window);
  return inFrame(window, { srcdoc: safe }, async (root, view) => {
    if (!(root instanceof view.HTMLElement)) throw notDrawn();
    const opened = openScrollers(root, view);
    const size = {
      width: Math.max(root.scrollWidth, root.clientWidth),
      height: Math.max(root.scrollHeight, root.clientHeight),
    };
    refuse(size);
    const captured = bridge === null ? null : await capturedBy(bridge, root, view, size);
    if (captured !== null) return { blob: captured, opened };
    const screen = drawnIn(root, view);
    const svg = settledSvg(root, view, size);
    const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    try {
      const differs = await inFrame(size, { src: url }, async (picture, itsView) => {
        const copy = picture.querySelector('foreignObject > *');
        return copy === null ? 'it is not well-formed' : difference(screen, drawnIn(copy, itsView));
      });
      if (differs !== null) throw notTrue(differs);
    } finally {
      URL.revokeObjectURL(url);
    }
    // From a data: URL, as a canvas with an image from a blob: URL may not be read.
    const image = await load(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`);
    const canvas = document.createElement('canvas');
    canvas.width = size.width;
    canvas.height = size.height;
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob === null) throw new ParapetError('internal', 'This browser can’t make a picture of this size.');
    return { blob, opened };
  });
}
