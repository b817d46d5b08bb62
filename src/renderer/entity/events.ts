/** What happened to an entity, in words and groups (sql_queries/{saas}/file_events, which answers for emails too). */
import type { EntityEvent } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';

export const EVENT_GROUPS = ['mail', 'access', 'change', 'sharing', 'scan', 'response', 'other'] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

export const GROUP_LABELS: Readonly<Record<EventGroup, string>> = {
  mail: 'Sent and received',
  access: 'Opened and downloaded',
  change: 'Changed',
  sharing: 'Shared',
  scan: 'Scanned',
  response: 'Actions and reports',
  other: 'Other',
};

const TYPES: Readonly<Record<string, readonly [EventGroup, string]>> = {
  sent: ['mail', 'Sent'],
  received: ['mail', 'Received'],
  clicked: ['access', 'Clicked'],
  click: ['access', 'Clicked'],
  viewed: ['access', 'Viewed'],
  previewed: ['access', 'Previewed'],
  downloaded: ['access', 'Downloaded'],
  created: ['change', 'Created'],
  edited: ['change', 'Edited'],
  commented: ['change', 'Commented on'],
  moved: ['change', 'Moved'],
  shared: ['sharing', 'Shared'],
  scanned: ['scan', 'Scanned'],
  re_evaluated: ['scan', 'Re-evaluated'],
  rescan_requested: ['scan', 'Rescan asked'],
  quarantined: ['response', 'Quarantined'],
  restore_requested: ['response', 'Restore requested'],
  restored: ['response', 'Restored'],
  declined: ['response', 'Restore declined'],
  deleted: ['response', 'Deleted'],
  reported: ['response', 'Reported'],
  action_planned: ['response', 'Planned'],
  identified: ['response', 'Identifier set'],
};

const known = (type: string) => {
  const word = type.trim().toLowerCase();
  return Object.hasOwn(TYPES, word) ? TYPES[word] : undefined;
};

export const groupOf = ({ type }: Pick<EntityEvent, 'type'>): EventGroup => known(type)?.[0] ?? 'other';

/** The kind of event in words; one that is not known as the service wrote it. */
export const labelOf = ({ type }: Pick<EntityEvent, 'type'>): string =>
  known(type)?.[1] ?? (visibleText(type) || 'Unknown');

/** What to show: everything, one group, or what was judged again. */
export type EventFilter = 'all' | 're-evaluated' | EventGroup;

export function eventsIn(events: readonly EntityEvent[], filter: EventFilter, text = ''): EntityEvent[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return events.filter((event) => {
    if (filter === 're-evaluated' && event.re_evaluated !== true) return false;
    if (filter !== 'all' && filter !== 're-evaluated' && groupOf(event) !== filter) return false;
    if (words.length === 0) return true;
    const all = `${labelOf(event)} ${event.summary} ${event.actor ?? ''} ${event.detail ?? ''}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** The filters that some of these events pass, with how many do. */
export function filtersOf(
  events: readonly EntityEvent[],
): { value: EventFilter; label: string; count: number }[] {
  const counts = new Map<EventGroup, number>();
  for (const event of events) counts.set(groupOf(event), (counts.get(groupOf(event)) ?? 0) + 1);
  const again = events.filter((event) => event.re_evaluated === true).length;
  return [
    { value: 'all' as const, label: 'All events', count: events.length },
    ...(again > 0 ? [{ value: 're-evaluated' as const, label: 'Re-evaluated', count: again }] : []),
    ...EVENT_GROUPS.flatMap((group) => {
      const count = counts.get(group) ?? 0;
      return count > 0 ? [{ value: group, label: GROUP_LABELS[group], count }] : [];
    }),
  ];
}
