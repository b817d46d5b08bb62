/** The form of a scheduled export: conversion to the request, pasted recipients, upcoming runs in a time zone. Pure. */
import type { NewQuery, ScheduledExport } from '#shared/model/entities.ts';
import { pastedIndicator, splitRecipients } from '#shared/model/pasted.ts';
import { hasPassword } from '#shared/model/query-status.ts';
import {
  isRecipientAddress,
  nextRuns,
  type ScheduleProblem,
  scheduleProblems,
} from '#shared/model/schedule.ts';

export interface ScheduleForm {
  emails: readonly string[];
  format: string;
  frequency: string;
  week: number;
  day: number;
  time: string;
  /** keep: the password that the service stores or may store, which cannot be read back. */
  sealed: 'none' | 'keep' | 'new';
  password: string;
}

type Schedule = NewQuery['scheduledExport'];

export function formOf(schedule: Schedule): ScheduleForm {
  return {
    emails: schedule?.emails ?? [],
    format: schedule?.format ?? 'xlsx',
    frequency: schedule?.frequency ?? 'weekly',
    week: schedule?.week ?? 1,
    day: schedule?.day ?? 1,
    time: schedule?.time ?? '07:00',
    // What the service does not list stays as it is.
    sealed: hasPassword(schedule) === false ? 'none' : 'keep',
    password: '',
  };
}

/** The schedule as it is sent, including properties that the service added to the previous one. */
export function scheduleOf(form: ScheduleForm, before: Schedule): ScheduledExport {
  const { emails, format, frequency, time, sealed, password } = form;
  const { password: _, ...rest } = before ?? {};
  return {
    ...rest,
    emails: [...emails],
    format,
    frequency,
    week: frequency === 'monthly' ? form.week : null,
    day: frequency === 'daily' ? null : form.day,
    time,
    // Omitted: the service keeps its password. Empty: it removes it.
    ...(sealed === 'new' ? { password } : sealed === 'none' ? { password: '' } : {}),
  };
}

/** All validation errors by field; a password that is to be set is required. */
export function formProblems(form: ScheduleForm): ScheduleProblem[] {
  const problems = scheduleProblems(scheduleOf(form, null));
  return form.sealed === 'new' && form.password === ''
    ? [...problems, { field: 'password', message: 'Enter a password, or choose None' }]
    : problems;
}

/** The field of the form that a refusal of the service names: `scheduledExport.emails[3]` is emails.3. */
export const formField = (field: string): string | null =>
  /^scheduledExport(?:\.(.+))?$/.exec(field)?.[1]?.replace(/\[(\d+)\]/g, '.$1') ??
  (field === 'scheduledExport' ? '' : null);

/**
 * Extracts addresses from pasted text: columns, comma-separated lists, "Name <address>". Invalid ones are kept
 * visible.
 */
export function recipientsIn(text: string): string[] {
  const recipients = splitRecipients(text).flatMap((part) => {
    const address = pastedIndicator(part, 'email');
    const words = address.split(/\s+/);
    return words.every(isRecipientAddress) ? words : [address];
  });
  return recipients.filter((address) => address !== '');
}

/** Adds recipients, ignoring duplicates that differ only in case. */
export function withRecipients(emails: readonly string[], more: readonly string[]): string[] {
  const addresses = new Set(emails.map((email) => email.toLowerCase()));
  const fresh = more.filter((email) => {
    const key = email.toLowerCase();
    return !addresses.has(key) && addresses.add(key);
  });
  return [...emails, ...fresh];
}

/** Reads "730", "7.30" and "7:30" as 07:30; other text is kept visible. */
export function timeTyped(text: string): string {
  const parts = /^\s*(\d{1,2})(?:[:.]?([0-5]\d))?\s*$/.exec(text);
  const [, hours = '', minutes = '00'] = parts ?? [];
  return parts && Number(hours) < 24 ? `${hours.padStart(2, '0')}:${minutes}` : text;
}

/** The next runs after an instant, epoch ms, of a server whose clock is in an IANA zone, also across its changes. */
export const runsInZone = (form: ScheduleForm, zone: string, now: number, count: number): number[] =>
  nextRuns(scheduleOf(form, null), now, count, zone);
