/** Profiles pinned for offline use: each part is fetched by a job and pinned in the cache. */
import { z } from 'zod';
import { type EndpointName, endpointOf } from '#shared/api/catalogue.ts';
import { type ProfilePage, type ProfileRef, profilePages } from '#shared/api/profile-pages.ts';
import {
  type BridgeError,
  cancelled,
  fromBridgeError,
  ParapetError,
  toBridgeError,
} from '#shared/bridge/errors.ts';
import { type InputOf, type Job, operations } from '#shared/bridge/operations.ts';
import type { JobsService } from '../jobs/jobs.ts';
import type { Context, JobHandle } from '../kernel/context.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { putValue, storedJson } from '../store/kv.ts';
import { KeptIndex } from './kept-index.ts';
import type { ReadThrough } from './read-through.ts';
import type { ResponseCache } from './store.ts';

export interface OfflinePinsDeps {
  ctx: Pick<Context, 'connection' | 'upstream' | 'cache' | 'workspace' | 'ports' | 'generations' | 'publish'>;
  jobs: JobsService;
  readThrough: Pick<ReadThrough, 'once' | 'keyOf'>;
  responseCache: Pick<ResponseCache, 'hold' | 'unpin' | 'pinned' | 'pinnedSince'>;
}

type Page = Omit<ProfilePage, 'request'> & ProfilePage['request'] & { connectionId: string };
type Order = Pick<InputOf<'offline.keep'>, 'connectionId' | 'label'> & { profiles: readonly ProfileRef[] };
const storedOrders = z.array(operations['offline.keep'].input);

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

/** Reasons why nothing more can be stored. */
const DISK_ERRORS: readonly BridgeError['code'][] = ['disk-full', 'read-only-profile', 'damaged'];

function titleOf({ label, profiles }: Order): string {
  const kind = profiles[0]?.kind ?? 'email';
  const mixed = profiles.some((profile) => profile.kind !== kind);
  const noun = mixed ? 'profiles' : (NOUNS[kind][profiles.length === 1 ? 0 : 1] ?? kind);
  return `Save ${profiles.length} ${noun} of “${label}” for offline use`;
}

export class OfflinePins {
  readonly #ctx: OfflinePinsDeps['ctx'];
  readonly #jobs: OfflinePinsDeps['jobs'];
  readonly #readThrough: OfflinePinsDeps['readThrough'];
  readonly #responseCache: OfflinePinsDeps['responseCache'];
  /** By job id. */
  readonly #inProgress = new Map<string, Order>();
  #interrupted: Order[] = [];
  #stopping = false;
  #noted: Promise<unknown> = Promise.resolve();
  readonly #index: KeptIndex;
  readonly handlers: HandlersIn<'offline'>;

