/**
 * Reuses threads of the core with their modules loaded, since loading is most of the cost of a start. To its creator each
 * is a separate Worker: its entry runs again with its own port and data, and it exits when nothing keeps its event loop
 * alive. A thread that fails, ends itself, is terminated while busy, or leaves anything open is not reused but really
 * ends.
 */
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import threads, {
  MessageChannel,
  type MessagePort,
  type ResourceLimits,
  receiveMessageOnPort,
  type Transferable,
  type Worker,
  type WorkerOptions,
} from 'node:worker_threads';

/** Limits starts per thread, since each start loads the entry module again and its memory adds up. */
const MOST_LIVES = 100;
const MOST_PARKED = 12;
/** Set by zod when it is loaded, which an entry may do late. */
const GLOBALS_OF_ZOD = /^__zod_/;
/** Time for a terminated thread to show that it is idle. */
const IDLE_MS = 20;

/** `workerData` of a reusable thread. */
interface HostData {
  reusedEntries: string[];
}

/** To the thread: starts or terminates a life, the time between one start and its exit. */
type ToThread =
  | { type: 'start'; entry: string; data: unknown; env: NodeJS.ProcessEnv; port: MessagePort }
  | { type: 'cut' };

/** From the thread, at the end of a life: `clean`: it left nothing behind; `busy`: it was terminated while working. */
type FromThread = { type: 'over'; clean: boolean } | { type: 'busy' };

interface Held {
  worker: Worker;
  /** Module and limits, which a Worker must share with the thread it reuses. */
  key: string;
  lives: number;
  /** It was told to end: what it still says about its life does not make it reusable. */
  isEnding: boolean;
}

interface State {
  Real: typeof Worker;
  entries: string[];
  parked: Held[];
  isOn: boolean;
}

/** One per process or thread, on `globalThis`, since Vitest may load this module more than once. */
const shared: { parapetThreads?: State } = globalThis as object;
shared.parapetThreads ??= { Real: threads.Worker, entries: [], parked: [], isOn: false };
const state = shared.parapetThreads;

const plain = (entry: string | URL): string => String(entry).replace(/\?life=\d+$/, '');

function take(key: string, name: string | undefined, resourceLimits: ResourceLimits | undefined): Held {
  const index = state.parked.findLastIndex((held) => held.key === key);
  const [held] = index === -1 ? [] : state.parked.splice(index, 1);
  if (held !== undefined) {
    letGo(held);
    held.worker.ref();
    return held;
  }
  const worker = new state.Real(new URL(import.meta.url), {
    workerData: { reusedEntries: state.entries } satisfies HostData,
    ...(name === undefined ? {} : { name }),
    ...(resourceLimits === undefined ? {} : { resourceLimits }),
  });
  return { worker, key, lives: 0, isEnding: false };
}

/** Not removeAllListeners(): Node has listeners of its own. */
function letGo({ worker }: Held): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}

function kill(held: Held): void {
  held.isEnding = true;
  void held.worker.terminate();
}

function park(held: Held): void {
  const { worker } = held;
  letGo(held);
  worker.unref();
  if (held.lives === MOST_LIVES) return void worker.terminate();
  state.parked.push(held);
  worker.once('exit', () => {
    state.parked = state.parked.filter((other) => other !== held);
  });
  // Removed from the list before it is terminated, so that it is not reused meanwhile.
  if (state.parked.length > MOST_PARKED) void state.parked.shift()?.worker.terminate();
}

/** The part of Worker that the product uses: events, `postMessage`, `terminate`, `cpuUsage`, `ref` and `unref`. */
class ReusedWorker extends EventEmitter {
  readonly #port: MessagePort;
  /** Null after it has exited. */
  #held: Held | null;
  readonly #exited: Promise<number>;

