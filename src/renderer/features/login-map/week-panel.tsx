import { Button } from '@blueprintjs/core';
import { type JSX, type KeyboardEvent, memo, useRef, useState } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { zoneLabel } from '#shared/model/clock.ts';
import { plural } from '#shared/model/format.ts';
import { dayAndHour } from './filter-state.ts';
import { DAYS } from './labels.ts';

interface WeekPanelProps {
  /** Logins by hour of the week, Monday first. */
  week: Float64Array | null;
  hours: readonly number[] | undefined;
  onHours: (hours: readonly number[] | undefined) => void;
  /** Why there are no logins, or null if there are some. */
  none: EmptyInfo | null;
}

/** Hours of the rectangle between two cells. */
export function hoursBetween(a: number, b: number): number[] {
  const [dayA, dayB] = [Math.floor(a / 24), Math.floor(b / 24)];
  const hours: number[] = [];
  for (let day = Math.min(dayA, dayB); day <= Math.max(dayA, dayB); day += 1)
    for (let hour = Math.min(a % 24, b % 24); hour <= Math.max(a % 24, b % 24); hour += 1)
      hours.push(day * 24 + hour);
  return hours;
}

/** Hour by weekday: a cell, or a rectangle dragged or spanned with Shift, filters every other view. */
export const WeekPanel = memo(function WeekPanel(props: WeekPanelProps): JSX.Element {
  const { week, hours, onHours, none } = props;
  const clock = useClock();
  const root = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(9);
  const anchor = useRef<number | null>(null);
  const most = week ? week.reduce((a, b) => Math.max(a, b), 1) : 1;
  const chosen = new Set(hours);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -24, ArrowDown: 24 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const to = Math.min(167, Math.max(0, focused + by));
    if (event.shiftKey) {
      anchor.current ??= focused;
      onHours(hoursBetween(anchor.current, to));
    } else anchor.current = null;
    setFocused(to);
    root.current?.querySelector<HTMLElement>(`[data-hour="${to}"]`)?.focus();
  };
  return (
    <Panel
      title="Hour and weekday"
      count={zoneLabel(clock)}
      noScroll
      actions={
        chosen.size > 0 ? (
          <Button variant="minimal" size="small" text="Clear" onClick={() => onHours(undefined)} />
        ) : null
      }
      empty={week && hours === undefined ? none : null}
    >
      {week ? (
        <div className="pp-week" ref={root}>
          {DAYS.map((name, day) => (
            <div className="pp-week-day" key={name}>
              <span className="pp-week-name">{name}</span>
              {Array.from({ length: 24 }, (_, hour) => day * 24 + hour).map((hour) => {
                const value = week[hour] ?? 0;
                const words = `${dayAndHour(hour)}, ${plural(value, 'login')}`;
                const share = value === 0 ? 0 : 8 + Math.round(92 * Math.sqrt(value / most));
                return (
                  <button
                    type="button"
                    key={hour}
                    data-hour={hour}
                    className="pp-week-cell"
                    style={{ background: `color-mix(in srgb, var(--acc) ${share}%, var(--acct))` }}
                    title={words}
                    aria-label={words}
                    aria-pressed={chosen.has(hour)}
                    tabIndex={hour === focused ? 0 : -1}
                    onKeyDown={move}
                    onFocus={() => setFocused(hour)}
                    onPointerDown={() => {
                      anchor.current = hour;
                    }}
                    onPointerEnter={(event) => {
                      if (event.buttons === 1 && anchor.current !== null)
                        onHours(hoursBetween(anchor.current, hour));
                    }}
                    onClick={() => {
                      if (anchor.current !== null && anchor.current !== hour) return;
                      onHours(chosen.size === 1 && chosen.has(hour) ? undefined : [hour]);
                    }}
                  />
                );
              })}
            </div>
          ))}
          <div className="pp-week-day pp-week-axis" aria-hidden="true">
            <span className="pp-week-name" />
            {[0, 6, 12, 18].map((hour) => (
              <span key={hour} style={{ gridColumn: `${hour + 2} / span 6` }}>
                {hour}
              </span>
            ))}
          </div>
        </div>
      ) : null}
    </Panel>
  );
});