  constructor({ ctx, jobs, readThrough, responseCache }: OfflinePinsDeps) {
    this.#ctx = ctx;
    this.#jobs = jobs;
    this.#readThrough = readThrough;
    this.#responseCache = responseCache;
    this.#index = new KeptIndex({
      cache: this.#ctx.cache,
      ticks: this.#ctx.ports.ticks,
      basis: (connectionId) => ({
        version: this.#ctx.ports.version,
        believed: this.#ctx.connection(connectionId).authServers,
      }),
    });
    this.#jobs.revive('keep', { retry: async ({ order = '' }) => this.#start(JSON.parse(order) as Order) });
    this.handlers = {
      'offline.keep': async (order) => {
        if (this.#ctx.upstream.isOffline(order.connectionId))
          throw new ParapetError('offline', 'You are offline: nothing can be fetched and saved.');
        return { jobId: this.#start(order).id };
      },
      'offline.kept': async ({ connectionId, profile }) => {
        const { count, bytes } = await this.#responseCache.pinned(connectionId, MAIN);
        const keys =
          profile === null
            ? []
            : this.#pagesOf(connectionId, profile).map((page) => this.#readThrough.keyOf(page));
        const since = keys.length === 0 ? null : await this.#responseCache.pinnedSince(connectionId, keys);
        return { profiles: count, bytes, since };
      },
      'offline.search': (query, { signal }) => {
        this.#ctx.connection(query.connectionId);
        return this.#index.search(query, signal);
      },
      'offline.release': async ({ connectionId }) => {
        const { count } = await this.#responseCache.pinned(connectionId, MAIN);
        await this.#responseCache.unpin(connectionId);
        this.#ctx.publish({ type: 'pins' });
        return { profiles: count };
      },
    };
  }

  /** Loads the orders that were in progress when Parapet closed. */
  async load(): Promise<void> {
    const row = await this.#ctx.workspace.get<{ value: string }>('SELECT value FROM kv WHERE key = ?', [
      UNDER_WAY,
    ]);
    const read = storedOrders.safeParse(row === undefined ? [] : storedJson(row.value));
    if (!read.success) this.#ctx.ports.log.warn('the offline orders could not be read');
    this.#interrupted = (read.data ?? []).filter(this.#isKnown);
  }

  /** A service is available: resumes its interrupted orders. */
  resume(connectionId: string): void {
    if (this.#ctx.upstream.isOffline(connectionId)) return;
    const orders = this.#interrupted.filter((order) => order.connectionId === connectionId);
    this.#interrupted = this.#interrupted.filter((order) => order.connectionId !== connectionId);
    for (const order of orders) {
      this.#dismissEnded(titleOf(order)).catch(() => undefined);
      this.#start(order);
    }
  }

  /** From now on a job that does not succeed counts as interrupted, to be resumed at the next start. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#noted;
  }

  /** Stores orders in progress, or waiting for their service, so that they survive a restart. */
  #note() {
    const orders = [...this.#interrupted, ...this.#inProgress.values()];
    this.#noted = this.#ctx.workspace
      .write([putValue(UNDER_WAY, JSON.stringify(orders), this.#ctx.ports.now())])
      .catch((error: unknown) =>
        this.#ctx.ports.log.warn('the offline orders could not be stored', { reason: String(error) }),
      );
  }

  #pagesOf(connectionId: string, profile: ProfileRef) {
    return profilePages(profile, this.#ctx.connection(connectionId).product).map(({ endpoint, request }) => ({
      ...request,
      connectionId,
      endpoint,
    }));
  }

  #partsOf(connectionId: string, profile: ProfileRef) {
    return this.#pagesOf(connectionId, profile).map((page) => ({
      endpoint: page.endpoint,
      key: this.#readThrough.keyOf(page),
    }));
  }

  /** Returns whether every part could be fetched and stored. */
  async #fetchProfile(connectionId: string, profile: ProfileRef, signal: AbortSignal): Promise<boolean> {
    const pages = this.#pagesOf(connectionId, profile);
    const release = this.#responseCache.hold(pages.map((page) => this.#readThrough.keyOf(page)));
    try {
      return await this.#fetchPages(connectionId, profile, pages, signal);
    } finally {
      release();
    }
  }

  async #fetchPages(
    connectionId: string,
    profile: ProfileRef,
    pages: readonly Page[],
    signal: AbortSignal,
  ): Promise<boolean> {
    let whole = true;
    const keys: string[] = [];
    /** Of these, the ones whose answer must be there. */
    const stored = new Set<string>();
    const mark = this.#ctx.generations.mark(connectionId);
    try {
      for (const page of pages) {
        if (this.#ctx.upstream.isOffline(connectionId))
          throw new ParapetError('offline', 'The service does not answer; what was saved so far stays.', {
            retryable: true,
          });
        const { error, notStored } = await this.#readThrough.once(page, signal).catch((reason: unknown) => {
          if (signal.aborted) throw cancelled();
          return { error: toBridgeError(reason), notStored: null };
        });
        if (notStored !== null && DISK_ERRORS.includes(notStored.code)) throw fromBridgeError(notStored);
        // Every further part would be refused, too, and repeated refusals can lock an account.
        if (error?.code === 'unauthorized') throw fromBridgeError(error);
        // A part that the role may not see does not make the profile incomplete, unless it is the profile itself.
        if (error !== null && (error.code !== 'forbidden' || MAIN.includes(page.endpoint))) whole = false;
        else if (endpointOf(page.endpoint).cache.mode === 'fresh') {
          const key = this.#readThrough.keyOf(page);
          keys.push(key);
          if (error === null) stored.add(key);
        }
      }
    } finally {
      if (this.#ctx.generations.mayKeep(mark)) {
        const parts = this.#partsOf(connectionId, profile);
        if ((await this.#index.keep(connectionId, profile, parts, keys)) < stored.size) whole = false;
        // Profiles that cannot be indexed now are indexed by the next search, which reports them.
        await this.#index
          .index(connectionId, profile)
          .catch((error: unknown) =>
            this.#ctx.ports.log.warn('a kept profile was not indexed', { reason: toBridgeError(error).code }),
          );
      }
    }
    if (!this.#ctx.generations.mayKeep(mark))
      throw new ParapetError(
        'conflict',
        'The cache was cleared in the meantime, so nothing is saved. Try again.',
        {
          retryable: true,
        },
      );
    return whole;
  }

  async #run(order: Order, job: JobHandle) {
    const { connectionId, profiles } = order;
    const queue = [...profiles];
    let count = 0;
    let incomplete = 0;
    const work = async () => {
      for (let profile = queue.shift(); profile !== undefined; profile = queue.shift()) {
        await job.ready();
        if (!(await this.#fetchProfile(connectionId, profile, job.signal))) incomplete += 1;
        count += 1;
        job.update({ done: count, note: incomplete > 0 ? `${incomplete} not whole` : null });
      }
    };
    const stopAll = (reason: unknown) => {
      queue.length = 0;
      throw reason;
    };
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => work().catch(stopAll)));
    const failed = ended.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    const outcome = { kept: count, incomplete };
    if (incomplete > 0)
      job.partial(
        `${incomplete} of ${count} are incomplete: a part could not be fetched or stored.`,
        outcome,
      );
    else job.done(outcome);
  }

  #start(order: Order): Job {
    this.#ctx.connection(order.connectionId);
    const job = this.#jobs.create({
      kind: 'keep',
      title: titleOf(order),
      connectionId: order.connectionId,
      total: order.profiles.length,
      unit: 'items',
      canPause: true,
      memo: { order: JSON.stringify(order) },
      // Parts fetched recently are in the cache, so a retry continues where it ended.
      retry: async () => this.#start(order),
    });
    this.#inProgress.set(job.id, order);
    this.#note();
    this.#run(order, job)
      .catch((reason: unknown) => job.fail(reason))
      .finally(() => {
        const { state } = job.current();
        // What the stop cut off is resumed at the next start; what ended in spite of it is not.
        if (this.#stopping && (state === 'cancelled' || state === 'failed')) return;
        this.#inProgress.delete(job.id);
        this.#note();
      });
    return job.current();
  }

  readonly #isKnown = ({ connectionId }: Order): boolean => {
    try {
      return this.#ctx.connection(connectionId) !== undefined;
    } catch {
      return false;
    }
  };

  /** Removes the job that Parapet's shutdown ended, since a new one resumes its order. */
  async #dismissEnded(title: string) {
    for (const { id, kind, state, title: of } of this.#jobs.list())
      if (kind === 'keep' && of === title && (state === 'cancelled' || state === 'failed'))
        await this.#jobs.control(id, 'dismiss');
  }
}
