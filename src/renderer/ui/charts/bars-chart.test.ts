import { describe, expect, it } from 'vitest';
import { axisLines, firstLabel, labelEvery } from './bars-chart.ts';

describe('axisLines', () => {
  it.each([
    [0, 200, [0]],
    [3, 200, [0, 1, 2, 3]],
    [7, 200, [0, 2, 4, 6]],
    [186, 200, [0, 50, 100, 150]],
    [1_000_000, 200, [0, 500_000, 1_000_000]],
    // Their labels do not overprint in a low chart.
    [186, 34, [0, 100]],
    [3, 34, [0, 2]],
    [9, 10, [0]],
  ])('up to %i in %i px are %j', (max, height, lines) => expect(axisLines(max, height)).toEqual(lines));
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
  ])('[promise] of %j one in %i is labelled, from the %ith', (labels, every, first) =>
    expect(firstLabel(labels, every)).toBe(first),
  );
});
