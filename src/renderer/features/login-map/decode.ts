/**
 * Rows of `get_cache_query` (specification section 7; product.md, section 1): base64, then gzip or zlib by its magic
 * bytes, then JSON. Everything here runs in a worker, and nothing of an answer is trusted: the inflated size is
 * capped, so that a small answer cannot fill the memory.
 */

import { Inflate } from 'pako';
import { bytesOfBase64 } from '#renderer/ui/base64.ts';

/** A page has at most 5 000 rows: even at a kilobyte each it is far below. */
const INFLATED_MAX = 64 * 1024 * 1024;

/** Describes why a response could not be decoded; shown for the layer, which stays empty. */
export class DecodeError extends Error {}

function bytesOf(base64: string): Uint8Array {
  try {
    return bytesOfBase64(base64);
  } catch {
    throw new DecodeError(
      'The rows are not valid base64: the response was truncated or contains something else.',
    );
  }
}

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;
/** RFC 1950: method 8, and the two bytes divisible by 31. */
const isZlib = (bytes: Uint8Array) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 && (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0;

const TOO_LARGE = `The rows decompress to more than ${INFLATED_MAX / 1024 / 1024} MB: too large for a page of logins.`;

/** The decompressed text. Errors: wrong compression, damaged, truncated, or larger than the cap. */
function inflate(bytes: Uint8Array, max: number): string {
  if (!isGzip(bytes) && !isZlib(bytes)) {
    throw new DecodeError('The rows are neither gzip nor zlib, by their first bytes.');
  }
  const inflator = new Inflate({ chunkSize: 256 * 1024 });
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  inflator.onData = (chunk) => {
    size += chunk.length;
    if (size > max) throw new DecodeError(TOO_LARGE);
    parts.push(decoder.decode(chunk, { stream: true }));
  };
  inflator.push(bytes, true);
  // The library's own message stays readable (specification section 8).
  if (inflator.err)
    throw new DecodeError(`The rows could not be decompressed: ${inflator.msg || inflator.err}.`);
  if (!inflator.ended) throw new DecodeError('The rows could not be decompressed: they end too early.');
  return parts.join('') + decoder.decode();
}

/** The rows of one answer, unvalidated. Errors: DecodeError with the reason. */
export function decodeRows(data: string, max = INFLATED_MAX): unknown[] {
  if (data === '') return [];
  const text = inflate(bytesOf(data), max);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DecodeError('The decompressed rows are not JSON.');
  }
  const rows = Array.isArray(value) ? value : (value as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows)) throw new DecodeError('The decompressed JSON is not a list of rows.');
  return rows;
}
