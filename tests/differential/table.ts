/** Compares our parsers and counters with independent witnesses: a bounded form in the tests, a long one in the bench. */
import { compareHeaders } from './headers.ts';
import type { Outcome } from './outcome.ts';
import { comparePatterns } from './patterns.ts';
import { compareRowConditions, compareRowFacets, compareRowOrders } from './rows.ts';
import { compareUrls } from './urls.ts';

export interface DifferentialRun {
  name: string;
  witness: string;
  /** Number of inputs in the bounded and in the long form. */
  bounded: number;
  long: number;
  /** null: the witness is not installed. */
  run: (count: number, seed: number) => Outcome | null | Promise<Outcome | null>;
}

/** One line per run, with its witness and its counts. */
export const RUNS: readonly DifferentialRun[] = [
  { name: 'patterns', witness: 'RegExp, flags i and u', bounded: 3_000, long: 100_000, run: comparePatterns },
  { name: 'urls', witness: 'the WHATWG URL parser of Node', bounded: 2_000, long: 100_000, run: compareUrls },
  {
    name: 'headers',
    witness: 'the email package of Python',
    bounded: 1_500,
    long: 60_000,
    run: compareHeaders,
  },
  { name: 'orders', witness: 'a plain reading of the rows', bounded: 150, long: 600, run: compareRowOrders },
  {
    name: 'conditions',
    witness: 'a plain reading of the rows',
    bounded: 120,
    long: 2_000,
    run: compareRowConditions,
  },
  { name: 'facets', witness: 'a plain reading of the rows', bounded: 90, long: 1_500, run: compareRowFacets },
];
