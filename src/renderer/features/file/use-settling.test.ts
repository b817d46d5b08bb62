import { expect, test } from 'vitest';
import { nextLook } from './use-settling.ts';

const NOW = Date.UTC(2026, 10, 19, 8);
const at = (ms: number) => new Date(NOW + ms).toISOString();

test.each([
  ['nothing', [], null],
  ['nothing under way', [null, null], null],
  ['the soonest counts', [at(30_000), null, at(5_000)], 5_400],
  ['a time that has passed', [at(-60_000)], 1_000],
  ['a time that is not told', [''], 1_000],
  ['far away', [at(86_400_000)], 60_000],
])('%s', (_, untils, wait) => expect(nextLook(untils, NOW)).toBe(wait));
