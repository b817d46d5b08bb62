/**
 * Rows of `get_cache_query` (specification section 7; product.md, section 1): base64, then gzip or zlib by its magic
 * bytes, then JSON. Everything here runs in a worker, and nothing of an answer is trusted: the inflated size is
 * capped, so that a small answer cannot fill the memory.
 */
import { Inflate } from 'pako';

/** A page has at most 5 000 rows: even at a kilobyte each it is far below. */
const INFLATED_MAX = 64 * 1024 * 1024;

/** Says what is wrong with an answer, in words for the layer that stays empty. */
export class DecodeError extends Error {}

/** Newer engines decode base64 by themselves; what they take beyond the older way, blanks, does no harm. */
const native = (Uint8Array as { fromBase64?: (text: string) => Uint8Array }).fromBase64;

function bytesOf(base64: string): Uint8Array {
  try {
    if (native) return native.call(Uint8Array, base64);
    const binary = atob(base64);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    throw new DecodeError('The rows are not valid base64: the answer was cut short or is something else.');
  }
}

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;
/** RFC 1950: method 8, and the two bytes divisible by 31. */
const isZlib = (bytes: Uint8Array) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 && (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0;

const TOO_LARGE = `The rows inflate to more than ${INFLATED_MAX / 1024 / 1024} MB; too large for a page of logins.`;

/** The inflated text. Errors: not compressed as agreed, damaged, cut short, or larger than the cap. */
function inflate(bytes: Uint8Array, max: number): string {
  if (!isGzip(bytes) && !isZlib(bytes)) {
    throw new DecodeError('The rows are neither gzip nor zlib: their first bytes say something else.');
  }
  const inflator = new Inflate({ chunkSize: 256 * 1024 });
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  inflator.onData = (chunk) => {
    const part = chunk as Uint8Array;
    size += part.length;
    if (size > max) throw new DecodeError(TOO_LARGE);
    parts.push(decoder.decode(part, { stream: true }));
  };
  inflator.push(bytes, true);
  // The library's own message stays readable (specification section 8).
  if (inflator.err) throw new DecodeError(`The rows cannot be inflated: ${inflator.msg || inflator.err}.`);
  if (!inflator.ended) throw new DecodeError('The rows cannot be inflated: they end too early.');
  return parts.join('') + decoder.decode();
}

/** The rows of one answer, as they came. Errors: DecodeError with the reason. */
export function decodeRows(data: string, max = INFLATED_MAX): unknown[] {
  if (data === '') return [];
  const text = inflate(bytesOf(data), max);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DecodeError('The rows inflate to something that is not JSON.');
  }
  const rows = Array.isArray(value) ? value : (value as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows)) throw new DecodeError('The rows inflate to JSON that is no list of rows.');
  return rows;
}
