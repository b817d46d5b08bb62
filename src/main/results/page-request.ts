/** Pages of a run as received, and the cursor of the next one. */
import { endpointOf } from '#shared/api/catalogue.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Cursor, QueryResult } from '#shared/model/entities.ts';
import { parseExact } from '#shared/model/exact-numbers.ts';
import { isRecord } from '#shared/model/narrow.ts';
import type { Context } from '../kernel/context.ts';
import { checkShape, parseJson } from '../upstream/body.ts';
import { tooDeep } from '../upstream/errors.ts';
import type { SetRecord } from './record.ts';

const ENDPOINT = 'query.execute';

/**
 * The first page of a run, or the one after a cursor, as unvalidated bytes. `isOpening` means the page for a window
 * that waits, which evidence may send before it has counted its rows.
 */
export const askPage = (
  ctx: Context,
  record: Pick<SetRecord, 'connectionId' | 'payload'>,
  cursor: Cursor | null,
  size: number,
  signal: AbortSignal,
  isOpening = false,
): Promise<Uint8Array> =>
  ctx.upstream.blob(
    record.connectionId,
    ENDPOINT,
    {
      body: {
        ...record.payload,
        search_after: cursor,
        size,
        count_only: false,
        ...(isOpening && ctx.coverage(record.connectionId).version !== 0 ? { count_later: true } : {}),
      },
    },
    // Fetches are retried by the request limiter, also when there is no answer; two layers of retries would multiply.
    { signal, retry: isOpening, insist: !isOpening },
  );

/** The page, validated against the catalogue. Throws not-json, truncated, wrong-shape naming the field. */
export function readPage(bytes: Uint8Array): QueryResult {
  const value = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), '', ENDPOINT);
  // A service may leave out the count of its rows, which are stored as uncounted.
  const counted =
    isRecord(value) && (value['total_rows'] ?? value['totalRows'] ?? null) === null
      ? { ...value, total_rows: 0 }
      : value;
  return checkShape(endpointOf(ENDPOINT), ENDPOINT, counted) as QueryResult;
}

/**
 * What is wrong with a page that could not be stored, including the field if the bytes are still here: a large page was
 * transferred to the writer thread.
 */
export function unreadablePage(bytes: Uint8Array, outcome: 'unreadable' | 'too-deep'): unknown {
  if (outcome === 'too-deep') return tooDeep(ENDPOINT);
  try {
    if (bytes.byteLength > 0) readPage(bytes);
  } catch (error) {
    return error;
  }
  return new ParapetError(
    'wrong-shape',
    'The response of the service is not a page of rows. Nothing of it was stored. Run the query again; if it keeps happening, tell whoever runs the service.',
  );
}

/**
 * Rejects at once what does not start and end as a JSON object, such as a sign-in page or a truncated response. Whether
 * it is a page is checked when it is stored.
 */
export function checkEnds(bytes: Uint8Array): Uint8Array {
  const isSpace = (byte: number | undefined) => byte === 32 || byte === 10 || byte === 13 || byte === 9;
  let from = 0;
  let to = bytes.length - 1;
  while (from < to && isSpace(bytes[from])) from++;
  while (to > from && isSpace(bytes[to])) to--;
  if (bytes[from] !== 0x7b || bytes[to] !== 0x7d) readPage(bytes);
  return bytes;
}

/** Whether a page was refused because its cursor has expired: 400, 404 or 410 to a request with a cursor. */
export function isLapse(error: unknown, cursor: Cursor | null): boolean {
  if (cursor === null || !(error instanceof ParapetError)) return false;
  const status = error.data?.['status'];
  return status === 400 || status === 404 || status === 410;
}

/** Bytes at either end of a response that are searched for its cursor. */
const CURSOR_WINDOW = 4_096;
const CURSOR = /"search_after"\s*:\s*("(?:[^"\\]|\\.)*"|\[[^[\]{}]*\])/g;

/**
 * The probable cursor of the next page, found without parsing the response, to request that page early. Storing uses
 * the parsed response, so a wrong guess only costs one request.
 */
export function guessCursor(bytes: Uint8Array): Cursor | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tail = view.toString('utf8', Math.max(0, view.length - CURSOR_WINDOW));
  const hit =
    [...tail.matchAll(CURSOR)].at(-1) ?? [...view.toString('utf8', 0, CURSOR_WINDOW).matchAll(CURSOR)][0];
  if (hit?.[1] === undefined) return null;
  try {
    return parseExact(hit[1]) as Cursor;
  } catch {
    return null;
  }
}

export const sameCursor = (a: Cursor | null, b: Cursor | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
