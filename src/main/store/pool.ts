/** A Database over worker threads: one writer, separate readers, requests by urgency and then in order of arrival. */
import { Worker } from 'node:worker_threads';
import { cancelled, fromBridgeError, ParapetError } from '#shared/bridge/errors.ts';
import type { DatabaseKind } from './connect.ts';
import type { Database, ReadOptions, SqlParams, Urgency } from './database.ts';
import type { StoreReply, StoreRequest, StoreWorkerData } from './protocol.ts';
import { closed, createRestarts, threadEnded, threadKeepsEnding } from './restarts.ts';
import type { Repair } from './salvage.ts';
import { createScanMembers } from './scan-members.ts';
import { createSearchMember } from './search-member.ts';

/** The workspace is small: one reader answers at once, and each costs 10 MB. */
const READERS: Readonly<Record<DatabaseKind, number>> = { cache: 2, workspace: 1 };
const WHAT = { writer: 'The writer of the database', reader: 'A reader of the database' } as const;
const TURN: Readonly<Record<Urgency, number>> = { now: 0, normal: 1, later: 2 };

export interface PoolOptions {
  entry: URL;
  kind: DatabaseKind;
  path: string;
  key: string | null;
  now: number;
  /** As in OpenSpec: whether the key is known to fit, and whether the file was there before. */
  keyFits?: boolean;
  expected?: boolean;
  onSlow?: (ms: number, sql: string) => void;
  /** Called once, with the first answer that says the file is damaged. */
  onDamaged?: () => void;
}

export interface Pool extends Database {
  /** The name a damaged file was set aside under when opening. */
  readonly setAside: string | null;
  /** What became of a workspace that was damaged, empty or gone; null: nothing was wrong. */
  readonly repair: Repair | null;
  /** Makes and verifies the backup of today in a thread of its own. Rejects with ParapetError. */
  backup(now: number): Promise<void>;
}

type Body = StoreRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never;

interface Task {
  body: Body;
  urgency: Urgency;
  /** Tells the worker that runs it to stop; null: it has not begun. */
  stop: (() => void) | null;
  resolve(value: unknown): void;
  reject(error: Error): void;
  settled: boolean;
}

interface Member {
  worker: Worker;
  current: Task | null;
  stop: Int32Array;
}

/** A page above this is moved instead of copied: a copy of the largest would hold the main thread for a tenth of a second. */
const MOVED_ABOVE = 1024 * 1024;
function moved(body: Body): ArrayBuffer[] {
  if (body.type !== 'ingest') return [];
  const { buffer, byteLength } = body.task.bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole && byteLength > MOVED_ABOVE ? [buffer] : [];
}

