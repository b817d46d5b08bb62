/** What the cache holds, how much it may, and emptying it. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { evict, sizeOf, statsOf, wipe } from '../results/cache.ts';
import type { ResultSets } from '../results/sets.ts';
import type { Storage } from '../workspace/storage.ts';
import { ANSWERS_BUDGET, type Answers } from './store.ts';

/** Bytes on disk that the cache may take; what was used longest ago gives way. */
const CACHE_BUDGET = 4 * 1024 * 1024 * 1024;
const BUDGET_KEY = 'core:cache-budget';
const CHECK_MS = 2_000;

export interface CacheService {
  handlers: HandlersIn<'cache'>;
  /** Looks at the budget soon. */
  changed(): void;
}

export function createCacheHandlers(
  ctx: Context,
  sets: ResultSets,
  answers: Answers,
  storage: Pick<Storage, 'room' | 'emptyCache'>,
): CacheService {
  let waiting = false;

  /**
   * Overwriting what is removed takes as much room in the log as it had in the file. Where the disk has none, whole
   * pages are only marked as free; they are as unreadable without the key as all others.
   */
  const withLittleRoom = async <T>(work: () => Promise<T>): Promise<T> => {
    const short = await storage.room().then(
      () => false,
      () => true,
    );
    if (!short) return work();
    await ctx.cache.maintain('PRAGMA secure_delete=FAST');
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ParapetError) || error.code !== 'disk-full') throw error;
      throw new ParapetError(
        'disk-full',
        'The disk is so full that nothing can be taken out of the cache one by one. Clear all of it: that works on a full disk.',
        { cause: error },
      );
    } finally {
      await ctx.cache.maintain('PRAGMA secure_delete=ON');
    }
  };

  const budget = async (): Promise<number> => {
    const row = await ctx.workspace.get<{ value: string }>('SELECT value FROM kv WHERE key = ?', [
      BUDGET_KEY,
    ]);
    const bytes = Number(row?.value ?? Number.NaN);
    return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : CACHE_BUDGET;
  };

  const check = async () => {
    waiting = false;
    const { bytes } = await statsOf(sets);
    const over = bytes - ((await budget()) - ANSWERS_BUDGET);
    if (over > 0) await withLittleRoom(() => evict(sets, over));
    await answers.evict();
  };

  return {
    changed() {
      if (waiting) return;
      waiting = true;
      setTimeout(
        () =>
          void check().catch((error: unknown) =>
            ctx.ports.log.warn('the cache was not trimmed', { reason: String(error) }),
          ),
        CHECK_MS,
      ).unref();
    },
    handlers: {
      async 'cache.stats'() {
        const results = await statsOf(sets);
        const row = await ctx.cache.get<{ bytes: number; answers: number; oldest: number | null }>(
          `SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes,
            (SELECT count(*) FROM answers) AS answers, (SELECT min(fetched_at) FROM answers) AS oldest`,
        );
        const ages = [results.oldestAt, row?.oldest ?? null].filter((at) => at !== null);
        return {
          bytes: row?.bytes ?? 0,
          budgetBytes: await budget(),
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
            .map((record) => ({
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
              busy: sets.busy(record.id),
            }))
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
        if (
          sets.busy(resultId) ||
          (await withLittleRoom(() => sets.remove(({ id }) => id === resultId))) === 0
        )
          throw new ParapetError(
            'conflict',
            'These results are being read or fetched. Wait for that to end, or stop it, and try again.',
            { retryable: true },
          );
        return { freedBytes };
      },
      async 'cache.budget'({ bytes }) {
        await ctx.workspace.write([
          {
            sql: `INSERT INTO kv (key, value, updated_at) VALUES (?, ?, ?)
              ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
            params: [BUDGET_KEY, String(bytes), ctx.ports.now()],
          },
        ]);
        await check();
        const held = await statsOf(sets);
        return { bytes: held.bytes, budgetBytes: bytes };
      },
      async 'cache.wipe'({ connectionId }) {
        const busy = (await sets.list()).some(({ id }) => sets.busy(id));
        if (connectionId !== null) await withLittleRoom(() => wipe(ctx, sets, connectionId));
        else {
          await removeDamaged(ctx.ports.paths.profile);
          // While somebody reads, what is free goes and the rest is told.
          if (busy) await withLittleRoom(() => wipe(ctx, sets, null));
          else await storage.emptyCache();
          ctx.cacheChanged();
        }
        return {};
      },
    },
  };
}

/** Caches that were set aside are caches too. */
async function removeDamaged(profile: string): Promise<void> {
  const names = await readdir(profile).catch(() => []);
  for (const name of names)
    if (/^cache\.sqlite\.(damaged|earlier)-/.test(name))
      await rm(join(profile, name), { recursive: true, force: true });
}
