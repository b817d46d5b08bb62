/** Cached answers of the service: by key, with their age, tags and shape. */
import { createHash } from 'node:crypto';
import { type EndpointName, endpointOf } from '#shared/api/catalogue.ts';
import type { Tag } from '#shared/api/endpoint.ts';
import { readAnswer } from '#shared/api/read-answer.ts';
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

interface FreshAnswer extends Omit<StoredAnswer, 'stale'> {
  /** Whether a change has made it stale since it was requested. */
  isStale: () => boolean;
  /** False once the cache was cleared, or the connection leads to another service. */
  mayKeep: () => boolean;
  connectionId: string;
  key: string;
  endpoint: EndpointName;
}

const shapes = new Map<EndpointName, string>();

/**
 * Hash of an endpoint's response schema. Rows with another hash are dropped, never misread. Pinned rows stay, as the
 * service may no longer have them, and are shown if they fit the current schema.
 */
function shapeHash(endpoint: EndpointName): string {
  const shape = shapes.get(endpoint);
  if (shape !== undefined) return shape;
  const hash = createHash('sha256').update(shapeOf(endpoint)).digest('hex').slice(0, 16);
  shapes.set(endpoint, hash);
  return hash;
}

export const answerKey = (endpoint: EndpointName, request: object): string =>
  createHash('sha256')
    .update(`${endpoint}\n${canonicalJson(request)}`)
    .digest('hex');

interface Options {
  budget?: number | undefined;
  /** Rejects while there is no room on the disk. */
  room?: () => Promise<void>;
}

/** Marks cached answers of a connection with one of these tags stale. */
interface StaleMark {
  connectionId: string;
  tags: readonly Tag[];
}

/** Orders answers by use even after the clock was set back: what was just used is never evicted first. */
const usedAt = (now: string): string =>
  `max(${now}, (SELECT 1 + coalesce(max(used_at), 0) FROM answers WHERE pinned = 0))`;

const markStatements = (marks: readonly StaleMark[]): Statement[] =>
  marks.map(({ connectionId, tags }) => ({
    sql: `UPDATE answers SET stale = 1 WHERE connection_id = ? AND EXISTS (
      SELECT 1 FROM json_each(tags) WHERE value IN (SELECT value FROM json_each(?)))`,
    params: [connectionId, JSON.stringify(tags)],
  }));

export class ResponseCache {
  readonly #cache: Database;
  readonly #now: () => number;
  readonly #budget: number;
  readonly #room: () => Promise<void>;
  readonly #used = new Map<number, number>();
  /** Keys of answers that are not evicted. */
  readonly #held = new Set<readonly string[]>();
  #timer: NodeJS.Timeout | null = null;
  #stored = 0;
  /** Marks that could not be written yet; they apply from memory until then. */
  #pendingMarks: readonly StaleMark[] = [];

  constructor(
    cache: Database,
    now: () => number,
    { budget = ANSWERS_BUDGET, room = async () => {} }: Options = {},
  ) {
    this.#cache = cache;
    this.#now = now;
    this.#budget = budget;
    this.#room = room;
  }

