import { base64Bytes, charsetOf, type DecodeBytes, decodeGuess, utf8Of } from './charsets.ts';

function hex(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const upper = code & ~0x20;
  return upper >= 0x41 && upper <= 0x46 ? upper - 0x37 : -1;
}

/**
 * Decodes text in which `mark` introduces two hex digits ('=' in Q words, '%' in RFC 2231 values). Characters above
 * U+00FF, which are invalid here, are kept as UTF-8.
 */
export function escapedBytes(text: string, mark: '=' | '%', underscoreIsSpace: boolean): Uint8Array {
  const sign = mark.charCodeAt(0);
  const out: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    if (code === sign && i + 2 < text.length) {
      const high = hex(text.charCodeAt(i + 1));
      const low = hex(text.charCodeAt(i + 2));
      if (high >= 0 && low >= 0) {
        out.push((high << 4) | low);
        i += 2;
        continue;
      }
    }
    if (underscoreIsSpace && code === 0x5f) out.push(0x20);
    else if (code < 0x80) out.push(code);
    else {
      if (code > 0xffff) i++;
      pushUtf8(out, code);
    }
  }
  return Uint8Array.from(out);
}

function pushUtf8(out: number[], code: number): void {
  if (code < 0x800) out.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
  else if (code < 0x10000) out.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
  else
    out.push(
      0xf0 | (code >> 18),
      0x80 | ((code >> 12) & 0x3f),
      0x80 | ((code >> 6) & 0x3f),
      0x80 | (code & 0x3f),
    );
}

interface Word {
  charset: string;
  isBase64: boolean;
  text: string;
  end: number;
}

const START = /=\?([^?\s]{1,75})\?([QqBb])\?/y;

const startsWord = (value: string, position: number): boolean => {
  START.lastIndex = position;
  return START.test(value);
};

/** What follows a question mark of the text if the word goes on after it, although that looks like the end. */
const GOES_ON = /=[\dA-Fa-f]{2}[^?\s]{0,75}\?=/y;

function goesOn(value: string, position: number): boolean {
  GOES_ON.lastIndex = position;
  return GOES_ON.test(value);
}

/**
 * The RFC 2047 encoded word at an index, or null. Spaces, and question marks in a Q word, are forbidden but common; the
 * text of a word holds no beginning of another one. Linear for all words of a value.
 */
export function wordAt(value: string, position: number): Word | null {
  START.lastIndex = position;
  const start = START.exec(value);
  if (start === null) return null;
  const [whole, charset = '', encoding = ''] = start;
  const isBase64 = encoding.toUpperCase() === 'B';
  const from = position + whole.length;
  for (let mark = value.indexOf('?', from); mark >= 0; mark = value.indexOf('?', mark + 1)) {
    if (value[mark + 1] === '=' && (isBase64 || !goesOn(value, mark + 1)))
      return { charset, isBase64, text: value.slice(from, mark), end: mark + 2 };
    if (isBase64 || (mark > from && startsWord(value, mark - 1))) return null;
  }
  return null;
}

/**
 * The bytes of a Q word. Characters beyond ASCII, forbidden there but common, were decoded with the header: they stand
 * for themselves.
 */
const quotedChunks = (text: string): (Uint8Array | string)[] =>
  (text.match(/[\0-\x7f]+|[^\0-\x7f]+/g) ?? []).map((run) =>
    run.charCodeAt(0) < 0x80 ? escapedBytes(run, '=', true) : run,
  );

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(0)] = chunks;
  if (chunks.length < 2) return first;
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let position = 0;
  for (const chunk of chunks) {
    all.set(chunk, position);
    position += chunk.length;
  }
  return all;
}

/** The digits of base64, also in the alphabet for addresses. */
const digits = (text: string): string =>
  text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/=]/g, '');
/** Whether the base64 of a word is no whole number of groups. */
const isPart = (text: string): boolean => text.length % 4 !== 0 && !text.includes('=');

/** Last digits of groups of two, and of three, whose bits that belong to no byte are zero, as at the end of a text. */
const SPARE = new Map([
  [2, 'AQgw'],
  [3, 'AEIMQUYcgkosw048'],
]);

/** Whether base64 was cut inside a group of four digits, so that its rest is in the next word. */
const isCut = (text: string): boolean =>
  isPart(text) && SPARE.get(text.length % 4)?.includes(text.at(-1) ?? '') !== true;

