/** Orders, conditions and facets of the service and of this machine, against a plain evaluation of the same rows. */
import {
  compareConditions,
  compareFacets,
  compareOrders,
  type Differences,
  type Fixture,
  openFixture,
} from '../support/differential.ts';
import type { Outcome } from './outcome.ts';

/** Emails of the generated tenant, which also has other entities; from 5 000 rows on, columns in memory are used. */
const FEW = 120;
const MANY = 6_000;
/** Number of comparisons in a short run. */
const SHORT = 200;

const compareOn =
  (ask: (fixture: Fixture, seed: number, count: number) => Promise<Differences>) =>
  async (count: number, seed: number): Promise<Outcome> => {
    const fixture = await openFixture(count > SHORT ? MANY : FEW, seed);
    try {
      const { asked, differ } = await ask(fixture, seed, count);
      const differences = differ.map((input) => ({ input, ours: '', theirs: '' }));
      return { compared: asked, skipped: 0, differences };
    } finally {
      await fixture.close();
    }
  };

/** Every sortable column in both directions, and pairs of them, paged by key: at least 170 orders. */
export const compareRowOrders = compareOn((fixture, seed, count) =>
  compareOrders(fixture, seed, Math.ceil(count / 60)),
);
export const compareRowConditions = compareOn(compareConditions);
/** For each tree of conditions, the facets of every column: some 15 counts. */
export const compareRowFacets = compareOn((fixture, seed, count) =>
  compareFacets(fixture, seed, Math.ceil(count / 15)),
);
