import { isAscii, isUtf8 } from 'node:buffer';
import { charsetLabel } from '#shared/mail/charsets.ts';

interface Decoder {
  encoding: string;
  decode(bytes: Uint8Array): string;
}

/** UTF-7 (RFC 2152), which browsers do not support and mail still uses to hide text. */
const UTF7: Decoder = {
  encoding: 'utf-7',
  decode: (bytes) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString('latin1')
      .replace(/\+([A-Za-z0-9+/]*)-?/g, (whole, code: string) => {
        if (code === '') return whole === '+-' ? '+' : whole;
        const units = Buffer.from(code, 'base64');
        return units
          .subarray(0, units.length & ~1)
          .swap16()
          .toString('utf16le')
          .toWellFormed();
      }),
};

/** ISO-2022-KR (RFC 1557), which browsers refuse: between SO and SI, two bytes for each character of EUC-KR. */
const ISO_2022_KR: Decoder = {
  encoding: 'iso-2022-kr',
  decode: (bytes) => {
    const korean = new TextDecoder('euc-kr');
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString('latin1')
      .replaceAll('\x1b$)C', '');
    return text
      .split('\x0e')
      .map((piece, at) => {
        const end = at === 0 ? 0 : `${piece}\x0f`.indexOf('\x0f');
        const shifted = Buffer.from(piece.slice(0, end), 'latin1').map((byte) =>
          byte > 0x20 ? byte | 0x80 : byte,
        );
        return korean.decode(shifted) + piece.slice(end).replaceAll('\x0f', '');
      })
      .join('');
  },
};

const decoders = new Map<string, Decoder | null>([
  ['utf-7', UTF7],
  ['iso-2022-kr', ISO_2022_KR],
]);
/** TextDecoder knows few encodings; invented labels must not fill the map. */
const MAX_DECODERS = 200;

/** The decoder for a charset as named in mail, or null. */
export function decoderOf(charset: string): Decoder | null {
  const label = charsetLabel(charset);
  const known = decoders.get(label);
  if (known !== undefined) return known;
  let decoder: Decoder | null = null;
  try {
    decoder = new TextDecoder(label);
  } catch {
    decoder = null;
  }
  if (decoders.size < MAX_DECODERS) decoders.set(label, decoder);
  return decoder;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const windows1252 = new TextDecoder('windows-1252');

/** UTF-8 when the bytes are valid UTF-8, else the fallback charset, else windows-1252. Never throws. */
export function decodeGuess(bytes: Uint8Array, fallback?: string): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return ((fallback ? decoderOf(fallback) : null) ?? windows1252).decode(bytes);
  }
}

const SINGLE_BYTE = /^(?:windows-\d+|iso-8859-.*|koi8-.*|macintosh|x-mac-cyrillic|ibm866)$/;
const WESTERN = /^(?:windows-1252|iso-8859-15|macintosh)$/;

/**
 * Whether bytes labelled as another charset are UTF-8. Text in a single-byte charset is valid UTF-8 by chance only if it
 * is very short; for other charsets, the text must be invalid in them.
 */
export const isUtf8Instead = (bytes: Uint8Array, decoder: Decoder): boolean =>
  decoder.encoding !== 'utf-8' &&
  !isAscii(bytes) &&
  isUtf8(bytes) &&
  (SINGLE_BYTE.test(decoder.encoding) || decoder.decode(bytes).includes('\ufffd'));

/** Implements the decoder that shared/mail needs. The charset is guessed when it is unknown or plainly wrong. */
export function decodeBytes(bytes: Uint8Array, charset: string): string {
  const decoder = decoderOf(charset);
  // Short words: only if the bytes, read in the named charset, are not letters that occur next to each other.
  if (decoder && WESTERN.test(decoder.encoding) && isUtf8Instead(bytes, decoder))
    return strictUtf8.decode(bytes);
  return decoder ? decoder.decode(bytes) : decodeGuess(bytes);
}

/**
 * A header block as text. Raw 8-bit fields are UTF-8 when valid, else in the charset that the mail names for its body
 * (which old mailers also used in headers), else windows-1252; decided per line.
 */
export function decodeHeaderBlock(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const hint = /charset\s*=\s*"?([\w.:-]{2,40})/i.exec(buffer.toString('latin1', 0, 65_536))?.[1];
    const lines: string[] = [];
    for (let at = 0; at < buffer.length; ) {
      const found = buffer.indexOf(0x0a, at);
      const end = found < 0 ? buffer.length : found + 1;
      const line = buffer.subarray(at, end);
      // A word with bytes that should have been encoded names its charset.
      const word = /=\?([^?*\s]{2,40})/.exec(line.toString('latin1', 0, 1_000))?.[1];
      const named = word === undefined ? null : decoderOf(word);
      lines.push(decodeGuess(line, named !== null && named.encoding !== 'utf-8' ? word : hint));
      at = end;
    }
    return lines.join('');
  }
}
