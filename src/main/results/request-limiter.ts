/**
 * The way to one service, shared by every fill of its connection: few requests at once, and all of them rest when the
 * service asks one to. Never hammers: waits grow, and end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';

export interface LaneTuning {
  /** First wait after a failure; each further one is twice as long. */
  backoffMs: number;
  /** Longest wait, also when the service asks for more. */
  capMs: number;
}
export const DEFAULT_LANE: LaneTuning = { backoffMs: 500, capMs: 60_000 };

/** Requests under way at once to one service. */
const AT_ONCE = 2;
/** Waits in a row after "too many requests", and tries after any other failure that may pass. */
const RATE_WAITS = 10;
export const TRIES = 4;

export interface Lanes {
  /**
   * Does the work when there is room, again after failures that may pass. `waiting`: until when it rests, epoch
   * milliseconds; null: it goes on. Rejects with the last failure, or `cancelled`.
   */
  ask<T>(
    connectionId: string,
    work: () => Promise<T>,
    signal: AbortSignal,
    waiting: (until: number | null) => void,
  ): Promise<T>;
  /** Rests as after that many failures: what came could not be used. Rejects `cancelled`. */
  rest(
    connectionId: string,
    tries: number,
    signal: AbortSignal,
    waiting: (until: number | null) => void,
  ): Promise<void>;
}

interface Lane {
  busy: number;
  /** One request at a time until the service has answered again. */
  narrow: boolean;
  restUntil: number;
  queue: (() => void)[];
}

const PASSING: ReadonlySet<string> = new Set([
  'server-error',
  'unreachable',
  'timeout',
  'truncated',
  'not-json',
]);

/** `ticks` is a clock that nobody sets; `now` the one that is shown. */
export function createLanes(
  { ticks, now }: { ticks: () => number; now: () => number },
  tuning: LaneTuning = DEFAULT_LANE,
): Lanes {
  const lanes = new Map<string, Lane>();
  const laneOf = (id: string): Lane => {
    const known = lanes.get(id) ?? { busy: 0, narrow: false, restUntil: Number.NEGATIVE_INFINITY, queue: [] };
    lanes.set(id, known);
    return known;
  };

  const enter = async (lane: Lane, signal: AbortSignal) => {
    while (lane.busy >= (lane.narrow ? 1 : AT_ONCE)) {
      await new Promise<void>((resolve) => {
        lane.queue.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      if (signal.aborted) throw cancelled();
    }
    lane.busy++;
  };
  const leave = (lane: Lane) => {
    lane.busy--;
    for (const wake of lane.queue.splice(0)) wake();
  };

  /** How long to rest after this failure; null: it will not pass. */
  const restAfter = (error: unknown, tries: number): number | null => {
    if (!(error instanceof ParapetError)) return null;
    const wait = Math.min(tuning.backoffMs * 2 ** tries, tuning.capMs);
    if (error.code === 'rate-limited') {
      if (tries >= RATE_WAITS) return null;
      const asked = error.data?.['retryAfterMs'];
      return typeof asked === 'number' ? Math.min(Math.max(asked, tuning.backoffMs), tuning.capMs) : wait;
    }
    return PASSING.has(error.code) && tries + 1 < TRIES ? wait : null;
  };

  return {
    async ask(connectionId, work, signal, waiting) {
      const lane = laneOf(connectionId);
      for (let tries = 0; ; tries++) {
        if (signal.aborted) throw cancelled();
        await enter(lane, signal);
        let rest: number | null = null;
        try {
          const left = lane.restUntil - ticks();
          if (left > 0) await pause(left, tuning.capMs, signal);
          const answer = await work();
          lane.narrow = false;
          return answer;
        } catch (error) {
          if (signal.aborted) throw cancelled();
          rest = restAfter(error, tries);
          if (rest === null) throw error;
          lane.narrow = true;
          lane.restUntil = Math.max(lane.restUntil, ticks() + rest);
          waiting(now() + lane.restUntil - ticks());
        } finally {
          leave(lane);
        }
        await pause(rest, tuning.capMs, signal);
        waiting(null);
      }
    },
    async rest(connectionId, tries, signal, waiting) {
      const lane = laneOf(connectionId);
      const wait = Math.min(tuning.backoffMs * 2 ** tries, tuning.capMs);
      lane.restUntil = Math.max(lane.restUntil, ticks() + wait);
      waiting(now() + wait);
      await pause(wait, tuning.capMs, signal);
      waiting(null);
    },
  };
}

async function pause(ms: number, most: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(ms, most), undefined, { signal }).catch(() => {
    throw cancelled();
  });
}
