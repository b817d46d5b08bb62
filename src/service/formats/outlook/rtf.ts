/** Outlook's compressed RTF (MS-OXRTFCP), and the HTML or text in it (MS-OXRTFEX). */

import { crc32 } from 'node:zlib';
import { dictionary } from '#shared/dictionary.ts';
import { decodeBytes } from '#shared/mail/charsets.ts';
import { charsetOf } from './properties.ts';

const START =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';
const WINDOW = 4096;

/** Whether compressed RTF has its declared length and checksum (MS-OXRTFCP 2.1.3.1). */
export function isWholeRtf(bytes: Buffer): boolean {
  if (bytes.length < 16) return false;
  const end = bytes.readUInt32LE(0) + 4;
  if (end > bytes.length) return false;
  if (bytes.toString('latin1', 8, 12) === 'MELA') return true;
  return ~crc32(bytes.subarray(16, end), 0xffffffff) >>> 0 === bytes.readUInt32LE(12);
}

/** The RTF, or null if not compressed RTF. Truncated data ends early. */
export function decompressRtf(bytes: Buffer, limit: number): Buffer | null {
  if (bytes.length < 16) return null;
  const size = Math.min(bytes.readUInt32LE(4), limit);
  const magic = bytes.toString('latin1', 8, 12);
  if (magic === 'MELA') return bytes.subarray(16, 16 + size);
  if (magic !== 'LZFu') return null;
  const window = Buffer.alloc(WINDOW);
  let head = window.write(START, 'latin1');
  // Two bytes unpack to at most 17.
  const out = Buffer.alloc(Math.min(size, bytes.length * 17));
  let length = 0;
  const put = (byte: number) => {
    out[length++] = byte;
    window[head] = byte;
    head = (head + 1) % WINDOW;
  };
  for (let offset = 16; offset < bytes.length && length < out.length; ) {
    const flags = bytes[offset++] ?? 0;
    for (let bit = 0; bit < 8 && offset < bytes.length && length < out.length; bit++) {
      if (((flags >> bit) & 1) === 0) {
        put(bytes[offset++] ?? 0);
        continue;
      }
      const token = ((bytes[offset] ?? 0) << 8) | (bytes[offset + 1] ?? 0);
      offset += 2;
      const from = token >> 4;
      if (from === head) return out.subarray(0, length);
      for (let step = 0; step < (token & 15) + 2 && length < out.length; step++)
        put(window[(from + step) % WINDOW] ?? 0);
    }
  }
  return out.subarray(0, length);
}

/** Groups that are not text of the document. */
const SILENT = new Set(['fonttbl', 'colortbl', 'stylesheet', 'info', 'pict', 'header', 'footer', 'object']);
/** Bullets and numbers, which the HTML in the RTF generates itself (MS-OXRTFEX 2.1.3.1.6). */
const MARKS = new Set(['pntext', 'listtext']);
const SIGNS: Record<string, string> = dictionary({
  par: '\r\n',
  line: '\r\n',
  page: '\r\n',
  sect: '\r\n',
  row: '\r\n',
  '\n': '\r\n',
  '\r': '\r\n',
  tab: '\t',
  cell: '\t',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  endash: '–',
  emdash: '—',
  '~': '\u00a0',
  _: '\u00ad',
  '{': '{',
  '}': '}',
  '\\': '\\',
});
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]|[^\\{}\r\n]+/giy;

/** Code pages of fonts by their `\fcharset`; other fonts use the code page of the whole text. */
const FONT_PAGES: Record<string, number> = dictionary({
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
});

interface Group {
  isSilent: boolean;
  isRtfOnly: boolean;
  /** The instruction of a field: the target of a link, or the source of a picture. */
  isField: boolean;
  isFontTable: boolean;
  /** The charset of its font. */
  charset: string;
  /** Characters after a `\u` that stand for it. */
  skips: number;
}

/** Addresses in the instruction of a field, in the form in which Outlook puts them into the text of a mail. */
const addressesIn = (instruction: string): string =>
  [...instruction.matchAll(/"([^"]*)"/g)]
    .map(([, address = '']) => (/:|\\\\/.test(address) ? `<${address}> ` : ''))
    .join('');

