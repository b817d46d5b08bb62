/**
 * A picture of a mail's body as the frame draws it, from its first line to its last. A frame of the same document, large
 * enough that nothing scrolls, becomes an image of its own (SVG around the markup): browsers run nothing in such an image and load nothing but data: URLs, so it
 * cannot show, or fetch, what the frame did not.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import { exact } from '#shared/model/format.ts';

/** Chromium and Firefox draw no canvas beyond. */
const MOST_SIDE = 16_384;
/** 256 MiB of pixels. */
const MOST_PIXELS = 64 * 1024 * 1024;

interface PictureSize {
  width: number;
  height: number;
}

/** Why a body of this size, in CSS pixels, has no picture; null: it can have one. */
export function pictureProblem({ width, height }: PictureSize): string | null {
  if (width < 1 || height < 1) return 'The body is not drawn.';
  if (width <= MOST_SIDE && height <= MOST_SIDE && width * height <= MOST_PIXELS) return null;
  return `The body is ${exact(width)} × ${exact(height)} pixels large. A picture holds ${exact(MOST_SIDE)} on a side and ${exact(MOST_PIXELS)} in all, and part of a body could be taken for all of it.`;
}

/** Characters that XML has no way to write; browsers draw most of them as nothing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant.
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

// Names in a mail stand in for properties of its document, never for what is taken from the prototype.
const rootOf = (frame: HTMLIFrameElement): HTMLElement | undefined =>
  Object.getOwnPropertyDescriptor(Document.prototype, 'documentElement')?.get?.call(frame.contentDocument);

/** CSS pixels across that the body has in its frame on screen, without a scroll bar; 0: it is not drawn. */
export const widthIn = (frame: HTMLIFrameElement | null | undefined): number =>
  (frame?.contentDocument && rootOf(frame)?.clientWidth) || 0;

/** Windows that are tried until one holds all of the body: its height may follow that of the window. */
const MOST_TRIES = 5;

/** The document in a frame in which nothing scrolls, as markup and its size. Throws `too-large` where there is none. */
async function wholeOf(safe: string, width: number): Promise<PictureSize & { markup: string }> {
  const frame = document.createElement('iframe');
  // As the frame on screen: no scripts, and a policy of its own.
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
    throw new ParapetError('too-large', 'The body grows with its window, so no picture holds all of it.');
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
  if (blob === null) throw new ParapetError('internal', 'This browser makes no picture of this size.');
  return blob;
}
