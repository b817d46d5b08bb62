/**
 * Threads of one role over one database with a single queue: by urgency, then order of arrival. A thread that ends
 * unexpectedly is replaced on demand; its running requests are rejected, waiting ones go to another thread. The console
 * and the embedded service have their databases in such threads.
 */
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { type BridgeError, cancelled, fromBridgeError, ParapetError } from '#shared/bridge/errors.ts';
import {
  closed,
  createRestarts,
  EndedDuring,
  notStarted,
  threadEnded,
  threadKeepsEnding,
} from './restarts.ts';

/** now: an analyst is waiting for the grid. later: yields to everything else. */
export type Urgency = 'now' | 'normal' | 'later';

export interface RunOptions {
  signal?: AbortSignal | undefined;
  urgency?: Urgency;
}

/** What the pool adds to the data of each thread. */
export interface PoolWorkerData {
  /** Other threads have the file open, so damage is reported instead of setting the file aside. */
  again: boolean;
  /** One number: the id of a cancelled request, which the cancellation probe reads during a statement. */
  stop: SharedArrayBuffer;
}

/** Thread to pool. `Event` is an unsolicited message of a thread. */
export type PoolReply<Opened extends object = object, Event = never> =
  | ({ type: 'open' } & Opened)
  | { type: 'failed-to-open'; error: BridgeError }
  | { type: 'slow'; ms: number; sql: string }
  | { type: 'event'; event: Event }
  | { type: 'done'; id: number; value: unknown }
  | { type: 'fail'; id: number; error: BridgeError };

/** Pool to thread; `cancel` only where a thread works on several requests. */
export type PoolRequest<Body> = (Body | { type: 'cancel' } | { type: 'close' }) & { id: number };

export interface WorkerPoolSettings<Body, Event = never> {
  entry: URL;
  name: string;
  /** Subject of error messages. */
  label: string;
  /** The threads' `workerData`, together with PoolWorkerData. */
  data: object;
  /** Maximum number of threads; they are started when requests are waiting. */
  size: number;
  /** Requests a thread works on at once: one, which can be cancelled during a statement, or several. */
  concurrency: number;
  /** Milliseconds without a request after which the threads are stopped, if ever. */
  idle: number | null;
  resourceLimits?: ResourceLimits;
  /** Buffers of a request that are transferred instead of copied. */
  moved?: (body: Body) => ArrayBuffer[];
  onSlow?: ((ms: number, sql: string) => void) | undefined;
  onDamaged?: () => void;
  onEvent?: (event: Event) => void;
  /** A thread that had opened ended unexpectedly. */
  onLost?: (error: Error) => void;
}

interface Task<Body> {
  body: Body;
  urgency: Urgency;
  resolve(value: unknown): void;
  /** Ignored once the caller has an answer. */
  reject(error: Error): void;
  /** Signals the thread that is working on it to stop, or null if it is still waiting. */
  stop: (() => void) | null;
}

interface Thread<Body> {
  worker: Worker;
  running: Map<number, Task<Body>>;
  /** The id of the request to stop. */
  stop: Int32Array;
}

const ORDER: Readonly<Record<Urgency, number>> = { now: 0, normal: 1, later: 2 };

/** `Opened` is a thread's report on the file it opened. */
export class WorkerPool<Body extends { type: string }, Opened extends object = object, Event = never> {
  readonly #settings: WorkerPoolSettings<Body, Event>;
  /** Number of requests with urgency `now`, shared by the pools of a database; read-ahead yields to them. */
  readonly #urgent: Int32Array;
  readonly #restarts = createRestarts();
  readonly #queue: Task<Body>[] = [];
  readonly #starts = new Set<Promise<unknown>>();
  #threads: Thread<Body>[] = [];
  /** The first thread, while it opens the file. */
  #opening: Worker | null = null;
  #nextId = 1;
  #isClosing = false;
  #idle: number | null;
  #idleTimer: NodeJS.Timeout | null = null;
  #ending: Promise<unknown> = Promise.resolve();
  #drained: (() => void) | null = null;

  /** `urgent` is shared by the pools of a database. */
  constructor(
    settings: WorkerPoolSettings<Body, Event>,
    urgent: Int32Array = new Int32Array(new SharedArrayBuffer(4)),
  ) {
    this.#settings = settings;
    this.#idle = settings.idle;
    this.#urgent = urgent;
  }

  /** Whether a thread is running, and may have data in memory. */
  get isUp(): boolean {
    return this.#threads.length > 0;
  }

  get isFree(): boolean {
    return this.isUp && this.#queue.length === 0 && this.#threads.every(({ running }) => running.size === 0);
  }

  get hasIdle(): boolean {
    return this.#queue.length === 0 && this.#threads.some(({ running }) => running.size === 0);
  }

  /** Changes after how many milliseconds without a request the threads are stopped, if ever. */
  setIdle(idle: number | null): void {
    this.#idle = idle;
    this.#pump();
  }

