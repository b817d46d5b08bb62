/** The charset of raw 8-bit header fields, which name none. */
import { isUtf8 } from 'node:buffer';
import { type Charset, charsetOf, decodeGuess } from '#shared/mail/charsets.ts';

const LOOKED_THROUGH = 65_536;
const MOST_NAMED = 20;
const NAMED = /charset\s*=\s*["']?([\w.:-]{2,40})/gi;

/**
 * The charset that the mail names for its parts, which old mailers also used in headers: the first one that the fields
 * are valid in. Null if the headers are UTF-8, or no part names a charset.
 */
export function headerCharset(headers: Buffer, mail: Buffer): string | null {
  if (isUtf8(headers)) return null;
  const named = [...mail.toString('latin1', 0, LOOKED_THROUGH).matchAll(NAMED)];
  for (const [, name = ''] of named.slice(0, MOST_NAMED)) {
    const charset = charsetOf(name);
    if (!charset?.isAscii || charset.encoding === 'utf-8') continue;
    if (!rawLines(headers, (line) => charset.decode(line)).includes('\ufffd')) return charset.encoding;
  }
  return null;
}

/** The lines of a block; `decode` reads those that are not UTF-8. */
function rawLines(bytes: Buffer, decode: (line: Buffer) => string): string {
  const lines: string[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const foundEnd = bytes.indexOf(0x0a, offset);
    const end = foundEnd < 0 ? bytes.length : foundEnd + 1;
    const line = bytes.subarray(offset, end);
    lines.push(isUtf8(line) ? line.toString('utf8') : decode(line));
    offset = end;
  }
  return lines.join('');
}

const readable = (name: string | null | undefined): Charset | null => {
  const charset = name ? charsetOf(name) : null;
  return charset?.isAscii && charset.encoding !== 'utf-8' ? charset : null;
};

/**
 * A header block as text. Raw 8-bit fields are UTF-8 when valid, else in the charset of a word beside them, in `charset`
 * or in windows-1252; decided per line, and told to `guessed`.
 */
export function decodeHeaderBlock(
  bytes: Buffer,
  charset: string | null,
  guessed?: (sentence: string) => void,
): string {
  if (isUtf8(bytes)) return bytes.toString('utf8').replace(/^\ufeff/, '');
  return rawLines(bytes, (line) => {
    // A word with bytes that should have been encoded names its charset.
    const word = /=\?([^?*\s]{2,40})/.exec(line.toString('latin1', 0, 1_000))?.[1];
    const used = readable(word) ?? readable(charset);
    guessed?.(`raw 8-bit text in a header names no charset; read as ${used?.encoding ?? 'windows-1252'}`);
    return used === null ? decodeGuess(line) : used.decode(line);
  });
}
