/** Response bodies: counted while streaming, inflated, parsed, validated. */
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { Asked } from '#shared/api/answer-forms.ts';
import type { Endpoint } from '#shared/api/endpoint.ts';
import { isConfirmed, readAnswer, reportsFailure } from '#shared/api/read-answer.ts';
import { dictionary } from '#shared/dictionary.ts';
import { parseShown } from '#shared/model/exact-numbers.ts';
import { isTooDeep } from '#shared/model/json-depth.ts';
import { isRecord } from '#shared/model/narrow.ts';
import { hasTooManyFields } from '../parsing/pieces.ts';
import {
  failureReported,
  foreignCompression,
  noText,
  notJson,
  otherThanAsked,
  reasonIn,
  savedWithoutId,
  tooDeep,
  tooLarge,
  tooManyFields,
  transportError,
  truncated,
  wrongShape,
} from './errors.ts';

export interface AnswerHead {
  contentType: string;
  contentEncoding: string;
  contentLength: number | null;
}

/**
 * All bytes, at most `limit` after inflating; `carried` receives the bytes on the wire as they arrive. Rejects
 * too-large, truncated, timeout, cancelled.
 */
export async function readBytes(
  body: Readable,
  head: AnswerHead,
  endpoint: string,
  limit: number,
  carried: (bytes: number) => void,
): Promise<Buffer> {
  if (head.contentLength !== null && head.contentLength > limit) {
    body.on('error', () => {}).destroy();
    throw tooLarge(endpoint, limit);
  }
  const zipped = /^(x-)?gzip$/.test(head.contentEncoding);
  if (!zipped && /\b(br|zstd|deflate|compress|gzip)\b/.test(head.contentEncoding)) {
    body.on('error', () => {}).destroy();
    throw foreignCompression(endpoint, head.contentEncoding);
  }
  const source = zipped ? body.pipe(createGunzip()) : body;
  if (zipped)
    body.on('error', (error) => source.destroy(error)).on('data', (chunk: Buffer) => carried(chunk.length));
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    const received: AsyncIterable<Buffer> = source;
    for await (const chunk of received) {
      bytes += chunk.length;
      if (!zipped) carried(chunk.length);
      if (bytes > limit) throw tooLarge(endpoint, limit);
      chunks.push(chunk);
    }
  } catch (error) {
    throw transportError(error, endpoint, true);
  } finally {
    body.on('error', () => {}).destroy();
  }
  return joined(chunks, bytes);
}

/** Bytes copied in one turn. */
const STEP = 4 * 1024 * 1024;

/** The first use of new memory is slow: 40 MB in one turn would hold up the thread for a fifth of a second. */
async function joined(chunks: readonly Buffer[], bytes: number): Promise<Buffer> {
  if (bytes <= STEP) return Buffer.concat(chunks, bytes);
  const whole = Buffer.allocUnsafeSlow(bytes);
  let end = 0;
  let pause = STEP;
  for (const chunk of chunks) {
    end += chunk.copy(whole, end);
    if (end < pause) continue;
    pause = end + STEP;
    await setImmediate();
  }
  return whole;
}

const UTF_16: Readonly<Record<string, string>> = dictionary({ fffe: 'utf-16le', feff: 'utf-16be' });

/**
 * JSON as UTF-8, without a byte order mark. The declared charset is used only for bytes that are not valid UTF-8, as
 * many services declare Latin-1 and send UTF-8.
 */
export function asUtf8(bytes: Buffer, contentType: string): Buffer {
  if (bytes.toString('hex', 0, 3) === 'efbbbf') return bytes.subarray(3);
  const marked = UTF_16[bytes.toString('hex', 0, 2)];
  const declared = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
  const charset = marked ?? declared;
  if (charset === undefined || /^(utf-?8|(us-)?ascii)$/i.test(charset)) return bytes;
  if (!/^utf-?16/i.test(charset) && isUtf8(bytes)) return bytes;
  try {
    return Buffer.from(new TextDecoder(charset).decode(bytes));
  } catch {
    // An unknown charset.
    return bytes;
  }
}

