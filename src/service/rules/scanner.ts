/**
 * Runs rules in YARA and MQL in a thread, which is ended when one takes too long with a mail: the mail is then told as not
 * finished, and the others go on in another thread.
 */
import { Worker } from 'node:worker_threads';
import { PROGRESS, type ScanHit, type ScanReply, type ScanRequest } from './scan-protocol.ts';

export interface ScanRule {
  /** Changes with its text. */
  key: string;
  kind: 'yara' | 'mql';
  text: string;
}

/** A mail whose bytes are read when they are needed. */
export interface ScanMail {
  id: number;
  /** Bytes, about. */
  size: number;
  /** Rejects if they are gone. */
  bytes(): Promise<Uint8Array>;
}

export interface ScanResult {
  hits: ScanHit[];
  /** Mails that were not looked at to their end. */
  unfinished: number[];
}

/** A rule that cannot be compiled, in words with its line. */
export class ScanRefusal extends Error {
  override readonly name = 'ScanRefusal';
}

/** The thread ended in the middle of a request, by itself or because it took too long. */
class Ended extends Error {
  readonly isOverdue: boolean;

  constructor(isOverdue: boolean) {
    super('The thread that runs rules ended');
    this.isOverdue = isOverdue;
  }
}

export interface ScanLimits {
  /** Milliseconds of the thread's processor time for one mail, or for compiling a rule. */
  time: number;
  /** Mails of one request that may take too long before the rule is given up. */
  unfinished: number;
  /** Bytes of mails that the thread holds at once. */
  held: number;
}

export const SCAN_LIMITS: ScanLimits = { time: 15_000, unfinished: 3, held: 128 * 1024 * 1024 };
/** How often progress is looked at, in milliseconds. */
const LOOK_MS = 200;
/** V8's own memory of the thread; a rule that needs more ends it. */
const MAX_HEAP_MB = 1_024;

export class Scanner {
  readonly #entry: URL;
  readonly #limits: ScanLimits;
  readonly #progress = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | null = null;
  #held: readonly number[] = [];
  readonly #compiled = new Map<string, string | null>();
  #ownDomains: readonly string[] = [];
  #isClosed = false;

  /** `entry` is that of the service's threads. */
  constructor(entry: URL, limits: ScanLimits = SCAN_LIMITS) {
    this.#entry = entry;
    this.#limits = limits;
  }

