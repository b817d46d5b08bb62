/** Measures how long a thread works without yielding, in its own processor time, so that other load does not matter. */

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
