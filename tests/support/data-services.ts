/** Results, exports and jobs over real databases and a real HTTP service, without the rest of the core. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createDataServices, type DataServices } from '#main/app-services.ts';
import { JobsService } from '#main/jobs/jobs.ts';
import type { Context, Upstream } from '#main/kernel/context.ts';
import { createGenerations } from '#main/kernel/generations.ts';
import { NO_POLICY } from '#main/kernel/policy.ts';
import type { ChosenPath } from '#main/kernel/ports.ts';
import { createPool } from '#main/store/pool.ts';
import { createSlot } from '#main/store/slot.ts';
import type { ResultStore } from '#main/store/tasks.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { AppEvent, Connection, Job, ParsedInputOf } from '#shared/bridge/operations.ts';
import { THREADS } from './threads.ts';

export const CONNECTION = 'c-1';
const KEY = 'a1'.repeat(32);

/** Hooks between the services and their dependencies. */
export interface Around {
  cache?: (cache: ResultStore) => ResultStore;
  upstream?: (upstream: Upstream) => Upstream;
  /** A clock in epoch ms that only the test advances. */
  now?: () => number;
}

type ExportRequest = ParsedInputOf<'exports.start'>;
type ExportChange = Partial<ExportRequest> & Pick<ExportRequest, 'columns'>;

export interface DataHarness extends DataServices {
  ctx: Context;
  jobs: JobsService;
  events: AppEvent[];
  /** Advances time. */
  skip(ms: number): void;
  /** Sets the clock forward or back without advancing timers. */
  setClock(ms: number): void;
  setOffline(offline: boolean): void;
  /** Replaces the cache with an empty one, as after damage; calls wait for `until` meanwhile. */
  replaceCache(until?: Promise<void>): Promise<void>;
  grant(path: string): string;
  /** Starts an export to this path: CSV in UTC, unless changed. */
  export(resultId: string, path: string, change: ExportChange): Promise<Job>;
  close(): Promise<void>;
}

const CODES: Record<number, 'bad-request' | 'not-found' | 'server-error' | 'rate-limited'> = {
  400: 'bad-request',
  404: 'not-found',
  410: 'bad-request',
  429: 'rate-limited',
  500: 'server-error',
};

const retryAfterOf = (response: Response): { retryAfterMs?: number } => {
  const seconds = response.headers.get('retry-after');
  return seconds === null ? {} : { retryAfterMs: Number(seconds) * 1000 };
};

function upstreamTo(url: string, token: string | null, isOffline: () => boolean): Upstream {
  const post = async (path: string, body: unknown, signal?: AbortSignal): Promise<Uint8Array> => {
    if (isOffline()) throw new ParapetError('offline', 'Parapet is offline.');
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      ...(token === null
        ? {}
        : { headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      throw signal?.aborted
        ? new ParapetError('cancelled', 'Cancelled.')
        : new ParapetError('unreachable', 'The service does not answer.', { cause: error });
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (!response.ok)
      throw new ParapetError(
        CODES[response.status] ?? 'server-error',
        `The service answered ${response.status}.`,
        {
          data: { status: response.status, ...retryAfterOf(response) },
        },
      );
    return bytes;
  };
  return {
    send: () => Promise.reject(new ParapetError('not-implemented', 'Not here.')),
    blob: (_, __, request, options) => post('/query/execute', request.body, options?.signal),
    upload: () => Promise.reject(new ParapetError('not-implemented', 'Not here.')),
    isOffline,
  };
}

const connection: Connection = {
  id: CONNECTION,
  name: 'Test tenant',
  kind: 'tenant',
  url: null,
  authorityPem: null,
  authServers: [],
  flags: {},
  product: 'parapet',
  timezone: null,
  hasCredential: true,
  sourceLabel: null,
  createdAt: 0,
};

/** Opens or reopens the services of a profile folder against a service. */
export async function openData(
  profile: string,
  url: string,
  key: string | null = KEY,
  token: string | null = null,
  threads: Pick<typeof THREADS, 'store' | 'exports'> = THREADS,
  around: Around = {},
): Promise<DataHarness> {
  mkdirSync(profile, { recursive: true });
  const now = Date.now();
  const pool = (kind: 'cache' | 'workspace') =>
    createPool({ entry: threads.store, kind, path: join(profile, `${kind}.sqlite`), key, now });
  const slot = createSlot();
  const [, workspace] = await Promise.all([slot.replace(() => pool('cache')), pool('workspace')]);
  const cache = around.cache?.(slot) ?? slot;
  const listeners: (() => void)[] = [];
  let ahead = 0;
  let set = 0;
  let offline = false;
  const events: AppEvent[] = [];
  const grants = new Map<string, ChosenPath>();
  const base = {
    ports: {
      host: 'browser' as const,
      version: '0.0.0-test',
      paths: { profile, resources: profile },
      workers: { ...THREADS, ...threads, embedded: threads.store },
      now: around.now ?? (() => Date.now() + ahead + set),
      ticks: () => performance.now() + ahead,
      log: { info: () => undefined, warn: () => undefined },
      policy: NO_POLICY,
    } as unknown as Context['ports'],
    cache,
    workspace,
    publish: (event: AppEvent) => void events.push(event),
  };
  const jobs = new JobsService(base);
  const toService = upstreamTo(url, token, () => offline);
  const ctx = {
    ...base,
    jobs,
    generations: createGenerations(() => 0),
    run: randomUUID(),
    upstream: around.upstream?.(toService) ?? toService,
    grants: {
      issue: () => ({ grantId: '', name: '' }),
      redeem(id: string) {
        const chosen = grants.get(id);
        if (chosen === undefined) throw new ParapetError('not-allowed', 'Unknown grant.');
        grants.delete(id);
        return chosen;
      },
    },
    connection: () => connection,
    cacheChanged: () => undefined,
    coverage: () => ({ version: 0, lack: null }),
    onStorage: (listener: () => void) => void listeners.push(listener),
  } as unknown as Context;
  const data = createDataServices(ctx, jobs, { backoffMs: 5, capMs: 50 });
  await data.restoreJobs();
  data.sets.wake(null);
  const grant = (path: string) => {
    const id = `g-${grants.size + Math.random()}`;
    grants.set(id, { path, name: path.split('/').at(-1)! });
    return id;
  };
  return {
    ...data,
    ctx,
    jobs,
    events,
    skip: (ms) => {
      ahead += ms;
    },
    setClock: (ms) => {
      set += ms;
    },
    setOffline: (value) => {
      offline = value;
    },
    async replaceCache(until) {
      await slot.replace(async () => {
        await until;
        for (const suffix of ['', '-wal', '-shm'])
          rmSync(join(profile, `cache.sqlite${suffix}`), { force: true });
        return pool('cache');
      });
      for (const listener of listeners) listener();
    },
    grant,
    export: (resultId, path, change) =>
      data.handlers['exports.start'](
        { resultId, grantId: grant(path), format: 'csv', raw: false, bom: false, zone: 'UTC', ...change },
        { signal: new AbortController().signal },
      ),
    async close() {
      await data.stop();
      await Promise.all([slot.close(), workspace.close()]);
    },
  };
}
