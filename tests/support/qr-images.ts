/** Images of QR codes, for tests. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';

/** One byte a pixel; 0 is black. */
export interface GreyImage {
  width: number;
  height: number;
  grey: Buffer;
}

const wasm = fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm'));
const loaded = readFile(wasm).then((bytes) =>
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(bytes).buffer } }),
);

const QUIET = 4;

/** `scale`: pixels of a module. */
export async function qrImage(text: string, scale = 4): Promise<GreyImage> {
  await loaded;
  const { symbol, error } = await writeBarcode(text, { format: 'QRCode' });
  if (symbol === null) throw new Error(error);
  const { width: modules, data } = symbol;
  const width = (modules + 2 * QUIET) * scale;
  const grey = Buffer.alloc(width * width, 255);
  for (let y = 0; y < modules * scale; y++)
    for (let x = 0; x < modules * scale; x++)
      if (data[Math.floor(y / scale) * modules + Math.floor(x / scale)] === 0)
        grey[(y + QUIET * scale) * width + x + QUIET * scale] = 0;
  return { width, height: width, grey };
}

const chunk = (type: string, data: Buffer): Buffer => {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length);
  out.write(type, 4, 'latin1');
  data.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
};

/** `packed`: the compressed rows, if they are not those of the image. */
export function pngOf({ width, height, grey }: GreyImage, packed?: Buffer): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < grey.length / width; y++)
    grey.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', packed ?? deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Rows of one bit a pixel, 1 for white, as in a PDF. */
export function bitRows({ width, height, grey }: GreyImage): Buffer {
  const row = Math.ceil(width / 8);
  const out = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (grey[y * width + x]! > 127) out[y * row + (x >> 3)]! |= 0x80 >> (x & 7);
  return out;
}
