/** Measures how the cost of a function grows with its input, within one run. */
import { expect } from 'vitest';

const TIMES = 8;
/** Linear work takes TIMES as long, quadratic work TIMES * TIMES. */
const MOST = 4 * TIMES;
/** Shorter runs (ms) are dominated by garbage collection and compilation. */
const LEAST_MS = 5;
const ATTEMPTS = 6;

/** Processor time, since wall-clock time includes other processes. */
async function millisecondsOf(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Fails when `run` takes far more than eight times as long for `size` as for an eighth of it. */
export async function expectLinear(size: number, run: (size: number) => unknown): Promise<void> {
  let few = Number.POSITIVE_INFINITY;
  let many = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    few = Math.min(few, await millisecondsOf(() => run(Math.ceil(size / TIMES))));
    many = Math.min(many, await millisecondsOf(() => run(size)));
    if (many <= MOST * Math.max(LEAST_MS, few)) return;
  }
  expect(many, `milliseconds for ${size}, ${few} for an eighth`).toBeLessThanOrEqual(MOST * few);
}
