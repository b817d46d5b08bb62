/**
 * Limits the requests to each service, across all fetches of its connection: few at once, and all of them wait when the
 * service asks for it. Waits grow, and attempts are limited.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';

export interface LimiterTuning {
  /** First wait after a failure; each further one is twice as long. */
  backoffMs: number;
  /** Longest wait, even when the service asks for more. */
  capMs: number;
}
const DEFAULT_TUNING: LimiterTuning = { backoffMs: 500, capMs: 60_000 };

/** Concurrent requests to one service. */
const AT_ONCE = 2;
/** Consecutive waits after "too many requests", and attempts after any other transient failure. */
const MAX_RATE_WAITS = 10;
export const MAX_TRIES = 4;

interface ServiceState {
  underWay: number;
  /** One request at a time until the service has answered again. */
  isThrottled: boolean;
  waitUntil: number;
  queue: (() => void)[];
}

/** Receives the time until which requests wait, epoch milliseconds, and why, or null if they continue. */
export type OnWait = (until: number | null, cause: string | null) => void;

const TRANSIENT: ReadonlySet<string> = new Set([
  'server-error',
  'unreachable',
  'timeout',
  'truncated',
  'not-json',
]);

export class RequestLimiter {
  /** `ticks` is monotonic; `now` is the time shown, in epoch milliseconds. */
  readonly #clocks: { ticks: () => number; now: () => number };
  readonly #tuning: LimiterTuning;
  /** By connection. */
  readonly #services = new Map<string, ServiceState>();
  /** Aborting it ends every wait. */
  #woken = new AbortController();

  constructor(clocks: { ticks: () => number; now: () => number }, tuning: LimiterTuning = DEFAULT_TUNING) {
    this.#clocks = clocks;
    this.#tuning = tuning;
  }

  /** Runs `work` when there is room, and again after transient failures. Rejects with the last one, or `cancelled`. */
  async run<T>(
    connectionId: string,
    work: () => Promise<T>,
    signal: AbortSignal,
    onWait: OnWait,
  ): Promise<T> {
    const service = this.#serviceOf(connectionId);
    for (let tries = 0; ; tries++) {
      if (signal.aborted) throw cancelled();
      await enter(service, signal);
      let wait: number | null = null;
      try {
        const delay = service.waitUntil - this.#clocks.ticks();
        if (delay > 0) await this.#pause(delay, signal);
        const answer = await work();
        service.isThrottled = false;
        return answer;
      } catch (error) {
        if (signal.aborted) throw cancelled();
        wait = this.#waitAfter(error, tries);
        if (wait === null) throw error;
        service.isThrottled = true;
        service.waitUntil = Math.max(service.waitUntil, this.#clocks.ticks() + wait);
        const cause = error instanceof ParapetError ? error.message : null;
        onWait(this.#clocks.now() + service.waitUntil - this.#clocks.ticks(), cause);
      } finally {
        leave(service);
      }
      await this.#pause(wait, signal);
      onWait(null, null);
    }
  }

  /** Waits as after this many failures, for an unusable response. Rejects `cancelled`. */
  async wait(connectionId: string, tries: number, signal: AbortSignal, onWait: OnWait): Promise<void> {
    const service = this.#serviceOf(connectionId);
    const wait = this.#backoff(tries);
    service.waitUntil = Math.max(service.waitUntil, this.#clocks.ticks() + wait);
    onWait(this.#clocks.now() + wait, 'The response of the service could not be used.');
    await this.#pause(wait, signal);
    onWait(null, null);
  }

  /** Call when the machine wakes from sleep. The monotonic clock slept as well, so waiting requests try again now. */
  resumed(): void {
    for (const service of this.#services.values()) service.waitUntil = Number.NEGATIVE_INFINITY;
    this.#woken.abort();
    this.#woken = new AbortController();
  }

  #serviceOf(connectionId: string): ServiceState {
    const service = this.#services.get(connectionId);
    if (service !== undefined) return service;
    const limits = { underWay: 0, isThrottled: false, waitUntil: Number.NEGATIVE_INFINITY, queue: [] };
    this.#services.set(connectionId, limits);
    return limits;
  }

  #backoff(tries: number): number {
    return Math.min(this.#tuning.backoffMs * 2 ** tries, this.#tuning.capMs);
  }

  /** Milliseconds to wait after this failure, or null if it is not transient. */
  #waitAfter(error: unknown, tries: number): number | null {
    if (!(error instanceof ParapetError)) return null;
    if (error.code !== 'rate-limited')
      return TRANSIENT.has(error.code) && tries + 1 < MAX_TRIES ? this.#backoff(tries) : null;
    if (tries >= MAX_RATE_WAITS) return null;
    const delay = error.data?.['retryAfterMs'];
    const { backoffMs, capMs } = this.#tuning;
    return typeof delay === 'number' ? Math.min(Math.max(delay, backoffMs), capMs) : this.#backoff(tries);
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#woken.signal]);
    await sleep(Math.min(ms, this.#tuning.capMs), undefined, { signal: either }).catch(() => {
      if (signal.aborted) throw cancelled();
    });
  }
}

async function enter(service: ServiceState, signal: AbortSignal): Promise<void> {
  while (service.underWay >= (service.isThrottled ? 1 : AT_ONCE)) {
    await new Promise<void>((resolve) => {
      service.queue.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    if (signal.aborted) throw cancelled();
  }
  service.underWay++;
}

function leave(service: ServiceState): void {
  service.underWay--;
  for (const wake of service.queue.splice(0)) wake();
}
