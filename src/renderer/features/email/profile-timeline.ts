/** The timeline of an email from the fields of its profile, when its events are unavailable. */

import type { Stack, ToolRow } from '#renderer/entity/stack-rows.ts';
import type { TimelineEvent } from '#renderer/entity/timeline.ts';
import { toInstant } from '#shared/model/clock.ts';
import type { EmailProfile } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import { VERDICT_LABELS } from '#shared/model/verdict.ts';

const by = (who: string | null | undefined, why: string | null | undefined): string | null => {
  const parts = [who ? `by ${who}` : null, why ? `“${why}”` : null].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
};

function scanEvents(stack: Stack): TimelineEvent[] {
  const scans = stack.rows.filter((row) => row.scannedAt !== null);
  const first = scans.filter((row) => !row.reEvaluated);
  const times = first.map((row) => toInstant(row.scannedAt)).filter((time) => time !== null);
  const events: TimelineEvent[] = [];
  if (first.length > 0 && times.length > 0) {
    const failed = first.filter((row) => row.derived.error).length;
    const worst = [...first].find((row) => row.derived.verdict === stack.total.verdict);
    events.push({
      kind: 'scan',
      at: Math.max(...times),
      title: `Scanned by ${plural(first.length, 'tool')}`,
      detail: [
        worst ? `${worst.label}: ${VERDICT_LABELS[worst.derived.verdict].toLowerCase()}` : null,
        failed > 0 ? `${exact(failed)} failed` : null,
      ]
        .filter((part) => part !== null)
        .join(', '),
      danger: false,
    });
  }
  for (const row of scans.filter((row) => row.reEvaluated)) events.push(reEvaluation(row));
  return events;
}

function reEvaluation(row: ToolRow): TimelineEvent {
  return {
    kind: 're-evaluated',
    at: toInstant(row.scannedAt),
    title: 'Re-evaluated',
    detail: `${row.label}: now ${VERDICT_LABELS[row.derived.verdict].toLowerCase()}`,
    danger: ['found', 'suspicious', 'found-no-click'].includes(row.derived.verdict),
  };
}

function restoreEvents(profile: EmailProfile): TimelineEvent[] {
  const { restore_info: restore, decline_info: decline } = profile;
  const events: TimelineEvent[] = [];
  const add = (title: string, info: { time?: string | null; by?: string | null; reason?: string | null }) =>
    events.push({
      kind: 'restore',
      at: toInstant(info.time),
      title,
      detail: by(info.by, info.reason),
      danger: false,
    });
  if (restore?.requested) add('Restore requested', restore);
  if (restore?.restored) {
    const time =
      typeof restore['restored_time'] === 'string'
        ? restore['restored_time']
        : restore.requested
          ? null
          : restore.time;
    add('Restored', { time: time ?? null });
  }
  if (decline?.declined) add('Restore declined', decline);
  return events;
}

/** The events by time; those without a time come last. */
export function profileTimeline(
  profile: EmailProfile,
  stack: Stack | null,
  receivedBy: string | null,
): TimelineEvent[] {
  const events: TimelineEvent[] = [];
  const sent = toInstant(profile.sent);
  const received = toInstant(profile.received);
  if (sent !== null && sent !== received) {
    events.push({ kind: 'mail', at: sent, title: 'Sent', detail: 'Date header', danger: false });
  }
  if (received !== null) {
    const detail = receivedBy === null ? null : `by ${receivedBy}`;
    events.push({ kind: 'mail', at: received, title: 'Received', detail, danger: false });
  }
  if (stack) events.push(...scanEvents(stack));
  const { quarantine_info: quarantine, report_phishing_info: report } = profile;
  if (quarantine?.quarantined) {
    events.push({
      kind: 'quarantine',
      at: toInstant(quarantine.time),
      title: 'Quarantined',
      detail: by(quarantine.by, quarantine.reason),
      danger: false,
    });
  }
  events.push(...restoreEvents(profile));
  if (report?.reported) {
    const [first] = report.by ?? [];
    const others = Math.max(report.count ?? 0, report.by?.length ?? 0) - 1;
    const who = first === undefined ? null : others > 0 ? `${first} and ${exact(others)} more` : first;
    events.push({
      kind: 'report',
      at: toInstant(report.time),
      title: 'Reported as phishing',
      detail: by(who, report.comment),
      danger: false,
    });
  }
  const last = Number.POSITIVE_INFINITY;
  return events
    .map((event, index) => ({ event, index }))
    .sort((a, b) => (a.event.at ?? last) - (b.event.at ?? last) || a.index - b.index)
    .map(({ event }) => event);
}
