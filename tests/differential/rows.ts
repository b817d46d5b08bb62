/** Orders, conditions and facets of the service and of this machine, against a plain reading of the same rows. */
import {
  compareConditions,
  compareFacets,
  compareOrders,
  type Differences,
  type Ground,
  openGround,
} from '../support/differential.ts';
import type { Outcome } from './outcome.ts';

/** Emails of the made tenant; from 5 000 rows on this machine answers from memory. Other entities come along. */
const FEW = 120;
const MANY = 6_000;
/** Questions of a short run. */
const SHORT = 200;

const compareOn =
  (ask: (ground: Ground, seed: number, count: number) => Promise<Differences>) =>
  async (count: number, seed: number): Promise<Outcome> => {
    const ground = await openGround(count > SHORT ? MANY : FEW, seed);
    try {
      const { asked, differ } = await ask(ground, seed, count);
      const differences = differ.map((input) => ({ input, ours: '', theirs: '' }));
      return { compared: asked, skipped: 0, differences };
    } finally {
      await ground.close();
    }
  };

/** Every column that can be sorted by, both ways, and pairs of them, walked by key: some 170 orders and more. */
export const compareRowOrders = compareOn((ground, seed, count) =>
  compareOrders(ground, seed, Math.ceil(count / 60)),
);
export const compareRowConditions = compareOn(compareConditions);
/** A tree of conditions leaves rows of which each column is counted: some 15 counts for each. */
export const compareRowFacets = compareOn((ground, seed, count) =>
  compareFacets(ground, seed, Math.ceil(count / 15)),
);
