/** Every differential run in its bounded form; the long one: `npm run bench -- differential`, docs/lab.md. */
import { expect, it } from 'vitest';
import { RUNS } from '../differential/table.ts';

it.each(RUNS)(
  '$name agree with $witness',
  async ({ run, bounded }) => {
    const outcome = await run(bounded, 20_261_122);
    // The witness is not installed on this machine.
    if (outcome === null) return;
    expect(outcome.compared).toBeGreaterThan(bounded / 2);
    expect(outcome.differences).toEqual([]);
  },
  240_000,
);
