/**
 * Links, images and active content of a PDF. The file is read once from its start to its end, whatever its tables say:
 * readers follow these, so what a hostile file hides behind a wrong table is found, and no loop of references is followed.
 */
import { constants, inflateSync } from 'node:zlib';
import type { AttachmentTrait } from '#shared/checks/prepared-mail.ts';
import { dictionary } from '#shared/dictionary.ts';
import { textUrls } from '#shared/mail/mail-links.ts';
import { greyPixels } from './grey-pixels.ts';
import { LEAST_SIDE, MOST_PIXELS, type Pixels } from './qr.ts';

const MOST_BYTES = 32 * 1024 * 1024;
const MOST_LINKS = 1_000;
const MOST_IMAGES = 50;
/** Unpacked bytes of one stream of objects, and of all. */
const MOST_OBJECTS = 4 * 1024 * 1024;
const MOST_UNPACKED = 32 * 1024 * 1024;
const MAX_TEXT = 64 * 1024;
/** Characters before a stream that are its dictionary. */
const MAX_DICTIONARY = 16 * 1024;

export type PdfImage =
  | { jpeg: Buffer }
  /** The `kind` is what else its pixels depend on. */
  | { width: number; height: number; packed: Buffer; kind: string; unpack: () => Pixels | null };

export interface PdfContents {
  links: string[];
  images: PdfImage[];
  traits: Set<AttachmentTrait>;
  /** Some of it was not read: too large, too much, or packed in a way that is not read here. */
  isPartial: boolean;
}

/** Names that mean something active, wherever they are. */
const ACTIVE: ReadonlyMap<string, AttachmentTrait> = new Map([
  ['JavaScript', 'script'],
  ['JS', 'script'],
  ['Launch', 'launch'],
  ['EmbeddedFile', 'embedded'],
  ['EmbeddedFiles', 'embedded'],
]);
/** Names of texts that are about the file itself. */
const ABOUT: ReadonlySet<string> = new Set([
  ...[
    'Producer',
    'Creator',
    'Author',
    'Title',
    'Subject',
    'Keywords',
    'Registry',
    'Info',
    'NM',
    'T',
    'TU',
    'CA',
  ],
]);

const TOKEN = /\/([^\s()<>[\]{}/%]*)|\(|<([0-9A-Fa-f\s]*)>|%[^\r\n]*/g;
const WHOLE_URL = /^(?:https?|ftp):\/\/\S+$/i;

/** A name without its escapes: `J#53` is `JS`. */
const nameOf = (token: string): string =>
  token.includes('#')
    ? token.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : token;

const ESCAPES: Readonly<Record<string, string>> = dictionary({
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '\n': '',
  '\r': '',
});
const unescaped = (text: string): string =>
  text.replace(/\\(?:([0-7]{1,3})|\r\n|([\s\S]))/g, (_, octal?: string, sign?: string) =>
    octal === undefined
      ? sign === undefined
        ? ''
        : (ESCAPES[sign] ?? sign)
      : String.fromCharCode(Number.parseInt(octal, 8) & 0xff),
  );

/** A text as stored: PDFDocEncoding, which is Latin-1 in addresses, or UTF-16. */
const decoded = (bytes: string): string =>
  bytes.startsWith('\xfe\xff')
    ? Buffer.from(bytes.slice(2), 'latin1')
        .subarray(0, (bytes.length - 2) & ~1)
        .swap16()
        .toString('utf16le')
    : bytes;

/** The end of the text that begins after `(` at `from`, without its bracket; an unclosed one ends at its longest. */
function textEnd(source: string, from: number): number {
  const limit = Math.min(source.length, from + MAX_TEXT);
  let depth = 1;
  for (let index = from; index < limit; index++) {
    const sign = source.charCodeAt(index);
    if (sign === 0x5c) index += 1;
    else if (sign === 0x28) depth += 1;
    else if (sign === 0x29 && --depth === 0) return index;
  }
  return limit;
}

/** Names in a text of objects, and the links in their texts. */
function readObjects(source: string, out: PdfContents): void {
  let key = '';
  const take = (text: string): void => {
    const url = text.trim();
    if (out.links.length >= MOST_LINKS) out.isPartial = true;
    else if (key === 'URI' ? url !== '' : WHOLE_URL.test(url) && !ABOUT.has(key)) out.links.push(url);
    else if (key === 'JS') out.links.push(...textUrls(text, MOST_LINKS - out.links.length));
  };
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(source); token !== null; token = TOKEN.exec(source)) {
    const [whole, name, hex] = token;
    if (name !== undefined) {
      key = nameOf(name);
      const trait = ACTIVE.get(key);
      if (trait !== undefined) out.traits.add(trait);
    } else if (hex !== undefined) {
      if (hex.length <= MAX_TEXT)
        take(decoded(Buffer.from(hex.replace(/\s/g, ''), 'hex').toString('latin1')));
      key = '';
    } else if (whole === '(') {
      const end = textEnd(source, TOKEN.lastIndex);
      take(decoded(unescaped(source.slice(TOKEN.lastIndex, end))));
      TOKEN.lastIndex = end + 1;
      key = '';
    }
  }
}

const numberOf = (dictionary: string, name: string): number | null => {
  const value = new RegExp(`/${name}\\s+(\\d{1,9})(?!\\s+\\d+\\s+R)`).exec(dictionary)?.[1];
  return value === undefined ? null : Number(value);
};

/** The names of the filters of a stream, in their order. */
const FILTER =
  /\/(FlateDecode|Fl|DCTDecode|DCT|ASCIIHexDecode|AHx|ASCII85Decode|A85|LZWDecode|LZW|RunLengthDecode|RL|JPXDecode|JBIG2Decode|CCITTFaxDecode|CCF|Crypt)(?![\w-])/g;

