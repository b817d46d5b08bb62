import { describe, expect, it } from 'vitest';
import { axisStep, labelEvery } from './bars-chart.ts';

describe('axisStep', () => {
  it.each([
    [0, 1],
    [3, 1],
    [7, 2],
    [186, 50],
    [150, 50],
    [1_000_000, 500_000],
  ])('a maximum of %i steps by %i', (max, step) => expect(axisStep(max)).toBe(step));
});

describe('labelEvery', () => {
  it.each([
    [60, 1],
    [39, 2],
    [13, 4],
    [1, 44],
  ])('a slot of %i px labels each %ith', (slot, every) => expect(labelEvery(slot)).toBe(every));
});
