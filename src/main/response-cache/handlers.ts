/** The cache: its content, its limit, and clearing it. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';
import { budgetReason } from '#shared/model/policy.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { evict, sizeOf, statsOf, wipe } from '../results/cache.ts';
import type { SetRecord } from '../results/record.ts';
import type { ResultSets } from '../results/sets.ts';
import { putValue } from '../store/kv.ts';
import type { ProfileStorage } from '../workspace/storage.ts';
import { ANSWERS_BUDGET, type ResponseCache } from './store.ts';

/** Limit of the cache on disk, in bytes; least recently used data is evicted. */
const CACHE_BUDGET = 4 * 1024 * 1024 * 1024;
const BUDGET_KEY = 'core:cache-budget';
const CHECK_MS = 2_000;

export interface CacheService {
  handlers: HandlersIn<'cache'>;
  /** Schedules a check of the limit. */
  changed(): void;
}

export function createCacheHandlers(
  ctx: Context,
  sets: ResultSets,
  answers: ResponseCache,
  storage: Pick<ProfileStorage, 'room' | 'emptyCache'>,
): CacheService {
  const withRoom = <T>(work: () => Promise<T>) => withLittleRoom(ctx.cache, storage, work);
  const limit = new CacheLimit(ctx, sets, answers, withRoom);
  return {
    changed: () => limit.changed(),
    handlers: {
      async 'cache.stats'() {
        const results = await statsOf(sets);
        const row = await ctx.cache.get<{ bytes: number; answers: number; oldest: number | null }>(
          `SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes,
            (SELECT count(*) FROM answers) AS answers, (SELECT min(fetched_at) FROM answers) AS oldest`,
        );
        const ages = [results.oldestAt, row?.oldest ?? null].filter((time) => time !== null);
        return {
          bytes: row?.bytes ?? 0,
          budgetBytes: await limit.bytes(),
          resultSets: results.count,
          answers: row?.answers ?? 0,
          oldestAt: ages.length === 0 ? null : Math.min(...ages),
        };
      },
      async 'cache.list'() {
        const records = await sets.list();
        const answered = await ctx.cache.all<{
          connectionId: string;
          count: number;
          bytes: number;
          oldestAt: number | null;
        }>(
          `SELECT connection_id AS connectionId, count(*) AS count, sum(bytes) AS bytes, min(fetched_at) AS oldestAt
            FROM answers GROUP BY connection_id`,
        );
        return {
          results: records
            .map((record) => ({ ...listed(record), busy: sets.busy(record.id) }))
            .sort((a, b) => b.usedAt - a.usedAt),
          answers: answered,
        };
      },
      async 'cache.pin'({ resultId, pinned }) {
        await sets.pin(resultId, pinned);
        return {};
      },
      async 'cache.evict'({ resultId }) {
        const record = await sets.record(resultId);
        const freedBytes = sizeOf(record);
        if (sets.busy(resultId) || (await withRoom(() => sets.remove(({ id }) => id === resultId))) === 0)
          throw new ParapetError(
            'conflict',
            'These results are being read or fetched. Wait for that to end, or stop it, and try again.',
            { retryable: true },
          );
        return { freedBytes };
      },
      async 'cache.budget'({ bytes }) {
        await limit.set(bytes);
        const held = await statsOf(sets);
        return { bytes: held.bytes, budgetBytes: bytes };
      },
      async 'cache.wipe'({ connectionId }) {
        const busy = (await sets.list()).some(({ id }) => sets.busy(id));
        if (connectionId !== null) await withRoom(() => wipe(ctx, sets, connectionId));
        else {
          await removeDamaged(ctx.ports.paths.profile);
          // While sets are being read, only what is not in use is removed, and the rest is reported.
          if (busy) await withRoom(() => wipe(ctx, sets, null));
          else await storage.emptyCache();
          ctx.cacheChanged();
        }
        ctx.publish({ type: 'pins' });
        return {};
      },
    },
  };
}

type WithRoom = <T>(work: () => Promise<T>) => Promise<T>;

/** Keeps the cache within its limit. */
class CacheLimit {
  readonly #ctx: Context;
  readonly #sets: ResultSets;
  readonly #answers: ResponseCache;
  readonly #withRoom: WithRoom;
  #waiting = false;

  constructor(ctx: Context, sets: ResultSets, answers: ResponseCache, withRoom: WithRoom) {
    this.#ctx = ctx;
    this.#sets = sets;
    this.#answers = answers;
    this.#withRoom = withRoom;
  }

  /** Schedules a check. */
  changed(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    setTimeout(
      () =>
        void this.#check().catch((error: unknown) =>
          this.#ctx.ports.log.warn('the cache was not trimmed', { reason: String(error) }),
        ),
      CHECK_MS,
    ).unref();
  }

  async bytes(): Promise<number> {
    const { managed } = this.#ctx.ports.policy;
    if (managed !== null && managed.cacheBudgetBytes !== null) return managed.cacheBudgetBytes;
    const row = await this.#ctx.workspace.get<{ value: string }>('SELECT value FROM kv WHERE key = ?', [
      BUDGET_KEY,
    ]);
    const bytes = Number(row?.value ?? Number.NaN);
    return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : CACHE_BUDGET;
  }

  /** Rejects `not-allowed` where the policy sets the limit. */
  async set(bytes: number): Promise<void> {
    const { managed } = this.#ctx.ports.policy;
    if (managed !== null && managed.cacheBudgetBytes !== null)
      throw new ParapetError('not-allowed', budgetReason(managed), { data: { policy: 'cache-budget' } });
    await this.#ctx.workspace.write([putValue(BUDGET_KEY, String(bytes), this.#ctx.ports.now())]);
    await this.#check();
  }

  async #check(): Promise<void> {
    this.#waiting = false;
    const { bytes } = await statsOf(this.#sets);
    const over = bytes - ((await this.bytes()) - ANSWERS_BUDGET);
    if (over > 0) await this.#withRoom(() => evict(this.#sets, over));
    await this.#answers.evict();
  }
}

/**
 * Overwriting deleted data needs as much space in the log as it has in the file. On a full disk pages are only marked
 * as free; without the key they are as unreadable as all others.
 */
async function withLittleRoom<T>(
  cache: Context['cache'],
  storage: Pick<ProfileStorage, 'room'>,
  work: () => Promise<T>,
): Promise<T> {
  const short = await storage.room().then(
    () => false,
    () => true,
  );
  if (!short) return work();
  await cache.maintain('PRAGMA secure_delete=FAST');
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ParapetError) || error.code !== 'disk-full') throw error;
    throw new ParapetError(
      'disk-full',
      'The disk is so full that entries cannot be removed from the cache one by one. Clear all of it: that works on a full disk.',
      { cause: error },
    );
  } finally {
    await cache.maintain('PRAGMA secure_delete=ON');
  }
}

const listed = (record: SetRecord) => ({
  resultId: record.id,
  connectionId: record.connectionId,
  label: record.label,
  domain: record.payload.query_domain,
  kind: record.origin === null ? ('run' as const) : ('comparison' as const),
  current: record.supersededAt === null,
  state: record.state,
  rows: record.loaded,
  total: record.total,
  bytes: sizeOf(record),
  fetchedAt: record.fetchedAt,
  usedAt: record.usedAt,
  pinned: record.pinned,
});

/** Caches that were set aside as damaged count as cache, too. */
async function removeDamaged(profile: string): Promise<void> {
  const names = await readdir(profile).catch(() => []);
  for (const name of names)
    if (/^cache\.sqlite\.(damaged|earlier)-/.test(name))
      await rm(join(profile, name), { recursive: true, force: true });
}
