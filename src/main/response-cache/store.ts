/** Cached answers of the service: by key, with their age, tags and shape. */
import { createHash } from 'node:crypto';
import { type EndpointName, endpointOf } from '#shared/api/catalogue.ts';
import type { Tag } from '#shared/api/endpoint.ts';
import { shapeOf } from '#shared/api/shape.ts';
import { canonicalJson } from '#shared/model/canonical-json.ts';
import { withoutSecrets } from '../kernel/redact.ts';
import type { Database, Statement } from '../store/database.ts';

/** Limit of cached answers in bytes; least recently used first, pinned ones never. */
export const ANSWERS_BUDGET = 256 * 1024 * 1024;
const TOUCH_MS = 5_000;
/** Answers stored between two checks of the limit. */
const CHECK_EVERY = 32;

export interface StoredAnswer {
  data: unknown;
  fetchedAt: number;
  /** Something changed on the service since it was cached. */
  stale: boolean;
}

export interface ResponseCache {
  find(connectionId: string, key: string, endpoint: EndpointName): Promise<StoredAnswer | null>;
  store(answer: {
    connectionId: string;
    key: string;
    endpoint: EndpointName;
    data: unknown;
    fetchedAt: number;
    stale: boolean;
  }): Promise<void>;
  /** Pins answers, which exempts them from eviction. */
  pin(connectionId: string, keys: readonly string[]): Promise<void>;
  /** Unpins everything of a connection. */
  unpin(connectionId: string): Promise<void>;
  /** Number of pinned answers of these endpoints, and the size of everything pinned. */
  pinned(connectionId: string, endpoints: readonly EndpointName[]): Promise<{ count: number; bytes: number }>;
  /** When the oldest pinned answer among these was fetched; null: none is pinned. */
  pinnedSince(connectionId: string, keys: readonly string[]): Promise<number | null>;
  invalidate(connectionId: string, tags: readonly Tag[]): Promise<void>;
  /** Evicts least recently used answers until the limit holds. */
  evict(): Promise<void>;
  /** Stores when answers were last used. */
  flush(): Promise<void>;
}

const shapes = new Map<EndpointName, string>();

/** Hash of an endpoint's response schema: rows with another one are dropped, never misread. */
function shapeHash(endpoint: EndpointName): string {
  const known = shapes.get(endpoint);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(shapeOf(endpoint)).digest('hex').slice(0, 16);
  shapes.set(endpoint, hash);
  return hash;
}

export const answerKey = (endpoint: EndpointName, request: object): string =>
  createHash('sha256')
    .update(`${endpoint}\n${canonicalJson(request)}`)
    .digest('hex');