/** Those that are undone here. */
const READ: ReadonlySet<string> = new Set([
  ...['FlateDecode', 'Fl', 'ASCIIHexDecode', 'AHx', 'ASCII85Decode', 'A85'],
]);

/** Adobe's base 85. */
function fromBase85(packed: Buffer): Buffer {
  const out: number[] = [];
  let [value, count] = [0, 0];
  for (const byte of packed) {
    if (byte === 0x7e) break;
    if (byte === 0x7a && count === 0) out.push(0, 0, 0, 0);
    if (byte < 0x21 || byte > 0x75) continue;
    value = value * 85 + byte - 0x21;
    count += 1;
    if (count < 5) continue;
    out.push((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
    [value, count] = [0, 0];
  }
  for (let index = count; index > 0 && index < 5; index++) value = value * 85 + 84;
  for (let index = 1; index < count; index++) out.push(Math.floor(value / 256 ** (4 - index)) & 0xff);
  return Buffer.from(out);
}

class PdfReading {
  readonly out: PdfContents = { links: [], images: [], traits: new Set(), isPartial: false };
  #room = MOST_UNPACKED;

  /** null, and noted: it is packed in another way, or unpacks to more than `most`. */
  #unpacked(packed: Buffer, filters: readonly string[], most: number): Buffer | null {
    let bytes = packed;
    const maxOutputLength = Math.min(most, this.#room);
    if (filters.some((filter) => !READ.has(filter)) || maxOutputLength <= 0) {
      this.out.isPartial = true;
      return null;
    }
    try {
      for (const filter of filters) {
        if (filter === 'FlateDecode' || filter === 'Fl')
          bytes = inflateSync(bytes, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
        else if (filter === 'ASCIIHexDecode' || filter === 'AHx')
          bytes = Buffer.from(bytes.toString('latin1').replace(/[^0-9A-Fa-f]/g, ''), 'hex');
        else bytes = fromBase85(bytes);
        this.#room -= bytes.length;
      }
      return bytes;
    } catch {
      // Time was spent on it.
      this.#room -= maxOutputLength;
      this.out.isPartial = true;
      return null;
    }
  }

  #image(dictionary: string, filters: readonly string[], stream: Buffer): void {
    const [width, height] = [numberOf(dictionary, 'Width'), numberOf(dictionary, 'Height')];
    const last = filters.at(-1);
    if (this.out.images.length >= MOST_IMAGES) this.out.isPartial = true;
    else if (last === 'DCTDecode' || last === 'DCT') {
      const jpeg = this.#unpacked(stream, filters.slice(0, -1), stream.length);
      if (jpeg !== null) this.out.images.push({ jpeg });
    } else if (width === null || height === null || width * height > MOST_PIXELS) this.out.isPartial = true;
    else if (Math.min(width, height) >= LEAST_SIDE) {
      const bits = /\/ImageMask\s+true/.test(dictionary)
        ? 1
        : (numberOf(dictionary, 'BitsPerComponent') ?? 8);
      if (![1, 2, 4, 8].includes(bits)) this.out.isPartial = true;
      else
        this.out.images.push({
          width,
          height,
          packed: stream,
          kind: [width, height, bits, ...filters].join(' '),
          unpack: () => {
            const raw = this.#unpacked(stream, filters, 5 * width * height + 2 * height + 1_024);
            return raw && greyPixels(raw, { width, height, bits });
          },
        });
    }
  }

  /** What stands before a stream, and the stream. */
  #stream(before: string, stream: Buffer): void {
    const object = before.slice(Math.max(before.lastIndexOf(' obj'), before.length - MAX_DICTIONARY, 0));
    const dictionary = object.includes('#') ? object.replace(/\/[^\s()<>[\]{}/%]*/g, nameOf) : object;
    const filters = [...dictionary.matchAll(FILTER)].map(([, filter = '']) => filter);
    if (/\/ObjStm(?!\w)/.test(dictionary)) {
      const objects = this.#unpacked(stream, filters, MOST_OBJECTS);
      if (objects !== null) readObjects(objects.toString('latin1'), this.out);
    } else if (/\/Subtype\s*\/Image(?!\w)/.test(dictionary)) this.#image(dictionary, filters, stream);
    // Objects may hide in what claims to be a stream.
    if (stream.includes('obj') && /\d\s+\d+\s+obj\b/.test(stream.toString('latin1')))
      readObjects(stream.toString('latin1'), this.out);
  }

  read(whole: Buffer): PdfContents {
    const bytes = whole.subarray(0, MOST_BYTES);
    if (bytes.length < whole.length) this.out.isPartial = true;
    let from = 0;
    for (let search = 0; ; ) {
      const index = bytes.indexOf('stream', search, 'latin1');
      if (index < 0) break;
      search = index + 6;
      if (
        bytes.toString('latin1', index - 3, index) === 'end' ||
        (bytes[search] !== 0x0a && bytes[search] !== 0x0d)
      )
        continue;
      const start = search + (bytes[search] === 0x0d && bytes[search + 1] === 0x0a ? 2 : 1);
      const before = bytes.toString('latin1', from, index);
      const length = numberOf(before.slice(-MAX_DICTIONARY), 'Length') ?? 0;
      const isRight = bytes.toString('latin1', start + length, start + length + 12).includes('endstream');
      const end = isRight ? start + length : bytes.indexOf('endstream', start, 'latin1');
      if (end < 0) break;
      readObjects(before, this.out);
      this.#stream(before, bytes.subarray(start, end));
      search = end;
      from = end;
    }
    readObjects(bytes.toString('latin1', from), this.out);
    return this.out;
  }
}

export const pdfContents = (bytes: Buffer): PdfContents => new PdfReading().read(bytes);