  constructor(entry: URL, { workerData, transferList = [], name, resourceLimits }: WorkerOptions) {
    super();
    const key = `${plain(entry)} ${JSON.stringify(resourceLimits ?? {})}`;
    const held = take(key, name, resourceLimits);
    const { port1, port2 } = new MessageChannel();
    held.lives++;
    this.#held = held;
    this.#port = port1;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#exited = promise;
    const end = (code: number): void => {
      this.#drain();
      port1.close();
      this.#held = null;
      resolve(code);
      this.emit('exit', code);
    };
    held.worker
      .on('message', (message: FromThread) => {
        if (message.type === 'busy') kill(held);
        // An unclean thread ends by itself.
        else if (message.clean && !held.isEnding) {
          park(held);
          end(0);
        }
      })
      .on('error', (error) => {
        this.#drain();
        this.emit('error', error);
      })
      .on('exit', end);
    port1.on('message', (message) => this.emit('message', message));
    port1.on('messageerror', (error) => this.emit('messageerror', error));
    this.#tell(
      { type: 'start', entry: plain(entry), data: workerData, env: { ...process.env }, port: port2 },
      [port2, ...transferList],
    );
  }

  /** Delivers pending messages before the exit. */
  #drain(): void {
    for (
      let next = receiveMessageOnPort(this.#port);
      next !== undefined;
      next = receiveMessageOnPort(this.#port)
    )
      this.emit('message', next.message);
  }

  #tell(message: ToThread, moved: readonly Transferable[] = []): void {
    this.#held?.worker.postMessage(message, moved);
  }

  postMessage(message: unknown, moved: readonly Transferable[] = []): void {
    if (this.#held !== null) this.#port.postMessage(message, moved);
  }

  /** Keeps an idle thread that left nothing open; ends any other. */
  async terminate(): Promise<number> {
    if (this.#held === null) return this.#exited;
    this.#tell({ type: 'cut' });
    const late = setTimeout(() => {
      if (this.#held !== null) kill(this.#held);
    }, IDLE_MS);
    try {
      return await this.#exited;
    } finally {
      clearTimeout(late);
    }
  }

  async cpuUsage(): Promise<NodeJS.CpuUsage> {
    if (this.#held === null) throw new Error('Worker instance not running');
    return this.#held.worker.cpuUsage();
  }

  ref(): void {
    this.#held?.worker.ref();
  }

  unref(): void {
    this.#held?.worker.unref();
  }
}

/** From now on, this process or thread reuses threads of these modules. */
export function reuseThreads(entries: readonly string[]): void {
  state.entries = [...entries];
  state.isOn = true;
  if (threads.Worker !== state.Real) return;
  threads.Worker = new Proxy(state.Real, {
    construct: (target, [entry, options = {}]: [string | URL, WorkerOptions?], newTarget) =>
      state.isOn && entry instanceof URL && state.entries.includes(plain(entry))
        ? new ReusedWorker(entry, options)
        : (Reflect.construct(target, [entry, options], newTarget) as object),
  });
  syncBuiltinESMExports();
}

/** For test files about threads themselves; called when the file is loaded, and valid until its end. */
export function withRealThreads(): void {
  state.isOn = false;
}

/** Resources that a life opened and did not close, and its leftovers on `process` or `globalThis`. */
class Leavings {
  readonly #databases = new Set<{ open: boolean }>();
  readonly #files = new Set<number>();
  #before = '';

  constructor() {
    const { prototype } = createRequire(import.meta.url)('better-sqlite3') as {
      prototype: { prepare(this: { open: boolean }, sql: string): unknown };
    };
    const { prepare } = prototype;
    const databases = this.#databases;
    prototype.prepare = function (sql) {
      databases.add(this);
      return prepare.call(this, sql);
    };
    const { openSync, closeSync } = fs;
    fs.openSync = (...args) => {
      const fd = openSync(...args);
      this.#files.add(fd);
      return fd;
    };
    fs.closeSync = (fd) => {
      closeSync(fd);
      this.#files.delete(fd);
    };
    syncBuiltinESMExports();
  }

  #shared(): string {
    const listeners = process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
    const globals = Object.getOwnPropertyNames(globalThis).filter((name) => !GLOBALS_OF_ZOD.test(name));
    return JSON.stringify([listeners, globals]);
  }

  begin(): void {
    this.#databases.clear();
    this.#files.clear();
    this.#before = this.#shared();
  }

  /** Whether nothing was left behind. */
  isNone(): boolean {
    return (
      this.#files.size === 0 &&
      [...this.#databases].every(({ open }) => !open) &&
      this.#shared() === this.#before
    );
  }
}

/** Runs in the thread: one life after another. */
function host(control: MessagePort): void {
  const leavings = new Leavings();
  let port: MessagePort | null = null;
  let lives = 0;
  const say = (message: FromThread): void => control.postMessage(message);

  function start({ entry, data, env, port: channel }: Extract<ToThread, { type: 'start' }>): void {
    port = channel;
    control.unref();
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    leavings.begin();
    Object.assign(threads, { parentPort: port, workerData: data });
    syncBuiltinESMExports();
    void import(`${entry}?life=${lives++}`);
  }

  control.on('message', async (message: ToThread) => {
    if (message.type === 'start') return start(message);
    port?.close();
    const cut = port;
    // Waits a few turns of the event loop, in which closing takes effect.
    for (let turns = 0; turns < 3 && port === cut; turns++) await turn(undefined, { ref: false });
    if (port !== null && port === cut) say({ type: 'busy' });
  });
  // A normal thread would exit here: nothing keeps its event loop alive.
  process.on('beforeExit', () => {
    if (port === null) return;
    port.close();
    port = null;
    const clean = leavings.isNone();
    if (clean) control.ref();
    say({ type: 'over', clean });
  });
}

const { workerData: hostData, parentPort } = threads;
if (
  !threads.isMainThread &&
  parentPort !== null &&
  (hostData as HostData | null)?.reusedEntries !== undefined
) {
  reuseThreads((hostData as HostData).reusedEntries);
  host(parentPort);
}
