import {
  Archive,
  Dot,
  Envelope,
  Flag,
  HandUp,
  Person,
  Refresh,
  SendMessage,
  Shield,
  Undo,
} from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { profileTime, timeOfDay, toInstant, zoneAt } from '#shared/model/clock.ts';
import { exact } from '#shared/model/format.ts';
import { said } from './said.ts';
import { type TimelineEvent, type TimelineKind, timelineOf } from './timeline.ts';
import { timelineOfEvents } from './timeline-events.ts';
import { type EmailReads, panelState } from './use-email.ts';

const ICONS: Readonly<Record<TimelineKind, JSX.Element>> = {
  sent: <SendMessage size={14} />,
  received: <Envelope size={14} />,
  scanned: <Shield size={14} />,
  're-evaluated': <Refresh size={14} />,
  quarantined: <Archive size={14} />,
  restore: <Undo size={14} />,
  reported: <Flag size={14} />,
  clicked: <HandUp size={14} />,
  admin: <Person size={14} />,
  other: <Dot size={14} />,
};

const DAY = 10;

function Event({ event }: { event: TimelineEvent }): JSX.Element {
  const clock = useClock();
  const detail = event.detail === null ? null : said(event.detail);
  return (
    <li className={event.danger ? 'em-event em-event-danger' : 'em-event'}>
      <time
        className="pp-t3 em-event-time"
        title={event.at === null ? 'The time is not recorded' : profileTime(event.at, clock)}
      >
        {event.at === null ? '–' : timeOfDay(event.at, clock)}
      </time>
      <span className="em-event-icon">{ICONS[event.kind]}</span>
      <span className="em-event-text">
        <b>{said(event.title)}</b>
        {detail ? (
          <span className="pp-t2 pp-small pp-ellipsis em-line" title={detail}>
            {detail}
          </span>
        ) : null}
      </span>
    </li>
  );
}

/** The events of each day, in order; the last group holds those without a time. */
function byDay(events: readonly TimelineEvent[], dayOf: (at: number) => string) {
  const days: { day: string; events: TimelineEvent[] }[] = [];
  for (const event of events) {
    const day = event.at === null ? 'Time not recorded' : dayOf(event.at);
    const last = days.at(-1);
    if (last?.day === day) last.events.push(event);
    else days.push({ day, events: [event] });
  }
  return days;
}

/** What happened to the email, on the one clock. Without its events, what the profile's fields tell. */
export function TimelinePanel({ email, onAll }: { email: EmailReads; onAll: () => void }): JSX.Element {
  const clock = useClock();
  const { data } = email.profile;
  const told = email.events.data;
  const receivedBy = email.parsed?.analysis.hops.at(-1)?.by ?? null;
  // While the events are on their way nothing is drawn that they would move.
  const events = useMemo(() => {
    if (told) return timelineOfEvents(told.rows, email.branding);
    return data && email.events.error ? timelineOf(data, email.stack, receivedBy) : null;
  }, [told, data, email.events.error, email.stack, email.branding, receivedBy]);
  const more = told ? Math.max(0, (told.total_rows ?? told.rows.length) - told.rows.length) : 0;
  const days = byDay(events ?? [], (at) => profileTime(at, clock).slice(0, DAY));
  const zone = zoneAt(toInstant(data?.received) ?? Date.now(), clock);
  const single = days.length === 1 && days[0]?.events[0]?.at !== null;
  return (
    <Panel
      title="Timeline"
      count={single ? `${days[0]?.day} ${zone}` : zone}
      {...panelState(email.events)}
      rows={5}
      className="em-timeline-panel"
      shownInstead={told ? 'The events below are older.' : 'Below is what the profile tells.'}
      notKnown="What happened to it is not known."
      actions={
        told ? (
          <button type="button" className="pp-link" onClick={onAll}>
            {more > 0 ? `${exact(more)} earlier` : 'All'}
          </button>
        ) : null
      }
      empty={
        events?.length === 0
          ? { title: 'Nothing recorded', reason: 'The service gives no times for this email.' }
          : null
      }
    >
      {days.length > 0 ? (
        <ol className="em-timeline">
          {days.flatMap(({ day, events: ofDay }) => [
            single ? null : (
              <li key={day} className="em-day pp-caption">
                {day}
              </li>
            ),
            ...ofDay.map((event, index) => (
              // Two clicks of one second are alike in everything but their place.
              <Event key={`${event.kind} ${event.title} ${event.at} ${String(index)}`} event={event} />
            )),
          ])}
        </ol>
      ) : null}
    </Panel>
  );
}
