import { describe, expect, it, test } from 'vitest';
import {
  type ClockSetting,
  exportTime,
  gridTime,
  profileTime,
  sentInstant,
  timeOfDay,
  toInstant,
  zoneAt,
  zoneLabel,
  zoneNames,
  zoneOffsetMs,
} from './clock.ts';

const AT = Date.UTC(2026, 10, 19, 8, 41, 7, 5);
const BERLIN: ClockSetting = { tenant: 'Europe/Berlin' };
const KOLKATA: ClockSetting = { tenant: 'Asia/Kolkata' };

describe('one clock setting (UTC, local, tenant) rules grid, timeline and exports; every time shows its zone', () => {
  test.each<[ClockSetting, string, string, string, string, string]>([
    ['utc', '11-19 08:41:07', '2026-11-19 08:41:07 UTC', '08:41:07', '2026-11-19T08:41:07.005Z', 'UTC'],
    [
      BERLIN,
      '11-19 09:41:07',
      '2026-11-19 09:41:07 UTC+01:00',
      '09:41:07',
      '2026-11-19T09:41:07.005+01:00',
      'Europe/Berlin',
    ],
    [
      { tenant: 'America/New_York' },
      '11-19 03:41:07',
      '2026-11-19 03:41:07 UTC-05:00',
      '03:41:07',
      '2026-11-19T03:41:07.005-05:00',
      'America/New_York',
    ],
    [
      { tenant: 'UTC' },
      '11-19 08:41:07',
      '2026-11-19 08:41:07 UTC',
      '08:41:07',
      '2026-11-19T08:41:07.005Z',
      'UTC',
    ],
  ])('%j', (clock, grid, profile, day, exported, label) => {
    expect([gridTime(AT, clock, AT), profileTime(AT, clock), timeOfDay(AT, clock)]).toEqual([
      grid,
      profile,
      day,
    ]);
    expect([exportTime(AT, clock), zoneLabel(clock)]).toEqual([exported, label]);
    expect(Date.parse(exportTime(AT, clock))).toBe(AT);
  });

  it.each(['Asia/Kathmandu', 'Asia/Kolkata', 'Europe/Kyiv'])(
    '%s keeps the name that was chosen',
    (tenant) => {
      expect(zoneLabel({ tenant })).toBe(tenant);
    },
  );

  it('distinguishes the two equal wall times of the autumn change', () => {
    const first = Date.UTC(2026, 9, 25, 0, 30);
    expect(profileTime(first, BERLIN)).toBe('2026-10-25 02:30:00 UTC+02:00');
    expect(profileTime(first + 3_600_000, BERLIN)).toBe('2026-10-25 02:30:00 UTC+01:00');
  });
  it('crosses midnight, and half hours', () => {
    expect(gridTime(Date.UTC(2026, 11, 31, 23, 0), KOLKATA, AT)).toBe('01-01 04:30:00');
    expect(zoneAt(AT, KOLKATA)).toBe('UTC+05:30');
    expect(gridTime(Date.UTC(2026, 1, 1), 'utc', AT)).toBe('02-01 00:00:00');
  });
  test.each<[number, string, string]>([
    [Date.UTC(12_026, 0, 1), '+012026-01-01 00:00:00 UTC', '+012026-01-01 01:00:00 UTC+01:00'],
    [Date.UTC(9_999, 11, 31, 23), '9999-12-31 23:00:00 UTC', '+010000-01-01 00:00:00 UTC+01:00'],
    [-1, '1969-12-31 23:59:59 UTC', '1970-01-01 00:59:59 UTC+01:00'],
    [Date.parse('0000-06-01T00:00:00Z'), '0000-06-01 00:00:00 UTC', '0000-06-01 00:53:00 UTC+00:53'],
    [Date.parse('-000005-06-01T00:00:00Z'), '-000005-06-01 00:00:00 UTC', '-000005-06-01 00:53:00 UTC+00:53'],
    [8.64e15, '+275760-09-13 00:00:00 UTC', '+275760-09-13 00:00:00 UTC+02:00'],
    [-8.64e15, '-271821-04-20 00:00:00 UTC', '-271821-04-20 00:53:00 UTC+00:53'],
  ])('%d keeps its year on every clock', (instant, utc, berlin) => {
    expect([profileTime(instant, 'utc'), profileTime(instant, BERLIN)]).toEqual([utc, berlin]);
    expect(gridTime(instant, BERLIN)).toBe(berlin.slice(0, berlin.indexOf(' UTC')));
  });

  it('[promise] a grid omits the year only where it is obvious', () => {
    expect(gridTime(Date.UTC(2025, 10, 19, 8, 41, 7), 'utc', AT)).toBe('2025-11-19 08:41:07');
    expect(gridTime(Date.UTC(1998, 2, 4), 'utc', AT)).toBe('1998-03-04 00:00:00');
    expect(gridTime(Date.UTC(2027, 1, 1), 'utc', AT)).toBe('02-01 00:00:00');
    expect(gridTime(Date.UTC(2028, 1, 1), 'utc', AT)).toBe('2028-02-01 00:00:00');
  });
  it("local is this machine's zone", () => {
    const wall = new Date(AT);
    expect(timeOfDay(AT, 'local').slice(0, 2)).toBe(String(wall.getHours()).padStart(2, '0'));
    expect(Date.parse(exportTime(AT, 'local'))).toBe(AT);
  });
  test.each(['Mars/Olympus', '', '\0', 'x'.repeat(10_000)])(
    'an unknown zone is replaced by UTC, and says so: %j',
    (tenant) => {
      expect(profileTime(AT, { tenant })).toBe('2026-11-19 08:41:07 UTC');
    },
  );
});

