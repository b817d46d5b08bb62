/**
 * The embedded service of demo and evidence connections: one worker thread for each database, started when first
 * needed. What starts, stops or erases one database takes turns, so that no two workers ever hold it and none starts
 * on files that are being removed.
 */
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
import { type EvidenceState, whyIncomplete } from '#shared/model/evidence.ts';
import type { Coverage, JobHandle, Jobs } from '../kernel/context.ts';

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
  /** How far the reading of a connection's evidence has come; at most once a second while it goes on. */
  evidence(connectionId: string, state: EvidenceState): void;
  /** The service ended without being asked to. */
  died(connectionId: string, error: ParapetError): void;
}

interface Running {
  base: string;
  token: string;
}

export interface Embedded {
  /**
   * `believed`: authserv-ids that the analyst trusts. While several connections are open on one folder those of the
   * first count. Resolves when the service answers. Rejects path-missing, no-connection, or what the worker told.
   */
  start(connectionId: string, source: EmbeddedSource, believed: readonly string[]): Promise<Running>;
  problems(connectionId: string): Promise<OutputOf<'evidence.problems'>>;
  /** null: no service runs for this connection, or it is not evidence. */
  state(connectionId: string): EvidenceState | null;
  /** Of an evidence connection. */
  coverage(connectionId: string): Coverage;
  /** The analyst's answer about what is gone from the evidence. Rejects `conflict` when there is nothing to answer. */
  resolve(connectionId: string, answer: 'keep' | 'remove'): Promise<EvidenceState>;
  /** The service goes on while another connection uses it. */
  stop(connectionId: string): Promise<void>;
  /** Stops all. None starts before `resume`, and after `for-good` none ever. */
  stopAll(how: 'for-now' | 'for-good'): Promise<void>;
  resume(): void;
  /** Lets no service start for this connection; the answer undoes that. */
  retire(connectionId: string): () => void;
  /** Removes an evidence database that no connection uses; the folder itself is never touched. */
  erase(source: EmbeddedSource): Promise<void>;
}

interface Instance {
  worker: Worker;
  ready: Promise<Running>;
  exited: Promise<void>;
  job: JobHandle | null;
  report: EvidenceReport | null;
  evidence: EvidenceState | null;
  version: number;
  /** Who waits for which answer; null: there will be none. */
  waiting: { answer: 'report' | 'resolved'; tell: (report: EvidenceReport | null) => void }[];
  stopping: boolean;
  up: boolean;
}

/** What is done to one database, one thing after another. */
interface Slot {
  readonly path: string;
  readonly users: Set<string>;
  instance: Instance | null;
  turn: Promise<unknown>;
}

const STOP_MS = 4_000;
const REPORT_MS = 10_000;
/** An import tells of new rows at most this often. */
const CHANGED_MS = 3_000;
const STATE_MS = 1_000;
const UNREAD: EvidenceState = {
  phase: 'reading',
  files: 0,
  totalFiles: null,
  unreadable: 0,
  known: 0,
  gone: 0,
  unreachable: 0,
  reason: null,
};

