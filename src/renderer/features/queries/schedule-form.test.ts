import { describe, expect, it } from 'vitest';
import {
  formField,
  formOf,
  formProblems,
  recipientsIn,
  runsInZone,
  type ScheduleForm,
  scheduleOf,
  timeTyped,
  withRecipients,
} from './schedule-form.ts';

const form: ScheduleForm = {
  emails: ['soc@aldermoor.example'],
  format: 'csv',
  frequency: 'monthly',
  week: 2,
  day: 2,
  time: '08:30',
  sealed: 'none',
  password: '',
};

describe('the request', () => {
  it.each([
    ['daily', { week: null, day: null }],
    ['weekly', { week: null, day: 2 }],
    ['monthly', { week: 2, day: 2 }],
  ])('%s includes only the fields that it needs', (frequency, expected) =>
    expect(scheduleOf({ ...form, frequency }, null)).toMatchObject(expected),
  );

  it('keeps properties that the service added, and the stored password', () => {
    const before = { ...scheduleOf(form, null), has_password: true, owner: 'k.weber' };
    delete before.password;
    const reopened = formOf(before);
    expect(reopened.sealed).toBe('keep');
    expect(scheduleOf(reopened, before)).toMatchObject({ owner: 'k.weber', has_password: true });
    expect(scheduleOf(reopened, before)).not.toHaveProperty('password');
    expect(scheduleOf({ ...reopened, sealed: 'none' }, before).password).toBe('');
    expect(scheduleOf({ ...reopened, sealed: 'new', password: 'a long new one' }, before).password).toBe(
      'a long new one',
    );
  });

  it('converts back to the same form', () =>
    expect(formOf({ ...scheduleOf(form, null), has_password: false })).toEqual(form));
});

describe('validation', () => {
  it.each<[string, Partial<ScheduleForm>, string[]]>([
    ['nothing', {}, []],
    ['no recipient', { emails: [] }, ['emails']],
    ['an invalid address', { emails: ['a@b.example', 'nobody'] }, ['emails.1']],
    ['a fifth week', { week: 5 }, ['week']],
    ['an eighth day', { day: 7 }, ['day']],
    ['no time', { time: '' }, ['time']],
    ['a short password', { sealed: 'new', password: 'short' }, ['password']],
    ['a new password left empty', { sealed: 'new' }, ['password']],
  ])('%s', (_, change, fields) =>
    expect(formProblems({ ...form, ...change }).map(({ field }) => field)).toEqual(fields),
  );

  it.each([
    ['scheduledExport.emails[3]', 'emails.3'],
    ['scheduledExport.time', 'time'],
    ['scheduledExport', ''],
    ['name', null],
  ])('%s of a refusal is the field %s', (field, expected) => expect(formField(field)).toBe(expected));
});

describe('recipients', () => {
  it.each([
    ['a@x.example, b@x.example;c@x.example', ['a@x.example', 'b@x.example', 'c@x.example']],
    ['a@x.example\r\nb@x.example\n', ['a@x.example', 'b@x.example']],
    ['a@x.example b@x.example', ['a@x.example', 'b@x.example']],
    ['Ada Weber <ada@x.example>, Bo <bo@x.example>', ['ada@x.example', 'bo@x.example']],
    ['Weber, Ada <ada@x.example>; Ito, Bo <bo@x.example>', ['ada@x.example', 'bo@x.example']],
    ['\u201cada@x.example\u201d; \u200ebo@x.example', ['ada@x.example', 'bo@x.example']],
    ['mailto:a@x.example', ['a@x.example']],
    ['not an address', ['not an address']],
    [' , ;\n', []],
  ])('%j', (text, expected) => expect(recipientsIn(text)).toEqual(expected));

  it('are listed once', () =>
    expect(withRecipients(['a@x.example'], ['A@X.example', 'b@x.example', 'B@x.example'])).toEqual([
      'a@x.example',
      'b@x.example',
    ]));
});

describe('a time of day', () => {
  it.each([
    ['7:30', '07:30'],
    ['730', '07:30'],
    ['1915', '19:15'],
    ['7.05', '07:05'],
    ['7', '07:00'],
    ['24:00', '24:00'],
    ['noon', 'noon'],
  ])('%s is %s', (typed, time) => expect(timeTyped(typed)).toBe(time));
});

describe('the next runs', () => {
  const iso = (runs: number[]) => runs.map((run) => new Date(run).toISOString());

  it('use the server’s time zone', () =>
    expect(
      iso(runsInZone({ ...form, frequency: 'daily' }, 'Asia/Tokyo', Date.UTC(2026, 10, 19, 8), 1)),
    ).toEqual(['2026-11-19T23:30:00.000Z']));

  it('[spec 3] keep the time of day when the clocks change', () =>
    expect(
      iso(runsInZone({ ...form, frequency: 'daily' }, 'Europe/Berlin', Date.UTC(2026, 9, 23, 12), 3)),
    ).toEqual(['2026-10-24T06:30:00.000Z', '2026-10-25T07:30:00.000Z', '2026-10-26T07:30:00.000Z']));

  it('are empty for an invalid schedule', () =>
    expect(runsInZone({ ...form, week: 5 }, 'UTC', Date.UTC(2026, 10, 19), 3)).toEqual([]));
});
