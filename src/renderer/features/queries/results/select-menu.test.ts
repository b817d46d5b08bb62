import { expect, it } from 'vitest';
import { selectable } from './select-menu.tsx';

it.each([
  // The state before the fetch has started does not tell how it will end.
  ['partial', false, 'wait'],
  ['complete', false, 'wait'],
  ['filling', true, 'wait'],
  ['paused', true, 'wait'],
  ['complete', true, 'all'],
  ['partial', true, 'here'],
] as const)('“all matching” for rows that are %s (begun: %s): %s', (state, begun, now) =>
  expect(selectable({ state }, begun)).toBe(now),
);
