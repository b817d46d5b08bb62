import { describe, expect, it } from 'vitest';
import { timeOfDay } from '../model/clock.ts';
import { type LoginFilter, passing } from './login-filter.ts';
import { hourOfWeek, indexLogins } from './login-index.ts';
import { rarityOf, whereaboutsOf } from './rarity.ts';
import { summarise } from './summary.ts';
import { LoginTableBuilder } from './table.ts';
import { distanceKm, impossibleTravel } from './travel.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const table = (rows: readonly unknown[], failed = false) => {
  const builder = new LoginTableBuilder(NOW);
  builder.add(rows, 0, failed);
  return builder.build();
};
const instant = (time: string) => `2026-11-${time}:00Z`;

const LONDON = [51.5, -0.12];
const LAGOS = [6.45, 3.4];
const rows = [
  [...LONDON, 40, 'GB', '192.0.2.1', 'ada@corp.example', instant('16T09:00')],
  [...LONDON, 20, 'GB', '192.0.2.1', 'ada@corp.example', instant('17T09:00')],
  [...LONDON, 5, 'GB', '192.0.2.2', 'ben@corp.example', instant('17T10:00')],
  [...LAGOS, 1, 'NG', '203.0.113.7', 'ada@corp.example', instant('17T10:00')],
];
const indexed = (list: readonly unknown[] = rows) => indexLogins(table(list), 'utc');

describe('rows', () => {
  it('are read as arrays or as equivalent objects', () => {
    const [lat, lon, count, country, ip, user, time] = rows[0] ?? [];
    expect(table([{ lat, lon, count, country, ip, user, time }])).toEqual(table([rows[0]]));
  });

  it.each([
    ['text for latitude', ['51.5', 0, 1], 'latitude'],
    ['latitude 91', [91, 0, 1], 'latitude'],
    ['longitude -181', [0, -181, 1], 'longitude'],
    ['not a number', [Number.NaN, 0, 1], 'latitude'],
    ['a count below one', [0, 0, 0], 'count'],
    ['a count in words', [0, 0, 'many'], 'count'],
    ['a text', 'row', 'shape'],
    ['null', null, 'shape'],
    ['too short', [1, 2], 'shape'],
    ['an object of something else', { a: 1 }, 'shape'],
  ])('that are invalid are counted and dropped: %s', (_, row, reason) => {
    const logins = table([row, rows[0]]);
    expect(logins.size).toBe(1);
    expect(logins.dropped).toMatchObject({ [reason]: 1 });
  });

  it('belong to one user in any spelling of the address', () => {
    const logins = table([
      [...LONDON, 1, 'GB', '2001:DB8::1', 'Alice@Corp.example', instant('17T10:00')],
      [...LONDON, 1, 'GB', '2001:db8::1', 'alice@corp.example ', instant('17T11:00')],
      [...LONDON, 1, 'GB', '', 'bob', instant('17T11:00')],
    ]);
    expect(logins.users).toEqual(['', 'alice@corp.example', 'bob']);
    expect(logins.ips).toEqual(['', '2001:db8::1']);
  });

  it('without coordinates are kept as unplaced, never guessed', () => {
    const logins = table([[null, null, 1, 'NO', '192.0.2.9', 'x@corp.example', instant('17T10:00')]]);
    expect(logins).toMatchObject({ size: 1, unplaced: 1 });
    expect(logins.lat[0]).toBeNaN();
  });

  it('at 0, 0 have no place, which is how logs write an unknown one: nobody travelled there', () => {
    const logins = table([
      [...LONDON, 1, 'GB', '', 'a', instant('17T10:00')],
      [0, 0, 1, '', '', 'a', instant('17T10:05')],
      [...LONDON, 1, 'GB', '', 'a', instant('17T10:10')],
      [0, 10, 1, 'GA', '', 'b', instant('17T10:10')],
    ]);
    expect(logins).toMatchObject({ size: 4, unplaced: 1 });
    expect(impossibleTravel(logins, () => true)).toEqual([]);
  });

  it('have times in seconds and milliseconds, and none from before any sign-in', () => {
    const seconds = Date.parse(instant('17T10:00')) / 1000;
    const logins = table([
      [...LONDON, 1, 'GB', '', 'a', seconds],
      [...LONDON, 1, 'GB', '', 'a', seconds * 1000],
      [...LONDON, 1, 'GB', '', 'a', '1601-01-01T00:00:00Z'],
      [...LONDON, 1, 'GB', '', 'a', 7],
    ]);
    expect([...logins.time]).toEqual([seconds * 1000, seconds * 1000, Number.NaN, Number.NaN]);
    expect(logins.doubts).toEqual({ time: 1, past: 1, future: 0, clock: 0 });
  });

  it('[promise] with a future or invalid time keep their location and lose their time', () => {
    const logins = table([
      [...LONDON, 1, 'GB', '', 'a', '2031-01-01T00:00:00Z'],
      [...LONDON, 1, 'GB', '', 'a', 'yesterday'],
    ]);
    expect(logins.doubts).toEqual({ future: 1, time: 1, past: 0, clock: 0 });
    expect([...logins.time]).toEqual([Number.NaN, Number.NaN]);
  });

  it('keep their times if most are in the future: then the clock of this machine is wrong', () => {
    const builder = new LoginTableBuilder(Date.UTC(2000, 0, 1));
    const times = [instant('17T10:00'), instant('17T11:00'), '1999-12-31T00:00:00Z'];
    builder.add(
      times.map((time) => [...LONDON, 1, 'GB', '', 'a', time]),
      0,
      false,
    );
    const { time, doubts } = builder.build();
    expect(doubts).toEqual({ future: 0, time: 0, past: 0, clock: 2 });
    expect([...time]).toEqual(times.map((time) => Date.parse(time)));
  });
});

