/** search_after: opaque to the client, valid for one minute and for the query it came from. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SCROLL_LIFE_MS } from '#shared/model/constants.ts';

const content = z.object({
  /** Values of the sort columns and then the keys of the last row. */
  after: z.array(z.union([z.string(), z.number(), z.null()])),
  /** Number of rows in the whole result, counted with its first page, or null if not counted yet. */
  total: z.number().int().nonnegative().nullable(),
  /** The newest row when the result began: later ones are not part of it. */
  newest: z.number().int(),
  /** Time of the response, in milliseconds. */
  made: z.number(),
  /** End of relative time spans such as "in the last 7 days", in milliseconds: the same for every page. */
  now: z.number(),
  query: z.string(),
});
export type CursorContent = z.infer<typeof content>;

export const writeCursor = (value: CursorContent): string =>
  Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

/** Identifies the query of a request. */
export const fingerprint = (parts: unknown): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);

export type ReadCursor =
  | { ok: true; cursor: CursorContent }
  | { ok: false; reason: 'expired' | 'foreign' | 'malformed' };

export function readCursor(text: unknown, query: string, now: number): ReadCursor {
  if (typeof text !== 'string' || text.length > 20_000) return { ok: false, reason: 'malformed' };
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return { ok: false, reason: 'malformed' };
  }
  const result = content.safeParse(parsed);
  if (!result.success) return { ok: false, reason: 'malformed' };
  if (result.data.query !== query) return { ok: false, reason: 'foreign' };
  if (now - result.data.made > SCROLL_LIFE_MS) return { ok: false, reason: 'expired' };
  return { ok: true, cursor: result.data };
}
