import { expect, it } from 'vitest';
import { growthStep } from './use-rows.ts';

it('steps often while few rows are loaded, and rarely with millions', () => {
  expect(growthStep(0)).toBe(growthStep(3999));
  expect(growthStep(5000)).toBeGreaterThan(growthStep(4000));
  expect(growthStep(1_000_000)).toBeLessThan(35);
  expect(growthStep(1_000_001)).toBe(growthStep(1_000_000));
});
