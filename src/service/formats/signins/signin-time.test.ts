import { describe, expect, it } from 'vitest';
import { AMBIGUOUS, orderOf, timeOf, ZONELESS } from './signin-time.ts';

const iso = (text: string, order: Parameters<typeof timeOf>[1] = null): string | null => {
  const time = timeOf(text, order);
  if (time === AMBIGUOUS) return 'ambiguous';
  return typeof time === 'number' ? new Date(time).toISOString() : null;
};

it.each([
  ['2026-01-02 03:04:05 UTC', '03:04:05.000'],
  ['2026-01-02 03:04:05.123456 UTC', '03:04:05.123'],
  ['2026-01-02 03:04:05 GMT', '03:04:05.000'],
  ['2026-01-02 03:04:05 +0000 UTC', '03:04:05.000'],
  ['2026-01-02T03:04:05+00', '03:04:05.000'],
  ['2026-01-02T05:04:05.1234567+02', '03:04:05.123'],
  ['2026-01-02T3:04:05.123Z', '03:04:05.123'],
  ['2026/01/02 03:04:05', '03:04:05.000'],
  ['02.01.2026 03:04', '03:04:00.000'],
  ['1767323045123456789', '03:04:05.123'],
  ['/Date(1767323045000)/', '03:04:05.000'],
  ['/Date(1767323045000+0100)/', '03:04:05.000'],
  // Of Salesforce: as milliseconds since 1970, it would be the year 2612.
  ['20260102030405.024', '03:04:05.024'],
])('%s', (text, time) => {
  expect(iso(text)).toBe(`2026-01-02T${time}Z`);
});

it.each([
  '2026-01-02 03:04:05 CET',
  '2026-01-02T03:04:05+99:00',
  '20261302030405',
  '1/2/26 03:04',
  '1/2/2026 24:04:05',
  '1/2/2026 13:04:05 PM',
  '0/1/2026 03:04:05',
])('%s is not a time that can be read', (text) => {
  expect(iso(text)).toBeNull();
});

describe('the zone', () => {
  const time = (text: string, zone: string | null) => {
    const instant = timeOf(text, 'month first', zone);
    return typeof instant === 'number' ? new Date(instant).toISOString() : instant;
  };

  it.each([
    // As in https://github.com/elastic/kibana/issues/70175: noon in UTC.
    ['Jun 29, 2020 @ 14:00:00.000', 'Europe/Warsaw', '2020-06-29T12:00:00.000Z'],
    ['Jun 29, 2020 @ 08:00:00.000', 'America/New_York', '2020-06-29T12:00:00.000Z'],
    ['Nov 1, 2026 @ 00:00:00.123', 'UTC', '2026-11-01T00:00:00.123Z'],
    ['Jun 29, 2020 @ 14:00:00.000', null, ZONELESS],
    ['Jum 29, 2020 @ 14:00:00.000', 'UTC', null],
    ['anF 29, 2020 @ 14:00:00.000', 'UTC', null],
    ['Feb 30, 2020 @ 14:00:00.000', 'UTC', null],
    // Times without a zone are UTC, unless the analyst names another.
    ['2026-11-18T09:30:00', null, '2026-11-18T09:30:00.000Z'],
    ['2026-11-18T09:30:00', 'Europe/Berlin', '2026-11-18T08:30:00.000Z'],
    ['2026-07-18 09:30:00.5', 'Europe/Berlin', '2026-07-18T07:30:00.500Z'],
    ['7/18/2026 9:30 PM', 'Europe/Berlin', '2026-07-18T19:30:00.000Z'],
    ['2026-11-18', 'Europe/Berlin', '2026-11-17T23:00:00.000Z'],
    // Times with one are read in it.
    ['2026-11-18T09:30:00Z', 'Europe/Berlin', '2026-11-18T09:30:00.000Z'],
    ['2026-11-18 09:30:00 UTC', 'Europe/Berlin', '2026-11-18T09:30:00.000Z'],
    ['2026-11-18T09:30:00.239+0200', 'Europe/Berlin', '2026-11-18T07:30:00.239Z'],
    ['2026-11-18T09:30:00+02', 'Europe/Berlin', '2026-11-18T07:30:00.000Z'],
    ['4/13/2026 9:30:00 PM +01:00', 'Europe/Berlin', '2026-04-13T20:30:00.000Z'],
    ['1794994200', 'Europe/Berlin', '2026-11-18T09:30:00.000Z'],
    ['20261118093000.239', 'Europe/Berlin', '2026-11-18T09:30:00.239Z'],
    ['/Date(1794994200000)/', 'Europe/Berlin', '2026-11-18T09:30:00.000Z'],
  ])('%s with %s is %s', (text, zone, expected) => {
    expect(time(text, zone)).toBe(expected);
  });
});

describe('the order of day and month', () => {
  it.each([
    ['3/4/2026 09:30:00', 'ambiguous'],
    ['3/4/2026 9:30 AM', 'ambiguous'],
    ['3-4-2026 09:30:00', 'ambiguous'],
    // As in Australia, India and New Zealand: https://cldr.unicode.org, en-001.
    ['03/04/2026, 9:30:00 am', 'ambiguous'],
    ['3/4/2026, 9:30:00.000\u202fAM', '2026-03-04T09:30:00.000Z'],
    ['3/3/2026 09:30:00', '2026-03-03T09:30:00.000Z'],
    ['13/4/2026, 9:30:00 pm', '2026-04-13T21:30:00.000Z'],
    ['4/13/2026 9:30:00 PM +01:00', '2026-04-13T20:30:00.000Z'],
  ])('by itself, %s is %s', (text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  it('as the rest of the log has it', () => {
    expect(iso('03/04/2026, 9:30:00 am', 'day first')).toBe('2026-04-03T09:30:00.000Z');
    expect(iso('3/4/2026, 9:30:00 AM', 'day first')).toBe('2026-04-03T09:30:00.000Z');
    expect(iso('3/4/2026 9:30 AM', 'month first')).toBe('2026-03-04T09:30:00.000Z');
    // A date that allows only one order is read in this one.
    expect(iso('13/4/2026 09:30', 'month first')).toBe('2026-04-13T09:30:00.000Z');
    expect(iso('03.04.2026 09:30', 'month first')).toBe('2026-04-03T09:30:00.000Z');
  });

  it.each([
    ['13/4/2026 09:30', 'day first'],
    ['4/13/2026 9:30 AM', 'month first'],
    ['3/4/2026 09:30', null],
    ['2026-04-13T09:30:00Z', undefined],
    ['2026/4/3 09:30', undefined],
    ['soon', undefined],
  ])('%s shows: %s', (text, order) => {
    expect(orderOf(text)).toBe(order);
  });
});
