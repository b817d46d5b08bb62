import { describe, expect, it } from 'vitest';
import { instantOfWall, whenProblem } from './when-field.tsx';

const berlin = { tenant: 'Europe/Berlin' };

describe('a scheduled time', () => {
  it('is interpreted in the chosen time zone', () => {
    expect(instantOfWall('2026-11-19T08:41', 'utc')).toBe(Date.UTC(2026, 10, 19, 8, 41));
    // The night of 25 October 2026 has 02:30 twice; the day before has it once.
    expect(instantOfWall('2026-10-24T02:30', berlin)).toBe(Date.UTC(2026, 9, 24, 0, 30));
    expect(instantOfWall('2026-10-25T04:30', berlin)).toBe(Date.UTC(2026, 9, 25, 3, 30));
    // New York skips 02:30 on 8 March 2026: an action scheduled for then is not sent before the clocks change.
    const newYork = { tenant: 'America/New_York' };
    expect(instantOfWall('2026-03-08T02:30', newYork)).toBe(Date.UTC(2026, 2, 8, 7, 30));
    expect(instantOfWall('', 'utc')).toBeNull();
    expect(instantOfWall('2026-13-40T99:99', 'utc')).toBeNull();
  });

  it('must be valid and in the future', () => {
    const now = Date.UTC(2026, 10, 19, 8, 41);
    expect(whenProblem({ kind: 'now', wall: '' }, 'utc', now)).toBeNull();
    expect(whenProblem({ kind: 'later', wall: '' }, 'utc', now)).toBe('Choose a date and time.');
    expect(whenProblem({ kind: 'later', wall: '2026-11-19T08:41' }, 'utc', now)).toBe(
      'This time is in the past.',
    );
    expect(whenProblem({ kind: 'later', wall: '2026-11-19T08:42' }, 'utc', now)).toBeNull();
  });

  it('is not one that the clocks skip: the action would run at another time than the field shows', () => {
    const now = Date.UTC(2026, 10, 19, 8, 41);
    const problemAt = (wall: string) => whenProblem({ kind: 'later', wall }, berlin, now);
    expect(problemAt('2027-03-28T02:30')).toMatch(/skip this time/);
    expect(problemAt('2027-03-28T02:00:00')).toMatch(/skip this time/);
    for (const wall of ['2027-03-28T01:59', '2027-03-28T03:00', '2027-10-31T02:30', '2028-02-29T12:00:30'])
      expect(problemAt(wall), wall).toBeNull();
  });
});
