/** What happened to an email as the service tells it, for the timeline: kinds, filters, and scans told together. */

import { actorLabel } from '#shared/model/actors.ts';
import { toInstant } from '#shared/model/clock.ts';
import type { EntityEvent } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import type { TimelineEvent, TimelineKind } from './timeline.ts';

const KINDS: Readonly<Record<string, TimelineKind>> = {
  sent: 'sent',
  received: 'received',
  delivered: 'received',
  scanned: 'scanned',
  re_evaluated: 're-evaluated',
  rescan_requested: 'admin',
  quarantined: 'quarantined',
  restore_requested: 'restore',
  restored: 'restore',
  declined: 'restore',
  clicked: 'clicked',
  reported: 'reported',
  deleted: 'admin',
  action_planned: 'admin',
  action_failed: 'admin',
};

/** Words of the filters, in the order of a mail's life. */
export const KIND_LABELS: Readonly<Record<TimelineKind, string>> = {
  sent: 'Sent',
  received: 'Received',
  scanned: 'Scanned',
  're-evaluated': 'Re-evaluated',
  quarantined: 'Quarantined',
  restore: 'Restore',
  clicked: 'Clicked',
  reported: 'Reported',
  admin: 'Admin actions',
  other: 'Other',
};

export const kindOf = (event: Pick<EntityEvent, 'type' | 're_evaluated'>): TimelineKind =>
  event.re_evaluated === true ? 're-evaluated' : (KINDS[event.type.toLowerCase()] ?? 'other');

/** "by l.brandt (Admin)"; null for nobody. */
export function actorWords({
  actor,
  actor_label: label,
}: Pick<EntityEvent, 'actor' | 'actor_label'>): string | null {
  const as = actorLabel(label);
  if (!actor) return as;
  return as === null ? actor : `${actor} (${as})`;
}

const DANGER = /\b(found|suspicious|phishing|malware)\b/i;

function single(event: EntityEvent): TimelineEvent {
  const kind = kindOf(event);
  const toolSaid = kind === 'scanned' || kind === 're-evaluated';
  const who = toolSaid ? null : actorWords(event);
  const detail = [who === null ? null : `by ${who}`, event.detail || null].filter((part) => part !== null);
  return {
    kind,
    at: toInstant(event.time),
    title: kind === 're-evaluated' ? 'Re-evaluated' : event.summary,
    detail: kind === 're-evaluated' ? event.summary : detail.length > 0 ? detail.join(', ') : null,
    danger: kind === 're-evaluated' && DANGER.test(event.summary) && !/to clean$/i.test(event.summary),
  };
}

function scansTogether(events: readonly EntityEvent[]): TimelineEvent {
  const [first] = events;
  if (events.length === 1 && first)
    return { ...single(first), title: 'Scanned by 1 tool', detail: first.summary };
  const telling = events.map(({ summary }) => summary).filter((summary) => !/:\s*clean$/i.test(summary));
  const rest = telling.length > 2 ? ` and ${exact(telling.length - 2)} more` : '';
  return {
    kind: 'scanned',
    at: toInstant(events.at(-1)?.time),
    title: `Scanned by ${exact(events.length)} tools`,
    detail: telling.length === 0 ? 'all clean' : telling.slice(0, 2).join(', ') + rest,
    danger: false,
  };
}

/** Oldest first; scans that follow one another are one event. */
export function timelineOfEvents(events: readonly EntityEvent[]): TimelineEvent[] {
  const last = Number.POSITIVE_INFINITY;
  const ordered = [...events]
    .reverse()
    .sort((a, b) => (toInstant(a.time) ?? last) - (toInstant(b.time) ?? last));
  const out: TimelineEvent[] = [];
  let scans: EntityEvent[] = [];
  const flush = () => {
    if (scans.length > 0) out.push(scansTogether(scans));
    scans = [];
  };
  for (const event of ordered) {
    if (kindOf(event) === 'scanned') scans.push(event);
    else {
      flush();
      out.push(single(event));
    }
  }
  flush();
  return out;
}

/** Events of the chosen kinds (none chosen: all) that hold every word of the search. */
export function filterEvents(
  events: readonly EntityEvent[],
  kinds: ReadonlySet<TimelineKind>,
  search: string,
): EntityEvent[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return events.filter((event) => {
    if (kinds.size > 0 && !kinds.has(kindOf(event))) return false;
    const text = `${event.summary} ${event.detail ?? ''} ${actorWords(event) ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
