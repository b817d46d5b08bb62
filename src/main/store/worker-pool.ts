/**
 * Threads of one role over one database with a single queue: by urgency, then order of arrival. A thread that ends
 * unexpectedly is replaced on demand; its running requests are rejected, waiting ones go to another thread.
 */
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { cancelled, fromBridgeError, ParapetError } from '#shared/bridge/errors.ts';
import type { ReadOptions, Urgency } from './database.ts';
import type { StoreReply, StoreRequest, StoreWorkerData } from './protocol.ts';
import { closed, createRestarts, threadEnded, threadKeepsEnding } from './restarts.ts';

export interface WorkerPoolSettings {
  entry: URL;
  /** Name of the threads. */
  name: string;
  /** Subject of error messages. */
  label: string;
  data: StoreWorkerData;
  /** Maximum number of threads; they are started when requests are waiting. */
  size: number;
  /** Requests a thread works on at once: one, which can be cancelled during a statement, or several. */
  concurrency: number;
  /** Milliseconds without a request after which the threads are stopped; null: never. */
  idle: number | null;
  /** Page cache per thread; null: the default of its role. */
  cacheKib: number | null;
  resourceLimits?: ResourceLimits;
  onSlow?: ((ms: number, sql: string) => void) | undefined;
  onDamaged: () => void;
}

export type RequestBody = StoreRequest extends infer R
  ? R extends { id: number }
    ? Omit<R, 'id'>
    : never
  : never;

/** A thread's report on the file it opened. */
export type Opened = Extract<StoreReply, { type: 'open' }>;

interface Task {
  body: RequestBody;
  urgency: Urgency;
  resolve(value: unknown): void;
  /** Ignored once the caller has an answer. */
  reject(error: Error): void;
  /** Signals the thread that is working on it to stop; null: it is still waiting. */
  stop: (() => void) | null;
}

interface Thread {
  worker: Worker;
  running: Map<number, Task>;
  /** The id of the request to stop. */
  stop: Int32Array;
}

const ORDER: Readonly<Record<Urgency, number>> = { now: 0, normal: 1, later: 2 };

/**
 * Larger pages are transferred instead of copied: copying the largest would block the main thread for a tenth of a
 * second.
 */
const MOVED_ABOVE = 1024 * 1024;
function movedBuffers(body: RequestBody): ArrayBuffer[] {
  if (body.type !== 'ingest') return [];
  const { buffer, byteLength } = body.task.bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole && byteLength > MOVED_ABOVE ? [buffer] : [];
}

export class WorkerPool {
  readonly #settings: WorkerPoolSettings;
  /** Number of requests with urgency `now`, shared by the pools of a database; read-ahead yields to them. */
  readonly #urgent: Int32Array;
  readonly #restarts = createRestarts();
  readonly #queue: Task[] = [];
  readonly #starts = new Set<Promise<unknown>>();
  #threads: Thread[] = [];
  #nextId = 1;
  #isClosing = false;
  #idleTimer: NodeJS.Timeout | null = null;
  #ending: Promise<unknown> = Promise.resolve();
  #drained: (() => void) | null = null;

  constructor(settings: WorkerPoolSettings, urgent: Int32Array) {
    this.#settings = settings;
    this.#urgent = urgent;
  }

  /** Whether a thread is running, and may have data in memory. */
  get isUp(): boolean {
    return this.#threads.length > 0;
  }

  /** Whether a thread is running and would begin at once. */
  get isFree(): boolean {
    return this.isUp && this.#queue.length === 0 && this.#threads.every(({ running }) => running.size === 0);
  }

  /** Starts the first thread; rejects when it cannot open the file. */
  async open(): Promise<Opened> {
    const { thread, opened } = await this.#start(false);
    this.#threads.push(thread);
    return opened;
  }

