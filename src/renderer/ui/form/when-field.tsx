import type { JSX } from 'react';
import { type ClockSetting, exportTime, instantOfWall as instantOf, zoneAt } from '#shared/model/clock.ts';
import { useClock } from '../clock-context.ts';
import { Segmented } from './segmented.tsx';

export interface When {
  kind: 'now' | 'later';
  /** `2026-11-19T08:41` in the chosen time zone. */
  wall: string;
}
export const NOW: When = { kind: 'now', wall: '' };

/**
 * The instant of a wall time as date fields give it (`2026-11-19T08:41`, with seconds or without), or null if
 * invalid.
 */
export function instantOfWall(wall: string, clock: ClockSetting): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(wall)) return null;
  const seconds = /^:\d\d/.exec(wall.slice(16))?.[0] ?? ':00';
  const asUtc = Date.parse(`${wall.slice(0, 16)}${seconds}Z`);
  return Number.isNaN(asUtc) ? null : instantOf(asUtc, clock);
}

/** Validation message of the chosen time, or null if valid. */
export function whenProblem(when: When, clock: ClockSetting, now: number): string | null {
  if (when.kind === 'now') return null;
  const instant = instantOfWall(when.wall, clock);
  if (instant === null) return 'Choose a date and time.';
  if (!exportTime(instant, clock).startsWith(when.wall.slice(0, 16)))
    return 'The clocks go forward and skip this time. Choose another.';
  return instant <= now ? 'This time is in the past.' : null;
}

const CHOICES = [
  { value: 'now', label: 'Now' },
  { value: 'later', label: 'Schedule' },
] as const;

/** Now, or a future time in the chosen time zone, which is shown. */
export function WhenField(props: {
  when: When;
  problem: string | null;
  onChange: (when: When) => void;
}): JSX.Element {
  const { when, problem, onChange } = props;
  const clock = useClock();
  const instant = instantOfWall(when.wall, clock);
  return (
    <div className="pp-field pp-when">
      <span className="pp-when-row">
        <Segmented
          label="When"
          options={CHOICES}
          value={when.kind}
          onChange={(kind) => onChange({ ...when, kind })}
        />
        {when.kind === 'later' ? (
          <>
            <input
              type="datetime-local"
              className="bp6-input"
              aria-label="Date and time"
              value={when.wall}
              onChange={({ currentTarget }) => onChange({ ...when, wall: currentTarget.value })}
            />
            <span className="pp-t3 pp-caption">{zoneAt(instant ?? Date.now(), clock)}</span>
          </>
        ) : null}
      </span>
      {problem ? (
        <small className="pp-danger" role="alert">
          {problem}
        </small>
      ) : null}
    </div>
  );
}
