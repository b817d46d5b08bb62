import { HTMLSelect } from '@blueprintjs/core';
import { Archive, Edit, Envelope, EyeOpen, Pulse, Refresh, Share, Shield, Time } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { profileTime, timeOfDay, toInstant, zoneAt } from '#shared/model/clock.ts';
import type { EntityEvent, PendingAction } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { type EventFilter, type EventGroup, eventsIn, filtersOf, groupOf, labelOf } from './events.ts';
import { panelState } from './panel-state.ts';
import { withToolNames } from './tool-words.ts';
import { useBranding } from './use-entity-stack.ts';
import type { Events } from './use-events.ts';
import './entity.css';

const ICONS: Readonly<Record<EventGroup, JSX.Element>> = {
  mail: <Envelope size={14} />,
  access: <EyeOpen size={14} />,
  change: <Edit size={14} />,
  sharing: <Share size={14} />,
  scan: <Shield size={14} />,
  response: <Archive size={14} />,
  other: <Pulse size={14} />,
};
const DAY = 10;

function Line({ event }: { event: EntityEvent }): JSX.Element {
  const clock = useClock();
  const branding = useBranding();
  const by = event.actor ? withToolNames(event.actor, branding) : null;
  const more = [by, event.detail ? withToolNames(event.detail, branding) : null].filter(Boolean).join(' · ');
  return (
    <li className="en-event" data-group={groupOf(event)}>
      <time className="pp-t3 pp-num" title={profileTime(event.time, clock)}>
        {timeOfDay(event.time, clock)}
      </time>
      <span className="pp-t3">
        {event.re_evaluated ? <Refresh size={14} className="pp-caution" /> : ICONS[groupOf(event)]}
      </span>
      <span className="en-event-text">
        <b className={event.re_evaluated ? 'pp-caution' : undefined}>{labelOf(event)}</b>
        {event.re_evaluated && event.type !== 're_evaluated' ? (
          <span className="pp-caution en-again">re-evaluated</span>
        ) : null}
        <span className="pp-t2 pp-small pp-ellipsis en-line" title={visibleText(event.summary)}>
          {visibleText(event.summary)}
        </span>
        {more ? (
          <span className="pp-t3 pp-small pp-ellipsis en-line" title={visibleText(more)}>
            {visibleText(more)}
          </span>
        ) : null}
      </span>
    </li>
  );
}

function Planned({ action }: { action: PendingAction }): JSX.Element {
  const clock = useClock();
  return (
    <li className="en-event en-planned">
      <time className="pp-t3 pp-num" title={profileTime(action.time, clock)}>
        {timeOfDay(action.time, clock)}
      </time>
      <span className="pp-t3">
        <Time size={14} />
      </span>
      <span className="en-event-text">
        <b>Planned: {visibleText(action.action.replaceAll('_', ' '))}</b>
        <span className="pp-t2 pp-small pp-ellipsis en-line">
          {profileTime(action.time, clock)}
          {action.by ? ` by ${visibleText(action.by)}` : ''}
        </span>
        {action.reason ? (
          <span className="pp-t3 pp-small pp-ellipsis en-line">“{visibleText(action.reason)}”</span>
        ) : null}
      </span>
    </li>
  );
}

interface TimelineProps {
  events: Events;
  pending: readonly PendingAction[];
  noun: string;
  /** Shows every event. */
  onAll: () => void;
}

/** The newest events by day and what is planned, on the one clock; filtered by kind. */
export function EntityTimeline({ events, pending, noun, onAll }: TimelineProps): JSX.Element {
  const clock = useClock();
  const { first, total } = events;
  const rows = first.data?.rows ?? [];
  const [chosen, setFilter] = useState<EventFilter>('all');
  const filters = filtersOf(rows);
  const filter = filters.some(({ value }) => value === chosen) ? chosen : 'all';
  const shown = eventsIn(rows, filter);
  const days = Map.groupBy(shown, ({ time }) => profileTime(time, clock).slice(0, DAY));
  const zone = zoneAt(toInstant(rows[0]?.time) ?? Date.now(), clock);
  return (
    <Panel
      title="Timeline"
      {...panelState(first)}
      rows={8}
      className="en-timeline-panel"
      shownInstead="The events below are older."
      notKnown={`What happened to the ${noun} is not known.`}
      actions={
        <HTMLSelect
          aria-label="Kind of event"
          options={filters.map(({ value, label, count }) => ({ value, label: `${label} (${exact(count)})` }))}
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value as EventFilter)}
        />
      }
      empty={
        first.data && rows.length === 0 && pending.length === 0
          ? { title: 'Nothing recorded', reason: `The service counts 0 events of this ${noun}.` }
          : null
      }
    >
      {rows.length > 0 || pending.length > 0 ? (
        <>
          <ol className="en-timeline">
            {filter === 'all' || filter === 'response'
              ? pending.map((action) => <Planned key={`${action.action} ${action.time}`} action={action} />)
              : null}
            {[...days].flatMap(([day, ofDay]) => [
              <li key={day} className="en-day pp-caption">
                {day} {zone}
              </li>,
              ...ofDay.map((event, index) => (
                <Line key={event.id ?? `${event.time} ${event.type} ${index}`} event={event} />
              )),
            ])}
          </ol>
          {total !== null && total > rows.length ? (
            <p className="en-note">
              The newest {exact(rows.length)} of {exact(total)}.{' '}
              <button type="button" className="pp-link" onClick={onAll}>
                All events
              </button>
            </p>
          ) : null}
        </>
      ) : null}
    </Panel>
  );
}
