/** Value of a hex digit, or -1. */
function nibble(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const upper = code & ~0x20;
  return upper >= 0x41 && upper <= 0x46 ? upper - 0x37 : -1;
}

/** Quoted-printable to exact bytes (RFC 2045 section 6.7): line ends kept as sent, bad escapes as text. */
export function quotedPrintable(input: Buffer): Buffer {
  const out = Buffer.allocUnsafe(input.length);
  let length = 0;
  for (let index = 0; index < input.length; index++) {
    const code = input[index] ?? 0;
    if (code !== 0x3d) {
      out[length++] = code;
      continue;
    }
    let next = index + 1;
    while (input[next] === 0x20 || input[next] === 0x09) next++;
    if (next >= input.length) break;
    if (input[next] === 0x0d || input[next] === 0x0a) {
      let last = next;
      while (input[last] === 0x0d) last++;
      index = input[last] === 0x0a ? last : next;
      continue;
    }
    const high = nibble(input[index + 1] ?? 0);
    const low = nibble(input[index + 2] ?? 0);
    if (high >= 0 && low >= 0) {
      out[length++] = (high << 4) | low;
      index += 2;
    } else out[length++] = code;
  }
  return out.subarray(0, length);
}

/** `-` and `_` are stray characters in mail, while Node reads them as digits of base64url. */
const decoded = (text: string): Buffer => Buffer.from(text.replace(/[-_]/g, ''), 'base64');

/**
 * Base64 to bytes; stray characters are skipped. Some mailers pad every line, so another group may follow the padding;
 * a later line that is not base64 is text appended to the part, and ends it.
 */
export function base64(input: Buffer): Buffer {
  const text = input.toString('latin1');
  const pad = text.indexOf('=');
  if (pad < 0 || !/[A-Za-z0-9+/]/.test(text.slice(pad))) return decoded(text);
  const tail = text.slice(pad);
  const foreign = /[^A-Za-z0-9+/=\s]/.exec(tail);
  // The last line end before the foreign character, since its whole line does not count.
  const end = foreign ? tail.lastIndexOf('\n', foreign.index) + 1 || foreign.index : tail.length;
  const groups = text.slice(0, pad + end).split(/=+/);
  return Buffer.concat(groups.map(decoded));
}

const LOOKED_AT = 64 * 1024;
const FOREIGN = /[^A-Za-z0-9+/=\s]/;
/** A word or a number, which base64 hardly ever has between two signs. */
const WORD = /^(?:[A-Z]?[a-z]{1,19}|[A-Z]{1,20}|\d{1,20}|[^\0-\x7f]+)$/;

/** What a body that is declared as base64 is, by its beginning: `stray` has characters that are skipped, also at its end. */
export function base64Kind(body: Buffer): 'base64' | 'stray' | 'text' {
  const start = body.toString('latin1', 0, LOOKED_AT);
  const end = body.toString('latin1', Math.max(0, body.length - LOOKED_AT));
  const isPure = !FOREIGN.test(start) && !FOREIGN.test(end);
  if (isPure && !/\S[ \t]+\S/.test(start)) return 'base64';
  let words = 0;
  let codes = 0;
  // Padding at the end of a line ends base64; text behind it does not count.
  const [coded = ''] = start.split(/=[ \t]*[\r\n]/, 1);
  for (const run of coded.match(/[A-Za-z0-9]+|[^\0-\x7f]+/g) ?? []) {
    if (WORD.test(run)) words += run.length;
    else codes += run.length;
  }
  if (words > codes) return 'text';
  return isPure ? 'base64' : 'stray';
}

const LINE = 76;

/** Bytes as base64 in lines, for a part of a mail. */
export const inBase64 = (bytes: Uint8Array): string =>
  (
    Buffer.from(bytes)
      .toString('base64')
      .match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []
  ).join('\r\n');

/** Undoes uuencode; lines outside begin…end are skipped. */
export function uudecode(input: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let inside = false;
  for (const line of input.toString('latin1').split(/\r?\n/)) {
    if (!inside) {
      inside = /^begin [0-7]{3,4} /.test(line);
      continue;
    }
    if (line === 'end') break;
    const size = (line.charCodeAt(0) - 32) & 63;
    const bytes = Buffer.alloc(size);
    let length = 0;
    for (let position = 1; length < size; position += 4) {
      const [a, b, c, d] = [0, 1, 2, 3].map((step) => ((line.charCodeAt(position + step) || 32) - 32) & 63);
      const word = ((a ?? 0) << 18) | ((b ?? 0) << 12) | ((c ?? 0) << 6) | (d ?? 0);
      for (const shift of [16, 8, 0]) if (length < size) bytes[length++] = (word >> shift) & 255;
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const BEGIN = Buffer.from('begin ');
const BEGIN_LINE = /^begin [0-7]{3,4} ([^\r\n]{1,255}?)[ \t]*\r?$/;

/** Position after the line at a position, and its text. */
function lineAt(bytes: Buffer, position: number): { line: string; next: number } {
  const end = bytes.indexOf(0x0a, position);
  const next = end < 0 ? bytes.length : end + 1;
  return {
    line: bytes.toString('latin1', position, Math.min(next, position + 300)).replace(/\r?\n?$/, ''),
    next,
  };
}

/** Whether a line may be uuencode: trailing spaces, which are zeros, are often missing, and a checksum may follow. */
function isCoded(line: string): boolean {
  const size = line.charCodeAt(0) - 32;
  return size > 0 && size < 64 && /^[\x20-\x60]*$/.test(line) && line.length <= Math.ceil(size / 3) * 4 + 2;
}

/** The uuencoded files in a text, each from its "begin" to its "end". Linear. */
export function uuFiles(text: Buffer, most: number): { name: string; bytes: Buffer }[] {
  const out: { name: string; bytes: Buffer }[] = [];
  for (let offset = text.indexOf(BEGIN); offset >= 0 && out.length < most; ) {
    const first = offset === 0 || text[offset - 1] === 0x0a ? lineAt(text, offset) : null;
    const name = BEGIN_LINE.exec(first?.line ?? '')?.[1];
    let end = first?.next ?? offset + BEGIN.length;
    if (name !== undefined) {
      let coded = 0;
      for (let row = lineAt(text, end); end < text.length; row = lineAt(text, end)) {
        const begin = end;
        end = row.next;
        if (isCoded(row.line)) coded += 1;
        else if (row.line === 'end' && coded > 0) {
          out.push({ name, bytes: text.subarray(offset, end) });
          break;
        } else if (!/^[`\s]?$/.test(row.line)) {
          // Not a file: another one may begin with this line.
          end = begin;
          break;
        }
      }
    }
    offset = text.indexOf(BEGIN, end);
  }
  return out;
}

/** The exact bytes of a body, for sizes and hashes: only the transfer encoding is undone. */
export function decodeTransfer(body: Buffer, encoding: string): Buffer {
  switch (encoding) {
    case 'base64':
      return base64(body);
    case 'quoted-printable':
      return quotedPrintable(body);
    case 'x-uuencode':
    case 'uuencode':
    case 'x-uue':
    case 'uue':
      return uudecode(body);
    default:
      return body;
  }
}
