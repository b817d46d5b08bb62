/** Versions of a saved query that replace each other: only what is still as it was shown. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { hasPassword, parseQueryStatus } from '#shared/model/query-status.ts';
import { changesBetween } from '#shared/query/import-plan.ts';

const CHANGED_SINCE =
  'Somebody else changed it after it was compared with the file, so it was not replaced. Choose the file again to see what it would change now.';

const isSameContent = (a: NewQuery, b: NewQuery): boolean => changesBetween(a, b, null).length === 0;

/** Whether a saved query still is what the analyst was shown. */
const isUnchanged = (shown: NewQuery, now: Query): boolean =>
  (shown.updateTime != null && shown.updateTime === now.updateTime) || isSameContent(shown, now);

/** The query of a file in place of a saved one; throws when that is no longer as `shown`. */
export function replacementOf(now: Query, shown: NewQuery, file: NewQuery): Query {
  if (!isUnchanged(shown, now)) throw new ParapetError('conflict', CHANGED_SINCE);
  // The file's time of change belongs to another service and says nothing about the query replaced here.
  const status = file.status ?? now.status ?? null;
  return { ...file, status, id: now.id, updateTime: now.updateTime ?? null };
}

/** The version before a replacement; throws when the query is no longer as the replacement left it. */
export function earlierVersionOf(
  now: Query,
  before: NewQuery,
  replaced: NewQuery,
): { body: Query; note: string | null } {
  if (!isSameContent(replaced, now))
    throw new ParapetError('conflict', 'It was changed again since, so it stays as it is.');
  const { scheduledExport } = before;
  return withoutLostPassword(
    { ...before, id: now.id, updateTime: now.updateTime ?? null },
    scheduledExport == null || hasPassword(now.scheduledExport) ? null : scheduledExport,
  );
}

/**
 * A query whose schedule comes back: passwords are not kept, and running it would send without one what was sent with
 * one, so it is stopped and says so. `schedule` is as it was, or null if no password can be lost.
 */
export function withoutLostPassword(
  query: Query,
  schedule: Query['scheduledExport'],
): { body: Query; note: string | null } {
  if (schedule == null) return { body: query, note: null };
  const body = { ...query, scheduledExport: { ...schedule, has_password: false } };
  if (hasPassword(schedule) === false) return { body, note: null };
  const stops = parseQueryStatus(query.status) === 'running';
  const what = hasPassword(schedule)
    ? 'Its password is not kept: enter it again'
    : 'The service does not say whether it had a password: check it';
  return {
    body: stops ? { ...body, status: 'stopped' } : body,
    note: `${what}${stops ? ', then enable the query, which was stopped' : ''}.`,
  };
}
