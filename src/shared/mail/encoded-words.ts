import type { DecodeBytes } from './charsets.ts';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SEXTET = new Int8Array(128).fill(-1);
for (let i = 0; i < BASE64.length; i++) SEXTET[BASE64.charCodeAt(i)] = i;

/** Base64 text to bytes; characters outside the alphabet are skipped, padding ends a group. */
function base64Bytes(text: string): Uint8Array {
  const out = new Uint8Array(Math.floor((text.length * 3) / 4) + 3);
  let length = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x3d) {
      bits = 0;
      held = 0;
      continue;
    }
    const sextet = code < 128 ? (SEXTET[code] ?? -1) : -1;
    if (sextet < 0) continue;
    held = ((held << 6) | sextet) & 0xfff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[length++] = (held >> bits) & 0xff;
    }
  }
  return out.subarray(0, length);
}

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

interface Pending {
  charset: string;
  encoding: string;
  /** Bytes of the charset; a text stands for itself. */
  chunks: (Uint8Array | string)[];
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
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function flush(pending: Pending | null, decode: DecodeBytes): string {
  if (!pending) return '';
  let out = '';
  let bytes: Uint8Array[] = [];
  const take = () => {
    if (bytes.length > 0) out += decode(joined(bytes), pending.charset);
    bytes = [];
  };
  for (const chunk of pending.chunks) {
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
const STATEFUL = /^(?:iso-2022-|csiso2022|hz|utf-?7)/i;

// The charset and text groups exclude their terminators, so that the scan never backtracks over a long value.
const WORD = /=\?([^?\s]{1,75})\?([QqBb])\?([^?]*)\?=/g;

/**
 * Decodes RFC 2047 encoded words in an unfolded header value. White space between two words is dropped, and adjacent
 * words of one charset and encoding are decoded as one sequence of bytes, because senders split multi-byte characters
 * across words. Spaces inside a word, forbidden but common, are accepted.
 */
export function decodeWords(value: string, decode: DecodeBytes): string {
  if (!value.includes('=?')) return value;
  let out = '';
  let end = 0;
  let pending: Pending | null = null;
  for (const match of value.matchAll(WORD)) {
    const [whole, charset = '', encoding = '', text = ''] = match;
    const between = value.slice(end, match.index);
    const kind = encoding.toUpperCase();
    const adjacent = pending !== null && /^[ \t\r\n]*$/.test(between);
    const same =
      adjacent &&
      pending?.charset.toLowerCase() === charset.toLowerCase() &&
      pending.encoding === kind &&
      !STATEFUL.test(charset);
    if (!same) {
      out += flush(pending, decode);
      pending = { charset, encoding: kind, chunks: [] };
      if (!adjacent) out += between;
    }
    pending?.chunks.push(...(kind === 'B' ? [base64Bytes(text)] : quotedChunks(text)));
    end = match.index + whole.length;
  }
  return out + flush(pending, decode) + value.slice(end);
}
