/** Scheduled exports (specification section 3): their problems and their runs, both also in words. */

import { instantOfWall, zoneOffsetMs } from './clock.ts';
import type { ScheduledExport } from './entities.ts';
import { EXPORT_FORMATS, FREQUENCIES } from './enums.ts';
import { isOneOf } from './narrow.ts';
import { fitsZip, TOO_LONG_FOR_ZIP } from './password-strength.ts';

const DAY = 86_400_000;
export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;
const ORDINALS = ['first', 'second', 'third', 'fourth'] as const;
const MAX_SCHEDULE_EMAILS = 100;
export const MIN_PASSWORD = 8;

/** `field` as the entity names it: emails, emails.3, format, frequency, week, day, time, password. */
export interface ScheduleProblem {
  field: string;
  message: string;
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;
const ADDRESS =
  /^[^\s@<>"(),:;[\]\\]{1,64}@(?=.{1,253}$)[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62}))+$/u;

/** An address that a recipient list accepts: local part, @, a host with a dot. */
export const isRecipientAddress = (text: string): boolean =>
  text.length <= 320 && ADDRESS.test(text) && !/\.\.|^\.|\.@|-(?:\.|$)/.test(text);

type Draft = Pick<ScheduledExport, 'emails' | 'format' | 'frequency' | 'time'> & {
  week?: number | null | undefined;
  day?: number | null | undefined;
  password?: string | null | undefined;
};

const isBetween = (value: number | null | undefined, least: number, most: number): boolean =>
  value != null && Number.isInteger(value) && value >= least && value <= most;

/** Every problem, in the order of the form; none: []. */
export function scheduleProblems(schedule: Draft): ScheduleProblem[] {
  const out: ScheduleProblem[] = [];
  const say = (field: string, message: string) => void out.push({ field, message });
  const { emails, format, frequency, week, day, time, password } = schedule;
  if (emails.length === 0) say('emails', 'Add at least one recipient');
  if (emails.length > MAX_SCHEDULE_EMAILS) say('emails', `At most ${MAX_SCHEDULE_EMAILS} recipients`);
  const addresses = new Set<string>();
  for (const [index, email] of emails.slice(0, MAX_SCHEDULE_EMAILS).entries()) {
    const key = email.toLowerCase();
    if (!isRecipientAddress(email)) say(`emails.${index}`, `Not an email address: ${email.slice(0, 100)}`);
    else if (addresses.has(key)) say(`emails.${index}`, `Duplicate: ${email}`);
    addresses.add(key);
  }
  if (!isOneOf(EXPORT_FORMATS, format))
    say('format', `The format must be one of ${EXPORT_FORMATS.join(', ')}`);
  if (!isOneOf(FREQUENCIES, frequency))
    say('frequency', `The frequency must be one of ${FREQUENCIES.join(', ')}`);
  if (frequency === 'monthly' && !isBetween(week, 1, 4)) say('week', 'The week of the month must be 1 to 4');
  if ((frequency === 'monthly' || frequency === 'weekly') && !isBetween(day, 0, 6))
    say('day', 'The day must be 0 (Sunday) to 6 (Saturday)');
  if (!TIME.test(time)) say('time', 'The time must be HH:MM, from 00:00 to 23:59');
  if (password != null && password !== '') {
    if (password.length < MIN_PASSWORD)
      say('password', `The password needs at least ${MIN_PASSWORD} characters`);
    if (!fitsZip(password)) say('password', TOO_LONG_FOR_ZIP);
  }
  return out;
}

/** Day of the month of the nth weekday; `month` counts from 0. */
function nthWeekday(year: number, month: number, week: number, day: number): number {
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
  return 1 + ((day - first + 7) % 7) + 7 * (week - 1);
}

/**
 * The next `count` runs after an instant, in milliseconds since the epoch; a schedule with problems has none.
 * `zone` is the IANA name of the server's time zone. A day has one run: a time that occurs twice runs at the first, a time
 * that the clock skips runs later by the skipped interval.
 */
export function nextRuns(schedule: Draft, after: number, count: number, zone = 'UTC'): number[] {
  const time = TIME.exec(schedule.time);
  const { frequency, week, day } = schedule;
  const needsDay = frequency === 'weekly' || frequency === 'monthly';
  if (!time || !isOneOf(FREQUENCIES, frequency)) return [];
  if ((needsDay && !isBetween(day, 0, 6)) || (frequency === 'monthly' && !isBetween(week, 1, 4))) return [];
  const clock = { tenant: zone };
  const ofDay = (Number(time[1]) * 60 + Number(time[2])) * 60_000;
  const out: number[] = [];
  // Goes through the server's days; every month has a run, so this ends.
  let midnight = Math.floor((after + zoneOffsetMs(after, clock)) / DAY) * DAY - DAY;
  while (out.length < count) {
    const date = new Date(midnight);
    const runs =
      frequency === 'daily' ||
      (date.getUTCDay() === day &&
        (frequency === 'weekly' ||
          date.getUTCDate() === nthWeekday(date.getUTCFullYear(), date.getUTCMonth(), week ?? 1, day ?? 0)));
    // A zone may skip a whole day: then two runs fall on one instant.
    const run = runs ? instantOfWall(midnight + ofDay, clock) : 0;
    if (runs && run > Math.max(after, out.at(-1) ?? after)) out.push(run);
    midnight += DAY;
  }
  return out;
}

/** The last run between two instants, inclusive, or null if there is none. Milliseconds since the epoch. */
export function lastRun(schedule: Draft, upTo: number, notBefore: number, zone = 'UTC'): number | null {
  // Every frequency runs at least once in a month and a half.
  const from = Math.max(notBefore, upTo - 46 * DAY) - 1;
  const runs = from < upTo ? nextRuns(schedule, from, 47, zone).filter((run) => run <= upTo) : [];
  return runs.at(-1) ?? null;
}

/** "Every day at 06:00", "Every Monday at 07:30", "On the second Tuesday of the month at 08:30"; `zone` is appended. */
export function scheduleWords(schedule: Draft, zone = 'server time'): string {
  const { frequency, week, day, time } = schedule;
  const weekday = WEEKDAYS[day ?? -1] ?? 'unknown day';
  const when =
    frequency === 'daily'
      ? 'Every day'
      : frequency === 'weekly'
        ? `Every ${weekday}`
        : frequency === 'monthly'
          ? `On the ${ORDINALS[(week ?? 0) - 1] ?? 'unknown'} ${weekday} of the month`
          : frequency;
  return `${when} at ${time} ${zone}`;
}
