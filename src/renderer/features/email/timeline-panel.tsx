import { Archive, Envelope, Flag, Refresh, SendMessage, Shield, Undo } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { profileTime, timeOfDay, toInstant, zoneAt } from '#shared/model/clock.ts';
import { visibleText } from '#shared/model/format.ts';
import { type TimelineEvent, type TimelineKind, timelineOf } from './timeline.ts';
import { type EmailReads, panelState } from './use-email.ts';

const ICONS: Readonly<Record<TimelineKind, JSX.Element>> = {
  sent: <SendMessage size={14} />,
  received: <Envelope size={14} />,
  scanned: <Shield size={14} />,
  're-evaluated': <Refresh size={14} />,
  quarantined: <Archive size={14} />,
  restore: <Undo size={14} />,
  reported: <Flag size={14} />,
};

const DAY = 10;

function Event({ event, day }: { event: TimelineEvent; day: string | null }): JSX.Element {
  const clock = useClock();
  const detail = event.detail === null ? null : visibleText(event.detail);
  return (
    <li className={event.danger ? 'em-event em-event-danger' : 'em-event'}>
      <time
        className="pp-t3 em-event-time"
        title={event.at === null ? 'The time is not recorded' : profileTime(event.at, clock)}
      >
        {event.at === null ? 'time unknown' : timeOfDay(event.at, clock)}
        {day === null ? null : <span className="em-line pp-caption">{day}</span>}
      </time>
      <span className="em-event-icon">{ICONS[event.kind]}</span>
      <span className="em-event-text">
        <b>{event.title}</b>
        {detail ? (
          <span className="pp-t2 pp-small pp-ellipsis em-line" title={detail}>
            {detail}
          </span>
        ) : null}
      </span>
    </li>
  );
}

/** What happened to the email, on the one clock. The day stands where it changes. */
export function TimelinePanel({ email }: { email: EmailReads }): JSX.Element {
  const clock = useClock();
  const { data } = email.profile;
  const receivedBy = email.parsed?.analysis.hops.at(-1)?.by ?? null;
  const events = data ? timelineOf(data, email.stack, receivedBy) : null;
  let before: string | null = null;
  return (
    <Panel
      title="Timeline"
      count={zoneAt(toInstant(data?.received) ?? Date.now(), clock)}
      {...panelState(email.profile)}
      rows={5}
      className="em-timeline-panel"
      notKnown="What happened to it is not known."
      empty={
        events?.length === 0
          ? { title: 'Nothing recorded', reason: 'The service gives no times for this email.' }
          : null
      }
    >
      {events && events.length > 0 ? (
        <ol className="em-timeline">
          {events.map((event) => {
            const day = event.at === null ? null : profileTime(event.at, clock).slice(0, DAY);
            const shown = day === before ? null : day;
            before = day ?? before;
            return (
              <Event
                key={`${event.kind} ${event.title} ${event.at} ${event.detail}`}
                event={event}
                day={shown}
              />
            );
          })}
        </ol>
      ) : null}
    </Panel>
  );
}