describe('an instant', () => {
  test.each([
    ['2026-11-19T08:41:07.005Z', AT],
    ['2026-11-19T09:41:07.005+01:00', AT],
    ['2026-11-19 09:41:07,005 +0100', AT],
    ['2026-11-19T08:41:07.005123456Z', AT],
    ['2026-11-19T08:41:07.005', AT],
    ['2026-11-19', Date.UTC(2026, 10, 19)],
    [new Date(AT), AT],
    [AT + 0.7, AT],
    ['19.11.2026', null],
    ['2026-13-40', null],
    ['', null],
    [null, null],
    [undefined, null],
    [Number.NaN, null],
    [9e15, null],
    [new Date(Number.NaN), null],
  ])('%j', (value, instant) => expect(toInstant(value)).toBe(instant));

  test.each([
    [1_763_541_667, 1_763_541_667_000],
    [1_763_541_667.005, 1_763_541_667_005],
    [1_763_541_667_005, 1_763_541_667_005],
    [1_763_541_667_005_123, 1_763_541_667_005],
    [1_763_541_667_005e6, 1_763_541_667_005],
    ['2026-11-19T08:41:07.005Z', AT],
    [1e8, 1e11],
    [99_999_999_999, 99_999_999_999_000],
    [1e11, 1e11],
    [7, null],
    [-1_763_541_667, null],
    [Number.NaN, null],
    [true, null],
    [null, null],
  ])('as a service sends it: %j', (value, instant) => expect(sentInstant(value)).toBe(instant));

  it('other values are Unknown, and empty in an export', () => {
    for (const clock of ['utc', 'local', BERLIN] as const) {
      expect([gridTime('x', clock), profileTime(null, clock), timeOfDay(Number.NaN, clock)]).toEqual([
        'Unknown',
        'Unknown',
        'Unknown',
      ]);
      expect(exportTime('x', clock)).toBe('');
      expect(typeof profileTime(-8.64e15, clock)).toBe('string');
    }
  });
});

describe('the time zones', () => {
  it('are listed once, under their current names', () => {
    const names = zoneNames('Asia/Katmandu');
    expect(names).toContain('Asia/Kathmandu');
    for (const old of ['Asia/Katmandu', 'Asia/Calcutta', 'Europe/Kiev']) expect(names).not.toContain(old);
    expect(new Set(names).size).toBe(names.length);
    const time = Date.UTC(2026, 0, 1);
    expect(zoneOffsetMs(time, { tenant: 'Asia/Kathmandu' })).toBe(
      zoneOffsetMs(time, { tenant: 'Asia/Katmandu' }),
    );
    expect(zoneNames('Test/Elsewhere')).toContain('Test/Elsewhere');
  });
});
