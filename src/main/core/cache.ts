/** What the cache holds, how much it may, and emptying it. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { evict, statsOf, wipe } from '../results/cache.ts';
import type { ResultSets } from '../results/sets.ts';
import { ANSWERS_BUDGET, type Answers } from './answers.ts';
import type { Context } from './context.ts';
import type { HandlersOf } from './handlers.ts';

/** Bytes on disk that the cache may take; what was used longest ago gives way. */
export const CACHE_BUDGET = 2 * 1024 * 1024 * 1024;
const CHECK_MS = 2_000;

export interface CacheService {
  handlers: HandlersOf<'cache.stats' | 'cache.wipe'>;
  /** Looks at the budget soon. */
  changed(): void;
}

export function createCacheHandlers(ctx: Context, sets: ResultSets, answers: Answers): CacheService {
  let waiting = false;

  const check = async () => {
    waiting = false;
    const { bytes } = await statsOf(sets);
    const over = bytes - (CACHE_BUDGET - ANSWERS_BUDGET);
    if (over > 0) await evict(sets, over);
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
          budgetBytes: CACHE_BUDGET,
          resultSets: results.count,
          answers: row?.answers ?? 0,
          oldestAt: ages.length === 0 ? null : Math.min(...ages),
        };
      },
      async 'cache.wipe'({ connectionId }) {
        await wipe(ctx, sets, connectionId);
        if (connectionId === null) await removeDamaged(ctx.ports.paths.profile);
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