  /** Starts a thread, if none is running or starting. */
  warm(): void {
    if (!this.isUp && this.#starts.size === 0 && !this.#isClosing) this.#raise();
  }

  /** Starts the first thread; rejects when it cannot open the file. */
  async open(): Promise<Opened> {
    const { thread, opened } = await this.#start(false);
    this.#threads.push(thread);
    this.#opening = null;
    return opened;
  }

  fill(): void {
    while (this.#threads.length + this.#starts.size < this.#settings.size && this.#raise());
  }

  /** `T` is the worker's answer to the request. */
  run<T>(body: Body, { signal, urgency = 'normal' }: RunOptions = {}): Promise<T> {
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
      const task: Task<Body> = {
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
  broadcast(body: Body | { type: 'close' }): void {
    for (const { worker } of this.#threads) worker.postMessage({ ...body, id: this.#nextId++ });
  }

  /**
   * Accepts nothing more and stops the threads after their current requests. Waiting requests are rejected; with
   * `drainAfter` they are completed, and the threads stop once that resolves.
   */
  async close(drainAfter: Promise<unknown> | null = null): Promise<void> {
    this.#isClosing = true;
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    if (drainAfter === null) this.#fail(closed());
    this.#opening?.postMessage({ type: 'close', id: 0 });
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
    this.broadcast({ type: 'close' });
    this.#threads = [];
    await Promise.all(ending);
  }

  #fail(error: Error): void {
    for (const task of this.#queue.splice(0)) {
      task.reject(error);
      this.#leave(task);
    }
  }

  /** Called once for each request, when it has ended. */
  #leave({ urgency }: Task<Body>): void {
    if (urgency === 'now') Atomics.sub(this.#urgent, 0, 1);
  }

  /** Requests that can wait never take the last free thread, since they may run for seconds. */
  #mayBegin({ urgency }: Task<Body>): boolean {
    if (urgency !== 'later' || this.#threads.length < 2) return true;
    const busy = this.#threads.filter(({ running }) =>
      [...running.values()].some((task) => task.urgency === 'later'),
    );
    return busy.length < this.#threads.length - 1;
  }

  /** The first thread with the fewest requests; null if all are full. */
  #leastBusy(): Thread<Body> | null {
    let least: Thread<Body> | null = null;
    for (const thread of this.#threads)
      if (thread.running.size < (least?.running.size ?? this.#settings.concurrency)) least = thread;
    return least;
  }

  #pump(): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#idleTimer = null;
    for (let [task] = this.#queue; task !== undefined && this.#mayBegin(task); [task] = this.#queue) {
      const thread = this.#leastBusy();
      if (thread === null) break;
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
    const idle = this.#idle;
    if (isIdle && idle !== null && this.isUp)
      this.#idleTimer = setTimeout(() => {
        this.#ending = this.#end();
      }, idle).unref();
  }

  #send({ worker, running, stop }: Thread<Body>, task: Task<Body>): void {
    const id = this.#nextId++;
    running.set(id, task);
    task.stop =
      this.#settings.concurrency === 1
        ? () => void Atomics.store(stop, 0, id)
        : () => worker.postMessage({ type: 'cancel', id });
    worker.postMessage({ ...task.body, id }, this.#settings.moved?.(task.body) ?? []);
  }

  /** Starts a thread in place of one that ended; false if too many ended recently. */
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
        if (error instanceof ParapetError && error.code === 'damaged') this.#settings.onDamaged?.();
        if (isLast()) this.#fail(error instanceof Error ? error : closed());
      },
    );
    this.#starts.add(start);
    return true;
  }

  #start(again: boolean): Promise<{ thread: Thread<Body>; opened: Opened }> {
    const { entry, name, label, data, resourceLimits } = this.#settings;
    const stop = new SharedArrayBuffer(4);
    const workerData: PoolWorkerData = { ...data, again, stop };
    return new Promise((resolve, reject) => {
      const worker = new Worker(entry, {
        workerData,
        name,
        ...(resourceLimits === undefined ? {} : { resourceLimits }),
      });
      if (!again) this.#opening = worker;
      let ended: (what: string, cause?: unknown) => ParapetError = notStarted;
      const thread: Thread<Body> = { worker, running: new Map(), stop: new Int32Array(stop) };
      const lost = (error: ParapetError) => {
        reject(error);
        const [first] = thread.running.keys();
        for (const [id, task] of thread.running) {
          task.reject(new EndedDuring(error, id === first));
          this.#leave(task);
        }
        thread.running.clear();
        if (!this.#threads.includes(thread)) return;
        this.#threads = this.#threads.filter((other) => other !== thread);
        if (this.#isClosing) this.#fail(error);
        else {
          this.#restarts.ended();
          this.#settings.onLost?.(error);
        }
        this.#pump();
      };
      worker.on('message', (reply: PoolReply<Opened, Event>) => {
        if (reply.type === 'open') {
          ended = threadEnded;
          resolve({ thread, opened: reply });
        } else if (reply.type === 'failed-to-open') reject(fromBridgeError(reply.error));
        else if (reply.type === 'slow') this.#settings.onSlow?.(reply.ms, reply.sql);
        else if (reply.type === 'event') this.#settings.onEvent?.(reply.event);
        else this.#answered(thread, reply);
      });
      worker.on('error', (error) => lost(ended(label, error)));
      worker.on('exit', () => lost(this.#isClosing ? closed() : ended(label)));
    });
  }

  #answered(thread: Thread<Body>, reply: Extract<PoolReply, { id: number }>): void {
    const task = thread.running.get(reply.id);
    if (task === undefined) return;
    thread.running.delete(reply.id);
    if (reply.type === 'done') task.resolve(reply.value);
    else task.reject(fromBridgeError(reply.error));
    this.#leave(task);
    if (reply.type === 'fail' && reply.error.code === 'damaged') this.#settings.onDamaged?.();
    this.#pump();
  }
}