  /** Domains of the case's own side, for rules that ask. */
  setOwnDomains(domains: readonly string[]): void {
    if (domains.join() === this.#ownDomains.join()) return;
    this.#ownDomains = domains;
    // The thread gets them with its mails.
    this.#held = [];
  }

  /** What the rule cannot do here, in words, or null if it can do all. Rejects with `ScanRefusal`. */
  async compile(rule: ScanRule, isAgain = false): Promise<string | null> {
    const note = this.#compiled.get(rule.key);
    if (note !== undefined) return note;
    try {
      const compiled = await this.#ask({ type: 'compile', ...rule });
      this.#compiled.set(rule.key, compiled);
      return compiled;
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      // A thread may end for reasons of its own, as when memory is short for a moment.
      if (!error.isOverdue && !isAgain) return this.compile(rule, true);
      throw new ScanRefusal('It takes too long, or too much memory, to be read.');
    }
  }

  async forget(key: string): Promise<void> {
    if (this.#compiled.delete(key)) await this.#ask({ type: 'forget', key }).catch(() => undefined);
  }

  /** Rejects with `ScanRefusal` if the rule does not finish with several mails. */
  async find(rule: ScanRule, mails: readonly ScanMail[]): Promise<ScanResult> {
    const result: ScanResult = { hits: [], unfinished: [] };
    let overdue = 0;
    let isAgain = false;
    for (let waiting = [...mails]; waiting.length > 0; ) {
      const group = this.#group(waiting);
      try {
        await this.#hold(group);
        await this.compile(rule);
        await this.#ask({ type: 'find', key: rule.key, ids: group.map(({ id }) => id) }, result);
        waiting = waiting.slice(group.length);
      } catch (error) {
        if (!(error instanceof Ended)) throw error;
        const index = Math.min(Atomics.load(this.#progress, PROGRESS), group.length - 1);
        if (!error.isOverdue && !isAgain) {
          isAgain = true;
          waiting = waiting.slice(index);
          continue;
        }
        result.unfinished.push(group[index]!.id);
        overdue += 1;
        if (overdue > this.#limits.unfinished)
          throw new ScanRefusal(
            `It was stopped, as it did not finish with ${overdue} emails. Make it simpler.`,
          );
        waiting = waiting.slice(index + 1);
      }
    }
    return { hits: distinct(result.hits), unfinished: [...new Set(result.unfinished)] };
  }

  /** What is in progress rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  /** As many mails as the thread may hold, and always one. */
  #group(mails: readonly ScanMail[]): ScanMail[] {
    let bytes = 0;
    const end = mails.findIndex(({ size }, index) => {
      bytes += size;
      return index > 0 && bytes > this.#limits.held;
    });
    return mails.slice(0, end < 0 ? mails.length : end);
  }

  async #hold(group: readonly ScanMail[]): Promise<void> {
    Atomics.store(this.#progress, PROGRESS, 0);
    const ids = group.map(({ id }) => id);
    if (ids.length === this.#held.length && ids.every((id, index) => id === this.#held[index])) return;
    const held = [];
    for (const { id, bytes } of group)
      try {
        held.push({ id, raw: new Uint8Array(await bytes()) });
      } catch {
        // The thread tells every mail that it does not have as not finished.
      }
    await this.#ask({ type: 'hold', mails: held, ownDomains: this.#ownDomains });
    this.#held = ids;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#held = [];
    this.#compiled.clear();
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, {
      workerData: { role: 'scanner', shared: this.#progress.buffer },
      name: 'embedded-scanner',
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.on('error', () => undefined);
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  /** Rejects with `Ended` when the thread ends, or makes no progress for as long as the limit allows. */
  async #ask(request: ScanRequest, result?: ScanResult): Promise<string | null> {
    if (this.#isClosed) throw new Error('The scanner is closed');
    const worker = this.#worker ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    let index = Atomics.load(this.#progress, PROGRESS);
    let since: number | null = null;
    const overdue = setInterval(async () => {
      const used = await processorTime(worker);
      const next = Atomics.load(this.#progress, PROGRESS);
      if (since === null || next !== index) since = used;
      index = next;
      if (used - since > this.#limits.time) reject(new Ended(true));
    }, LOOK_MS);
    const onMessage = (reply: ScanReply): void => {
      if (reply.type === 'hit') result?.hits.push(reply.hit);
      else if (reply.type === 'unfinished') result?.unfinished.push(reply.id);
      else if (reply.type === 'refused') reject(new ScanRefusal(reply.words));
      else resolve(reply.note);
    };
    const onExit = (): void => reject(new Ended(false));
    worker.on('message', onMessage).once('exit', onExit);
    worker.postMessage(request, request.type === 'hold' ? request.mails.map(({ raw }) => raw.buffer) : []);
    try {
      return await promise;
    } catch (error) {
      if (error instanceof Ended) await this.#end();
      throw error;
    } finally {
      clearInterval(overdue);
      worker.off('message', onMessage).off('exit', onExit);
    }
  }
}

/** Milliseconds of processor time, so that a busy machine makes no rule overdue; 0 while the thread starts. */
async function processorTime(worker: Worker): Promise<number> {
  const used = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (used.user + used.system) / 1_000;
}

/** A mail that was looked at again after the thread ended reports its hits twice. */
const distinct = (hits: readonly ScanHit[]): ScanHit[] => [
  ...new Map(hits.map((hit) => [JSON.stringify(hit), hit])).values(),
];
