import { describe, expect, it } from 'vitest';
import { axisStep, firstLabel, labelEvery } from './bars-chart.ts';

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

describe('firstLabel', () => {
  it.each([
    [['12:00', '11-04', '12:00', '11-05'], 2, 1],
    [['21:00', '22:00', '23:00', '11-04', '01:00'], 3, 0],
    [['22:00', '23:00', '11-04', '01:00'], 4, 2],
    [['11-04', '11-05', '11-06'], 2, 0],
    [['13:58', '14:58'], 2, 0],
    [[], 1, 0],
  ])('of %j one in %i is labelled, from the %ith', (labels, every, first) =>
    expect(firstLabel(labels, every)).toBe(first),
  );
});
