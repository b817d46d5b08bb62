/** When what is counted or ordered on this machine is read again while rows come in. Pure. */

/** Rows until which a step is a fixed number of rows. */
const FIRST = 4000;
/** Then each step is this much more than the one before: few at a million rows, many at the beginning. */
const FACTOR = 1.2;

/** A number that grows with the rows that are here, in steps; each step costs a read over all of them. */
export const growthStep = (loaded: number): number =>
  loaded < FIRST ? 0 : 1 + Math.floor(Math.log(loaded / FIRST) / Math.log(FACTOR));