  /** Starts all threads before the first request. */
  fill(): void {
    while (this.#threads.length + this.#starts.size < this.#settings.size && this.#raise());
  }

  /** `T`: the worker's answer to the request. */
  run<T>(body: RequestBody, { signal, urgency = 'normal' }: ReadOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#isClosing) return reject(closed());
      if (signal?.aborted) return reject(cancelled());
      const abort = () => {
        // The caller continues at once; a running statement stops at its next cancellation probe, or its result is
        // discarded.
        task.reject(cancelled());
        if (task.stop !== null) return task.stop();
        const index = this.#queue.indexOf(task);
        if (index !== -1) this.#queue.splice(index, 1);
        this.#leave(task);
      };
      const settled = () => signal?.removeEventListener('abort', abort);
      const task: Task = {
        body,
        urgency,
        stop: null,
        resolve(value) {
          settled();
          resolve(value as T);
        },
        reject(error) {
          settled();
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      if (urgency === 'now') Atomics.add(this.#urgent, 0, 1);
      const before = this.#queue.findLastIndex((other) => ORDER[other.urgency] <= ORDER[urgency]);
      this.#queue.splice(before + 1, 0, task);
      this.#pump();
    });
  }

  /** Notifies the running threads, without an answer. */
  tell(body: RequestBody): void {
    for (const { worker } of this.#threads)
      worker.postMessage({ ...body, id: this.#nextId++ } satisfies StoreRequest);
  }

  /**
   * Accepts nothing more and stops the threads after their current requests. Waiting requests are rejected; with
   * `drainAfter` they are completed, and the threads stop once that resolves.
   */
  async close(drainAfter: Promise<unknown> | null = null): Promise<void> {
    this.#isClosing = true;
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    if (drainAfter === null) this.#fail(closed());
    await Promise.all([drainAfter, ...this.#starts]);
    if (this.isUp && drainAfter !== null)
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
        this.#pump();
      });
    await Promise.all([this.#ending, this.#end()]);
    this.#fail(closed());
  }

  async #end(): Promise<void> {
    const ending = this.#threads.map(
      ({ worker }) => new Promise<void>((resolve) => worker.once('exit', () => resolve())),
    );
    this.tell({ type: 'close' });
    this.#threads = [];
    await Promise.all(ending);
  }

  #fail(error: Error): void {
    for (const task of this.#queue.splice(0)) {
      task.reject(error);
      this.#leave(task);
    }
  }

  /** Called once for each request, when it is neither waiting nor running any more. */
  #leave({ urgency }: Task): void {
    if (urgency === 'now') Atomics.sub(this.#urgent, 0, 1);
  }

  /** Requests that can wait never take the last free thread, since they may run for seconds. */
  #mayBegin({ urgency }: Task): boolean {
    if (urgency !== 'later' || this.#threads.length < 2) return true;
    const busy = this.#threads.filter(({ running }) =>
      [...running.values()].some((task) => task.urgency === 'later'),
    );
    return busy.length < this.#threads.length - 1;
  }

  #pump(): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#idleTimer = null;
    for (const thread of this.#threads)
      while (thread.running.size < this.#settings.concurrency) {
        const [task] = this.#queue;
        if (task === undefined || !this.#mayBegin(task)) break;
        this.#queue.shift();
        this.#send(thread, task);
      }
    const isIdle = this.#queue.length === 0 && this.#threads.every(({ running }) => running.size === 0);
    if (isIdle) this.#drained?.();
    if (this.#isClosing) return;
    while (
      this.#queue.length > this.#starts.size &&
      this.#threads.length + this.#starts.size < this.#settings.size &&
      this.#raise()
    );
    const { idle } = this.#settings;
    if (isIdle && idle !== null && this.isUp)
      this.#idleTimer = setTimeout(() => {
        this.#ending = this.#end();
      }, idle).unref();
  }

  #send({ worker, running, stop }: Thread, task: Task): void {
    const id = this.#nextId++;
    running.set(id, task);
    task.stop =
      this.#settings.concurrency === 1
        ? () => void Atomics.store(stop, 0, id)
        : () => worker.postMessage({ type: 'cancel', id } satisfies StoreRequest);
    worker.postMessage({ ...task.body, id } as StoreRequest, movedBuffers(task.body));
  }

  /** Starts a thread in place of one that ended; false: too many ended recently. */
  #raise(): boolean {
    const isLast = () => this.#threads.length === 0 && this.#starts.size === 0;
    if (!this.#restarts.allowed()) {
      if (isLast()) this.#fail(threadKeepsEnding(this.#settings.label));
      return false;
    }
    const start: Promise<unknown> = this.#start(true).then(
      ({ thread }) => {
        this.#starts.delete(start);
        this.#threads.push(thread);
        this.#pump();
      },
      (error: unknown) => {
        this.#starts.delete(start);
        this.#restarts.ended();
        if (error instanceof ParapetError && error.code === 'damaged') this.#settings.onDamaged();
        if (isLast()) this.#fail(error instanceof Error ? error : closed());
      },
    );
    this.#starts.add(start);
    return true;
  }

  #start(again: boolean): Promise<{ thread: Thread; opened: Opened }> {
    const { entry, name, label, data, cacheKib, resourceLimits, onSlow, onDamaged } = this.#settings;
    const stop = new SharedArrayBuffer(4);
    const workerData: StoreWorkerData = {
      ...data,
      again,
      stop,
      ...(cacheKib === null ? {} : { cacheKib }),
    };
    return new Promise((resolve, reject) => {
      const worker = new Worker(entry, {
        workerData,
        name: `store-${data.kind}-${name}`,
        ...(resourceLimits === undefined ? {} : { resourceLimits }),
      });
      const thread: Thread = { worker, running: new Map(), stop: new Int32Array(stop) };
      const lost = (error: Error) => {
        reject(error);
        for (const task of thread.running.values()) {
          task.reject(error);
          this.#leave(task);
        }
        thread.running.clear();
        if (!this.#threads.includes(thread)) return;
        this.#threads = this.#threads.filter((other) => other !== thread);
        if (this.#isClosing) this.#fail(error);
        else this.#restarts.ended();
        this.#pump();
      };
      worker.on('message', (reply: StoreReply) => {
        if (reply.type === 'open') return resolve({ thread, opened: reply });
        if (reply.type === 'failed-to-open') return reject(fromBridgeError(reply.error));
        if (reply.type === 'slow') return onSlow?.(reply.ms, reply.sql);
        const task = thread.running.get(reply.id);
        if (task === undefined) return;
        thread.running.delete(reply.id);
        if (reply.type === 'done') task.resolve(reply.value);
        else task.reject(fromBridgeError(reply.error));
        this.#leave(task);
        if (reply.type === 'fail' && reply.error.code === 'damaged') onDamaged();
        this.#pump();
      });
      worker.on('error', (error) => lost(threadEnded(label, error)));
      worker.on('exit', () => lost(this.#isClosing ? closed() : threadEnded(label)));
    });
  }
}
