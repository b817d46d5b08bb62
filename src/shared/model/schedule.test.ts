import { describe, expect, it } from 'vitest';
import { isRecipientAddress, lastRun, nextRuns, scheduleProblems, scheduleWords } from './schedule.ts';

const base = { emails: ['soc@aldermoor.example'], format: 'csv', frequency: 'daily', time: '06:00' };
const utc = (text: string) => Date.parse(`${text}Z`);
const iso = (runs: number[]) => runs.map((run) => new Date(run).toISOString().slice(0, 16));

describe('[spec 3] the problems of a schedule are named: recipients, week, day, time', () => {
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
  it('[spec 3] runs monthly on the nth weekday, over the turn of the year', () => {
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
  it("uses the server's zone", () => {
    expect(
      iso(
        nextRuns(
          { ...base, frequency: 'weekly', day: 1, time: '00:30' },
          utc('2026-11-19T00:00'),
          1,
          'Africa/Lagos',
        ),
      ),
    ).toEqual(['2026-11-22T23:30']);
  });
  it('has no runs for an invalid schedule', () => {
    for (const change of [{ time: '6' }, { frequency: 'never' }, { frequency: 'monthly', week: 5, day: 1 }])
      expect(nextRuns({ ...base, ...change }, 0, 3)).toEqual([]);
  });
});

/** The wall time of every minute of a span in a zone, by Intl, expressed as if it were UTC. */
function wallsOf(zone: string, from: number, to: number): number[] {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const walls: number[] = [];
  for (let index = from; index < to; index += 60_000) {
    const parts = Object.fromEntries(
      format.formatToParts(index).map(({ type, value }) => [type, Number(value)]),
    );
    walls.push(
      Date.UTC(parts['year'] ?? 0, (parts['month'] ?? 1) - 1, parts['day'], parts['hour'], parts['minute']),
    );
  }
  return walls;
}

/** A plain model of the runs within a span; `walls`: the wall time of each minute from `begin` on. */
function modelRuns(walls: readonly number[], begin: number, time: string, day: number | null): number[] {
  const runs = new Set<number>();
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  for (let date = Math.floor((walls[0] ?? 0) / 86_400_000) + 1; ; date += 1) {
    const expected = date * 86_400_000 + (hour * 60 + minute) * 60_000;
    if (expected >= (walls.at(-1) ?? 0)) break;
    if (day !== null && new Date(expected).getUTCDay() !== day) continue;
    const shown = walls.indexOf(expected);
    const before = walls.findLastIndex(
      (wall, index) => wall < expected && (walls[index + 1] ?? 0) > expected,
    );
    runs.add(
      begin + (shown >= 0 ? shown : before) * 60_000 + (shown >= 0 ? 0 : expected - (walls[before] ?? 0)),
    );
  }
  return [...runs].sort((a, b) => a - b);
}

describe('across clock changes', () => {
  const SPAN = 4 * 86_400_000;
  it.each([
    ['Europe/Berlin', '2026-03-27T12:00'],
    ['Europe/Berlin', '2026-10-23T12:00'],
    ['America/New_York', '2026-03-06T12:00'],
    ['America/New_York', '2026-10-30T12:00'],
    ['Australia/Lord_Howe', '2026-04-03T12:00'],
    ['Australia/Lord_Howe', '2026-10-02T12:00'],
    ['Africa/Cairo', '2026-04-22T12:00'],
    ['Asia/Beirut', '2026-03-27T12:00'],
    ['Pacific/Apia', '2011-12-28T12:00'],
    ['Asia/Tokyo', '2026-03-27T12:00'],
    ['UTC', '2026-03-27T12:00'],
  ])('%s from %s', (zone, start) => {
    const from = utc(start);
    const begin = from - 86_400_000;
    const walls = wallsOf(zone, begin, from + SPAN + 86_400_000);
    for (const time of ['00:00', '00:30', '01:45', '02:00', '02:30', '02:59', '03:00', '03:30', '23:59'])
      for (const day of [null, 0] as const) {
        const model = modelRuns(walls, begin, time, day).filter((run) => run > from && run <= from + SPAN);
        const schedule = { ...base, time, ...(day === null ? {} : { frequency: 'weekly', day }) };
        const ours = nextRuns(schedule, from, 8, zone).filter((run) => run <= from + SPAN);
        expect([zone, time, day, iso(ours)]).toEqual([zone, time, day, iso(model)]);
        for (const run of ours) expect(lastRun(schedule, run, 0, zone)).toBe(run);
        // The next run does not depend on the time of the call.
        for (const [index, run] of ours.entries())
          expect(nextRuns(schedule, run, 1, zone)[0]).toBe(nextRuns(schedule, from, 9, zone)[index + 1]);
      }
  });

  it('a skipped time runs once, and so does a repeated one', () => {
    const runs = (from: string) => iso(nextRuns({ ...base, time: '02:30' }, utc(from), 3, 'Europe/Berlin'));
    expect(runs('2026-03-28T12:00')).toEqual(['2026-03-29T01:30', '2026-03-30T00:30', '2026-03-31T00:30']);
    expect(runs('2026-10-24T12:00')).toEqual(['2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30']);
    expect(runs('2026-10-25T00:30')[0]).toBe('2026-10-26T01:30');
  });
});

it('returns the last run, but none before the start', () => {
  const monthly = { ...base, frequency: 'monthly', week: 1, day: 1 };
  expect(lastRun(monthly, utc('2026-11-19T08:00'), 0)).toBe(utc('2026-11-02T06:00'));
  expect(lastRun(base, utc('2026-11-19T06:00'), 0)).toBe(utc('2026-11-19T06:00'));
  expect(lastRun(base, utc('2026-11-19T05:00'), utc('2026-11-18T07:00'))).toBeNull();
  expect(lastRun(base, 0, 5)).toBeNull();
});

it('describes a schedule in words', () => {
  expect(scheduleWords(base, 'UTC')).toBe('Every day at 06:00 UTC');
  expect(scheduleWords({ ...base, frequency: 'weekly', day: 6 })).toBe('Every Saturday at 06:00 server time');
  expect(scheduleWords({ ...base, frequency: 'monthly', week: 2, day: 2, time: '08:30' }, 'UTC')).toBe(
    'On the second Tuesday of the month at 08:30 UTC',
  );
});
