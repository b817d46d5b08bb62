/** Profiles pinned for offline use: each part is fetched by a job and pinned in the cache. */
import { type EndpointName, endpointOf } from '#shared/api/catalogue.ts';
import { type ProfileRef, profilePages } from '#shared/api/profile-pages.ts';
import { cancelled, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Job } from '#shared/bridge/operations.ts';
import type { JobsService } from '../jobs/jobs.ts';
import type { Context, JobHandle } from '../kernel/context.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { putValue } from '../store/kv.ts';
import { createKeptIndex } from './kept-index.ts';
import type { ReadThrough } from './read-through.ts';
import type { ResponseCache } from './store.ts';

export interface OfflinePins {
  handlers: HandlersIn<'offline'>;
  /** Loads the orders that were in progress when Parapet closed. */
  load(): Promise<void>;
  /** A service is available: resumes its interrupted orders. */
  resume(connectionId: string): void;
  /** From now on an ended job counts as interrupted, to be resumed at the next start. */
  stop(): Promise<void>;
}

export interface OfflinePinsDeps {
  ctx: Pick<Context, 'connection' | 'upstream' | 'cache' | 'workspace' | 'ports' | 'generations'>;
  jobs: JobsService;
  readThrough: Pick<ReadThrough, 'once' | 'keyOf'>;
  responseCache: Pick<ResponseCache, 'pin' | 'unpin' | 'pinned' | 'pinnedSince'>;
}

interface Order {
  connectionId: string;
  label: string;
  profiles: readonly ProfileRef[];
}

/** Profiles fetched concurrently; kept low so that what is on screen comes first. */
const AT_ONCE = 2;
/** The part that every profile has, by which pinned profiles are counted. */
const MAIN: readonly EndpointName[] = ['email.profile', 'file.profile', 'entity.get'];
const NOUNS = {
  email: ['email', 'emails'],
  file: ['file', 'files'],
  message: ['message', 'messages'],
  user: ['user', 'users'],
  group: ['group', 'groups'],
};

const UNDER_WAY = 'core:keep';

function titleOf({ label, profiles }: Order): string {
  const kind = profiles[0]?.kind ?? 'email';
  const mixed = profiles.some((one) => one.kind !== kind);
  const noun = mixed ? 'profiles' : (NOUNS[kind][profiles.length === 1 ? 0 : 1] ?? kind);
  return `Save ${profiles.length} ${noun} of “${label}” for offline use`;
}