export function createResponseCache(
  cache: Database,
  now: () => number,
  budget = ANSWERS_BUDGET,
): ResponseCache {
  const used = new Map<number, number>();
  let timer: NodeJS.Timeout | null = null;
  let stored = 0;
  /** Stale marks that could not be written yet; they apply from memory until then. */
  let pendingMarks: { connectionId: string; tags: readonly Tag[] }[] = [];

  const staleStatements = (marks: typeof pendingMarks): Statement[] =>
    marks.map(({ connectionId, tags }) => ({
      sql: `UPDATE answers SET stale = 1 WHERE connection_id = ? AND EXISTS (
        SELECT 1 FROM json_each(tags) WHERE value IN (SELECT value FROM json_each(?)))`,
      params: [connectionId, JSON.stringify(tags)],
    }));
  const isOwed = (connectionId: string, endpoint: EndpointName) =>
    pendingMarks.some(
      (mark) =>
        mark.connectionId === connectionId &&
        endpointOf(endpoint).provides.some((tag) => mark.tags.includes(tag)),
    );

  const flush = async () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const touched = [...used].map(([id, at]) => [at, id] as const);
    used.clear();
    if (touched.length > 0)
      await cache.write([{ sql: 'UPDATE answers SET used_at = ? WHERE id = ?', many: touched }]);
  };

  const touch = (id: number) => {
    used.set(id, now());
    timer ??= setTimeout(() => void flush().catch(() => {}), TOUCH_MS).unref();
  };

  const evict = async () => {
    await flush();
    const [sum] = await cache.rows('SELECT coalesce(sum(bytes), 0) FROM answers');
    if (Number(sum?.[0] ?? 0) <= budget) return;
    // Down to nine tenths, so that the next answer does not trigger it again.
    await cache.write([
      {
        sql: `DELETE FROM answers WHERE pinned = 0 AND id IN (
          SELECT id FROM (
            SELECT id, pinned, sum(bytes) OVER (ORDER BY pinned DESC, used_at DESC, id DESC) AS total FROM answers
          ) WHERE total > ?)`,
        params: [Math.floor(budget * 0.9)],
      },
    ]);
  };

  return {
    async find(connectionId, key, endpoint) {
      const row = await cache.get<{
        id: number;
        data: string;
        fetched_at: number;
        stale: number;
        shape: string;
      }>('SELECT id, data, fetched_at, stale, shape FROM answers WHERE connection_id = ? AND key = ?', [
        connectionId,
        key,
      ]);
      if (row === undefined) return null;
      if (row.shape !== shapeHash(endpoint)) {
        await cache.write([{ sql: 'DELETE FROM answers WHERE id = ?', params: [row.id] }]);
        return null;
      }
      touch(row.id);
      const stale = row.stale === 1 || isOwed(connectionId, endpoint);
      return { data: JSON.parse(row.data), fetchedAt: row.fetched_at, stale };
    },
    async store({ connectionId, key, endpoint, data, fetchedAt, stale }) {
      const text = JSON.stringify(withoutSecrets(data));
      const values = {
        connection: connectionId,
        key,
        endpoint,
        shape: shapeHash(endpoint),
        data: text,
        tags: JSON.stringify(endpointOf(endpoint).provides),
        at: fetchedAt,
        bytes: Buffer.byteLength(text),
        stale: stale ? 1 : 0,
      };
      const statement: Statement = {
        sql: `INSERT INTO answers (connection_id, key, endpoint, shape, data, tags, fetched_at, used_at, bytes, stale)
          VALUES ($connection, $key, $endpoint, $shape, $data, $tags, $at, $at, $bytes, $stale)
          ON CONFLICT (connection_id, key) DO UPDATE SET endpoint = $endpoint, shape = $shape, data = $data,
            tags = $tags, fetched_at = $at, used_at = $at, bytes = $bytes, stale = $stale`,
        params: values,
      };
      const marks = pendingMarks;
      await cache.write([...staleStatements(marks), statement]);
      pendingMarks = pendingMarks.filter((mark) => !marks.includes(mark));
      stored += 1;
      if (stored % CHECK_EVERY === 0) await evict();
    },
    async pin(connectionId, keys) {
      await cache.write([
        {
          sql: 'UPDATE answers SET pinned = 1 WHERE connection_id = ? AND key = ?',
          many: keys.map((key) => [connectionId, key] as const),
        },
      ]);
    },
    async unpin(connectionId) {
      await cache.write([
        {
          sql: 'UPDATE answers SET pinned = 0 WHERE connection_id = ? AND pinned = 1',
          params: [connectionId],
        },
      ]);
    },
    async pinned(connectionId, endpoints) {
      const row = await cache.get<{ count: number; bytes: number }>(
        `SELECT count(*) FILTER (WHERE endpoint IN (SELECT value FROM json_each(?))) AS count,
          coalesce(sum(bytes), 0) AS bytes FROM answers WHERE connection_id = ? AND pinned = 1`,
        [JSON.stringify(endpoints), connectionId],
      );
      return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 };
    },
    async pinnedSince(connectionId, keys) {
      const row = await cache.get<{ since: number | null }>(
        `SELECT min(fetched_at) AS since FROM answers WHERE connection_id = ? AND pinned = 1
          AND key IN (SELECT value FROM json_each(?))`,
        [connectionId, JSON.stringify(keys)],
      );
      return row?.since ?? null;
    },
    async invalidate(connectionId, tags) {
      if (tags.length === 0) return;
      pendingMarks = [...pendingMarks, { connectionId, tags }];
      const marks = pendingMarks;
      await cache.write(staleStatements(marks));
      pendingMarks = pendingMarks.filter((mark) => !marks.includes(mark));
    },
    evict,
    flush,
  };
}
