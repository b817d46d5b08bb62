/** Reads the size of a picture from its header before anything draws it. */

import { bytesOfBase64 } from '#renderer/ui/base64.ts';
import { exact } from '#shared/model/format.ts';

export interface PictureSize {
  width: number;
  height: number;
}

/** Limit for one picture: 25 million pixels take 100 MB and about half a second. */
export const MAX_PIXELS = 25_000_000;
/** All pictures of one body. */
export const MAX_ALL_PIXELS = 100_000_000;
/** Number of base64 characters to inspect: a JPEG may store its size after a preview and a colour profile. */
const MAX_HEADER = 4 * 1024 * 1024;

const ascii = (bytes: Uint8Array, offset: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(offset, offset + length));

function jpeg(view: DataView): PictureSize | null {
  for (let offset = 2; offset + 9 <= view.byteLength; ) {
    if (view.getUint8(offset) !== 0xff) return null;
    const marker = view.getUint8(offset + 1);
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    // Markers without a length: restarts and a temporary one.
    if ((marker >= 0xd0 && marker <= 0xd8) || marker === 0x01) {
      offset += 2;
      continue;
    }
    if (marker === 0xd9 || marker === 0xda) return null;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) };
    const length = view.getUint16(offset + 2);
    if (length < 2) return null;
    offset += 2 + length;
  }
  return null;
}

function webp(view: DataView, bytes: Uint8Array): PictureSize | null {
  if (view.byteLength < 30) return null;
  switch (ascii(bytes, 12, 4)) {
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X': {
      const three = (offset: number) => view.getUint16(offset, true) + (view.getUint8(offset + 2) << 16) + 1;
      return { width: three(24), height: three(27) };
    }
    default:
      return null;
  }
}

/** An AVIF may describe several pictures; the largest counts. */
function avif(view: DataView, bytes: Uint8Array): PictureSize | null {
  let size: PictureSize | null = null;
  for (let index = 12; index + 16 <= view.byteLength; index += 1) {
    // A box: its length, "ispe", a version, then width and height.
    if (bytes[index] !== 0x69 || ascii(bytes, index, 4) !== 'ispe') continue;
    const dimensions = { width: view.getUint32(index + 8), height: view.getUint32(index + 12) };
    if (size === null || dimensions.width * dimensions.height > size.width * size.height) size = dimensions;
  }
  return size;
}

/**
 * Width and height in pixels by what the bytes are, whatever type they are declared as: PNG, GIF, JPEG, WebP, BMP,
 * AVIF. Null if it is none of these, or truncated. Never throws.
 */
export function pictureSize(bytes: Uint8Array): PictureSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { byteLength: length } = view;
  if (length >= 24 && view.getUint32(0) === 0x89504e47)
    return { width: view.getUint32(16), height: view.getUint32(20) };
  if (length >= 10 && ascii(bytes, 0, 3) === 'GIF')
    return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (length >= 4 && view.getUint16(0) === 0xffd8) return jpeg(view);
  if (length >= 26 && ascii(bytes, 0, 2) === 'BM') {
    const old = view.getUint32(14, true) === 12;
    return old
      ? { width: view.getUint16(18, true), height: view.getUint16(20, true) }
      : { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
  }
  if (length >= 16 && ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP')
    return webp(view, bytes);
  if (length >= 16 && ascii(bytes, 4, 4) === 'ftyp') return avif(view, bytes);
  return null;
}

/** The size of the picture of a data URL in base64; null where it cannot be read. */
export function dataPictureSize(url: string): PictureSize | null {
  const comma = url.indexOf(',');
  const text = url.slice(comma + 1, comma + 1 + MAX_HEADER).replace(/[^A-Za-z0-9+/]/g, '');
  try {
    return pictureSize(bytesOfBase64(text.length % 4 === 1 ? text.slice(0, -1) : text));
  } catch {
    return null;
  }
}

/**
 * Lets through the data URLs of pictures that can be drawn without blocking the window: a few bytes may expand to
 * gigabytes of pixels. Reports each refused picture once; an image used twice counts once.
 */
export function pixelGate(report: (words: string) => void): (data: string) => string | null {
  const colors = new Map<string, string | null>();
  let budget = MAX_ALL_PIXELS;
  return (data) => {
    const before = colors.get(data);
    if (before !== undefined) return before;
    const size = dataPictureSize(data);
    const pixels = size === null ? Number.POSITIVE_INFINITY : size.width * size.height;
    const fits = pixels <= MAX_PIXELS && pixels <= budget;
    if (fits) budget -= pixels;
    else if (size === null) report('unreadable size');
    else
      report(
        `${exact(size.width)} × ${exact(size.height)} pixels${pixels <= MAX_PIXELS ? ', over the limit for one email' : ''}`,
      );
    colors.set(data, fits ? data : null);
    return fits ? data : null;
  };
}
