/** Dates of conditions use the chosen time zone. */
import { describe, expect, it } from 'vitest';
import { dateValue, edgeOf, shownDate } from './clock-dates.ts';

const OSLO = { tenant: 'Europe/Oslo' };

describe('a date of a condition', () => {
  it.each([
    // Winter and summer, and the two days on which the clocks change.
    ['2026-11-19', '08:41', 'before', '2026-11-19T07:41:00Z'],
    ['2026-07-19', '08:41:07', 'before', '2026-07-19T06:41:07Z'],
    ['2026-11-19', '', 'before', '2026-11-18T23:00:00Z'],
    ['2026-11-19', '', 'after', '2026-11-19T22:59:59.999Z'],
    ['2026-03-29', '', 'before', '2026-03-28T23:00:00Z'],
    ['2026-03-29', '', 'after', '2026-03-29T21:59:59.999Z'],
    ['2026-10-25', '', 'before', '2026-10-24T22:00:00Z'],
    ['2026-10-25', '', 'after', '2026-10-25T22:59:59.999Z'],
    // Only UTC days can be stored as bare days.
    ['2026-11-19', '', 'is', '2026-11-19'],
    ['', '08:00', 'before', ''],
  ])('of Oslo: %s %s, %s, is %s', (day, time, operator, value) => {
    const edge = edgeOf(operator, 0);
    expect(dateValue(day, time, edge, OSLO)).toBe(value);
    if (value === '') return;
    const shown = shownDate(value, edge, OSLO);
    expect([shown.day, shown.time.slice(0, time.length)]).toEqual([day, time]);
  });

  it.each([
    // The clocks go forward at midnight, so the day starts at 01:00 and the day before ends as usual.
    ['America/Santiago', '2026-09-06', 'before', '2026-09-06T04:00:00Z'],
    ['America/Santiago', '2026-09-05', 'after', '2026-09-06T03:59:59.999Z'],
    ['America/Havana', '2026-03-08', 'before', '2026-03-08T05:00:00Z'],
    ['Africa/Cairo', '2026-04-24', 'before', '2026-04-23T22:00:00Z'],
    ['Asia/Beirut', '2026-03-29', 'before', '2026-03-28T22:00:00Z'],
    // 23:00 occurs twice on the day before.
    ['America/Santiago', '2026-04-04', 'after', '2026-04-05T03:59:59.999Z'],
    ['Asia/Kathmandu', '2026-11-19', 'before', '2026-11-18T18:15:00Z'],
    ['Australia/Lord_Howe', '2026-10-04', 'after', '2026-10-04T12:59:59.999Z'],
    // 30 December 2011 did not exist in Samoa.
    ['Pacific/Apia', '2011-12-29', 'after', '2011-12-30T09:59:59.999Z'],
    ['Pacific/Apia', '2011-12-31', 'before', '2011-12-30T10:00:00Z'],
  ])('of %s: the whole day %s, %s, is %s and is shown as that day', (tenant, day, operator, value) => {
    const edge = edgeOf(operator, 0);
    expect(dateValue(day, '', edge, { tenant })).toBe(value);
    expect(shownDate(value, edge, { tenant })).toMatchObject({ day, time: '' });
  });

  it('shows its zone', () => {
    expect(shownDate('2026-11-19T07:41:00Z', 'start', OSLO)).toEqual({
      day: '2026-11-19',
      time: '08:41:00',
      zone: 'UTC+01:00',
      covers: null,
    });
    expect(shownDate('2026-11-19', 'whole', 'utc')).toMatchObject({ zone: 'UTC', covers: null });
    expect(shownDate('', 'whole', OSLO)).toMatchObject({ day: '', time: '', zone: 'UTC day' });
  });

  it('that is a day of UTC says so, and what it covers on another clock', () => {
    expect(shownDate('2026-11-19', 'whole', OSLO)).toEqual({
      day: '2026-11-19',
      time: '',
      zone: 'UTC day',
      covers: '2026-11-19 01:00:00 UTC+01:00 to 2026-11-20 00:59:59 UTC+01:00',
    });
  });

  it('of UTC stays as it was typed', () => {
    expect(dateValue('2026-11-19', '', 'start', 'utc')).toBe('2026-11-19');
    expect(dateValue('2026-11-19', '08:41', 'end', 'utc')).toBe('2026-11-19T08:41Z');
    expect(shownDate('2026-11-19T00:00Z', 'start', 'utc')).toMatchObject({
      day: '2026-11-19',
      time: '00:00:00',
    });
  });

  it('of a span is the start of its first day and the end of its last', () => {
    expect([edgeOf('between', 0), edgeOf('between', 1)]).toEqual(['start', 'end']);
  });
});
