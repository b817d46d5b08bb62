/** The core, put together. It knows nothing of Electron, windows or sockets: a host gives it ports and wires. */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { endpointNames, endpointOf } from '#shared/api/catalogue.ts';
import type { Tag } from '#shared/api/endpoint.ts';
import type { Wire } from '#shared/bridge/frames.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import { createEmbedded } from '../embedded/manager.ts';
import { createFilesHandlers } from '../files/handlers.ts';
import { createJobs } from '../jobs/jobs.ts';
import { createMatchedFileHandlers } from '../matched-file/handlers.ts';
import { createKeep } from '../offline/keep.ts';
import { createRemoteHandlers } from '../remote/images.ts';
import { wipe } from '../results/cache.ts';
import { createDataServices } from '../results/compose.ts';
import type { Limits } from '../upstream/client.ts';
import { createUpstream } from '../upstream/upstream.ts';
import { type ConnectTarget, createActivation } from './activation.ts';
import { createAnswers } from './answers.ts';
import { readBranding } from './branding.ts';
import { createCacheHandlers } from './cache.ts';
import { createConnectionsHandlers } from './connections.ts';
import type { Context } from './context.ts';
import { createDeskHandlers } from './desk.ts';
import { createEvents } from './events.ts';
import { createGrants } from './grants.ts';
import type { Handlers } from './handlers.ts';
import { createJournal } from './journal.ts';
import type { Ports } from './ports.ts';
import { createReading } from './read.ts';
import { createRecords } from './records.ts';
import { attachRouter } from './router.ts';
import { createSecrets } from './secrets.ts';
import { createStates, type StatesTuning } from './states.ts';
import { createStorage, isWritable, type Notice } from './storage.ts';
import { createWorkspaceHandlers } from './workspace.ts';

export interface App {
  /** Answers the operations of a wire until it closes or is detached. */
  attach(wire: Wire): () => void;
  /** Rejects path-missing, permission-denied, invalid-input; Parapet stays up. */
  connect(target: ConnectTarget): Promise<void>;
  /** Tells every renderer of a menu command. */
  command(command: string): void;
  stop(): Promise<void>;
}

/** For tests: shorter waits, smaller limits, outputs checked. */
export interface Tuning {
  limits?: Partial<Limits>;
  states?: StatesTuning;
  answersBudget?: number;
  checkOutputs?: boolean;
}

const ALL_TAGS: readonly Tag[] = [...new Set(endpointNames.flatMap((name) => endpointOf(name).provides))];

