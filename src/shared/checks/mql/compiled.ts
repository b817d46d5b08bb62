/** An expression of a rule as a function of a mail. */
import type { FindingPlace } from '../check.ts';
import type { Work } from './functions.ts';
import type { MqlInput } from './model.ts';
import type { Type, Value } from './values.ts';

/** What an evaluation stands at. */
export interface Frame {
  input: MqlInput;
  /** The elements that functions are at, the innermost last. */
  elements: Value[];
  work: Work;
  /** Where in the mail what has been true so far is. */
  places: FindingPlace[];
}

export interface Compiled {
  type: Type;
  run: (frame: Frame) => Value;
  /** Of a condition: whether it can be true or false in any mail; of a list: whether it can have elements, or none. */
  can: { yes: boolean; no: boolean };
}

export const EITHER = { yes: true, no: true };
export const NEITHER = { yes: false, no: false };
