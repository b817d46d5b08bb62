/** Assembles the core. It is independent of Electron, windows and sockets: a host gives it ports and wires. */
import { basename } from 'node:path';
import { endpointNames, endpointOf } from '#shared/api/catalogue.ts';
import type { Tag } from '#shared/api/endpoint.ts';
import type { Wire } from '#shared/bridge/frames.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import { internalError, unwatchedEvidence } from './app-notices.ts';
import {
  createProfileOpening,
  type OpenedProfile,
  openProfile,
  type ProfileOpening,
  type ProfileTuning,
  readOfflineChoice,
} from './app-profile.ts';
import { createDataServices, type DataServices } from './app-services.ts';
import { Activation, type ConnectTarget } from './connections/activation.ts';
import { type ConnectionsService, createConnections } from './connections/handlers.ts';
import { ConnectionHealth, type HealthTuning } from './connections/health.ts';
import { targetOf } from './connections/target.ts';
import { Embedded } from './embedded/manager.ts';
import { type Branding, readBranding } from './host-ui/branding.ts';
import { createDiagnosticsHandlers } from './host-ui/diagnostics.ts';
import { offerOf } from './host-ui/dropped-files.ts';
import { createFilesHandlers } from './host-ui/files.ts';
import { createDeskHandlers } from './host-ui/handlers.ts';
import { type Arrival, Arrivals } from './host-ui/open-requests.ts';
import { createRemoteHandlers } from './host-ui/remote-images.ts';
import { createIndicatorHandlers } from './indicators/handlers.ts';
import { JobsService } from './jobs/jobs.ts';
import type { Context } from './kernel/context.ts';
import { createEvents, type Events } from './kernel/events.ts';
import { createGrants } from './kernel/grants.ts';
import type { Handlers } from './kernel/handlers.ts';
import type { Ports } from './kernel/ports.ts';
import { attachRouter } from './kernel/router.ts';
import { createMatchedFileHandlers } from './matched-file/handlers.ts';
import { createProofHandlers } from './proof/handlers.ts';
import { type CacheService, createCacheHandlers } from './response-cache/handlers.ts';
import { OfflinePins } from './response-cache/offline-pins.ts';
import { ReadThrough } from './response-cache/read-through.ts';
import { ResponseCache } from './response-cache/store.ts';
import { wipe } from './results/cache.ts';
import { createRuleHandlers } from './rules/handlers.ts';
import { putValue } from './store/kv.ts';
import { Updates } from './updates/updates.ts';
import { routesTo } from './upstream/agent.ts';
import type { Limits } from './upstream/client.ts';
import { UpstreamService } from './upstream/upstream.ts';
import { createWorkspaceHandlers } from './workspace/handlers.ts';

/** For tests: shorter waits, smaller limits, output validation. */
export interface Tuning extends ProfileTuning {
  limits?: Partial<Limits>;
  states?: HealthTuning;
  answersBudget?: number;
  checkOutputs?: boolean;
}

const ALL_TAGS: readonly Tag[] = [...new Set(endpointNames.flatMap((name) => endpointOf(name).provides))];
const NOT_MARKED_STALE = 'answers could not be marked stale';

/** Rejects ParapetError `newer-schema`, changing nothing, for a profile written by a newer Parapet. */
export async function createApp(ports: Ports, tuning: Tuning = {}): Promise<App> {
  const branding = await readBranding(ports.paths.resources);
  const events = createEvents();
  const profile = await openProfile(ports, events.publish, tuning);
  const app = new App(ports, tuning, branding, events, profile);
  await app.start();
  return app;
}

export class App {
  readonly #ports: Ports;
  readonly #tuning: Tuning;
  readonly #branding: Branding;
  readonly #events: Events;
  readonly #profile: OpenedProfile;
  readonly #health: ConnectionHealth;
  readonly #responseCache: ResponseCache;
  readonly #jobs: JobsService;
  readonly #embedded: Embedded;
  readonly #upstream: UpstreamService;
  readonly #readThrough: ReadThrough;
  readonly #activation: Activation;
  readonly #grants = createGrants();
  readonly #arrivals: Arrivals;
  readonly #ctx: Context;
  readonly #offlinePins: OfflinePins;
  readonly #data: DataServices;
  readonly #cache: CacheService;
  readonly #connections: ConnectionsService;
  readonly #updates: Updates;
  readonly #profileOpening: ProfileOpening;
  readonly #handlers: Handlers;
  readonly #detachers = new Set<() => void>();
  #attached = false;
  #stopped: Promise<void> | null = null;

