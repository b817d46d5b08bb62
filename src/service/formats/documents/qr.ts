/**
 * Reads QR codes in images with ZXing, compiled to WebAssembly. Images are decoded there as well, so their sizes, and
 * what they unpack to, are checked before.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { ReaderOptions } from 'zxing-wasm/reader';

/** Pixels of one image, and of all images of a mail. */
export const MOST_PIXELS = 9_000_000;
const MOST_PIXELS_OF_MAIL = 36_000_000;
/** Milliseconds for all images of a mail; the one that exceeds it is finished. */
const MOST_TIME = 3_000;
/** No image with a smaller side holds a code that phones read. */
export const LEAST_SIDE = 40;
const MOST_CODES = 8;
/** Passes over the whole image that a JPEG may ask for; programs write about ten. */
const MOST_SCANS = 50;
/** Bytes of a GIF: each may stand for thousands of pixels that are never drawn. */
const MOST_GIF = 512 * 1024;

/** RGBA, as in a browser's `ImageData`. */
export interface Pixels {
  data: Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
}

interface Size {
  width: number;
  height: number;
}

const OPTIONS: ReaderOptions = {
  formats: ['QRCodeModel2'],
  tryHarder: false,
  tryInvert: true,
  tryRotate: false,
  maxNumberOfSymbols: MOST_CODES,
};
/**
 * Milliseconds, and more for each pixel, of a first search after which a thorough one follows. An image full of corners of
 * codes takes fifty times as long as a photo, and a thorough search of it a minute.
 */
const QUICK = { least: 50, each: 60e-6 };

type Zxing = typeof import('zxing-wasm/reader');
let loading: Promise<Zxing> | null = null;

/** Loads ZXing with its own file: by itself, it would fetch one from a server. */
async function loaded(): Promise<Zxing> {
  const zxing = await import('zxing-wasm/reader');
  const file = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
  const bytes = new Uint8Array(await readFile(file));
  zxing.prepareZXingModule({ overrides: { wasmBinary: bytes.buffer } });
  return zxing;
}

/** The size of a JPEG by its first frame header (ITU T.81, B.2), or null without one or if too many scans follow. */
function jpegSize(bytes: Buffer): Size | null {
  let size: Size | null = null;
  for (let offset = 2; offset + 9 < bytes.length && size === null; ) {
    if (bytes[offset] !== 0xff) return null;
    const marker = bytes[offset + 1]!;
    if (marker === 0xff) offset += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      size = { height: bytes.readUInt16BE(offset + 5), width: bytes.readUInt16BE(offset + 7) };
    else if (marker === 0xda) return null;
    else
      offset +=
        2 + (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8) ? 0 : bytes.readUInt16BE(offset + 2));
  }
  let scans = 0;
  for (
    let offset = bytes.indexOf('\xff\xda', 0, 'latin1');
    offset >= 0;
    offset = bytes.indexOf('\xff\xda', offset + 2, 'latin1')
  )
    if (++scans > MOST_SCANS) return null;
  return size;
}

/** Bytes of a row of pixels, with the number of its filter; of interlaced images, rows of all passes. */
const MOST_PNG_CHANNELS = 8;

/** The size of a PNG, or null if it is damaged or its pixels unpack to more than fits in it. */
function pngSize(bytes: Buffer): Size | null {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR' || bytes.length < 33) return null;
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (!isFitting(size)) return size;
  const data: Buffer[] = [];
  for (let offset = 8; offset + 12 <= bytes.length; offset += 12 + bytes.readUInt32BE(offset))
    if (bytes.toString('latin1', offset + 4, offset + 8) === 'IDAT')
      data.push(bytes.subarray(offset + 8, offset + 8 + bytes.readUInt32BE(offset)));
  const maxOutputLength = MOST_PNG_CHANNELS * size.width * size.height + 16 * size.height + 1_024;
  try {
    inflateSync(Buffer.concat(data), { maxOutputLength });
    return size;
  } catch {
    return null;
  }
}

const gifSize = (bytes: Buffer): Size | null =>
  bytes.length < 10 || bytes.length > MOST_GIF
    ? null
    : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };

const bmpSize = (bytes: Buffer): Size | null =>
  bytes.length < 26
    ? null
    : { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) };

const SIZES: ReadonlyMap<string, (bytes: Buffer) => Size | null> = new Map([
  ['image/png', pngSize],
  ['image/jpeg', jpegSize],
  ['image/gif', gifSize],
  ['image/bmp', bmpSize],
]);

const isFitting = ({ width, height }: Size): boolean => width * height <= MOST_PIXELS;

/** Contents of the images that this thread has read, by hash: signatures repeat the same pictures. */
const READ = new LRUCache<string, readonly string[]>({ max: 5_000 });

export class QrCodes {
  #pixels = MOST_PIXELS_OF_MAIL;
  #time = MOST_TIME;
  /** Images that may hold a code, but were not searched. */
  unread = 0;

  /** The texts of the codes in a PNG, JPEG, GIF or BMP. `sha256`: of its bytes. */
  async inImage(bytes: Buffer, type: string, sha256: string): Promise<readonly string[]> {
    const sizeOf = SIZES.get(type);
    const size = sizeOf?.(bytes) ?? null;
    if (size !== null && Math.min(size.width, size.height) < LEAST_SIDE) return [];
    const cached = READ.get(sha256);
    if (size === null || !this.#takes(size)) {
      this.unread += 1;
      return [];
    }
    if (cached !== undefined) return cached;
    const codes = await this.#read(bytes, size);
    if (codes === null) return [];
    READ.set(sha256, codes);
    return codes;
  }

  /** The same of pixels, which `unpack` makes from the bytes with this hash, or null if they cannot be read. */
  async inPixels(size: Size, sha256: string, unpack: () => Pixels | null): Promise<readonly string[]> {
    const cached = READ.get(sha256);
    const pixels = !this.#takes(size) || cached !== undefined ? null : unpack();
    if (cached !== undefined) return cached;
    if (pixels === null) {
      this.unread += 1;
      return [];
    }
    const codes = await this.#read(pixels, size);
    if (codes !== null) READ.set(sha256, codes);
    return codes ?? [];
  }

  /** Whether an image of this size may be read now. */
  #takes(size: Size): boolean {
    const pixels = size.width * size.height;
    if (!isFitting(size) || pixels > this.#pixels || this.#time <= 0) return false;
    this.#pixels -= pixels;
    return true;
  }

  async #read(image: Buffer | Pixels, { width, height }: Size): Promise<readonly string[] | null> {
    let start = performance.now();
    try {
      loading ??= loaded();
      const { readBarcodes, getZXingModule } = await loading;
      await getZXingModule();
      const search = async (tryHarder: boolean) => {
        const codes = await readBarcodes(image as Parameters<typeof readBarcodes>[0], {
          ...OPTIONS,
          tryHarder,
        });
        return codes.flatMap(({ isValid, text }) => (isValid ? [text] : []));
      };
      start = performance.now();
      const codes = await search(false);
      if (codes.length > 0) return codes;
      if (performance.now() - start < QUICK.least + QUICK.each * width * height) return await search(true);
      this.unread += 1;
      return null;
    } catch {
      this.unread += 1;
      return null;
    } finally {
      this.#time -= performance.now() - start;
    }
  }
}
