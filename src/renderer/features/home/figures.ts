/** Derives Home's figures from the service's statistics. Pure. */
import type { Bar } from '#renderer/ui/charts/stacked-bars.tsx';
import { type ClockSetting, profileTime, timeOfDay, toInstant } from '#shared/model/clock.ts';
import type { AppStatistics, Statistics } from '#shared/model/entities.ts';

export type Window = '24h' | '7d' | '30d';
export const WINDOW_LABELS: Readonly<Record<Window, string>> = {
  '24h': '24 h',
  '7d': '7 days',
  '30d': '30 days',
};

interface Bucket {
  time: string;
  found: number;
  /** Null if no app reports it. */
  foundNoClick: number | null;
  suspicious: number;
  spam: number | null;
}

/** Unreported counts add nothing; if no app reports a count, the sum is null instead of zero. */
const plus = (sum: number | null, value: number | null | undefined): number | null =>
  typeof value === 'number' ? (sum ?? 0) + value : sum;

/** The series of all apps added up, by time. */
export function buckets(statistics: Statistics): Bucket[] {
  const byTime = new Map<string, Bucket>();
  for (const app of statistics.apps) {
    for (const { time, found, found_no_click, suspicious, spam } of app.series ?? []) {
      const bucket = byTime.get(time) ?? { time, found: 0, foundNoClick: null, suspicious: 0, spam: null };
      bucket.found += found;
      bucket.foundNoClick = plus(bucket.foundNoClick, found_no_click);
      bucket.suspicious += suspicious;
      bucket.spam = plus(bucket.spam, spam);
      byTime.set(time, bucket);
    }
  }
  return [...byTime.values()].sort((a, b) => (a.time < b.time ? -1 : 1));
}

/** The buckets with their ends: the next one's begin, of the last one the end of what was counted or the usual length. */
function spans(statistics: Statistics): { begin: number; end: number; bucket: Bucket }[] {
  const all = buckets(statistics).flatMap((bucket) => {
    const begin = toInstant(bucket.time);
    return begin === null ? [] : [{ begin, bucket }];
  });
  const [first, second] = all;
  const usual = first !== undefined && second !== undefined ? second.begin - first.begin : 0;
  return all.map(({ begin, bucket }, index) => ({
    begin,
    end: all[index + 1]?.begin ?? toInstant(statistics.to) ?? begin + usual,
    bucket,
  }));
}

/**
 * A span within one day of the clock's calendar by its date, `11-27`; any other by its first and last day, `26–27`: a
 * service knows no clock, so its days begin at the time of day at which it was asked.
 */
function daysLabel(begin: number, end: number, clock: ClockSetting): string {
  const [first = '', last = ''] = [begin, end - 1].map((instant) => profileTime(instant, clock).slice(0, 10));
  return first === last ? first.slice(5) : `${first.slice(8)}–${last.slice(8)}`;
}

/** Whether each bar lies within one day of the calendar. */
export const areDays = (bars: readonly Bar[]): boolean => bars.every(({ label }) => !label.includes('–'));

export function barsOf(statistics: Statistics, window: Window, clock: ClockSetting): Bar[] {
  return spans(statistics).map(({ begin, end, bucket: { found, suspicious, spam } }) => ({
    label: window === '24h' ? timeOfDay(begin, clock).slice(0, 5) : daysLabel(begin, end, clock),
    title: `${profileTime(begin, clock)} to ${profileTime(end, clock)}`,
    values: { found, suspicious, spam },
  }));
}

/** Null if no app was counted, or an app comes without this count. */
function sum(
  apps: readonly AppStatistics[],
  pick: (app: AppStatistics) => number | null | undefined,
): number | null {
  const counts = apps.filter(({ error }) => !error).map(pick);
  const numbers = counts.filter((count) => typeof count === 'number');
  return counts.length === 0 || numbers.length < counts.length ? null : numbers.reduce((a, b) => a + b, 0);
}

/** Apps that are not included in any verdict figure. */
export const uncounted = ({ apps }: Statistics): string[] =>
  apps.filter(({ error }) => error).map(({ name }) => name);

export interface Tile {
  id: 'found' | 'no-click' | 'suspicious' | 'quarantined' | 'reports' | 'restores';
  label: string;
  /** Null if the service does not report it. */
  value: number | null;
  before: number | null;
  /** Null where it is not known. */
  bars: (number | null)[];
}

/** The six figures, each with its value in the previous window. */
export function tiles(statistics: Statistics): Tile[] {
  const { apps, previous } = statistics;
  const series = buckets(statistics);
  const overTime = (pick: 'quarantined' | 'user_reports' | 'restore_requests') =>
    (statistics.series ?? []).map((bucket) => bucket[pick] ?? null);
  return [
    {
      id: 'found',
      label: 'Found',
      value: sum(apps, ({ found }) => found),
      before: previous?.found ?? null,
      bars: series.map(({ found }) => found),
    },
    {
      id: 'no-click',
      label: 'Found, no click',
      value: apps.some(({ error, found_no_click }) => !error && typeof found_no_click === 'number')
        ? sum(apps, ({ found_no_click }) => found_no_click ?? 0)
        : null,
      before: previous?.found_no_click ?? null,
      bars: series.map(({ foundNoClick }) => foundNoClick),
    },
    {
      id: 'suspicious',
      label: 'Suspicious',
      value: sum(apps, ({ suspicious }) => suspicious),
      before: previous?.suspicious ?? null,
      bars: series.map(({ suspicious }) => suspicious),
    },
    {
      id: 'quarantined',
      label: 'Quarantined',
      value: statistics.quarantined ?? null,
      before: previous?.quarantined ?? null,
      bars: overTime('quarantined'),
    },
    {
      id: 'reports',
      label: 'User reports',
      value: statistics.user_reports ?? null,
      before: previous?.user_reports ?? null,
      bars: overTime('user_reports'),
    },
    {
      id: 'restores',
      label: 'Restore requests',
      value: statistics.restore_requests ?? null,
      before: previous?.restore_requests ?? null,
      bars: overTime('restore_requests'),
    },
  ];
}

/** "+38% vs 24 h before", "no change", "none before"; '' when not reported. */
export function changeLabel(value: number | null, before: number | null, window: Window): string {
  if (value === null || before === null) return '';
  const against = `vs prior ${WINDOW_LABELS[window]}`;
  if (value === before) return `no change ${against}`;
  if (before === 0) return `none in the prior ${WINDOW_LABELS[window]}`;
  const percent = Math.round(((value - before) / before) * 100);
  if (percent === 0) return `${value > before ? '+' : '−'}${Math.abs(value - before)} ${against}`;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent)}% ${against}`;
}
