/** The timeline of an email: events derived from its fields, and later ones by people and tools. */
import type { EntityEvent } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import { VERDICT_LABELS } from '#shared/model/verdict.ts';
import { recordedEvents } from '../store-sqlite/events.ts';
import type { Store } from '../store-sqlite/store.ts';
import { profileOf } from './email-profile.ts';
import type { EmailRow } from './emails.ts';
import { emailSubject, scanDetailsOf } from './scan-details.ts';
import { canonicalOf, verdictOf } from './verdicts.ts';

interface TimelineEvent {
  time: string;
  type: string;
  actor: string | null;
  actor_label: string | null;
  summary: string;
  detail: string | null;
  re_evaluated: boolean;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const event = (
  time: string,
  type: string,
  summary: string,
  more: Partial<TimelineEvent> = {},
): TimelineEvent => ({
  time,
  type,
  actor: null,
  actor_label: null,
  summary,
  detail: null,
  re_evaluated: false,
  ...more,
});

/** Newest first. For evidence: only what is in the mail. */
export function emailEvents(store: Store, row: EmailRow): EntityEvent[] {
  const recorded = recordedEvents(store, row.entity_id);
  const keys = new Set(recorded.map(({ type, time }) => `${type}/${time}`));
  // Actions also appear in the profile and must be listed once.
  const derived = [...mailEvents(store, row), ...scanEvents(store, row), ...clickEvents(store, row)]
    .filter(({ type, time }) => !keys.has(`${type}/${time}`))
    .map((event, index): EntityEvent => ({ id: `m${index}`, ...event }));
  // The derived ones are listed in the order in which they happen, which decides where the times are equal.
  return [...recorded, ...derived.reverse()].sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
}

function mailEvents(store: Store, row: EmailRow): TimelineEvent[] {
  const profile = profileOf(store, row);
  const out: TimelineEvent[] = [];
  const add = (
    time: string | null | undefined,
    type: string,
    summary: string,
    more: Partial<TimelineEvent> = {},
  ) => {
    if (time) out.push(event(time, type, summary, more));
  };
  add(profile.sent, 'sent', 'Sent (Date header)', { actor: profile.from?.email ?? null });
  add(profile.received, 'received', 'Received');
  const { quarantine_info: held, restore_info: restore, decline_info: decline } = profile;
  const by = (info: Record<string, unknown> | null | undefined): Partial<TimelineEvent> => ({
    actor: textOf(info?.['by']),
    actor_label: textOf(info?.['by_label']),
    detail: textOf(info?.['reason']) || null,
  });
  add(held?.time, 'quarantined', 'Quarantined', by(held));
  if (restore?.requested) add(restore.time, 'restore_requested', 'Release requested', by(restore));
  if (restore?.restored)
    add(textOf(restore['restored_time']), 'restored', 'Restored to its recipients', {
      actor: textOf(restore['restored_by']),
    });
  if (decline?.declined) add(decline.time, 'declined', 'Restore request declined', by(decline));
  const { report_phishing_info: report } = profile;
  if (report?.reported)
    add(report.time, 'reported', `Reported by ${plural(report.count ?? 1, 'recipient')}`, {
      actor: report.by?.[0] ?? null,
      actor_label: 'end_user',
      detail: report.comment || null,
    });
  return out;
}

function scanEvents(store: Store, row: EmailRow): TimelineEvent[] {
  return scanDetailsOf(store, emailSubject(store, row)).flatMap((scan) => {
    if (!scan.applicable || !scan.scanned_at) return [];
    const { verdict, error } = verdictOf({
      tool: canonicalOf(scan.tool),
      ...(scan.status ? { status: scan.status } : {}),
      ...(scan.verdict_code ? { code: scan.verdict_code } : {}),
      ...(scan.matches == null ? {} : { matches: scan.matches }),
      ...(scan.clicks == null ? {} : { clicks: scan.clicks }),
      ...(scan.suspicious ? { suspicious: true as const } : {}),
      ...(scan.error ? { error: scan.error } : {}),
    });
    const words = error ? 'failed, not scanned' : VERDICT_LABELS[verdict].toLowerCase();
    return [
      event(scan.scanned_at, scan.re_evaluated ? 're_evaluated' : 'scanned', `${scan.label}: ${words}`, {
        actor: scan.tool,
        detail: scan.summary ?? null,
        re_evaluated: scan.re_evaluated ?? false,
      }),
    ];
  });
}

function clickEvents(store: Store, row: EmailRow): TimelineEvent[] {
  const rows = store.db
    .prepare<unknown[], { clicked_at: number; user: string; url: string; blocked: number }>(
      'SELECT clicked_at, user, url, blocked FROM clicks WHERE email_id = ? ORDER BY clicked_at, id',
    )
    .all(row.id);
  return rows.map(({ clicked_at, user, url, blocked }) =>
    event(
      new Date(clicked_at).toISOString(),
      'clicked',
      blocked === 1 ? 'Clicked a link, blocked' : 'Clicked a link',
      { actor: user, actor_label: 'end_user', detail: url },
    ),
  );
}
