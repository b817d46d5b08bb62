/** Events of an entity by type, in words (sql_queries/{saas}/file_events, which covers emails too). */
import { dictionary } from '#shared/dictionary.ts';
import { actorLabel } from '#shared/model/actors.ts';
import type { EntityEvent } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import { type Branding, toolLabel } from '#shared/model/white-label.ts';
import { withToolNames } from './labels.ts';

/** In the order of an entity's life. */
export const EVENT_KINDS = [
  'mail',
  'access',
  'change',
  'sharing',
  'scan',
  're-evaluated',
  'quarantine',
  'restore',
  'click',
  'report',
  'admin',
  'other',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const KIND_LABELS: Readonly<Record<EventKind, string>> = {
  mail: 'Sent and received',
  access: 'Opened and downloaded',
  change: 'Changed',
  sharing: 'Shared',
  scan: 'Scanned',
  're-evaluated': 'Re-evaluated',
  quarantine: 'Quarantined',
  restore: 'Restore',
  click: 'Clicked',
  report: 'Reported',
  admin: 'Admin actions',
  other: 'Other',
};

const TYPES: Readonly<Record<string, readonly [EventKind, string]>> = dictionary({
  sent: ['mail', 'Sent'],
  received: ['mail', 'Received'],
  delivered: ['mail', 'Delivered'],
  clicked: ['click', 'Clicked'],
  click: ['click', 'Clicked'],
  viewed: ['access', 'Viewed'],
  previewed: ['access', 'Previewed'],
  downloaded: ['access', 'Downloaded'],
  created: ['change', 'Created'],
  edited: ['change', 'Edited'],
  commented: ['change', 'Commented on'],
  moved: ['change', 'Moved'],
  shared: ['sharing', 'Shared'],
  scanned: ['scan', 'Scanned'],
  re_evaluated: ['re-evaluated', 'Re-evaluated'],
  quarantined: ['quarantine', 'Quarantined'],
  restore_requested: ['restore', 'Release requested'],
  restored: ['restore', 'Restored'],
  declined: ['restore', 'Restore declined'],
  reported: ['report', 'Reported'],
  deleted: ['admin', 'Deleted'],
  rescan_requested: ['admin', 'Rescan requested'],
  action_planned: ['admin', 'Scheduled'],
  action_failed: ['admin', 'Not done'],
  identified: ['admin', 'Identifier set'],
  exception_created: ['admin', 'Exception added'],
});

const styleOf = (type: string) => {
  const word = type.trim().toLowerCase();
  return TYPES[word];
};

type Typed = Pick<EntityEvent, 'type' | 're_evaluated'>;

/** Re-evaluated events get their own marker, whatever their type. */
export const kindOf = (event: Typed): EventKind =>
  event.re_evaluated === true ? 're-evaluated' : (styleOf(event.type)?.[0] ?? 'other');

/** The event type in words; an unknown type as the service sent it. */
export const labelOf = ({ type }: Pick<EntityEvent, 'type'>): string =>
  styleOf(type)?.[1] ?? (visibleText(type) || 'Unknown');

/** "l.brandt (Admin)", or the tool by its label; null for nobody. */
export function actorWords(
  event: Typed & Pick<EntityEvent, 'actor' | 'actor_label'>,
  branding: Branding,
): string | null {
  const as = actorLabel(event.actor_label);
  if (!event.actor) return as;
  if (as !== null) return `${event.actor} (${as})`;
  const kind = kindOf(event);
  const isTool = (kind === 'scan' || kind === 're-evaluated') && !/[@\s]/.test(event.actor);
  return isTool ? toolLabel(event.actor, branding) : withToolNames(event.actor, branding);
}

/** The details of the event, with tools by their labels; null for none. */
export const detailWords = ({ detail }: Pick<EntityEvent, 'detail'>, branding: Branding): string | null =>
  detail ? withToolNames(detail, branding) : null;

/** No kind chosen: all. */
export type KindChoice = ReadonlySet<EventKind>;

/** Events of the chosen kinds that contain every search word. */
export function eventsIn(
  events: readonly EntityEvent[],
  kinds: KindChoice,
  text: string,
  branding: Branding,
): EntityEvent[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return events.filter((event) => {
    if (kinds.size > 0 && !kinds.has(kindOf(event))) return false;
    if (words.length === 0) return true;
    const all = [
      labelOf(event),
      event.summary,
      actorWords(event, branding) ?? '',
      detailWords(event, branding) ?? '',
    ];
    const haystack = all.join(' ').toLowerCase();
    return words.every((word) => haystack.includes(word));
  });
}

export function kindCounts(events: readonly Typed[]): ReadonlyMap<EventKind, number> {
  const counts = new Map<EventKind, number>();
  for (const event of events) counts.set(kindOf(event), (counts.get(kindOf(event)) ?? 0) + 1);
  return new Map(
    EVENT_KINDS.flatMap((kind) => {
      const count = counts.get(kind);
      return count === undefined ? [] : [[kind, count] as const];
    }),
  );
}
