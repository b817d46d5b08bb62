/**
 * A picture of a mail's body as the frame draws it, from its first line to its last. A frame of the same document,
 * large enough that nothing scrolls, becomes an image of its own (SVG around the markup): browsers run nothing in such
 * an image and load nothing but data: URLs, so it cannot show, or fetch, what the frame did not.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import { exact } from '#shared/model/format.ts';

/** Limit of canvases in Chromium and Firefox. */
const MOST_SIDE = 16_384;
/** 256 MiB of pixels. */
const MOST_PIXELS = 64 * 1024 * 1024;

interface PictureSize {
  width: number;
  height: number;
}

/** Why a body of this size, in CSS pixels, has no picture; null: it can have one. */
export function pictureProblem({ width, height }: PictureSize): string | null {
  if (width < 1 || height < 1) return 'The body is not on screen.';
  if (width <= MOST_SIDE && height <= MOST_SIDE && width * height <= MOST_PIXELS) return null;
  return `The body is ${exact(width)} × ${exact(height)} pixels. A picture can have at most ${exact(MOST_SIDE)} per side and ${exact(MOST_PIXELS)} in total, and part of a body could be mistaken for all of it.`;
}

/** Characters that XML cannot represent; most of them are invisible in browsers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what this matches.
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

// Named elements of a mail can shadow properties of its document, but not those read through the prototype.
const rootOf = (frame: HTMLIFrameElement): HTMLElement | undefined =>
  Object.getOwnPropertyDescriptor(Document.prototype, 'documentElement')?.get?.call(frame.contentDocument);

/** Width of the body's frame on screen in CSS pixels, without a scroll bar; 0: not drawn. */
export const widthIn = (frame: HTMLIFrameElement | null | undefined): number =>
  (frame?.contentDocument && rootOf(frame)?.clientWidth) || 0;

/** Number of frame sizes to try: the height of a body may depend on that of its window. */
const MOST_TRIES = 5;

/**
 * Lays the document out in a frame large enough that nothing scrolls; returns markup and size. Throws `too-large` if
 * there is none.
 */
async function wholeOf(safe: string, width: number): Promise<PictureSize & { markup: string }> {
  const frame = document.createElement('iframe');
  // Sandboxed like the frame on screen: no scripts, and its own policy.
  frame.setAttribute('sandbox', 'allow-same-origin');
  frame.referrerPolicy = 'no-referrer';
  const size = { width, height: 1 };
  const resize = () =>
    frame.setAttribute(
      'style',
      `position:fixed;left:-${2 * MOST_SIDE}px;top:0;border:0;visibility:hidden;color-scheme:light;width:${size.width}px;height:${size.height}px`,
    );
  resize();
  const loaded = new Promise((done) => frame.addEventListener('load', done, { once: true }));
  frame.srcdoc = safe;
  document.body.append(frame);
  try {
    await loaded;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const root = rootOf(frame);
      if (root === undefined) break;
      const { scrollWidth, scrollHeight } = root;
      if (scrollWidth <= size.width && scrollHeight <= size.height)
        return { ...size, markup: new XMLSerializer().serializeToString(root) };
      size.width = Math.max(size.width, scrollWidth);
      size.height = Math.max(size.height, scrollHeight);
      const problem = pictureProblem(size);
      if (problem !== null) throw new ParapetError('too-large', problem);
      resize();
    }
    throw new ParapetError('too-large', 'The body grows with its window, so no picture can show all of it.');
  } finally {
    frame.remove();
  }
}

async function load(svg: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  try {
    await image.decode();
  } catch {
    throw new ParapetError('internal', 'This browser could not draw the body as a picture.');
  }
  return image;
}

/**
 * PNG of a safe body (`makeSafe`) at this width, or as wide as it needs. Throws with the reason where there is no true
 * picture of all of it.
 */
export async function pictureOf(safe: string, across: number): Promise<Blob> {
  const undrawn = pictureProblem({ width: across, height: 1 });
  if (undrawn !== null) throw new ParapetError('too-large', undrawn);
  const { markup, width, height } = await wholeOf(safe, across);
  const clean = markup.replace(NOT_XML, '').toWellFormed();
  const image = await load(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/><foreignObject width="100%" height="100%">${clean}</foreignObject></svg>`,
  );
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (blob === null) throw new ParapetError('internal', 'This browser can’t make a picture of this size.');
  return blob;
}
