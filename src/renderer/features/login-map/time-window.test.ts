import { describe, expect, it } from 'vitest';
import { profileTime } from '#shared/model/clock.ts';
import { axisMarks, edgeBeside, firstWindow, markLabel, midnights, stepWindow } from './time-window.ts';

const bars = Array.from({ length: 101 }, (_, index) => 1000 + index * 10);

describe('a step of the time window', () => {
  it('starts with a tenth of the span, at either end', () => {
    expect(firstWindow(bars)).toEqual({ from: 1000, to: 1100 });
    expect(stepWindow(undefined, bars, 1)).toEqual({ from: 1000, to: 1100 });
    expect(stepWindow(undefined, bars, -1)).toEqual({ from: 1900, to: 2000 });
  });

  it('moves by one bar, also where bars differ in length, as a day does when the clocks change', () => {
    expect(stepWindow({ from: 1200, to: 1250 }, bars, 1)).toEqual({ from: 1210, to: 1260 });
    expect(stepWindow({ from: 1200, to: 1250 }, bars, -1)).toEqual({ from: 1190, to: 1240 });
    const days = [0, 24, 47, 71, 95];
    expect(stepWindow({ from: 0, to: 24 }, days, 1)).toEqual({ from: 24, to: 47 });
    expect(stepWindow({ from: 24, to: 71 }, days, 1)).toEqual({ from: 47, to: 95 });
    expect(stepWindow({ from: 24, to: 47 }, days, -1)).toEqual({ from: 0, to: 24 });
  });

  it('stops at the last logins', () => {
    expect(stepWindow({ from: 1945, to: 1995 }, bars, 1)).toEqual({ from: 1950, to: 2000 });
    expect(stepWindow({ from: 1950, to: 2000 }, bars, 1)).toBeNull();
    expect(stepWindow({ from: 1000, to: 1050 }, bars, -1)).toBeNull();
  });

  it('covers the whole span, one bar at a time', () => {
    let steps = 0;
    for (let index = firstWindow(bars); ; steps += 1) {
      const next = stepWindow(index, bars, 1);
      if (next === null) break;
      index = next;
    }
    expect(steps).toBe(90);
  });

  it('does nothing without times', () => {
    expect(stepWindow(undefined, [], 1)).toBeNull();
  });

  it('is at least one bar wide', () => {
    expect(firstWindow([0, 60, 120, 180])).toEqual({ from: 0, to: 60 });
  });
});

it.each([
  [1, 1000, 1010],
  [12, 1000, 1120],
  [-1, 1000, 1000],
  [-12, 1150, 1030],
  [1, 2000, 2000],
  [1, 1005, 1010],
  [-1, 1005, 1000],
])('the edge %i beside %i is %i', (by, index, edge) => expect(edgeBeside(bars, index, by)).toBe(edge));

it.each([
  ['2026-11-23T00:00:00Z', '2026-11-20', '2026-11-27', 'Mon 23'],
  ['2026-11-23T00:00:00Z', '2026-10-20', '2026-11-27', '11-23'],
  ['2026-01-04T00:00:00Z', '2025-12-20', '2026-01-10', '01-04'],
  ['2026-11-23T00:00:00Z', '2024-11-20', '2026-11-27', '2026-11'],
  ['2026-11-23T06:00:00Z', '2026-11-23', '2026-11-24', '06:00'],
])('the mark at %s of an axis from %s to %s is %s', (time, start, end, label) =>
  expect(markLabel(Date.parse(time), Date.parse(start), Date.parse(end), 'utc')).toBe(label),
);

it.each([
  ['Europe/Berlin', '2026-10-23T12:00:00Z', '2026-10-27T12:00:00Z', [24, 25, 26, 27]],
  ['America/New_York', '2026-03-06T12:00:00Z', '2026-03-10T12:00:00Z', [7, 8, 9, 10]],
  ['Asia/Kathmandu', '2026-11-19T00:00:00Z', '2026-11-21T00:00:00Z', [20, 21]],
  // Where the clocks go forward at midnight, the day starts at 01:00.
  ['America/Santiago', '2026-09-05T06:00:00Z', '2026-09-07T06:00:00Z', [6, 7]],
])('the days of %s start at its midnight, also after the clocks have changed', (tenant, from, to, days) => {
  const marks = midnights(Date.parse(from), Date.parse(to), 1_000, { tenant });
  expect(marks.map((time) => Number(profileTime(time, { tenant }).slice(8, 10)))).toEqual(days);
  expect(marks.map((time) => profileTime(time - 1, { tenant }).slice(11, 13))).toEqual(days.map(() => '23'));
});

it.each([
  [
    'Asia/Kathmandu',
    '2026-11-20T08:00:00Z',
    '2026-11-20T10:41:00Z',
    ['14:00', '14:30', '15:00', '15:30', '16:00'],
  ],
  ['UTC', '2026-11-20T08:00:00Z', '2026-11-20T08:03:00Z', ['08:00', '08:01', '08:02']],
  // The clocks go back: 02:00 occurs twice, and is marked once.
  ['Europe/Oslo', '2026-10-24T23:30:00Z', '2026-10-25T03:30:00Z', ['02:00', '03:00', '04:00']],
  ['UTC', '2026-11-20T08:00:00Z', '2026-11-22T08:00:00Z', ['00:00', '00:00']],
])('the axis of %s from %s to %s always has marks', (tenant, from, to, times) => {
  const marks = axisMarks(Date.parse(from), Date.parse(to), 400, { tenant });
  expect(marks.map((time) => profileTime(time, { tenant }).slice(11, 16))).toEqual(times);
});
