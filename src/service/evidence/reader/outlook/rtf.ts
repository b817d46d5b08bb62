/** Outlook's compressed RTF (MS-OXRTFCP), and the HTML or text that it wraps (MS-OXRTFEX). */

import { dictionary } from '#shared/dictionary.ts';
import { decodeBytes } from '../charset.ts';
import { charsetOf } from './properties.ts';

const START =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';
const WINDOW = 4096;

/** The RTF; null: it is none. What is cut ends early. */
export function decompressRtf(bytes: Buffer, limit: number): Buffer | null {
  if (bytes.length < 16) return null;
  const size = Math.min(bytes.readUInt32LE(4), limit);
  const magic = bytes.toString('latin1', 8, 12);
  if (magic === 'MELA') return bytes.subarray(16, 16 + size);
  if (magic !== 'LZFu') return null;
  const window = Buffer.alloc(WINDOW);
  let head = window.write(START, 'latin1');
  // No more than 17 bytes come of two.
  const out = Buffer.alloc(Math.min(size, bytes.length * 17));
  let length = 0;
  const put = (byte: number) => {
    out[length++] = byte;
    window[head] = byte;
    head = (head + 1) % WINDOW;
  };
  for (let at = 16; at < bytes.length && length < out.length; ) {
    const flags = bytes[at++] ?? 0;
    for (let bit = 0; bit < 8 && at < bytes.length && length < out.length; bit++) {
      if (((flags >> bit) & 1) === 0) {
        put(bytes[at++] ?? 0);
        continue;
      }
      const token = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      at += 2;
      const from = token >> 4;
      if (from === head) return out.subarray(0, length);
      for (let step = 0; step < (token & 15) + 2 && length < out.length; step++)
        put(window[(from + step) % WINDOW] ?? 0);
    }
  }
  return out.subarray(0, length);
}

/** What is no text of the document. */
const SILENT = new Set(['fonttbl', 'colortbl', 'stylesheet', 'info', 'pict', 'header', 'footer', 'object']);
const SIGNS: Record<string, string> = dictionary({
  par: '\r\n',
  line: '\r\n',
  tab: '\t',
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
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|\r?\n|[^\\{}\r\n]+/giy;

interface Group {
  isSilent: boolean;
  /** RTF for programs that know no HTML. */
  isRtfOnly: boolean;
  /** Characters after a `\u` that stand for it. */
  skips: number;
}

class Text {
  out = '';
  #bytes: number[] = [];
  readonly #charset: string;
  constructor(charset: string) {
    this.#charset = charset;
  }
  byte(value: number): void {
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

/** The HTML that RTF was made of; else the text of the RTF. */
export function unwrapRtf(rtf: Buffer): { html: string | null; text: string | null } {
  const source = rtf.toString('latin1');
  const head = source.slice(0, 4096);
  const isHtml = /\\fromhtml1/.test(head);
  const text = new Text(charsetOf(Number(/\\ansicpg(\d+)/.exec(head)?.[1] ?? 1252)));
  const stack: Group[] = [];
  let group: Group = { isSilent: false, isRtfOnly: false, skips: 1 };
  let isStarred = false;
  let skip = 0;
  const isHeard = () => !group.isSilent && !group.isRtfOnly;
  const add = (shown: string) => {
    const left = shown.slice(skip);
    skip -= Math.min(skip, shown.length);
    if (left !== '' && isHeard()) text.add(left);
  };
  const word = (name: string, value: string | undefined) => {
    if (name === 'htmlrtf') group.isRtfOnly = value !== '0';
    else if (name === 'htmltag') group.isSilent = !isHtml;
    else if (isStarred || SILENT.has(name)) group.isSilent = true;
    else if (name === 'uc') group.skips = Math.min(8, Number(value ?? 1));
    else if (name === 'u') {
      skip = 0;
      add(String.fromCharCode(Number(value ?? 0) & 0xffff));
      skip = group.skips;
    } else if (name in SIGNS) add(SIGNS[name] ?? '');
  };
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(source); found !== null; found = TOKEN.exec(source)) {
    const [whole, name, value, byte, sign, brace] = found;
    if (brace === '{') {
      if (stack.length < 10_000) stack.push({ ...group });
    } else if (brace === '}') group = stack.pop() ?? group;
    else if (sign === '*') {
      isStarred = true;
      continue;
    } else if (name !== undefined) word(name, value);
    else if (byte !== undefined) {
      if (skip > 0) skip -= 1;
      else if (isHeard()) text.byte(Number.parseInt(byte, 16));
    } else if (sign !== undefined) add(SIGNS[sign] ?? '');
    else if (!/^[\r\n]/.test(whole)) add(whole);
    isStarred = false;
  }
  text.add('');
  return isHtml ? { html: text.out, text: null } : { html: null, text: text.out };
}