class Text {
  out = '';
  #bytes: number[] = [];
  #charset = '';
  byte(value: number, charset: string): void {
    if (charset !== this.#charset) this.add('');
    this.#charset = charset;
    this.#bytes.push(value);
  }
  add(text: string): void {
    if (this.#bytes.length > 0) {
      this.out += decodeBytes(Uint8Array.from(this.#bytes), this.#charset);
      this.#bytes = [];
    }
    this.out += text;
  }
}

const HEAD = 4096;
/** Whether RTF was created from HTML, which it then contains. */
export const wrapsHtml = (rtf: Buffer): boolean => rtf.subarray(0, HEAD).includes('\\fromhtml1');

/** The HTML that the RTF was created from; otherwise the text of the RTF. */
export function unwrapRtf(rtf: Buffer): { html: string | null; text: string | null } {
  const source = rtf.toString('latin1');
  const head = source.slice(0, HEAD);
  const isHtml = wrapsHtml(rtf);
  const text = new Text();
  const charset = charsetOf(Number(/\\ansicpg(\d+)/.exec(head)?.[1] ?? 1252));
  const fonts = new Map<string, string>();
  let listed = '';
  const stack: Group[] = [];
  let group: Group = {
    isSilent: false,
    isRtfOnly: false,
    isField: false,
    isFontTable: false,
    charset,
    skips: 1,
  };
  let field = '';
  let depth = 0;
  let isStarred = false;
  let skip = 0;
  const isHeard = () => !group.isSilent && !group.isRtfOnly;
  const add = (shown: string) => {
    const rest = shown.slice(skip);
    skip -= Math.min(skip, shown.length);
    if (group.isField) field += rest;
    else if (rest !== '' && isHeard()) text.add(rest);
  };
  const close = () => {
    const { isField } = group;
    group = stack.pop() ?? group;
    if (!isField || group.isField) return;
    if (isHeard()) text.add(addressesIn(field));
    field = '';
  };
  const word = (name: string, value: string | undefined) => {
    if (name === 'f' && group.isFontTable) listed = value ?? '';
    else if (name === 'fcharset' && group.isFontTable) {
      const page = FONT_PAGES[value ?? ''];
      if (page !== undefined) fonts.set(listed, charsetOf(page));
    } else if (name === 'f' || name === 'plain') group.charset = fonts.get(value ?? '') ?? charset;
    else if (name === 'htmlrtf') group.isRtfOnly = value !== '0';
    else if (name === 'htmltag') group.isSilent = !isHtml;
    else if (isStarred && name === 'fldinst' && !isHtml) group.isField = true;
    else if (isStarred || SILENT.has(name) || (isHtml && MARKS.has(name))) {
      group.isSilent = true;
      if (name === 'fonttbl') group.isFontTable = true;
    } else if (name === 'uc') group.skips = Math.min(8, Number(value ?? 1));
    else if (name === 'u') {
      skip = 0;
      add(String.fromCharCode(Number(value ?? 0) & 0xffff));
      skip = group.skips;
    } else if (name in SIGNS) add(SIGNS[name] ?? '');
  };
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(source); token !== null; token = TOKEN.exec(source)) {
    const [whole, name, value, byte, sign, brace] = token;
    if (brace === '{') {
      depth += 1;
      if (stack.length < 10_000) stack.push({ ...group });
    } else if (brace === '}') {
      depth -= 1;
      // After the document there are remains of the data packed with it.
      if (depth === 0) break;
      close();
    } else if (sign === '*') {
      isStarred = true;
      continue;
    } else if (name === 'bin') TOKEN.lastIndex += Math.max(0, Number(value ?? 0));
    else if (name !== undefined) word(name, value);
    else if (byte !== undefined) {
      if (skip > 0) skip -= 1;
      else if (group.isField) field += String.fromCharCode(Number.parseInt(byte, 16));
      else if (isHeard()) text.byte(Number.parseInt(byte, 16), group.charset);
    } else if (sign !== undefined) add(SIGNS[sign] ?? '');
    else if (!/^[\r\n]/.test(whole)) add(whole);
    isStarred = false;
  }
  text.add('');
  return isHtml ? { html: text.out, text: null } : { html: null, text: text.out };
}
