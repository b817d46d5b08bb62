import { describe, expect, it } from 'vitest';
import { isRecipientAddress, lastRun, nextRuns, scheduleProblems, scheduleWords } from './schedule.ts';

const base = { emails: ['soc@aldermoor.example'], format: 'csv', frequency: 'daily', time: '06:00' };
const utc = (text: string) => Date.parse(`${text}Z`);
const iso = (runs: number[]) => runs.map((run) => new Date(run).toISOString().slice(0, 16));

describe('scheduleProblems', () => {
  it.each<[string, object, string[]]>([
    ['nothing wrong', {}, []],
    ['no recipient', { emails: [] }, ['emails']],
    ['a recipient that is none', { emails: ['a@b.example', 'x', 'a@b'] }, ['emails.1', 'emails.2']],
    ['a recipient twice', { emails: ['a@b.example', 'A@b.example'] }, ['emails.1']],
    ['a format of its own', { format: 'pdf' }, ['format']],
    ['a frequency of its own', { frequency: 'hourly' }, ['frequency']],
    ['weekly without a day', { frequency: 'weekly' }, ['day']],
    ['the fifth week', { frequency: 'monthly', week: 5, day: 2 }, ['week']],
    ['day 7', { frequency: 'monthly', week: 1, day: 7 }, ['day']],
    ['25 o’clock', { time: '25:00' }, ['time']],
    ['a short password', { password: 'short' }, ['password']],
    ['an empty password', { password: '' }, []],
  ])('%s', (_, change, fields) => {
    expect(scheduleProblems({ ...base, ...change }).map(({ field }) => field)).toEqual(fields);
  });

  it.each([
    ['søren.ågård@aldermoor.example', true],
    ['a+b@xn--bcher-kva.example', true],
    ['a b@c.example', false],
    ['<a@c.example>', false],
    ['a@c.example.', false],
    ['a..b@c.example', false],
    ['@c.example', false],
    ['a@-c.example', false],
    [`${'x'.repeat(65)}@c.example`, false],
  ])('%s: %s', (address, fits) => expect(isRecipientAddress(address)).toBe(fits));
});

describe('nextRuns', () => {
  it('runs daily, strictly after', () => {
    expect(iso(nextRuns(base, utc('2026-11-19T06:00'), 2))).toEqual(['2026-11-20T06:00', '2026-11-21T06:00']);
    expect(iso(nextRuns(base, utc('2026-11-19T05:59'), 1))).toEqual(['2026-11-19T06:00']);
  });
  it('runs weekly on its day', () => {
    expect(iso(nextRuns({ ...base, frequency: 'weekly', day: 0 }, utc('2026-11-19T00:00'), 2))).toEqual([
      '2026-11-22T06:00',
      '2026-11-29T06:00',
    ]);
  });
  it('runs monthly on the nth weekday, over the turn of the year', () => {
    const monthly = { ...base, frequency: 'monthly', week: 4, day: 5 };
    expect(iso(nextRuns(monthly, utc('2026-11-27T06:00'), 3))).toEqual([
      '2026-12-25T06:00',
      '2027-01-22T06:00',
      '2027-02-26T06:00',
    ]);
    for (const run of nextRuns({ ...monthly, week: 2 }, utc('2026-01-01T00:00'), 24)) {
      const date = new Date(run);
      expect([date.getUTCDay(), Math.ceil(date.getUTCDate() / 7)]).toEqual([5, 2]);
    }
  });
  it('counts in the zone of the server', () => {
    expect(
      iso(nextRuns({ ...base, frequency: 'weekly', day: 1, time: '00:30' }, utc('2026-11-19T00:00'), 1, 60)),
    ).toEqual(['2026-11-22T23:30']);
  });
  it('has none of what cannot run', () => {
    for (const change of [{ time: '6' }, { frequency: 'never' }, { frequency: 'monthly', week: 5, day: 1 }])
      expect(nextRuns({ ...base, ...change }, 0, 3)).toEqual([]);
  });
});

it('knows its last run, and none before it began', () => {
  const monthly = { ...base, frequency: 'monthly', week: 1, day: 1 };
  expect(lastRun(monthly, utc('2026-11-19T08:00'), 0)).toBe(utc('2026-11-02T06:00'));
  expect(lastRun(base, utc('2026-11-19T06:00'), 0)).toBe(utc('2026-11-19T06:00'));
  expect(lastRun(base, utc('2026-11-19T05:00'), utc('2026-11-18T07:00'))).toBeNull();
  expect(lastRun(base, 0, 5)).toBeNull();
});

it('says a schedule in words', () => {
  expect(scheduleWords(base, 'UTC')).toBe('Every day at 06:00 UTC');
  expect(scheduleWords({ ...base, frequency: 'weekly', day: 6 })).toBe('Every Saturday at 06:00 server time');
  expect(scheduleWords({ ...base, frequency: 'monthly', week: 2, day: 2, time: '08:30' }, 'UTC')).toBe(
    'On the second Tuesday of the month at 08:30 UTC',
  );
});