/** Whether the bytes start like HTML or XML, with or without a byte order mark. */
export const isWebPage = (bytes: Buffer): boolean =>
  /^(\xef\xbb\xbf)?\s*<(!doctype|html|head|body|\?xml)/i.test(bytes.toString('latin1', 0, 200));

/** The title of a web page; null if the bytes are not one. */
export function pageTitle(contentType: string, bytes: Buffer): string | null {
  if (!isHtml(contentType, bytes)) return null;
  return /<(title|h1)[^<>]*>([^<]*)/i.exec(bytes.toString('utf8'))?.[2] ?? '';
}

const isHtml = (contentType: string, bytes: Buffer): boolean => /html/i.test(contentType) || isWebPage(bytes);

/** Endpoints whose answer is a text, and how it must begin if a service sends it as plain text instead of JSON. */
const PLAIN_TEXT: Readonly<Record<string, RegExp>> = dictionary({
  'email.headers': /^[!-9;-~]+:/,
  'email.body': /^/,
  'entity.message-body': /^/,
  'logins.heat-map': /^[\w+/=\s-]*$/,
});

/**
 * Parses JSON with every digit of its numbers (parseShown), distinguishing failures: nested too deeply, not JSON at
 * all, truncated, too many fields.
 */
export function parseJson(bytes: Buffer, contentType: string, endpoint: string): unknown {
  if (isHtml(contentType, bytes)) throw notJson(endpoint, true);
  if (isTooDeep(bytes)) throw tooDeep(endpoint);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = parseShown(text);
  } catch (error) {
    if (text.trim() === '') throw noText(endpoint);
    if (/^\s*text\/plain/i.test(contentType) && PLAIN_TEXT[endpoint]?.test(text)) return text;
    const cut =
      error instanceof SyntaxError &&
      text.trim() !== '' &&
      /end of JSON|Unterminated|Expected .* at position \d+/.test(error.message) &&
      endsEarly(error.message, text);
    throw cut ? truncated(endpoint, error) : notJson(endpoint, false);
  }
  if (hasTooManyFields(value)) throw tooManyFields(endpoint);
  return value;
}

/** The parser failed at the very end of the text, so more was expected. */
function endsEarly(message: string, text: string): boolean {
  const match = /position (\d+)/.exec(message);
  return match === null || Number(match[1]) >= text.trimEnd().length;
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/**
 * Refuses one thing that was asked for by its id and is another. A service may know it by another name as well, such as
 * a user's address, which is then among its fields, or that of a delivered copy, which begins with the id.
 */
function refuseOther({ namedBy }: Endpoint, endpoint: string, value: unknown, request: Asked = {}): void {
  const id = textOf(request.query?.['entity_id']) ?? textOf(request.params?.['id']);
  if (namedBy === undefined || id === null || !isRecord(value)) return;
  const answered = textOf(value[namedBy]);
  if (answered === null || (id.startsWith(answered) && !/^[\p{L}\p{N}]/u.test(id.slice(answered.length))))
    return;
  const isNamed = Object.values(value).some((text) => textOf(text)?.toLowerCase() === id.toLowerCase());
  if (!isNamed) throw otherThanAsked(endpoint, id, answered);
}

/**
 * The response validated against the catalogue, in any form that says the same (readAnswer); unknown extra fields are
 * kept. Rejects wrong-shape naming the field.
 */
export function checkShape(declared: Endpoint, endpoint: string, value: unknown, request?: Asked): unknown {
  const checked = readAnswer(endpoint, declared, value, request);
  if (checked.ok) {
    refuseOther(declared, endpoint, checked.value, request);
    return checked.value;
  }
  if (reportsFailure(declared, value)) throw failureReported(endpoint, reasonIn(value, 3));
  if (endpoint === 'query.save' && isConfirmed(value)) throw savedWithoutId(endpoint);
  throw wrongShape(endpoint, checked.path.join('.') || '(the whole answer)', checked.message);
}
