/** Measures how long a thread works without yielding, in its own processor time, so that other load does not matter. */
import { expect } from 'vitest';

const ATTEMPTS = 3;

/** `longest`: the longest work between two timer ticks; `took`: the total. Milliseconds of this thread's processor time. */
export async function measuredTurns<T>(
  work: () => T | Promise<T>,
): Promise<{ value: T; longest: number; took: number }> {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const began = used();
  let last = began;
  let longest = 0;
  const turn = () => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(turn, 1);
  try {
    const value = await work();
    turn();
    return { value, longest, took: last - began };
  } finally {
    clearInterval(timer);
  }
}

/**
 * The result of `work`. Fails when it holds up the thread for more than a third of what `inOneTurn` takes, in each of
 * several attempts, as a collection of the whole process's garbage may fall into one.
 */
export async function expectShortTurns<T>(work: () => Promise<T>, inOneTurn: () => unknown): Promise<T> {
  const { took } = await measuredTurns(inOneTurn);
  for (let attempt = 1; ; attempt++) {
    const { value, longest } = await measuredTurns(work);
    if (longest < took / 3) return value;
    if (attempt === ATTEMPTS) expect(longest).toBeLessThan(took / 3);
  }
}
