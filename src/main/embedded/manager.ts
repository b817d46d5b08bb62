/** The embedded service of demo and evidence connections: a worker thread each, started when first needed. */
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { fromBridgeError, ParapetError } from '#shared/bridge/errors.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import type {
  EmbeddedCommand,
  EmbeddedMessage,
  EmbeddedSource,
  EmbeddedSpec,
  EvidenceReport,
} from '#shared/embedded.ts';
import type { JobHandle, Jobs } from '../core/context.ts';

export interface EmbeddedDeps {
  entry: URL;
  jobs(): Jobs;
  /** Folder for databases that are sealed with the key below. */
  sealedDirectory(): string;
  /** Folder for the demo tenant's, which holds nothing real; outlives a run where it can. */
  clearDirectory(): string;
  databaseKey(): string;
  /** Rows came or went behind the cache's back. */
  changed(connectionId: string): void;
  /** The service ended without being asked to. */
  died(connectionId: string, error: ParapetError): void;
}

export interface Running {
  base: string;
  token: string;
}

export interface Embedded {
  /** Resolves when the service answers. Rejects path-missing, or what the worker told. */
  start(connectionId: string, source: EmbeddedSource): Promise<Running>;
  problems(connectionId: string): Promise<OutputOf<'evidence.problems'>>;
  stop(connectionId: string): Promise<void>;
  stopAll(): Promise<void>;
  /** Removes an evidence database; the folder itself is never touched. */
  erase(source: EmbeddedSource): Promise<void>;
}

interface Instance {
  worker: Worker;
  ready: Promise<Running>;
  exited: Promise<void>;
  job: JobHandle | null;
  report: EvidenceReport | null;
  /** Who waits for the answer to `report`; null: there will be none. */
  reported: Set<(report: EvidenceReport | null) => void>;
  stopping: boolean;
  up: boolean;
}

const STOP_MS = 4_000;
const REPORT_MS = 10_000;
/** An import tells of new rows at most this often. */
const CHANGED_MS = 3_000;