export function createEmbedded(deps: EmbeddedDeps): Embedded {
  const slots = new Map<string, Slot>();
  const retired = new Set<string>();
  let versions = 0;
  let held: PromiseWithResolvers<void> | null = null;
  let closed = false;

  const databasePath = (source: EmbeddedSource): string => {
    if (source.kind === 'demo')
      return join(deps.clearDirectory(), `demo-${source.emails}-${source.seed}.sqlite`);
    const directory = join(deps.sealedDirectory(), 'evidence');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const name = createHash('sha256').update(source.path).digest('hex').slice(0, 32);
    return join(directory, `${name}.sqlite`);
  };

  const slotOf = (path: string): Slot => {
    const slot = slots.get(path) ?? { path, users: new Set(), instance: null, turn: Promise.resolve() };
    slots.set(path, slot);
    return slot;
  };
  const inTurn = <T>(slot: Slot, work: () => T | Promise<T>): Promise<T> => {
    const done = slot.turn.then(work);
    slot.turn = done.catch(() => undefined);
    return done;
  };
  const using = (connectionId: string): Instance | null =>
    [...slots.values()].find(({ users }) => users.has(connectionId))?.instance ?? null;

  const launch = (slot: Slot, source: EmbeddedSource, believed: readonly string[]): Instance => {
    const { path } = slot;
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
      believed,
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
      evidence: source.kind === 'evidence' ? UNREAD : null,
      version: ++versions,
      waiting: [],
      stopping: false,
      up: false,
    };
    let changedAt = Number.NEGATIVE_INFINITY;
    let statedAt = Number.NEGATIVE_INFINITY;

    const changed = () => {
      for (const id of slot.users) deps.changed(id);
    };
    const become = (change: Partial<EvidenceState>) => {
      if (instance.evidence === null) return;
      const before = instance.evidence;
      const state = { ...before, ...change };
      instance.evidence = state;
      if (state.phase !== 'reading' || before.phase !== 'reading') instance.version = ++versions;
      else if (performance.now() - statedAt < STATE_MS) return;
      statedAt = performance.now();
      for (const id of slot.users) deps.evidence(id, state);
    };
    const ended = ({ unreadable, known, gone, unreachable }: EvidenceReport) =>
      become({ phase: 'read', unreadable, known, gone, unreachable, reason: null });

    const jobOf = (unit: 'messages' | 'bytes', total: number | null): JobHandle => {
      if (instance.job !== null) return instance.job;
      const job = deps.jobs().create({
        kind: 'evidence-import',
        title: `Import ${source.kind === 'evidence' ? lastPart(source.path) : 'evidence'}`,
        connectionId: [...slot.users][0] ?? null,
        unit,
        total,
      });
      job.signal.addEventListener('abort', () => post(worker, { type: 'cancel-import' }), { once: true });
      instance.job = job;
      return job;
    };

    const progress = (message: Extract<EmbeddedMessage, { type: 'progress' }>) => {
      if (source.kind !== 'evidence') return;
      const { files, totalFiles } = message;
      become({ files, totalFiles });
      const job = jobOf(message.unit, message.total);
      job.update({ done: message.done, total: message.total, note: message.file });
      if (performance.now() - changedAt < CHANGED_MS) return;
      changedAt = performance.now();
      changed();
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
          ended(message.report);
          if (instance.job?.signal.aborted) instance.job.fail(new ParapetError('cancelled', 'Cancelled.'));
          else if (instance.evidence !== null && whyIncomplete(instance.evidence) !== null)
            instance.job?.partial(whyIncomplete(instance.evidence) ?? '', outcome);
          else instance.job?.done(outcome);
          instance.job = null;
          if (imported > 0 || removed > 0) changed();
          return;
        }
        case 'resolved':
          instance.report = message.report;
          ended(message.report);
          changed();
          break;
        case 'report':
          break;
        case 'failed': {
          const error = fromBridgeError(message.error);
          // The service is up and shows what it has, but could not look for more: that has to be seen somewhere. One
          // that was told to stop before it found anything looks again at its next start.
          if (instance.up && source.kind === 'evidence' && !instance.stopping)
            jobOf('messages', null).fail(error);
          else instance.job?.fail(error);
          instance.job = null;
          become({ phase: error.code === 'cancelled' ? 'cancelled' : 'failed', reason: error.message });
          return ready.reject(error);
        }
      }
      for (const { answer, tell } of instance.waiting) if (answer === message.type) tell(message.report);
      instance.waiting = instance.waiting.filter(({ answer }) => answer !== message.type);
    });
    const lost = (error: ParapetError) => {
      if (slot.instance === instance) slot.instance = null;
      instance.job?.fail(error);
      instance.job = null;
      ready.reject(error);
      for (const { tell } of instance.waiting.splice(0)) tell(null);
      if (!instance.stopping) for (const id of slot.users) deps.died(id, error);
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

  /** Resolves when the worker has let go of the database. */
  const end = async (slot: Slot, instance: Instance | null) => {
    if (instance === null) return;
    if (slot.instance === instance) slot.instance = null;
    instance.stopping = true;
    post(instance.worker, { type: 'stop' });
    const late = setTimeout(() => void instance.worker.terminate(), STOP_MS);
    await instance.exited;
    clearTimeout(late);
  };

  const stop = async (connectionId: string) => {
    await Promise.all(
      [...slots.values()].map((slot) =>
        inTurn(slot, async () => {
          if (slot.users.delete(connectionId) && slot.users.size === 0) await end(slot, slot.instance);
        }),
      ),
    );
  };

  const refuse = (connectionId: string) => {
    if (closed) throw new ParapetError('cancelled', 'Parapet is closing.', { retryable: true });
    if (retired.has(connectionId))
      throw new ParapetError('no-connection', 'That connection is being removed.', {
        data: { connectionId },
      });
  };

  return {
    async start(connectionId, source, believed) {
      while (held !== null) await held.promise;
      refuse(connectionId);
      const slot = slotOf(databasePath(source));
      const instance = await inTurn(slot, () => {
        refuse(connectionId);
        if (held !== null)
          throw new ParapetError('cancelled', 'The profile is being opened. Try again.', { retryable: true });
        slot.instance ??= launch(slot, source, believed);
        slot.users.add(connectionId);
        return slot.instance;
      });
      try {
        return await instance.ready;
      } catch (error) {
        // The next attempt starts anew.
        await inTurn(slot, () => (slot.instance === instance ? end(slot, instance) : undefined));
        throw error;
      }
    },
    async problems(connectionId) {
      const instance = using(connectionId);
      const report =
        instance === null ? null : (instance.report ?? (await ask(instance, { type: 'report' })));
      return {
        imported: (report?.imported ?? 0) + (report?.unchanged ?? 0),
        notMail: report?.notMail ?? 0,
        problems: report?.problems ?? [],
      };
    },
    state: (connectionId) => using(connectionId)?.evidence ?? null,
    coverage(connectionId) {
      const instance = using(connectionId);
      if (instance?.evidence == null) return { version: -1, lack: whyIncomplete(UNREAD) };
      return { version: instance.version, lack: whyIncomplete(instance.evidence) };
    },
    async resolve(connectionId, answer) {
      const instance = using(connectionId);
      if (instance === null || instance.evidence?.phase !== 'read' || instance.evidence.gone === 0)
        throw new ParapetError('conflict', 'Nothing of this evidence waits for a decision any more.');
      const report = await ask(instance, { type: 'resolve', answer });
      if (report === null || instance.evidence === null)
        throw new ParapetError('timeout', 'The evidence service did not answer. Try again.', {
          retryable: true,
        });
      return instance.evidence;
    },
    stop,
    async stopAll(how) {
      if (how === 'for-good') {
        closed = true;
        held?.resolve();
        held = null;
      } else held ??= Promise.withResolvers<void>();
      await Promise.all(
        [...slots.values()].map((slot) =>
          inTurn(slot, async () => {
            slot.users.clear();
            await end(slot, slot.instance);
          }),
        ),
      );
    },
    resume() {
      const before = held;
      held = null;
      before?.resolve();
    },
    retire(connectionId) {
      retired.add(connectionId);
      return () => void retired.delete(connectionId);
    },
    async erase(source) {
      if (source.kind !== 'evidence') return;
      const slot = slotOf(databasePath(source));
      await inTurn(slot, async () => {
        if (slot.users.size > 0) return;
        await end(slot, slot.instance);
        for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(slot.path + suffix, { force: true });
      });
    },
  };
}

/** What the worker answers; null when it does not in time. */
function ask(instance: Instance, command: EmbeddedCommand): Promise<EvidenceReport | null> {
  const { promise, resolve } = Promise.withResolvers<EvidenceReport | null>();
  const late = setTimeout(resolve, REPORT_MS, null).unref();
  instance.waiting.push({
    answer: command.type === 'resolve' ? 'resolved' : 'report',
    tell: (report) => {
      clearTimeout(late);
      resolve(report);
    },
  });
  post(instance.worker, command);
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