/** Rejects ParapetError `newer-schema`, with nothing changed, for a profile that a newer Parapet wrote. */
export async function createApp(ports: Ports, tuning: Tuning = {}): Promise<App> {
  const { profile } = ports.paths;
  const notices: Notice[] = [];
  const storageListeners = new Set<() => void>();
  const detachers = new Set<() => void>();
  let attached = false;
  let stopped: Promise<void> | null = null;

  const events = createEvents();
  const { publish } = events;
  const notice = (added: Notice) => {
    notices.splice(0, notices.length, ...notices.filter(({ id }) => id !== added.id), added);
    publish({ type: 'info' });
  };
  const storageChanged = () => {
    for (const listener of storageListeners) listener();
  };

  const readOnly = !isWritable(profile);
  if (readOnly)
    notice({
      id: 'read-only',
      level: 'warning',
      message: 'The profile folder cannot be written to. Parapet works, but keeps nothing after it closes.',
    });
  const branding = await readBranding(ports.paths.resources);
  const secrets = await createSecrets({ keychain: ports.keychain, profile, readOnly });
  const storage = createStorage(ports, readOnly, notice, storageChanged);
  const { cache, workspace } = storage;
  const records = createRecords(workspace);
  try {
    await storage.open(secrets.databaseKey(), secrets.lasting() ? 'profile' : 'run');
    await records.load();
  } catch (error) {
    await storage.close();
    throw error;
  }

  const states = createStates({
    now: ports.now,
    ask: (id) => upstream.ask(id),
    changed: (id) => {
      if (records.active()?.id === id) activation.publishState();
      keeping.wake(id);
    },
    ...(tuning.states === undefined ? {} : { tuning: tuning.states }),
  });
  const answers = createAnswers(cache, ports.now, tuning.answersBudget);
  const journal = createJournal(workspace, ports);

  /** Cached answers of these tags are old; everyone who shows one asks again. */
  const invalidate = async (connectionId: string, tags: readonly Tag[]) => {
    reading.outdate(connectionId, tags);
    if (tags.includes('results')) data.sets.outdate(connectionId);
    await answers.invalidate(connectionId, tags);
    if (tags.length > 0) publish({ type: 'invalidated', connectionId, tags: [...tags] });
  };
  const quietly = (what: string, work: Promise<unknown>) =>
    void work.catch((error: unknown) => ports.log.warn(what, { reason: String(error) }));

  const jobs = createJobs({ ports, workspace, publish });
  const embedded = createEmbedded({
    entry: ports.workers.embedded,
    jobs: () => jobs,
    sealedDirectory: storage.directory,
    clearDirectory: () => (readOnly ? storage.directory() : profile),
    databaseKey: secrets.databaseKey,
    changed: (id) => quietly('answers could not be marked old', invalidate(id, ALL_TAGS)),
    died: (id, error) => states.failed(id, error),
  });
  const upstream = createUpstream({
    async target(id) {
      const record = records.get(id);
      if (record.source !== null) {
        const { base, token } = await embedded.start(id, record.source);
        return { base, credential: token, authorityPem: null };
      }
      const credential = record.hasCredential ? await secrets.credential(id) : null;
      return { base: record.url ?? '', credential, authorityPem: record.authorityPem };
    },
    isOffline: states.isOffline,
    isOfflineByChoice: states.byChoice,
    succeeded: states.succeeded,
    failed: states.failed,
    async changed(id, endpoint, request, error) {
      // An action is one entry, whatever number of requests it takes.
      if (!data.actions.owns(request)) await journal.write(id, endpoint, request, error);
      await invalidate(id, endpointOf(endpoint).invalidates);
    },
    ...(tuning.limits === undefined ? {} : { limits: tuning.limits }),
  });
  const reading = createReading({
    answers,
    upstream,
    connection: records.get,
    now: ports.now,
    probe: states.probe,
    warn: (message, reason) => ports.log.warn(message, { reason }),
  });
  const activation = createActivation({
    records,
    states,
    upstream,
    publish,
    now: ports.now,
    log: ports.log,
    product: branding.product,
  });

  const grants = createGrants();
  const ctx: Context = {
    ports,
    cache,
    workspace,
    upstream,
    grants,
    jobs,
    connection: records.get,
    publish,
    cacheChanged: () => cacheHandlers.changed(),
    onStorage: (listener) => void storageListeners.add(listener),
  };
  // Before the jobs of earlier runs are read: some of them are its own.
  const keeping = createKeep({ ctx, jobs, reading, answers });
  await keeping.load();
  const data = await createDataServices(ctx, jobs);
  const cacheHandlers = createCacheHandlers(ctx, data.sets, answers);

  const offlineChoice = async () => {
    const row = await workspace.get<{ value: string }>("SELECT value FROM kv WHERE key = 'core:offline'");
    states.setByChoice(row?.value === 'true');
  };
  await offlineChoice();

  const info = (): AppInfo => ({
    version: ports.version,
    host: ports.host,
    platform: process.platform,
    profileName: basename(profile),
    readOnly,
    secrets: secrets.state(),
    notices: [...notices],
    branding: { productName: branding.productName, serviceName: branding.serviceName },
  });

  /** Opens the profile's files, or makes this run's files the profile's; everything that read them reads again. */
  const moveIn = async (adopt: boolean) => {
    const active = adopt ? (records.active()?.id ?? null) : null;
    await embedded.stopAll();
    await answers.flush();
    try {
      await storage.open(secrets.databaseKey(), 'profile', adopt);
    } catch (error) {
      await storage.open(randomBytes(32).toString('hex'), 'run');
      throw error;
    } finally {
      await records.load();
      storageChanged();
    }
    await offlineChoice();
    publish({ type: 'connections' });
    const next = active ?? records.active()?.id ?? null;
    if (next !== null) await activation.activate(next);
    else activation.publishState();
  };
  let choosing: Promise<unknown> = Promise.resolve();

  const handlers: Handlers = {
    ...events.handlers,
    ...reading.handlers,
    ...createWorkspaceHandlers(ctx),
    ...createDeskHandlers(ctx),
    ...createRemoteHandlers(ctx),
    ...createMatchedFileHandlers(ctx),
    ...createFilesHandlers(ctx),
    ...keeping.handlers,
    ...data.handlers,
    ...cacheHandlers.handlers,
    ...createConnectionsHandlers({
      records,
      states,
      secrets,
      embedded,
      upstream,
      activation,
      grants,
      publish,
      now: ports.now,
      wipe: (id) => wipe(ctx, data.sets, id),
      async keepOffline(offline) {
        await workspace.write([
          {
            sql: `INSERT INTO kv (key, value, updated_at) VALUES ('core:offline', ?, ?)
              ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
            params: [String(offline), ports.now()],
          },
        ]);
      },
    }),
    'app.info': async () => info(),
    'secrets.choose': async ({ mode, passphrase }) => {
      const work = choosing.then(async () => {
        const lasted = secrets.lasting();
        const became = await secrets.choose(mode, passphrase);
        if (!lasted && secrets.lasting()) await moveIn(became === 'kept');
        publish({ type: 'info' });
        return info();
      });
      choosing = work.catch(() => {});
      return work;
    },
  };

  const stop = async () => {
    for (const detach of detachers) detach();
    states.stop();
    await choosing;
    await keeping.stop();
    await data.stop();
    await embedded.stopAll();
    await upstream.stop();
    await answers.flush().catch(() => {});
    await storage.close();
  };

  return {
    attach(wire) {
      const detach = attachRouter(wire, handlers, {
        log: ports.log,
        ...(tuning.checkOutputs === undefined ? {} : { checkOutputs: tuning.checkOutputs }),
      });
      detachers.add(detach);
      wire.onClose(() => detachers.delete(detach));
      // Not before somebody looks: a host may ask for another connection right after the start.
      if (!attached) quietly('the last connection could not be opened', activation.resume());
      attached = true;
      return () => {
        detachers.delete(detach);
        detach();
      };
    },
    connect: activation.connect,
    command: (command) => publish({ type: 'command', command }),
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