  /** Builds the parts in the order in which they need each other; callbacks may use later ones. */
  constructor(ports: Ports, tuning: Tuning, branding: Branding, events: Events, profile: OpenedProfile) {
    this.#ports = ports;
    this.#tuning = tuning;
    this.#branding = branding;
    this.#events = events;
    this.#profile = profile;
    const { now } = ports;
    const { publish } = events;
    const { cache, workspace, storage, records, generations } = profile;
    this.#health = new ConnectionHealth({
      now,
      ask: (id) => this.#upstream.ask(id),
      changed: (id) => {
        if (records.active()?.id === id) this.#activation.publishState();
        this.#offlinePins.resume(id);
        this.#data.sets.wake(id);
      },
      ...(tuning.states === undefined ? {} : { tuning: tuning.states }),
    });
    this.#responseCache = new ResponseCache(cache, now, {
      budget: tuning.answersBudget,
      room: () => storage.room(),
    });
    this.#jobs = new JobsService({ ports, workspace, publish });
    this.#embedded = this.#createEmbedded();
    profile.rules.onChange(() => {
      publish({ type: 'rules' });
      this.#embedded.rulesChanged();
    });
    this.#upstream = this.#createUpstream();
    this.#readThrough = new ReadThrough({
      responseCache: this.#responseCache,
      upstream: this.#upstream,
      generations,
      removeLeftovers: (id) => this.#connections.removeLeftovers(id),
      connection: (id) => records.get(id),
      now,
      probe: (id) => this.#health.probe(id),
      warn: (message, reason) => ports.log.warn(message, { reason }),
    });
    this.#activation = new Activation({
      records,
      states: this.#health,
      upstream: this.#upstream,
      publish,
      now,
      log: ports.log,
      product: branding.product,
      isLocked: profile.secrets.waits,
    });
    this.#arrivals = new Arrivals({
      publish,
      ticks: ports.ticks,
      offer: (path) => offerOf(path, this.#grants),
    });
    this.#ctx = this.#createContext();
    this.#offlinePins = new OfflinePins({
      ctx: this.#ctx,
      jobs: this.#jobs,
      readThrough: this.#readThrough,
      responseCache: this.#responseCache,
    });
    this.#data = createDataServices(this.#ctx, this.#jobs);
    this.#cache = createCacheHandlers(this.#ctx, this.#data.sets, this.#responseCache, storage);
    this.#connections = this.#createConnections();
    this.#updates = new Updates({ ports, workspace, publish, isOffline: () => this.#health.byChoice() });
    this.#profileOpening = createProfileOpening(
      {
        profile,
        health: this.#health,
        embedded: this.#embedded,
        responseCache: this.#responseCache,
        updates: this.#updates,
        offlinePins: this.#offlinePins,
        connections: this.#connections,
        activation: this.#activation,
        publish,
      },
      () => this.#info(),
    );
    this.#handlers = this.#allHandlers();
  }

  async start(): Promise<void> {
    // Before the jobs of earlier runs are restored, since some of them are its own.
    await this.#offlinePins.load();
    await this.#data.restoreJobs();
    await readOfflineChoice(this.#profile.workspace, this.#health);
    this.#data.sets.wake(null);
    await this.#connections.sweep();
    await this.#connections.manage();
    await this.#updates.load();
    this.#updates.start();
  }

  /** Serves the operations of a wire until it closes or is detached. */
  attach(wire: Wire): () => void {
    const { checkOutputs } = this.#tuning;
    const { storage } = this.#profile;
    const detach = attachRouter(wire, this.#handlers, {
      log: this.#ports.log,
      ...(checkOutputs === undefined ? {} : { checkOutputs }),
    });
    const onLeave = () => {
      this.#detachers.delete(detach);
      if (this.#stopped === null) storage.rest(this.#detachers.size === 0);
    };
    this.#detachers.add(detach);
    storage.rest(false);
    wire.onClose(onLeave);
    // Not before a renderer is attached: a host may ask for another connection right after the start.
    if (!this.#attached) this.#quietly('the last connection could not be opened', this.#activation.resume());
    this.#attached = true;
    return () => {
      detach();
      onLeave();
    };
  }

  /** Rejects path-missing, permission-denied, invalid-input; Parapet keeps running. */
  connect(target: ConnectTarget): Promise<void> {
    return this.#activation.connect(target);
  }

  /** Sends a menu command to every renderer. */
  command(command: string): void {
    this.#events.publish({ type: 'command', command });
  }

  /** Asks the analyst what to do with a file or folder that was dropped, or opened with Parapet. Reads nothing of it. */
  async offer(path: string): Promise<void> {
    this.#events.publish({ type: 'offered', offer: await offerOf(path, this.#grants) });
  }

  /** Keeps what was opened with Parapet until a window asks for it. */
  arrived(arrivals: readonly Arrival[]): void {
    this.#arrivals.add(arrivals);
  }

  /** Call when the machine wakes from sleep: checks connections and continues waiting jobs at once. */
  resumed(): void {
    this.#health.resumed();
    this.#data.sets.resumed();
  }

  /** Reports an uncaught error as a notice and in the journal. Never throws. */
  fault(reason: string): void {
    const notice = internalError(reason);
    this.#profile.notices.add(notice);
    this.#quietly(
      'an error could not be recorded in the journal',
      this.#profile.journal.recordFault(notice.message),
    );
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { journal, storage, secrets } = this.#profile;
    for (const detach of this.#detachers) detach();
    this.#health.stop();
    this.#updates.stop();
    await this.#profileOpening.settled();
    await this.#offlinePins.stop();
    await this.#data.stop();
    await this.#embedded.stopAll('for-good');
    await this.#upstream.stop();
    await this.#responseCache.flush().catch(() => {});
    await journal.flush().catch(() => {});
    await storage.close(secrets.lasting());
  }

  #info(): AppInfo {
    const ports = this.#ports;
    const profile = this.#profile;
    const { productName, serviceName } = this.#branding;
    return {
      version: ports.version,
      host: ports.host,
      platform: process.platform,
      profileFolder: ports.paths.profile,
      readOnly: profile.readOnly,
      secrets: profile.secrets.state(),
      notices: profile.notices.list(),
      managed: ports.policy.managed,
      branding: { productName, serviceName },
    };
  }

  #quietly(what: string, work: Promise<unknown>): void {
    void work.catch((error: unknown) => this.#ports.log.warn(what, { reason: String(error) }));
  }

  /** Marks cached answers with these tags stale; with `notify`, screens that show one are notified and read again. */
  async #invalidate(connectionId: string, tags: readonly Tag[], notify = true): Promise<void> {
    this.#readThrough.markStale(connectionId, tags);
    if (tags.includes('results')) this.#data.sets.markStale(connectionId);
    try {
      await this.#responseCache.invalidate(connectionId, tags);
    } finally {
      if (notify && tags.length > 0)
        this.#events.publish({ type: 'invalidated', connectionId, tags: [...tags] });
    }
  }

  #createEmbedded(): Embedded {
    const { readOnly, secrets, storage } = this.#profile;
    return new Embedded({
      entry: this.#ports.workers.embedded,
      jobs: () => this.#jobs,
      sealedDirectory: () => storage.directory(),
      clearDirectory: () => (readOnly ? storage.directory() : this.#ports.paths.profile),
      databaseKey: secrets.databaseKey,
      isLocked: secrets.waits,
      rules: () => this.#profile.rules.list(),
      ruleText: (id) => this.#profile.rules.text(id),
      changed: (id) => this.#quietly(NOT_MARKED_STALE, this.#invalidate(id, ALL_TAGS)),
      evidence: (connectionId, state) => {
        this.#events.publish({ type: 'evidence', connectionId, state });
        if (state.phase === 'read') this.#data.sets.recheck(connectionId);
      },
      replaced: (databasePath, notice) =>
        this.#profile.notices.add({ id: `replaced-${basename(databasePath)}`, ...notice }),
      unwatched: (databasePath, path, limit) =>
        this.#profile.notices.add({
          id: `unwatched-${basename(databasePath)}`,
          ...unwatchedEvidence(path, limit),
        }),
      died: (id, error) => this.#health.failed(id, error),
    });
  }

  #createUpstream(): UpstreamService {
    const { records, secrets, generations, journal } = this.#profile;
    const { limits } = this.#tuning;
    return new UpstreamService({
      parsing: this.#ports.workers.parsing,
      target: (id) =>
        targetOf(
          {
            ...{ records, embedded: this.#embedded, secrets, policy: this.#ports.policy },
            routes: (address) => routesTo(this.#ports, address),
          },
          id,
        ),
      isOffline: (id) => this.#health.isOffline(id),
      isForeign: (id) => records.get(id)?.kind === 'tenant',
      isOfflineByChoice: () => this.#health.byChoice(),
      succeeded: (id, latencyMs) => this.#health.succeeded(id, latencyMs),
      failed: (id, error) => this.#health.failed(id, error),
      generations,
      // An action is a single journal entry, written before its first request, however many requests it takes.
      recordIntent: async (id, endpoint, request) =>
        this.#data.actions.ownsRequest(request)
          ? { journalId: null, settle: async () => {} }
          : journal.recordIntent(id, endpoint, request),
      // A bulk request of thousands of exceptions notifies once, at its end.
      changed: (id, endpoint, request) =>
        this.#invalidate(
          id,
          endpointOf(endpoint).invalidates,
          endpoint !== 'exceptions.create-external' || !this.#data.actions.ownsRequest(request),
        ).catch((error: unknown) => this.#ports.log.warn(NOT_MARKED_STALE, { reason: String(error) })),
      ...(limits === undefined ? {} : { limits }),
    });
  }

  #createContext(): Context {
    const { cache, workspace, records, generations, run, requireJournal, onStorage } = this.#profile;
    return {
      ports: this.#ports,
      cache,
      workspace,
      upstream: this.#upstream,
      grants: this.#grants,
      jobs: this.#jobs,
      generations,
      run,
      requireJournal,
      connection: (id) => records.get(id),
      branding: (id) => {
        const { product, whiteLabel } = records.get(id);
        return { product, name: whiteLabel?.trim() || this.#branding.serviceName };
      },
      coverage: (id) =>
        records.find((record) => record.id === id)?.source?.kind === 'evidence'
          ? this.#embedded.coverage(id)
          : { version: 0, lack: null },
      publish: this.#events.publish,
      cacheChanged: () => this.#cache.changed(),
      onStorage,
    };
  }

  #createConnections(): ConnectionsService {
    const ports = this.#ports;
    const { records, secrets, generations, workspace } = this.#profile;
    const { publish } = this.#events;
    return createConnections({
      records,
      health: this.#health,
      secrets,
      embedded: this.#embedded,
      upstream: this.#upstream,
      activation: this.#activation,
      grants: this.#grants,
      generations,
      log: ports.log,
      policy: ports.policy,
      product: this.#branding.product,
      publish,
      now: ports.now,
      routes: (address) => routesTo(ports, address),
      inUse: (id) => this.#inUse(id),
      wipe: (id) => wipe(this.#ctx, this.#data.sets, id),
      replaced: (connectionId) => publish({ type: 'replaced', connectionId }),
      async keepOffline(offline) {
        await workspace.write([putValue('core:offline', String(offline), ports.now())]);
      },
    });
  }

  /** Work in progress that blocks a change of the connection, in words, or null if there is none. */
  #inUse(id: string): string | null {
    const running = this.#jobs
      .list()
      .find(
        ({ connectionId, kind, state }) =>
          connectionId === id &&
          ['queued', 'running', 'paused'].includes(state) &&
          kind !== 'fetch' &&
          kind !== 'evidence-import' &&
          kind !== 'rules',
      );
    if (running !== undefined) return `“${running.title}” is still using this connection.`;
    if (this.#upstream.isSending(id)) return 'A change is being sent to the service of this connection.';
    return this.#data.sets.inUse(id) ? 'Results of this connection are being read.' : null;
  }

  #allHandlers(): Handlers {
    const ctx = this.#ctx;
    const info = () => this.#info();
    return {
      ...this.#events.handlers,
      ...this.#readThrough.handlers,
      ...createWorkspaceHandlers(ctx),
      ...createDeskHandlers(ctx),
      ...this.#arrivals.handlers,
      ...createRemoteHandlers(ctx),
      ...createMatchedFileHandlers(ctx),
      ...createFilesHandlers(ctx),
      ...createDiagnosticsHandlers({
        ctx,
        info,
        connections: () => this.#profile.records.list(),
        state: () => this.#activation.state(),
        jobs: () => this.#jobs.list(),
      }),
      ...createProofHandlers(ctx),
      ...createRuleHandlers({
        ctx,
        book: this.#profile.rules,
        run: (connectionId, ids) => this.#embedded.runRules(connectionId, ids),
        tryRule: (connectionId, trial, options) => this.#embedded.tryRule(connectionId, trial, options),
      }),
      ...this.#offlinePins.handlers,
      ...this.#data.handlers,
      ...createIndicatorHandlers({
        ctx,
        sets: this.#data.sets,
        reading: this.#readThrough,
        rows: this.#data.handlers['results.rows'],
      }),
      ...this.#cache.handlers,
      ...this.#connections.handlers,
      ...this.#updates.handlers,
      ...this.#profileOpening.handlers,
      'app.info': async () => info(),
      'app.ping': async () => ({}),
    };
  }
}