describe('rarity', () => {
  it.each([
    [1, 4],
    [2, 3],
    [4, 3],
    [5, 2],
    [14, 2],
    [15, 1],
    [49, 1],
    [50, 0],
  ])('%d logins of a user from a place: level %d', (count, level) => {
    expect(rarityOf(count)).toBe(level);
  });

  it("[promise] counts per user, not a colleague's daily place", () => {
    expect([...whereaboutsOf(table(rows)).seen]).toEqual([60, 60, 5, 1]);
  });
});

describe('impossible travel', () => {
  it('measures along the great circle', () => {
    expect(distanceKm(51.5, -0.12, 6.45, 3.4)).toBeCloseTo(5015, -2);
    expect(distanceKm(0, 0, 0, 180)).toBeCloseTo(20_015, -1);
  });

  it('[promise] finds a pair that no aeroplane could fly, and shows its arithmetic', () => {
    const [pair, ...more] = impossibleTravel(table(rows), () => true);
    expect(more).toEqual([]);
    expect(pair).toMatchObject({ from: 1, to: 3, hours: 1 });
    expect(pair?.kmh).toBeCloseTo(pair?.km ?? 0);
  });

  it.each([
    ['failed logins', table(rows, true)],
    [
      'a flight of seven hours',
      table([rows[0], [...LAGOS, 1, 'NG', '', 'ada@corp.example', instant('16T16:00')]]),
    ],
    [
      'places of one city',
      table([rows[0], [51.4, -0.5, 1, 'GB', '', 'ada@corp.example', instant('16T09:01')]]),
    ],
    ['other users', table([rows[0], [...LAGOS, 1, 'NG', '', 'ben@corp.example', instant('16T09:01')]])],
  ])('ignores %s', (_, logins) => {
    expect(impossibleTravel(logins, () => true)).toEqual([]);
  });

  it('finds two places at the same moment', () => {
    const same = table([rows[0], [...LAGOS, 1, 'NG', '', 'ada@corp.example', instant('16T09:00')]]);
    expect(impossibleTravel(same, () => true)[0]?.kmh).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('linked views', () => {
  it('count hours of the week on a clock', () => {
    expect(hourOfWeek(Date.parse('2026-11-16T00:30:00Z'), 0)).toBe(0);
    expect(hourOfWeek(Date.parse('2026-11-16T00:30:00Z'), -3_600_000)).toBe(167);
    expect(hourOfWeek(Date.parse('1969-12-31T23:00:00Z'), 0)).toBe(2 * 24 + 23);
  });

  it('show everything without a filter, rarest first, then newest', () => {
    const all = summarise(indexed(), {});
    expect(all).toMatchObject({ rows: 4, logins: 66 });
    expect([...all.order]).toEqual([3, 2, 1, 0]);
    expect(all.places.size).toBe(2);
    expect(all.countries.slice(0, 10)).toEqual([
      { value: 'GB', logins: 65, rarest: 2 },
      { value: 'NG', logins: 1, rarest: 4 },
    ]);
  });

  it.each<[string, LoginFilter, number]>([
    ['time', { time: { from: Date.parse(instant('17T09:30')), to: NOW } }, 2],
    ['hours of the week', { hours: [24 + 9] }, 1],
    ['countries', { countries: ['NG'] }, 1],
    ['users', { users: ['ada@corp.example'] }, 3],
    ['addresses', { ips: ['192.0.2.2', '203.0.113.7'] }, 2],
    ['values filtered out', { not: { users: ['ben@corp.example'], countries: ['NG'] } }, 2],
    [
      'a user filtered out, in other letters than the table has',
      { not: { users: [' Ben@Corp.example'] } },
      3,
    ],
    ['an address filtered out, with a space', { not: { ips: ['192.0.2.2 ', '203.0.113.7'] } }, 2],
    ['words', { text: ' BEN@ ' }, 1],
    ['words that are defanged', { text: 'ben[@]corp[.]example' }, 1],
    ['a part of the map', { box: [0, 0, 10, 10] }, 1],
    ['parts together', { users: ['ada@corp.example'], countries: ['GB'] }, 2],
  ])('filter by %s', (_, filter, expected) => {
    const index = indexed();
    const { rows: summaries, order } = summarise(index, filter);
    expect(summaries).toBe(expected);
    const passes = passing(index, filter);
    expect([...order].every(passes)).toBe(true);
  });

  it('count every distinct value, and list the rarest and the most frequent', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => [
      ...LAGOS,
      1 + (n % 7),
      'NG',
      `192.0.${n % 250}.${Math.floor(n / 250)}`,
      'ada@corp.example',
      instant('16T09:00'),
    ]);
    const { ips } = summarise(indexLogins(table(many), 'utc'), {});
    expect(ips.distinct).toBe(1_000);
    const all = ips.slice(0, 2_000);
    expect(new Set(all.map(({ value }) => value)).size).toBe(1_000);
    expect(all.map(({ logins }) => logins)).toEqual(all.map(({ logins }) => logins).sort((a, b) => b - a));
    expect(ips.slice(199, 202)).toEqual(all.slice(199, 202));
    expect(ips.slice(999, 1_001)).toHaveLength(1);
  });

  it('keep showing the alternatives of their own filter', () => {
    const chosen = summarise(indexed(), { countries: ['NG'] });
    expect(chosen.countries.slice(0, 10).map(({ value }) => value)).toEqual(['GB', 'NG']);
    expect(chosen.users.slice(0, 10).map(({ value }) => value)).toEqual(['ada@corp.example']);
  });

  it.each([
    ['Asia/Kathmandu', '2026-09-30T18:15:00Z'],
    ['America/St_Johns', '2026-10-01T02:30:00Z'],
    ['UTC', '2026-10-01T00:00:00Z'],
  ])('bars of the time axis start at midnight in %s', (tenant, midnight) => {
    const month = [...Array(30).keys()].map((day) => [
      ...LONDON,
      1,
      'GB',
      '',
      'a',
      new Date(Date.UTC(2026, 9, 1, 12) + day * 86_400_000).toISOString(),
    ]);
    const { histogram } = summarise(indexLogins(table(month), { tenant }), {});
    const [first = 0, second = 0] = histogram.edges;
    expect(second - first).toBe(6 * 3_600_000);
    expect((first - Date.parse(midnight)) % (second - first)).toBe(0);
  });

  it.each([
    ['Europe/Berlin', '2026-10-20T00:00:00+02:00'],
    ['America/New_York', '2026-10-20T00:00:00-04:00'],
  ])('bars begin at midnight of %s also after the clocks have changed', (tenant, from) => {
    const start = Date.parse(from);
    const days = [...Array(250).keys()].map((day) => [
      ...LONDON,
      1,
      'GB',
      '',
      'a',
      new Date(start - (day + 0.5) * 86_400_000).toISOString(),
    ]);
    const { histogram } = summarise(indexLogins(table(days), { tenant }), {});
    expect(histogram.edges.map((edge) => timeOfDay(edge, { tenant }))).toEqual(
      histogram.edges.map(() => '00:00:00'),
    );
  });

  it('spread the span over bars without losing a login', () => {
    const { histogram } = summarise(indexed(), {});
    expect(histogram.logins.reduce((sum, each) => sum + each, 0)).toBe(66);
    expect(histogram.logins.length).toBeLessThanOrEqual(201);
  });

  it('work without any rows', () => {
    expect(summarise(indexed([]), {})).toMatchObject({ rows: 0, logins: 0, countries: { distinct: 0 } });
  });
});
