import { expect, it } from 'vitest';
import { selectable } from './select-menu.tsx';

it.each([
  // Rows that are partial before the fetch was asked for say nothing of how it will end.
  ['partial', false, 'wait'],
  ['complete', false, 'wait'],
  ['filling', true, 'wait'],
  ['paused', true, 'wait'],
  ['complete', true, 'all'],
  ['partial', true, 'here'],
] as const)('all that match of rows that are %s (begun: %s): %s', (state, begun, now) =>
  expect(selectable({ state }, begun)).toBe(now),
);
