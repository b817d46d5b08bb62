/** Assembles the core. It is independent of Electron, windows and sockets: a host gives it ports and wires. */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { endpointNames, endpointOf } from '#shared/api/catalogue.ts';
import type { Tag } from '#shared/api/endpoint.ts';
import type { Wire } from '#shared/bridge/frames.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import { internalError, Notices, startNotices } from './app-notices.ts';
import { createProfileOpening, openAtStart, readOfflineChoice, readWorkspace } from './app-profile.ts';
import { createDataServices } from './app-services.ts';
import { type ConnectTarget, createActivation } from './connections/activation.ts';
import { createConnections } from './connections/handlers.ts';
import { createConnectionHealth, type HealthTuning } from './connections/health.ts';
import { createConnectionRepository } from './connections/repository.ts';
import type { SealCost } from './connections/sealed-file.ts';
import { createSecrets } from './connections/secrets.ts';
import { targetOf } from './connections/target.ts';
import { Embedded } from './embedded/manager.ts';
import { removeLeftParts } from './files/part.ts';
import { clearPart } from './files/whole-file.ts';
import { type Arrival, Arrivals } from './host-ui/arrivals.ts';
import { readBranding } from './host-ui/branding.ts';
import { createDiagnosticsHandlers } from './host-ui/diagnostics.ts';
import { createFilesHandlers } from './host-ui/files.ts';
import { createDeskHandlers } from './host-ui/handlers.ts';
import { offerOf } from './host-ui/offers.ts';
import { createRemoteHandlers } from './host-ui/remote-images.ts';
import { createIndicatorHandlers } from './indicators/handlers.ts';
import { createJobs } from './jobs/jobs.ts';
import type { Context } from './kernel/context.ts';
import { createEvents } from './kernel/events.ts';
import { createGenerations } from './kernel/generations.ts';
import { createGrants } from './kernel/grants.ts';
import type { Handlers } from './kernel/handlers.ts';
import type { Ports } from './kernel/ports.ts';
import { attachRouter } from './kernel/router.ts';
import { createMatchedFileHandlers } from './matched-file/handlers.ts';
import { createProofHandlers } from './proof/handlers.ts';
import { createCacheHandlers } from './response-cache/handlers.ts';
import { createOfflinePins } from './response-cache/offline-pins.ts';
import { createReadThrough } from './response-cache/read-through.ts';
import { createResponseCache, type ResponseCache } from './response-cache/store.ts';
import { wipe } from './results/cache.ts';
import { putValue } from './store/kv.ts';
import type { ResultStore } from './store/tasks.ts';
import { Updates } from './updates/updates.ts';
import type { Limits } from './upstream/client.ts';
import { createUpstream } from './upstream/upstream.ts';
import { createWorkspaceHandlers } from './workspace/handlers.ts';
import { createJournal } from './workspace/journal.ts';
import { isWritable, ProfileStorage, type StorageTuning } from './workspace/storage.ts';

export interface App {
  /** Serves the operations of a wire until it closes or is detached. */
  attach(wire: Wire): () => void;
  /** Rejects path-missing, permission-denied, invalid-input; Parapet keeps running. */
  connect(target: ConnectTarget): Promise<void>;
  /** Sends a menu command to every renderer. */
  command(command: string): void;
  /** Asks the analyst what to do with a file or folder that was dropped, or opened with Parapet. Reads nothing of it. */
  offer(path: string): Promise<void>;
  /** Keeps what was opened with Parapet until a window asks for it. */
  arrived(arrivals: readonly Arrival[]): void;
  /** Call when the machine wakes from sleep: checks connections and continues waiting jobs at once. */
  resumed(): void;
  /** Reports an uncaught error as a notice and in the journal. Never throws. */
  fault(reason: string): void;
  stop(): Promise<void>;
}