const CUT = 'the base64 of a header was cut between two words and put together';

/** The bytes of words, and texts that stand for themselves. `goesOn` says whether base64 continues in the next word. */
function chunksOf(
  words: readonly Word[],
  goesOn: (base64: string) => boolean,
  decode: DecodeBytes,
): (Uint8Array | string)[] {
  const out: (Uint8Array | string)[] = [];
  let rest = '';
  const endBase64 = () => {
    if (rest !== '') out.push(base64Bytes(rest));
    rest = '';
  };
  for (const { isBase64, text } of words) {
    if (isBase64) {
      const next = digits(text);
      if (rest !== '') decode.guessed?.(CUT);
      if (/[-_]/.test(text)) decode.guessed?.('the base64 of a header has the alphabet for addresses');
      // Padding before all digits: junk, which decoders that end at padding do not show.
      if (/^=+[^=]/.test(next)) decode.guessed?.('a word in a header is not base64 and is left out');
      else rest += next;
      if (goesOn(rest)) continue;
    }
    endBase64();
    if (!isBase64) out.push(...quotedChunks(text));
  }
  endBase64();
  return out;
}

/** Without padding, a cut can leave no other trace than that the text is not UTF-8. */
function wholeChunks(words: readonly Word[], decode: DecodeBytes): (Uint8Array | string)[] {
  const chunks = chunksOf(words, isCut, decode);
  if (chunks.length < 2 || !words.some(({ isBase64, text }) => isBase64 && isPart(digits(text))))
    return chunks;
  const isUtf8 = (all: readonly (Uint8Array | string)[]) =>
    utf8Of(joined(all.filter((chunk) => typeof chunk !== 'string'))) !== null;
  const other = chunksOf(words, isPart, () => '');
  if (isUtf8(chunks) || !isUtf8(other)) return chunks;
  decode.guessed?.(CUT);
  return other;
}

function decodeAlike(words: readonly Word[], decode: DecodeBytes): string {
  const [first] = words;
  if (first === undefined) return '';
  let out = '';
  let bytes: Uint8Array[] = [];
  const take = () => {
    if (bytes.length > 0) out += decode(joined(bytes), first.charset);
    bytes = [];
  };
  for (const chunk of wholeChunks(words, decode)) {
    if (typeof chunk === 'string') {
      take();
      out += chunk;
    } else bytes.push(chunk);
  }
  take();
  return out;
}

/**
 * Charsets in which every word starts in the initial state (RFC 1468, RFC 1843), so that joined bytes would be decoded
 * wrongly.
 */
const STATEFUL = /^(?:iso-2022-|hz$|utf-7$)/;
/** The end of a text in ISO-2022-JP that has not returned to the initial state. */
const SHIFTED = /\p{Cc}\$\P{Cc}*$/u;

/** Whether a word in such a charset was cut, so that the next one continues it. */
function endsCut({ isBase64, text }: Word): boolean {
  const base64 = digits(text);
  if (isBase64 && isCut(base64)) return true;
  const bytes = isBase64 ? base64Bytes(base64) : escapedBytes(text, '=', true);
  return SHIFTED.test(decodeGuess(bytes));
}

const charsetName = (charset: string): string => charsetOf(charset)?.encoding ?? charset.toLowerCase();

/**
 * Decodes RFC 2047 encoded words in an unfolded header value. White space between two words is dropped, and adjacent
 * words of one charset are decoded as one sequence of bytes, because senders split characters, and even groups of
 * base64, across words.
 */
export function decodeWords(value: string, decode: DecodeBytes): string {
  let out = '';
  let end = 0;
  let alike: Word[] = [];
  for (let position = value.indexOf('=?'); position >= 0; position = value.indexOf('=?', position)) {
    const word = wordAt(value, position);
    if (word === null) {
      position += 2;
      continue;
    }
    const between = value.slice(end, position);
    const last = alike.at(-1);
    const isAdjacent = last !== undefined && /^[ \t\r\n]*$/.test(between);
    const name = charsetName(word.charset);
    const isAlike =
      isAdjacent && name === charsetName(last.charset) && (!STATEFUL.test(name) || endsCut(last));
    if (!isAlike) {
      out += decodeAlike(alike, decode);
      alike = [];
      if (!isAdjacent) out += between;
    }
    alike.push(word);
    end = word.end;
    position = end;
  }
  return out + decodeAlike(alike, decode) + value.slice(end);
}
