import { expect, it } from 'vitest';
import { visitAt } from './visits.ts';

const MINUTE = 60_000;

it.each([
  ['the first visit has nothing before it', null, { since: null, at: 100 * MINUTE }],
  ['a reload goes on with the visit', { since: 5, at: 99 * MINUTE }, { since: 5, at: 100 * MINUTE }],
  [
    'a visit after a pause counts what is new since the end of the one before',
    { since: 5, at: 10 * MINUTE },
    { since: 10 * MINUTE, at: 100 * MINUTE },
  ],
  [
    'after the clock was set back, a visit recorded in the future is ignored',
    { since: 200 * MINUTE, at: 300 * MINUTE },
    { since: null, at: 100 * MINUTE },
  ],
])('%s', (_, stored, expected) => {
  expect(visitAt(100 * MINUTE, stored)).toEqual(expected);
});