/** Opens the writer (migrating, or setting a damaged file aside), then the readers. Rejects with ParapetError. */
export async function createPool(options: PoolOptions): Promise<Pool> {
  let nextId = 1;
  let closing: Promise<void> | null = null;
  let damageTold = false;
  /** Threads that are on their way up. */
  const coming = { writer: 0, reader: 0 };
  const rising = new Set<Promise<unknown>>();
  const restarts = createRestarts();
  const writes: Task[] = [];
  const reads: Task[] = [];
  const members: { writer: Member | null; readers: Member[] } = { writer: null, readers: [] };

  const damaged = () => {
    if (damageTold) return;
    damageTold = true;
    options.onDamaged?.();
  };
  const { kind, path, key, now } = options;
  const urgent = new SharedArrayBuffer(4);
  const waitedFor = new Int32Array(urgent);
  const search = createSearchMember(options.entry, { role: 'search', kind, path, key, now, urgent }, damaged);
  const scans = createScanMembers(options.entry, { kind, path, key, now }, waitedFor, damaged);

  /** What can wait never takes the last free reader: it may run for seconds. */
  const mayBegin = (task: Task) =>
    task.urgency !== 'later' ||
    members.readers.length < 2 ||
    members.readers.filter(({ current }) => current?.urgency === 'later').length < members.readers.length - 1;

  const isUrgent = ({ current }: Member) => current?.urgency === 'now';
  const leave = (member: Member): Task | null => {
    const task = member.current;
    if (isUrgent(member)) Atomics.sub(waitedFor, 0, 1);
    member.current = null;
    return task;
  };

  const next = (member: Member, queue: Task[]) => {
    if (member.current !== null) return;
    // A read that was cancelled while it waited is dropped here.
    while (queue[0]?.settled) queue.shift();
    if (queue[0] === undefined || (queue === reads && !mayBegin(queue[0]))) return;
    const task = queue.shift()!;
    member.current = task;
    if (isUrgent(member)) Atomics.add(waitedFor, 0, 1);
    const id = nextId++;
    task.stop = () => void Atomics.store(member.stop, 0, id);
    member.worker.postMessage({ ...task.body, id } as StoreRequest, moved(task.body));
  };
  const pump = () => {
    if (members.writer !== null) next(members.writer, writes);
    for (const reader of members.readers) next(reader, reads);
    if (closing !== null) return;
    // One that ended is replaced when it is needed.
    if (writes.length > 0 && members.writer === null && coming.writer === 0) raise('writer');
    if (reads.length > 0 && members.readers.length + coming.reader < READERS[kind]) raise('reader');
  };
  const fail = (queue: Task[], error: Error) => {
    for (const task of queue.splice(0)) settle(task, error);
  };

  const settle = (task: Task, error: Error | null, value?: unknown) => {
    if (task.settled) return;
    task.settled = true;
    if (error === null) task.resolve(value);
    else task.reject(error);
  };

  const start = (role: 'writer' | 'reader', again: boolean) =>
    new Promise<{ member: Member; setAside: string | null; repair: Repair | null }>((resolve, reject) => {
      const stop = new SharedArrayBuffer(4);
      const workerData: StoreWorkerData = {
        role,
        kind,
        path,
        key,
        now,
        stop,
        again,
        ...(options.keyFits === undefined ? {} : { keyFits: options.keyFits }),
        ...(options.expected === undefined ? {} : { expected: options.expected }),
      };
      const worker = new Worker(options.entry, { workerData, name: `store-${options.kind}-${role}` });
      const member: Member = { worker, current: null, stop: new Int32Array(stop) };
      const lost = (error: Error) => {
        reject(error);
        const task = leave(member);
        if (task !== null) settle(task, error);
        const known = members.writer === member || members.readers.includes(member);
        if (members.writer === member) members.writer = null;
        members.readers = members.readers.filter((reader) => reader !== member);
        if (known && closing === null) restarts.ended();
        pump();
      };
      worker.on('message', (reply: StoreReply) => {
        if (reply.type === 'open') return resolve({ member, setAside: reply.setAside, repair: reply.repair });
        if (reply.type === 'failed-to-open') return reject(fromBridgeError(reply.error));
        if (reply.type === 'slow') return options.onSlow?.(reply.ms, reply.sql);
        const task = leave(member);
        if (task !== null && reply.type === 'done') settle(task, null, reply.value);
        if (task !== null && reply.type === 'fail') settle(task, fromBridgeError(reply.error));
        if (reply.type === 'fail' && reply.error.code === 'damaged') damaged();
        pump();
      });
      worker.on('error', (error) => lost(threadEnded(WHAT[role], error)));
      worker.on('exit', () => lost(closing === null ? threadEnded(WHAT[role]) : closed()));
    });

  /** Starts a thread behind what is asked meanwhile, which waits in its queue. */
  const raise = (role: 'writer' | 'reader') => {
    const queue = role === 'writer' ? writes : reads;
    const isLast = () => (role === 'writer' ? members.writer === null : members.readers.length === 0);
    if (!restarts.allowed()) {
      if (isLast()) fail(queue, threadKeepsEnding(WHAT[role]));
      return;
    }
    coming[role]++;
    const risen = start(role, true).then(
      ({ member }) => {
        coming[role]--;
        if (role === 'writer') members.writer = member;
        else members.readers.push(member);
        pump();
      },
      (error: unknown) => {
        coming[role]--;
        restarts.ended();
        if (error instanceof ParapetError && error.code === 'damaged') damaged();
        if (isLast() && coming[role] === 0) fail(queue, error instanceof Error ? error : closed());
      },
    );
    rising.add(risen);
    void risen.finally(() => rising.delete(risen));
  };

  const submit = (queue: Task[], body: Body, { signal, urgency = 'normal' }: ReadOptions = {}) =>
    new Promise<unknown>((resolve, reject) => {
      if (closing !== null) return reject(closed());
      if (signal?.aborted) return reject(cancelled());
      const task: Task = { body, urgency, stop: null, settled: false, resolve, reject };
      if (signal !== undefined) {
        // The caller goes on at once. A statement under way ends where it asks pp_go, or runs to its end unheard.
        const abort = () => {
          settle(task, cancelled());
          task.stop?.();
        };
        signal.addEventListener('abort', abort, { once: true });
        const forget = () => signal.removeEventListener('abort', abort);
        task.resolve = (value) => {
          forget();
          resolve(value);
        };
        task.reject = (error) => {
          forget();
          reject(error);
        };
      }
      const before = queue.findLastIndex((other) => TURN[other.urgency] <= TURN[urgency]);
      queue.splice(before + 1, 0, task);
      pump();
    });

  const read = (
    type: 'all' | 'get' | 'rows' | 'integers',
    sql: string,
    params?: SqlParams,
    read?: ReadOptions,
  ) => submit(reads, { type, sql, params }, read);

  const shut = async () => {
    await Promise.all(rising);
    const exit = (worker: Worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    await Promise.all([search.close(), scans.close()]);
    fail(reads, closed());
    const { readers, writer } = members;
    await Promise.all(
      readers.map((reader) => {
        const gone = exit(reader.worker);
        reader.worker.postMessage({ type: 'close', id: nextId++ } satisfies StoreRequest);
        return gone;
      }),
    );
    // The writer is last: what was written before the close is in the file, and its checkpoint finds no reader.
    if (writer !== null) {
      const gone = exit(writer.worker);
      writes.push({
        body: { type: 'close' },
        urgency: 'later',
        stop: null,
        settled: false,
        resolve: () => {},
        reject: () => {},
      });
      next(writer, writes);
      await gone;
    }
    fail(writes, closed());
  };

  const writer = await start('writer', false);
  members.writer = writer.member;
  while (coming.reader < READERS[kind]) raise('reader');

  const pool: Pool = {
    setAside: writer.setAside,
    bound: () => pool,
    repair: writer.repair,
    backup: (at) => backUp(options.entry, { role: 'backup', kind, path, key, now: at }),
    all: (sql, params, options) => read('all', sql, params, options) as Promise<never>,
    get: (sql, params, options) => read('get', sql, params, options) as Promise<never>,
    rows: (sql, params, options) => read('rows', sql, params, options) as Promise<never>,
    ingest: (task) => submit(writes, { type: 'ingest', task }) as Promise<never>,
    search: (task, options) => search.search(task, options?.signal),
    askColumns: (query, options) => search.askColumns(query, options?.signal),
    forget: (n) => search.forget(n),
    scan: (sql, params, options) => scans.read({ type: 'rows', sql, params }, options) as Promise<never>,
    scanIntegers: (sql, params, options) =>
      scans.read({ type: 'integers', sql, params }, options) as Promise<never>,
    integers: (sql, params, options) => read('integers', sql, params, options) as Promise<never>,
    write: (statements, options) => submit(writes, { type: 'write', statements }, options) as Promise<never>,
    maintain: (sql) => submit(writes, { type: 'maintain', sql }) as Promise<never>,
    close() {
      closing ??= shut();
      return closing;
    },
  };
  return pool;
}

/** One worker, one backup. */
function backUp(entry: URL, workerData: StoreWorkerData): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData, name: `store-${workerData.kind}-backup` });
    worker.on('message', (reply: StoreReply) => {
      if (reply.type === 'done') resolve();
      if (reply.type === 'failed-to-open') reject(fromBridgeError(reply.error));
    });
    worker.on('error', (error) =>
      reject(new ParapetError('internal', `A backup failed: ${error.message}`, { cause: error })),
    );
    worker.on('exit', () => reject(closed()));
  });
}