  async find(connectionId: string, key: string, endpoint: EndpointName): Promise<StoredAnswer | null> {
    const row = await this.#cache.get<{
      id: number;
      data: string;
      fetched_at: number;
      stale: number;
      shape: string;
      pinned: number;
    }>('SELECT id, data, fetched_at, stale, shape, pinned FROM answers WHERE connection_id = ? AND key = ?', [
      connectionId,
      key,
    ]);
    if (row === undefined) return null;
    if (row.shape !== shapeHash(endpoint) && row.pinned === 0) {
      await this.#cache.write([{ sql: 'DELETE FROM answers WHERE id = ?', params: [row.id] }]);
      return null;
    }
    this.#touch(row.id);
    if (row.shape !== shapeHash(endpoint)) {
      const read = readAnswer(endpoint, endpointOf(endpoint), JSON.parse(row.data));
      return read.ok ? { data: read.value, fetchedAt: row.fetched_at, stale: true } : null;
    }
    const stale = row.stale === 1 || this.#isOwed(connectionId, endpoint);
    return { data: JSON.parse(row.data), fetchedAt: row.fetched_at, stale };
  }

  async store({ connectionId, key, endpoint, data, fetchedAt, ...still }: FreshAnswer): Promise<void> {
    await this.#room();
    // Asked after the disk was looked at, as a change may come meanwhile.
    if (!still.mayKeep()) return;
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
      stale: still.isStale() ? 1 : 0,
    };
    const statement: Statement = {
      sql: `INSERT INTO answers (connection_id, key, endpoint, shape, data, tags, fetched_at, used_at, bytes, stale)
        VALUES ($connection, $key, $endpoint, $shape, $data, $tags, $at, ${usedAt('$at')}, $bytes, $stale)
        ON CONFLICT (connection_id, key) DO UPDATE SET endpoint = $endpoint, shape = $shape, data = $data,
          tags = $tags, fetched_at = $at, used_at = excluded.used_at, bytes = $bytes, stale = $stale`,
      params: values,
    };
    const marks = this.#pendingMarks;
    await this.#cache.write([...markStatements(marks), statement]);
    this.#pendingMarks = this.#pendingMarks.filter((mark) => !marks.includes(mark));
    this.#stored += 1;
    if (this.#stored % CHECK_EVERY === 0) await this.evict();
  }

  /** Exempts answers from eviction until the returned function is called, as those that will be pinned together. */
  hold(keys: readonly string[]): () => void {
    this.#held.add(keys);
    return () => void this.#held.delete(keys);
  }

  /** Unpins everything of a connection. */
  async unpin(connectionId: string): Promise<void> {
    await this.#cache.write([
      {
        sql: 'UPDATE answers SET pinned = 0 WHERE connection_id = ? AND pinned = 1',
        params: [connectionId],
      },
    ]);
  }

  /** Number of pinned answers of these endpoints, and the size of everything pinned. */
  async pinned(
    connectionId: string,
    endpoints: readonly EndpointName[],
  ): Promise<{ count: number; bytes: number }> {
    const row = await this.#cache.get<{ count: number; bytes: number }>(
      `SELECT count(*) FILTER (WHERE endpoint IN (SELECT value FROM json_each(?))) AS count,
        coalesce(sum(bytes), 0) AS bytes FROM answers WHERE connection_id = ? AND pinned = 1`,
      [JSON.stringify(endpoints), connectionId],
    );
    return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 };
  }

  /** When the oldest pinned answer among these was fetched, or null if none is pinned. */
  async pinnedSince(connectionId: string, keys: readonly string[]): Promise<number | null> {
    const row = await this.#cache.get<{ since: number | null }>(
      `SELECT min(fetched_at) AS since FROM answers WHERE connection_id = ? AND pinned = 1
        AND key IN (SELECT value FROM json_each(?))`,
      [connectionId, JSON.stringify(keys)],
    );
    return row?.since ?? null;
  }

  async invalidate(connectionId: string, tags: readonly Tag[]): Promise<void> {
    if (tags.length === 0) return;
    this.#pendingMarks = [...this.#pendingMarks, { connectionId, tags }];
    const marks = this.#pendingMarks;
    await this.#cache.write(markStatements(marks));
    this.#pendingMarks = this.#pendingMarks.filter((mark) => !marks.includes(mark));
  }

  /** Evicts least recently used answers until the limit holds. */
  async evict(): Promise<void> {
    await this.flush();
    const [sum] = await this.#cache.rows('SELECT coalesce(sum(bytes), 0) FROM answers');
    if (Number(sum?.[0] ?? 0) <= this.#budget) return;
    // Down to nine tenths, so that the next answer does not trigger it again.
    await this.#cache.write([
      {
        sql: `DELETE FROM answers WHERE pinned = 0 AND key NOT IN (SELECT value FROM json_each(?)) AND id IN (
          SELECT id FROM (
            SELECT id, pinned, sum(bytes) OVER (ORDER BY pinned DESC, used_at DESC, id DESC) AS total FROM answers
          ) WHERE total > ?)`,
        params: [JSON.stringify([...this.#held].flat()), Math.floor(this.#budget * 0.9)],
      },
    ]);
  }

  /** Stores when answers were last used. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const touched = [...this.#used].map(([id, time]) => [time, id] as const);
    this.#used.clear();
    if (touched.length > 0)
      await this.#cache.write([
        { sql: `UPDATE answers SET used_at = ${usedAt('?')} WHERE id = ?`, many: touched },
      ]);
  }

  #touch(id: number): void {
    this.#used.set(id, this.#now());
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), TOUCH_MS).unref();
  }

  #isOwed(connectionId: string, endpoint: EndpointName): boolean {
    const { provides } = endpointOf(endpoint);
    return this.#pendingMarks.some(
      (mark) => mark.connectionId === connectionId && provides.some((tag) => mark.tags.includes(tag)),
    );
  }
}