/** For tests: shorter waits, smaller limits, output validation. */
export interface Tuning {
  limits?: Partial<Limits>;
  states?: HealthTuning;
  answersBudget?: number;
  storage?: StorageTuning;
  checkOutputs?: boolean;
  /** Key derivation cost of passphrases chosen in this run; SEAL_COST by default. */
  sealCost?: SealCost | undefined;
  /** Wraps a database, to inject failures. */
  database?: (database: ResultStore, kind: 'cache' | 'workspace') => ResultStore;
}

const ALL_TAGS: readonly Tag[] = [...new Set(endpointNames.flatMap((name) => endpointOf(name).provides))];

/** Rejects ParapetError `newer-schema`, changing nothing, for a profile written by a newer Parapet. */
export async function createApp(ports: Ports, tuning: Tuning = {}): Promise<App> {
  const { profile } = ports.paths;
  const storageListeners = new Set<() => void>();
  const detachers = new Set<() => void>();
  let attached = false;
  let stopped: Promise<void> | null = null;

  const events = createEvents();
  const { publish } = events;
  const notices = new Notices(() => publish({ type: 'info' }));
  const storageChanged = () => {
    generations.cleared(null);
    for (const listener of storageListeners) listener();
  };

  const readOnly = !isWritable(profile);
  for (const notice of startNotices(profile, readOnly, ports.policy.managed?.problem ?? null))
    notices.add(notice);
  const branding = await readBranding(ports.paths.resources);
  if (!readOnly)
    await removeLeftParts(profile, clearPart).catch((error: unknown) =>
      ports.log.warn('files left unfinished by an earlier run could not be removed', {
        reason: String(error),
      }),
    );
  const secrets = await createSecrets({
    keychain: ports.keychain,
    profile,
    readOnly,
    sealCost: tuning.sealCost,
  });
  const storage = new ProfileStorage(ports, readOnly, notices.add, storageChanged, tuning.storage);
  const faulty = tuning.database ?? ((database: ResultStore) => database);
  const cache = faulty(storage.cache, 'cache');
  const workspace = faulty(storage.workspace, 'workspace');
  const records = createConnectionRepository(workspace);
  const generations = createGenerations(
    (id) => records.find((record) => record.id === id)?.generation ?? null,
  );
  const run = randomUUID();
  const journal = createJournal(workspace, ports, run);
  try {
    await openAtStart(secrets, storage);
    await readWorkspace({ records, journal, notices, log: ports.log });
  } catch (error) {
    await storage.close();
    throw error;
  }

  const health = createConnectionHealth({
    now: ports.now,
    ask: (id) => upstream.ask(id),
    changed: (id) => {
      if (records.active()?.id === id) activation.publishState();
      offlinePins.resume(id);
      data.sets.wake(id);
    },
    ...(tuning.states === undefined ? {} : { tuning: tuning.states }),
  });
  const stored = createResponseCache(cache, ports.now, tuning.answersBudget);
  const responseCache: ResponseCache = {
    ...stored,
    async store(answer) {
      await storage.room();
      await stored.store(answer);
    },
  };
  /** Marks cached answers with these tags stale; with `tell`, whoever shows one is notified and asks again. */
  const invalidate = async (connectionId: string, tags: readonly Tag[], notify = true) => {
    readThrough.markStale(connectionId, tags);
    if (tags.includes('results')) data.sets.markStale(connectionId);
    try {
      await responseCache.invalidate(connectionId, tags);
    } finally {
      if (notify && tags.length > 0) publish({ type: 'invalidated', connectionId, tags: [...tags] });
    }
  };
  const quietly = (what: string, work: Promise<unknown>) =>
    void work.catch((error: unknown) => ports.log.warn(what, { reason: String(error) }));

  const jobs = createJobs({ ports, workspace, publish });
  const embedded = new Embedded({
    entry: ports.workers.embedded,
    jobs: () => jobs,
    sealedDirectory: () => storage.directory(),
    clearDirectory: () => (readOnly ? storage.directory() : profile),
    databaseKey: secrets.databaseKey,
    isLocked: secrets.waits,
    changed: (id) => quietly('answers could not be marked stale', invalidate(id, ALL_TAGS)),
    evidence: (connectionId, state) => {
      publish({ type: 'evidence', connectionId, state });
      if (state.phase === 'read') data.sets.recheck(connectionId);
    },
    died: (id, error) => health.failed(id, error),
  });
  const upstream = createUpstream({
    parsing: ports.workers.parsing,
    target: (id) => targetOf({ records, embedded, secrets, policy: ports.policy }, id),
    isOffline: (id) => health.isOffline(id),
    isOfflineByChoice: () => health.byChoice(),
    succeeded: (id, latencyMs) => health.succeeded(id, latencyMs),
    failed: (id, error) => health.failed(id, error),
    generations,
    // An action is a single journal entry, written before its first request, however many requests it takes.
    recordIntent: async (id, endpoint, request) =>
      data.actions.ownsRequest(request) ? async () => {} : journal.recordIntent(id, endpoint, request),
    // A bulk request of thousands of exceptions notifies once, at its end.
    changed: (id, endpoint, request) =>
      invalidate(
        id,
        endpointOf(endpoint).invalidates,
        endpoint !== 'exceptions.create-external' || !data.actions.ownsRequest(request),
      ).catch((error: unknown) =>
        ports.log.warn('answers could not be marked stale', { reason: String(error) }),
      ),
    ...(tuning.limits === undefined ? {} : { limits: tuning.limits }),
  });
  const readThrough = createReadThrough({
    responseCache,
    upstream,
    generations,
    removeLeftovers: (id) => connections.removeLeftovers(id),
    connection: (id) => records.get(id),
    now: ports.now,
    probe: (id) => health.probe(id),
    warn: (message, reason) => ports.log.warn(message, { reason }),
  });
  const activation = createActivation({
    records,
    states: health,
    upstream,
    publish,
    now: ports.now,
    log: ports.log,
    product: branding.product,
    isLocked: secrets.waits,
  });

  const grants = createGrants();
  const arrivals = new Arrivals({ publish, ticks: ports.ticks, offer: (path) => offerOf(path, grants) });
  const ctx: Context = {
    ports,
    cache,
    workspace,
    upstream,
    grants,
    jobs,
    generations,
    run,
    connection: (id) => records.get(id),
    branding(id) {
      const { product, whiteLabel } = records.get(id);
      return { product, name: whiteLabel?.trim() || branding.serviceName };
    },
    coverage: (id) =>
      records.find((record) => record.id === id)?.source?.kind === 'evidence'
        ? embedded.coverage(id)
        : { version: 0, lack: null },
    publish,
    cacheChanged: () => cacheHandlers.changed(),
    onStorage: (listener) => void storageListeners.add(listener),
  };
  // Before the jobs of earlier runs are restored, since some of them are its own.
  const offlinePins = createOfflinePins({ ctx, jobs, readThrough, responseCache });
  await offlinePins.load();
  const data = await createDataServices(ctx, jobs);
  const indicators = createIndicatorHandlers({
    ctx,
    sets: data.sets,
    reading: readThrough,
    rows: data.handlers['results.rows'],
  });
  const cacheHandlers = createCacheHandlers(ctx, data.sets, responseCache, storage);

  await readOfflineChoice(workspace, health);
  data.sets.wake(null);

  /** Jobs that would go on reading or sending while the connection is changed. */
  const inUse = (id: string): string | null => {
    const running = jobs
      .list()
      .find(
        ({ connectionId, kind, state }) =>
          connectionId === id &&
          ['queued', 'running', 'paused'].includes(state) &&
          kind !== 'fetch' &&
          kind !== 'evidence-import',
      );
    if (running !== undefined) return `“${running.title}” is still using this connection.`;
    if (upstream.isSending(id)) return 'A change is being sent to the service of this connection.';
    return data.sets.inUse(id) ? 'Results of this connection are being read.' : null;
  };
  const connections = createConnections({
    records,
    health,
    secrets,
    embedded,
    upstream,
    activation,
    grants,
    generations,
    log: ports.log,
    policy: ports.policy,
    product: branding.product,
    publish,
    now: ports.now,
    inUse,
    wipe: (id) => wipe(ctx, data.sets, id),
    replaced: (connectionId) => publish({ type: 'replaced', connectionId }),
    async keepOffline(offline) {
      await workspace.write([putValue('core:offline', String(offline), ports.now())]);
    },
  });
  await connections.sweep();
  await connections.manage();
  const updates = new Updates({
    ports,
    workspace,
    publish,
    isOffline: () => health.byChoice(),
  });
  await updates.load();
  updates.start();

  const info = (): AppInfo => ({
    version: ports.version,
    host: ports.host,
    platform: process.platform,
    profileName: basename(profile),
    readOnly,
    secrets: secrets.state(),
    notices: notices.list(),
    managed: ports.policy.managed,
    branding: { productName: branding.productName, serviceName: branding.serviceName },
  });

  const profileOpening = createProfileOpening(
    {
      records,
      journal,
      notices,
      log: ports.log,
      secrets,
      storage,
      workspace,
      health,
      embedded,
      responseCache,
      updates,
      offlinePins,
      connections,
      activation,
      storageChanged,
      publish,
    },
    info,
  );

  const handlers: Handlers = {
    ...events.handlers,
    ...readThrough.handlers,
    ...createWorkspaceHandlers(ctx),
    ...createDeskHandlers(ctx),
    ...arrivals.handlers,
    ...createRemoteHandlers(ctx),
    ...createMatchedFileHandlers(ctx),
    ...createFilesHandlers(ctx),
    ...createDiagnosticsHandlers({
      ctx,
      info,
      connections: () => records.list(),
      state: () => activation.state(),
      jobs: () => jobs.list(),
    }),
    ...createProofHandlers(ctx),
    ...offlinePins.handlers,
    ...data.handlers,
    ...indicators,
    ...cacheHandlers.handlers,
    ...connections.handlers,
    ...updates.handlers,
    ...profileOpening.handlers,
    'app.info': async () => info(),
    'app.ping': async () => ({}),
  };

  const stop = async () => {
    for (const detach of detachers) detach();
    health.stop();
    updates.stop();
    await profileOpening.settled();
    await offlinePins.stop();
    await data.stop();
    await embedded.stopAll('for-good');
    await upstream.stop();
    await responseCache.flush().catch(() => {});
    await journal.flush().catch(() => {});
    await storage.close(secrets.lasting());
  };

  return {
    attach(wire) {
      const detach = attachRouter(wire, handlers, {
        log: ports.log,
        ...(tuning.checkOutputs === undefined ? {} : { checkOutputs: tuning.checkOutputs }),
      });
      const left = () => {
        detachers.delete(detach);
        if (stopped === null) storage.rest(detachers.size === 0);
      };
      detachers.add(detach);
      storage.rest(false);
      wire.onClose(left);
      // Not before a renderer is attached: a host may ask for another connection right after the start.
      if (!attached) quietly('the last connection could not be opened', activation.resume());
      attached = true;
      return () => {
        detach();
        left();
      };
    },
    connect: (asked) => activation.connect(asked),
    command: (command) => publish({ type: 'command', command }),
    offer: async (path) => publish({ type: 'offered', offer: await offerOf(path, grants) }),
    arrived: (arrived) => arrivals.add(arrived),
    resumed() {
      health.resumed();
      data.sets.resumed();
    },
    fault(reason) {
      const notice = internalError(reason);
      notices.add(notice);
      quietly('an error could not be recorded in the journal', journal.recordFault(notice.message));
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
