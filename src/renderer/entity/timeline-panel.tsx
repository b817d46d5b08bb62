import {
  Archive,
  Dot,
  Edit,
  Envelope,
  EyeOpen,
  Flag,
  HandUp,
  Person,
  Refresh,
  Share,
  Shield,
  Time,
  Undo,
} from '@blueprintjs/icons';
import { type JSX, useMemo, useState } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { type ClockSetting, profileTime, timeOfDay, toInstant, zoneLabel } from '#shared/model/clock.ts';
import type { PendingAction } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { type EventKind, eventsIn, type KindChoice, kindCounts } from './events.ts';
import { KindFilter } from './kind-filter.tsx';
import { defangedText } from './labels.ts';
import { panelState } from './panel-state.ts';
import { type TimelineEvent, timelineOfEvents } from './timeline.ts';
import { useBranding } from './use-entity-stack.ts';
import type { Events } from './use-events.ts';
import './entity.css';

const ICONS: Readonly<Record<EventKind, JSX.Element>> = {
  mail: <Envelope size={14} />,
  access: <EyeOpen size={14} />,
  change: <Edit size={14} />,
  sharing: <Share size={14} />,
  scan: <Shield size={14} />,
  're-evaluated': <Refresh size={14} />,
  quarantine: <Archive size={14} />,
  restore: <Undo size={14} />,
  click: <HandUp size={14} />,
  report: <Flag size={14} />,
  admin: <Person size={14} />,
  other: <Dot size={14} />,
};
const DAY = 10;
const ALL: KindChoice = new Set();

interface Line {
  at: number | null;
  icon: JSX.Element;
  title: string;
  detail: string | null;
  kind: EventKind | 'planned';
  tone: 'plain' | 'caution' | 'danger';
}

const lineOf = ({ kind, at, title, detail, danger }: TimelineEvent): Line => ({
  at,
  icon: ICONS[kind],
  title: defangedText(title),
  detail: detail === null ? null : defangedText(detail),
  kind,
  tone: danger ? 'danger' : kind === 're-evaluated' ? 'caution' : 'plain',
});

function plannedLine({ action, time, by, reason }: PendingAction, clock: ClockSetting): Line {
  const detail = [profileTime(time, clock), by ? `by ${by}` : null, reason ? `“${reason}”` : null];
  return {
    at: toInstant(time),
    icon: <Time size={14} />,
    title: defangedText(`Scheduled: ${action.replaceAll('_', ' ')}`),
    detail: defangedText(detail.filter(Boolean).join(', ')),
    kind: 'planned',
    tone: 'plain',
  };
}

function LineItem({ line }: { line: Line }): JSX.Element {
  const clock = useClock();
  const { at, detail, tone } = line;
  return (
    <li className={`en-event en-event-${tone}`} data-kind={line.kind}>
      <time
        className="pp-t3 en-event-time"
        title={at === null ? 'Time not recorded' : profileTime(at, clock)}
      >
        {at === null ? '–' : timeOfDay(at, clock)}
      </time>
      <span className="en-event-icon">{line.icon}</span>
      <span className="en-event-text">
        <b>{line.title}</b>
        {detail ? (
          <span className="pp-t2 pp-small pp-ellipsis en-line" title={detail}>
            {detail}
          </span>
        ) : null}
      </span>
    </li>
  );
}

/** The lines grouped by day, in order; lines without a time form a group of their own. */
function byDay(lines: readonly Line[], clock: ClockSetting): { day: string; lines: Line[] }[] {
  const days: { day: string; lines: Line[] }[] = [];
  for (const line of lines) {
    const day = line.at === null ? 'Time not recorded' : profileTime(line.at, clock).slice(0, DAY);
    const last = days.at(-1);
    if (last?.day === day) last.lines.push(line);
    else days.push({ day, lines: [line] });
  }
  return days;
}

interface TimelineProps {
  events: Events;
  pending: readonly PendingAction[];
  /** Oldest first: lines derived from the entity's own fields, used when its events are unavailable. */
  fallback: () => TimelineEvent[] | null;
  /** The newest come first for long-lived entities. */
  first: 'oldest' | 'newest';
  noun: string;
  onAll: () => void;
}

/** The newest hundred events by day and scheduled actions, in the chosen time zone; can be filtered by type. */
export function EntityTimeline(props: TimelineProps): JSX.Element {
  const { pending, fallback, noun, onAll } = props;
  const clock = useClock();
  const branding = useBranding();
  const { first, total, isAtLeast } = props.events;
  const rows = first.data?.rows;
  const counts = useMemo(() => kindCounts(rows ?? []), [rows]);
  const [choice, setKinds] = useState<KindChoice>(ALL);
  const kinds = new Set([...choice].filter((kind) => counts.has(kind)));
  // Nothing is drawn before the events arrive, because they would shift it.
  const recorded = rows
    ? timelineOfEvents(eventsIn(rows, kinds, '', branding), branding)
    : first.error
      ? fallback()
      : null;
  const lines = (recorded ?? []).map(lineOf);
  if (recorded && kinds.size === 0) lines.push(...pending.map((action) => plannedLine(action, clock)));
  if (props.first === 'newest') lines.reverse();
  const older = total !== null && rows ? total - rows.length : 0;
  return (
    <Panel
      title="Timeline"
      // By its name: the offset of one line is not that of lines in another season.
      count={zoneLabel(clock)}
      {...panelState(first)}
      rows={6}
      className="en-timeline-panel"
      shownInstead={rows ? 'Showing older events.' : 'Showing what the profile has.'}
      notKnown="Events are unknown."
      actions={
        rows ? (
          <>
            {counts.size > 1 ? <KindFilter small counts={counts} chosen={kinds} onChange={setKinds} /> : null}
            <LinkButton onClick={onAll}>All</LinkButton>
          </>
        ) : null
      }
      empty={
        rows && lines.length === 0
          ? { title: 'Nothing recorded', reason: `The service counts 0 events of this ${noun}.` }
          : null
      }
    >
      {lines.length > 0 ? (
        <>
          <ol className="en-timeline">
            {byDay(lines, clock).flatMap(({ day, lines: ofDay }, place) => [
              <li key={`${day} ${String(place)}`} className="en-day pp-caption">
                {day}
              </li>,
              ...ofDay.map((line, index) => (
                // Two clicks within one second differ only in their position.
                <LineItem key={`${line.kind} ${line.title} ${line.at} ${String(index)}`} line={line} />
              )),
            ])}
          </ol>
          {older > 0 || isAtLeast ? (
            <p className="en-note">
              The newest {exact(rows?.length ?? 0)}
              {isAtLeast ? '; there may be more.' : ` of ${exact(total ?? 0)}.`}
            </p>
          ) : null}
        </>
      ) : null}
    </Panel>
  );
}
