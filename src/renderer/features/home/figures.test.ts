import { describe, expect, it } from 'vitest';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { Statistics } from '#shared/model/entities.ts';
import { areDays, barsOf, buckets, changeLabel, tiles } from './figures.ts';

const figure = (hour: number, matches: number) => ({
  time: `2026-11-19T0${hour}:00:00Z`,
  scanned: 10,
  found: matches,
  found_no_click: 3,
  suspicious: 1,
});
const statistics: Statistics = {
  from: '2026-11-19T00:00:00Z',
  to: '2026-11-20T00:00:00Z',
  apps: [
    { name: 'mail', scanned: 20, found: 5, suspicious: 2, series: [figure(2, 3), figure(1, 2)] },
    {
      name: 'drive',
      scanned: 9,
      found: 1,
      suspicious: 0,
      series: [{ ...figure(1, 1), spam: 4, found_no_click: null }],
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

describe('the bars of a week', () => {
  const weekOf = (times: readonly string[], to: string): Statistics => ({
    to,
    apps: [{ name: 'mail', series: times.map((time) => ({ ...figure(1, 1), time })) }],
  });
  /** As most services count it: seven times 24 hours, of which the last ends when it was asked. */
  const endingAt = (now: string): Statistics => {
    const end = Date.parse(now);
    const times = [7, 6, 5, 4, 3, 2, 1].map((days) => new Date(end - days * 86_400_000).toISOString());
    return weekOf(times, new Date(end).toISOString());
  };
  const BERLIN = { tenant: 'Europe/Berlin' };
  const LORD_HOWE = { tenant: 'Australia/Lord_Howe' };
  const labels = (statistics: Statistics, clock: ClockSetting) =>
    barsOf(statistics, '7d', clock)
      .map(({ label }) => label)
      .join(' ');
  const ACROSS = '20–21 21–22 22–23 23–24 24–25 25–26 26–27';
  it.each<[string, ClockSetting, string]>([
    ['2026-11-27T23:30:00Z', 'utc', ACROSS],
    ['2026-11-27T00:30:00Z', 'utc', ACROSS],
    ['2026-11-27T22:30:00Z', BERLIN, ACROSS],
    ['2026-11-27T12:59:00Z', LORD_HOWE, ACROSS],
    ['2026-11-27T00:00:00Z', 'utc', '11-20 11-21 11-22 11-23 11-24 11-25 11-26'],
    // Days of 25, 23, 24.5 and 23.5 hours: before them, days of 24 hours do not begin at midnight.
    ['2026-10-26T23:00:00Z', BERLIN, '20–21 21–22 22–23 23–24 24–25 10-25 10-26'],
    ['2026-03-30T22:00:00Z', BERLIN, '23–24 24–25 25–26 26–27 27–28 28–29 03-30'],
    ['2026-04-06T13:30:00Z', LORD_HOWE, '31–01 01–02 02–03 03–04 04–05 04-05 04-06'],
    ['2026-10-05T13:00:00Z', LORD_HOWE, '28–29 29–30 30–01 01–02 02–03 03–04 10-05'],
  ])('that ends at %s are named on the clock %j by the days that they lie in', (now, clock, expected) => {
    const statistics = endingAt(now);
    expect(labels(statistics, clock)).toBe(expected);
    expect(areDays(barsOf(statistics, '7d', clock))).toBe(!expected.includes('–'));
  });
  it('are named by date where a service counts days of the calendar, the last one so far', () => {
    const midnights = ['10-23T22', '10-24T22', '10-25T23', '10-26T23'].map((time) => `2026-${time}:00:00Z`);
    const statistics = weekOf(midnights, '2026-10-27T09:12:00Z');
    expect(labels(statistics, BERLIN)).toBe('10-24 10-25 10-26 10-27');
    expect(areDays(barsOf(statistics, '7d', BERLIN))).toBe(true);
  });
  it('say exactly what they count', () =>
    expect(barsOf(endingAt('2026-11-27T23:30:00Z'), '7d', 'utc').at(-1)?.title).toBe(
      '2026-11-26 23:30:00 UTC to 2026-11-27 23:30:00 UTC',
    ));
});

describe('tiles', () => {
  const [foundTile, noClick, suspicious, quarantined, reports] = tiles(statistics);
  it('“Found, no click” is unknown if no app reports it', () => {
    expect(noClick?.label).toBe('Found, no click');
    expect(noClick?.value).toBeNull();
    const counted = { ...statistics, apps: statistics.apps.map((app) => ({ ...app, found_no_click: 4 })) };
    expect(tiles(counted)[1]?.value).toBe(8);
    expect(tiles(counted)[1]?.bars).toEqual([3, 3]);
  });
  it('leave out apps that the service could not count', () => {
    expect(foundTile?.value).toBe(6);
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
