/** What happened to an email as the service tells it, for the timeline: kinds, filters, and scans told together. */

import { actorLabel } from '#shared/model/actors.ts';
import { toInstant } from '#shared/model/clock.ts';
import type { EntityEvent } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { type Branding, toolLabel } from '#shared/model/white-label.ts';
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

const TOOL_IDS = /^[a-z0-9_]+(?:, [a-z0-9_]+)*$/;

/** "l.brandt (Admin)", or the tool by its label; null for nobody. */
export function actorWords(
  event: Pick<EntityEvent, 'actor' | 'actor_label' | 'type' | 're_evaluated'>,
  branding: Branding,
): string | null {
  const as = actorLabel(event.actor_label);
  if (!event.actor) return as;
  const kind = kindOf(event);
  if ((kind === 'scanned' || kind === 're-evaluated') && as === null) return toolLabel(event.actor, branding);
  return as === null ? event.actor : `${event.actor} (${as})`;
}

/** The particulars; tools that a rescan names stand with their labels. */
export function detailWords(event: Pick<EntityEvent, 'detail' | 'type'>, branding: Branding): string | null {
  const { detail } = event;
  if (!detail) return null;
  if (event.type !== 'rescan_requested' || !TOOL_IDS.test(detail)) return detail;
  return detail
    .split(', ')
    .map((tool) => toolLabel(tool, branding))
    .join(', ');
}

const DANGER = /\b(found|suspicious|phishing|malware)\b/i;

function single(event: EntityEvent, branding: Branding): TimelineEvent {
  const kind = kindOf(event);
  const who = actorWords(event, branding);
  if (kind === 're-evaluated')
    return {
      kind,
      at: toInstant(event.time),
      title: 'Re-evaluated',
      detail: who === null || event.summary.startsWith(who) ? event.summary : `${who}: ${event.summary}`,
      danger: DANGER.test(event.summary) && !/to clean$/i.test(event.summary),
    };
  const detail = [who === null ? null : `by ${who}`, detailWords(event, branding)].filter(
    (part) => part !== null,
  );
  return {
    kind,
    at: toInstant(event.time),
    title: event.summary,
    detail: detail.length > 0 ? detail.join(', ') : null,
    danger: false,
  };
}

function scansTogether(events: readonly EntityEvent[]): TimelineEvent {
  const [first] = events;
  if (events.length === 1 && first)
    return {
      kind: 'scanned',
      at: toInstant(first.time),
      title: 'Scanned by 1 tool',
      detail: first.summary,
      danger: false,
    };
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
export function timelineOfEvents(events: readonly EntityEvent[], branding: Branding): TimelineEvent[] {
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
      out.push(single(event, branding));
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
  branding: Branding,
): EntityEvent[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return events.filter((event) => {
    if (kinds.size > 0 && !kinds.has(kindOf(event))) return false;
    const text = `${event.summary} ${event.detail ?? ''} ${actorWords(event, branding) ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
