/** Uncompressed pixels of images in documents, for reading codes in them. */
import type { Pixels } from './qr.ts';

interface RawImage {
  width: number;
  height: number;
  bits: number;
}

/** Undoes PNG's filters (PNG, 9.2). Null if a row names none of them. */
function unfiltered(raw: Buffer, row: number, height: number, pixel: number): Buffer | null {
  const out = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (row + 1)]!;
    if (filter > 4) return null;
    for (let x = 0; x < row; x++) {
      const index = y * row + x;
      const left = x >= pixel ? out[index - pixel]! : 0;
      const up = y > 0 ? out[index - row]! : 0;
      const corner = x >= pixel && y > 0 ? out[index - row - pixel]! : 0;
      const guess = left + up - corner;
      const [dLeft, dUp, dCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      const paeth = dLeft <= dUp && dLeft <= dCorner ? left : dUp <= dCorner ? up : corner;
      const predicted = [0, left, up, (left + up) >> 1, paeth][filter]!;
      out[index] = (raw[y * (row + 1) + 1 + x]! + predicted) & 0xff;
    }
  }
  return out;
}

interface Layout extends RawImage {
  channels: number;
  /** Bytes. */
  row: number;
}

/** One byte a pixel. */
function greyOf(rows: Buffer, { width, height, bits, channels, row }: Layout): Uint8Array {
  const grey = new Uint8Array(width * height);
  const mask = (1 << bits) - 1;
  let pixel = 0;
  for (let start = 0; pixel < grey.length; start += row)
    for (let x = 0; x < width; x++, pixel++) {
      const offset = start + x * channels;
      if (bits < 8) grey[pixel] = (rows[start + ((x * bits) >> 3)]! >> (8 - bits - ((x * bits) & 7))) & mask;
      else if (channels === 1) grey[pixel] = rows[offset]!;
      else {
        const sum = rows[offset]! + rows[offset + 1]! + rows[offset + 2]!;
        grey[pixel] =
          channels === 3 ? (sum * 85) >> 8 : 255 - Math.min(255, ((sum * 85) >> 8) + rows[offset + 3]!);
      }
    }
  return grey;
}

/** RGBA in grey, stretched from the darkest to the lightest value: those of a palette may be 0 and 1. */
function stretched(grey: Uint8Array): Uint8ClampedArray<ArrayBuffer> {
  let [least, most] = [255, 0];
  for (const value of grey) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const scale = 255 / Math.max(1, most - least);
  const colours = Uint32Array.from({ length: 256 }, (_, value) => {
    const light = Math.round(Math.max(0, value - least) * scale) & 0xff;
    return (0xff000000 | (light * 0x010101)) >>> 0;
  });
  const out = new Uint32Array(grey.length);
  for (let pixel = 0; pixel < grey.length; pixel++) out[pixel] = colours[grey[pixel]!]!;
  return new Uint8ClampedArray(out.buffer);
}

/**
 * Pixels of any kind in grey, or null for a kind that is not read. Grey, RGB and CMYK are told apart by the number of
 * bytes, as a PDF may name the kind elsewhere. One channel has 1, 2, 4 or 8 `bits`.
 */
export function greyPixels(raw: Buffer, { width, height, bits }: RawImage): Pixels | null {
  for (const channels of bits === 8 ? [1, 3, 4] : [1]) {
    const row = Math.ceil((width * channels * bits) / 8);
    const isFiltered = raw.length >= (row + 1) * height && raw.length < (row + 1) * height + row;
    if (!isFiltered && (raw.length < row * height || raw.length >= row * height + row)) continue;
    const rows = isFiltered ? unfiltered(raw, row, height, Math.max(1, (channels * bits) >> 3)) : raw;
    if (rows === null) continue;
    return { data: stretched(greyOf(rows, { width, height, bits, channels, row })), width, height };
  }
  return null;
}
