import { describe, expect, it } from 'vitest';
import type { Statistics } from '#shared/model/entities.ts';
import { buckets, changeLabel, tiles } from './figures.ts';

const at = (hour: number, found: number) => ({
  time: `2026-11-19T0${hour}:00:00Z`,
  scanned: 10,
  found,
  found_no_click: 3,
  suspicious: 1,
});
const statistics: Statistics = {
  from: '2026-11-19T00:00:00Z',
  to: '2026-11-20T00:00:00Z',
  apps: [
    { name: 'mail', scanned: 20, found: 5, suspicious: 2, series: [at(2, 3), at(1, 2)] },
    {
      name: 'drive',
      scanned: 9,
      found: 1,
      suspicious: 0,
      series: [{ ...at(1, 1), spam: 4, found_no_click: null }],
    },
    { name: 'chat', scanned: 0, found: 99, suspicious: 99, error: 'no answer' },
  ],
  quarantined: 7,
  previous: { found: 3, suspicious: 2 },
};

describe('buckets', () => {
  it('sums all apps by time, in order', () => {
    expect(buckets(statistics)).toEqual([
      { time: '2026-11-19T01:00:00Z', found: 3, suspicious: 2, spam: 4, foundNoClick: 3 },
      { time: '2026-11-19T02:00:00Z', found: 3, suspicious: 1, spam: null, foundNoClick: 3 },
    ]);
  });
});

describe('tiles', () => {
  const [found, noClick, suspicious, quarantined, reports] = tiles(statistics);
  it('“Found, no click” is unknown if no app reports it', () => {
    expect(noClick?.label).toBe('Found, no click');
    expect(noClick?.value).toBeNull();
    const counted = { ...statistics, apps: statistics.apps.map((app) => ({ ...app, found_no_click: 4 })) };
    expect(tiles(counted)[1]?.value).toBe(8);
    expect(tiles(counted)[1]?.bars).toEqual([3, 3]);
  });
  it('leave out apps that the service could not count', () => {
    expect(found?.value).toBe(6);
    expect(suspicious?.value).toBe(2);
  });
  it('are unknown if no app was counted', () => {
    const failed = statistics.apps.map((app) => ({ ...app, error: 'no answer' }));
    for (const apps of [[], failed])
      expect(
        tiles({ ...statistics, apps })
          .slice(0, 3)
          .map(({ value }) => value),
      ).toEqual([null, null, null]);
  });
  it('distinguish zero from unknown', () => {
    expect(quarantined?.value).toBe(7);
    expect(reports?.value).toBeNull();
    const series = [{ time: '2026-11-19T01:00:00Z', quarantined: 0 }, { time: '2026-11-19T02:00:00Z' }];
    expect(tiles({ ...statistics, series })[3]?.bars).toEqual([0, null]);
  });
});

describe('changeLabel', () => {
  it.each([
    [138, 100, '+38% vs prior 24 h'],
    [96, 100, '−4% vs prior 24 h'],
    [100, 100, 'no change vs prior 24 h'],
    [1001, 1000, '+1 vs prior 24 h'],
    [5, 0, 'none in the prior 24 h'],
    [null, 3, ''],
    [3, null, ''],
  ])('%j after %j: %j', (value, before, words) => expect(changeLabel(value, before, '24h')).toBe(words));
});
