/** The timeline of an email: events derived from its fields, and later ones by people and tools. */
import type { EmailProfile, EntityEvent, ScanDetail } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import { VERDICT_LABELS } from '#shared/model/verdict.ts';
import { profileOf } from './email-profile.ts';
import type { ClickRow, EmailRow } from './emails.ts';
import { emailSubject, scanDetailsOf } from './scan-details.ts';
import type { Store } from './store.ts';
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
export async function emailEvents(store: Store, row: EmailRow): Promise<EntityEvent[]> {
  const recorded = await store.entities.events(row.entity_id);
  const keys = new Set(recorded.map(({ type, time }) => `${type}/${time}`));
  // Actions also appear in the profile and must be listed once.
  const derived = [
    ...mailEvents(await profileOf(store, row)),
    ...scanEvents(await scanDetailsOf(store, await emailSubject(store, row))),
    ...clickEvents(await store.mails.clicks(row.id)),
  ]
    .filter(({ type, time }) => !keys.has(`${type}/${time}`))
    .map((event, index): EntityEvent => ({ id: `m${index}`, ...event }));
  // The derived ones are listed in the order in which they happen, which decides where the times are equal.
  return [...recorded, ...derived.reverse()].sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
}

function mailEvents(profile: EmailProfile): TimelineEvent[] {
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

function scanEvents(scans: readonly ScanDetail[]): TimelineEvent[] {
  return scans.flatMap((scan) => {
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

const clickEvents = (clicks: readonly ClickRow[]): TimelineEvent[] =>
  clicks.map(({ clicked_at, user, url, blocked }) =>
    event(
      new Date(clicked_at).toISOString(),
      'clicked',
      blocked === 1 ? 'Clicked a link, blocked' : 'Clicked a link',
      { actor: user, actor_label: 'end_user', detail: url },
    ),
  );