export function createOfflinePins({ ctx, jobs, readThrough, responseCache }: OfflinePinsDeps): OfflinePins {
  /** By job id. */
  const inProgress = new Map<string, Order>();
  let interrupted: Order[] = [];
  let stopping = false;
  let noted: Promise<unknown> = Promise.resolve();

  /** Stores orders in progress, or waiting for their service, so that they survive a restart. */
  const note = () => {
    const orders = [...interrupted, ...inProgress.values()];
    noted = ctx.workspace
      .write([putValue(UNDER_WAY, JSON.stringify(orders), ctx.ports.now())])
      .catch((error: unknown) =>
        ctx.ports.log.warn('the offline orders could not be stored', { reason: String(error) }),
      );
  };

  const pagesOf = (connectionId: string, profile: ProfileRef) =>
    profilePages(profile, ctx.connection(connectionId).product).map(({ endpoint, request }) => ({
      ...request,
      connectionId,
      endpoint,
    }));
  const partsOf = (connectionId: string, profile: ProfileRef) =>
    pagesOf(connectionId, profile).map((page) => ({
      endpoint: page.endpoint,
      key: readThrough.keyOf(page),
    }));
  const index = createKeptIndex({ cache: ctx.cache, partsOf, now: ctx.ports.now });

  /** Returns whether every part could be fetched. */
  const fetchProfile = async (
    connectionId: string,
    profile: ProfileRef,
    signal: AbortSignal,
  ): Promise<boolean> => {
    let whole = true;
    const keys: string[] = [];
    const mark = ctx.generations.mark(connectionId);
    try {
      for (const asked of pagesOf(connectionId, profile)) {
        if (ctx.upstream.isOffline(connectionId))
          throw new ParapetError('offline', 'The service does not answer; what was saved so far stays.', {
            retryable: true,
          });
        const { error } = await readThrough.once(asked, signal).catch((reason: unknown) => {
          if (signal.aborted) throw cancelled();
          return { error: toBridgeError(reason) };
        });
        // A part that the role may not see does not make the profile incomplete.
        if (error !== null && error.code !== 'forbidden') whole = false;
        else if (endpointOf(asked.endpoint).cache.mode === 'fresh') keys.push(readThrough.keyOf(asked));
      }
    } finally {
      if (ctx.generations.mayKeep(mark)) {
        await responseCache.pin(connectionId, keys);
        // Profiles that cannot be indexed now are indexed by the next search, which reports them.
        await index
          .keep(connectionId, profile, partsOf(connectionId, profile))
          .catch((error: unknown) =>
            ctx.ports.log.warn('a kept profile was not indexed', { reason: toBridgeError(error).code }),
          );
      }
    }
    if (!ctx.generations.mayKeep(mark))
      throw new ParapetError(
        'conflict',
        'The cache was cleared in the meantime, so nothing is saved. Try again.',
        {
          retryable: true,
        },
      );
    return whole;
  };

  const run = async (order: Order, job: JobHandle) => {
    const { connectionId, profiles } = order;
    const left = [...profiles];
    let done = 0;
    let incomplete = 0;
    const work = async () => {
      for (let profile = left.shift(); profile !== undefined; profile = left.shift()) {
        await job.ready();
        if (!(await fetchProfile(connectionId, profile, job.signal))) incomplete += 1;
        done += 1;
        job.update({ done, note: incomplete > 0 ? `${incomplete} not whole` : null });
      }
    };
    const stopAll = (reason: unknown) => {
      left.length = 0;
      throw reason;
    };
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => work().catch(stopAll)));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    const outcome = { kept: done, incomplete };
    if (incomplete > 0)
      job.partial(`${incomplete} of ${done} are incomplete: a part could not be fetched.`, outcome);
    else job.done(outcome);
  };

  const start = (order: Order): Job => {
    ctx.connection(order.connectionId);
    const job = jobs.create({
      kind: 'keep',
      title: titleOf(order),
      connectionId: order.connectionId,
      total: order.profiles.length,
      unit: 'items',
      canPause: true,
      memo: { order: JSON.stringify(order) },
      // Parts fetched recently are in the cache, so a retry continues where it ended.
      retry: async () => start(order),
    });
    inProgress.set(job.id, order);
    note();
    run(order, job)
      .catch((reason: unknown) => job.fail(reason))
      .finally(() => {
        if (stopping) return;
        inProgress.delete(job.id);
        note();
      });
    return job.current();
  };

  jobs.revive('keep', { retry: async ({ order = '' }) => start(JSON.parse(order) as Order) });

  const known = ({ connectionId }: Order): boolean => {
    try {
      return ctx.connection(connectionId) !== undefined;
    } catch {
      return false;
    }
  };

  /** Removes the job that Parapet's shutdown ended, since a new one resumes its order. */
  const dismissEnded = async (title: string) => {
    for (const { id, kind, state, title: of } of jobs.list())
      if (kind === 'keep' && of === title && (state === 'cancelled' || state === 'failed'))
        await jobs.control(id, 'dismiss');
  };

  const handlers: OfflinePins['handlers'] = {
    'offline.keep': async (order) => {
      if (ctx.upstream.isOffline(order.connectionId))
        throw new ParapetError('offline', 'You are offline: nothing can be fetched and saved.');
      return { jobId: start(order).id };
    },
    async 'offline.kept'({ connectionId, profile }) {
      const { count, bytes } = await responseCache.pinned(connectionId, MAIN);
      const keys = profile === null ? [] : pagesOf(connectionId, profile).map(readThrough.keyOf);
      const since = keys.length === 0 ? null : await responseCache.pinnedSince(connectionId, keys);
      return { profiles: count, bytes, since };
    },
    'offline.search': (asked, { signal }) => {
      ctx.connection(asked.connectionId);
      return index.search(asked, signal);
    },
    async 'offline.release'({ connectionId }) {
      const { count } = await responseCache.pinned(connectionId, MAIN);
      await responseCache.unpin(connectionId);
      return { profiles: count };
    },
  };

  return {
    handlers,
    async load() {
      const row = await ctx.workspace.get<{ value: string }>('SELECT value FROM kv WHERE key = ?', [
        UNDER_WAY,
      ]);
      const orders = row === undefined ? [] : (JSON.parse(row.value) as Order[]);
      interrupted = orders.filter(known);
    },
    resume(connectionId) {
      if (ctx.upstream.isOffline(connectionId)) return;
      const orders = interrupted.filter((order) => order.connectionId === connectionId);
      interrupted = interrupted.filter((order) => order.connectionId !== connectionId);
      for (const order of orders) {
        dismissEnded(titleOf(order)).catch(() => undefined);
        start(order);
      }
    },
    async stop() {
      stopping = true;
      await noted;
    },
  };
}