export function createEmbedded(deps: EmbeddedDeps): Embedded {
  const instances = new Map<string, Instance>();

  const databasePath = (source: EmbeddedSource): string => {
    if (source.kind === 'demo')
      return join(deps.clearDirectory(), `demo-${source.emails}-${source.seed}.sqlite`);
    const directory = join(deps.sealedDirectory(), 'evidence');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const name = createHash('sha256').update(source.path).digest('hex').slice(0, 32);
    return join(directory, `${name}.sqlite`);
  };

  const launch = (connectionId: string, source: EmbeddedSource): Instance => {
    const path = databasePath(source);
    if (source.kind === 'evidence' && !existsSync(source.path) && !existsSync(path))
      throw new ParapetError(
        'path-missing',
        'The evidence is not there any more: the folder or file was moved, renamed or unplugged. Choose it again.',
      );
    const token = randomBytes(32).toString('base64url');
    const spec: EmbeddedSpec = {
      source,
      databasePath: path,
      databaseKey: source.kind === 'evidence' ? evidenceKey(deps.databaseKey(), path) : null,
      token,
    };
    const worker = new Worker(deps.entry, { workerData: spec, name: `embedded-${source.kind}` });
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const ready = Promise.withResolvers<Running>();
    ready.promise.catch(() => {});
    const instance: Instance = {
      worker,
      ready: ready.promise,
      exited,
      job: null,
      report: null,
      reported: new Set(),
      stopping: false,
      up: false,
    };
    let toldAt = 0;

    const jobOf = (unit: 'messages' | 'bytes', total: number | null): JobHandle => {
      if (instance.job !== null) return instance.job;
      const job = deps.jobs().create({
        kind: 'evidence-import',
        title: `Import ${source.kind === 'evidence' ? lastPart(source.path) : 'evidence'}`,
        connectionId,
        unit,
        total,
      });
      job.signal.addEventListener('abort', () => post(worker, { type: 'cancel-import' }), { once: true });
      instance.job = job;
      return job;
    };

    const progress = (message: Extract<EmbeddedMessage, { type: 'progress' }>) => {
      if (source.kind !== 'evidence') return;
      const job = jobOf(message.unit, message.total);
      job.update({ done: message.done, total: message.total, note: message.file });
      if (Date.now() - toldAt < CHANGED_MS) return;
      toldAt = Date.now();
      deps.changed(connectionId);
    };

    worker.on('message', (message: EmbeddedMessage) => {
      switch (message.type) {
        case 'ready':
          instance.up = true;
          return ready.resolve({ base: `http://127.0.0.1:${message.port}`, token });
        case 'progress':
          return progress(message);
        case 'imported': {
          instance.report = message.report;
          const { imported, unchanged, removed, notMail, problems } = message.report;
          const outcome = { imported, unchanged, removed, notMail, problems: problems.length };
          if (instance.job?.signal.aborted) instance.job.fail(new ParapetError('cancelled', 'Cancelled.'));
          else instance.job?.done(outcome);
          instance.job = null;
          if (imported > 0 || removed > 0) deps.changed(connectionId);
          return;
        }
        case 'report':
          for (const tell of instance.reported) tell(message.report);
          instance.reported.clear();
          return;
        case 'failed': {
          const error = fromBridgeError(message.error);
          // The service is up and shows what it has, but could not look for more: that has to be seen somewhere.
          if (instance.up && source.kind === 'evidence') jobOf('messages', null).fail(error);
          else instance.job?.fail(error);
          instance.job = null;
          return ready.reject(error);
        }
      }
    });
    const lost = (error: ParapetError) => {
      if (instances.get(connectionId) === instance) instances.delete(connectionId);
      instance.job?.fail(error);
      instance.job = null;
      ready.reject(error);
      for (const tell of instance.reported) tell(null);
      instance.reported.clear();
      if (!instance.stopping) deps.died(connectionId, error);
      instance.stopping = true;
    };
    worker.on('error', (error) =>
      lost(
        new ParapetError('internal', `The embedded service failed: ${error.message}`, {
          retryable: true,
          cause: error,
        }),
      ),
    );
    worker.once('exit', () =>
      lost(
        new ParapetError(instance.stopping ? 'cancelled' : 'internal', 'The embedded service ended.', {
          retryable: true,
        }),
      ),
    );
    return instance;
  };

  const stop = async (connectionId: string) => {
    const instance = instances.get(connectionId);
    if (instance === undefined) return;
    instances.delete(connectionId);
    instance.stopping = true;
    post(instance.worker, { type: 'stop' });
    const late = setTimeout(() => void instance.worker.terminate(), STOP_MS);
    await instance.exited;
    clearTimeout(late);
  };

  return {
    async start(connectionId, source) {
      let instance = instances.get(connectionId);
      if (instance === undefined) {
        instance = launch(connectionId, source);
        instances.set(connectionId, instance);
      }
      try {
        return await instance.ready;
      } catch (error) {
        // The next attempt starts anew.
        if (instances.get(connectionId) === instance) {
          instances.delete(connectionId);
          instance.stopping = true;
          void instance.worker.terminate();
        }
        throw error;
      }
    },
    async problems(connectionId) {
      const instance = instances.get(connectionId);
      const report = instance === undefined ? null : (instance.report ?? (await reportOf(instance)));
      return {
        imported: (report?.imported ?? 0) + (report?.unchanged ?? 0),
        notMail: report?.notMail ?? 0,
        problems: report?.problems ?? [],
      };
    },
    stop,
    async stopAll() {
      await Promise.all([...instances.keys()].map(stop));
    },
    async erase(source) {
      if (source.kind !== 'evidence') return;
      const path = databasePath(source);
      for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(path + suffix, { force: true });
    },
  };
}

/** What the worker knows by now; null when it does not say in time. */
function reportOf(instance: Instance): Promise<EvidenceReport | null> {
  const { promise, resolve } = Promise.withResolvers<EvidenceReport | null>();
  const late = setTimeout(resolve, REPORT_MS, null).unref();
  instance.reported.add((report) => {
    clearTimeout(late);
    resolve(report);
  });
  post(instance.worker, { type: 'report' });
  return promise;
}

const lastPart = (path: string) => path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
const post = (worker: Worker, command: EmbeddedCommand) => worker.postMessage(command);

/** A key of its own for every evidence database, so that one of them can be handed over without the others. */
function evidenceKey(databaseKey: string, path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return Buffer.from(
    hkdfSync('sha256', Buffer.from(databaseKey, 'hex'), Buffer.alloc(0), `parapet evidence ${name}`, 32),
  ).toString('hex');
}
