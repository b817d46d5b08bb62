import { describe, expect, it } from 'vitest';
import { profileTime } from './clock.ts';
import { timeBuckets } from './time-buckets.ts';

const time = (text: string) => Date.parse(text);
const iso = (edges: readonly number[]) => edges.map((edge) => new Date(edge).toISOString().slice(0, 16));

describe('buckets of time', () => {
  it('have the shortest round length that fits, and cover all instants', () => {
    const cases = [
      ['2026-11-19T08:41:07Z', '2026-11-19T08:41:07Z', { ms: 1_000 }],
      ['2026-11-19T08:41:07Z', '2026-11-19T09:30:00Z', { ms: 60_000 }],
      ['2026-11-18T08:41:07Z', '2026-11-19T09:30:00Z', { ms: 1_800_000 }],
      ['2026-10-20T00:00:00Z', '2026-11-19T00:00:00Z', { ms: 43_200_000 }],
      ['2025-11-19T00:00:00Z', '2026-11-19T00:00:00Z', { ms: 604_800_000 }],
      ['1970-01-01T00:00:00Z', '2026-11-19T00:00:00Z', { months: 12 }],
      ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', { months: 12_000 }],
    ] as const;
    for (const [first, last, step] of cases) {
      const buckets = timeBuckets(time(first), time(last), 'utc', 62);
      expect(buckets.step, first).toEqual(step);
      const { edges } = buckets;
      expect(edges.length, first).toBeLessThanOrEqual(65);
      expect(edges[0]).toBeLessThanOrEqual(time(first));
      expect(edges[1]).toBeGreaterThan(time(first));
      expect(edges.at(-1)).toBeGreaterThan(time(last));
      expect(edges.at(-2)).toBeLessThanOrEqual(time(last));
    }
  });

  it('start at days of the chosen clock, also across clock changes', () => {
    const zone = { tenant: 'Europe/Berlin' };
    const { edges } = timeBuckets(
      time('2026-10-24T10:00:00Z'),
      time('2026-10-26T10:00:00Z'),
      zone,
      10,
      'day',
    );
    expect(edges.map((edge) => profileTime(edge, zone))).toEqual([
      '2026-10-24 00:00:00 UTC+02:00',
      '2026-10-25 00:00:00 UTC+02:00',
      '2026-10-26 00:00:00 UTC+01:00',
      '2026-10-27 00:00:00 UTC+01:00',
    ]);
    const spring = timeBuckets(time('2026-03-29T00:30:00Z'), time('2026-03-29T03:30:00Z'), zone, 10, 'hour');
    // 02:00 does not exist.
    expect(spring.edges.map((edge) => profileTime(edge, zone).slice(11, 16))).toEqual([
      '01:00',
      '03:00',
      '04:00',
      '05:00',
      '06:00',
    ]);
  });

  it.each([
    ['Europe/Berlin', '2026-10-24T23:30:00Z', '2026-10-25T02:30:00Z', 'minute', 13, 900_000],
    ['Europe/Berlin', '2026-10-24T20:30:00Z', '2026-10-25T04:30:00Z', 'hour', 10, 3_600_000],
    ['America/New_York', '2026-11-01T03:00:00Z', '2026-11-01T08:00:00Z', 'hour', 10, 3_600_000],
    ['America/Santiago', '2026-04-05T01:00:00Z', '2026-04-05T06:00:00Z', 'hour', 10, 3_600_000],
    // Half an hour occurs twice.
    ['Australia/Lord_Howe', '2026-04-04T13:00:00Z', '2026-04-04T17:00:00Z', 'hour', 10, 3_600_000],
  ] as const)(
    'in %s, none is longer than the others when an hour occurs twice',
    (tenant, first, last, every, most, ms) => {
      const { step, edges } = timeBuckets(time(first), time(last), { tenant }, most, every);
      expect(step).toEqual({ ms });
      const lengths = edges.slice(1).map((edge, index) => edge - edges[index]!);
      expect(Math.max(...lengths)).toBe(ms);
      expect(Math.min(...lengths)).toBeGreaterThan(0);
      expect(edges[0]).toBeLessThanOrEqual(time(first));
      expect(edges.at(-2)).toBeLessThanOrEqual(time(last));
      expect(edges.at(-1)).toBeGreaterThan(time(last));
    },
  );

  it('can be weeks from Monday, calendar months and years', () => {
    const [first, last] = [time('2026-11-19T08:00:00Z'), time('2027-01-02T00:00:00Z')];
    expect(iso(timeBuckets(first, last, 'utc', 60, 'week').edges).slice(0, 2)).toEqual([
      '2026-11-16T00:00',
      '2026-11-23T00:00',
    ]);
    expect(iso(timeBuckets(first, last, 'utc', 60, 'month').edges)).toEqual([
      '2026-11-01T00:00',
      '2026-12-01T00:00',
      '2027-01-01T00:00',
      '2027-02-01T00:00',
    ]);
    expect(iso(timeBuckets(time('0099-05-01T00:00:00Z'), last, 'utc', 3_000, 'year').edges)[0]).toBe(
      '0099-01-01T00:00',
    );
  });

  it('are longer than requested if there would be too many', () => {
    const { step, edges } = timeBuckets(
      time('2020-01-01T00:00:00Z'),
      time('2026-01-01T00:00:00Z'),
      'utc',
      100,
      'hour',
    );
    expect(step).toEqual({ months: 1 });
    expect(edges.length).toBeLessThan(100);
  });
});
