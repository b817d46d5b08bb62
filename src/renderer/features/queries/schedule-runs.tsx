import type { JSX } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { useNow } from '#renderer/ui/use-now.ts';
import { profileTime } from '#shared/model/clock.ts';
import { scheduleWords } from '#shared/model/schedule.ts';
import { runsInZone, type ScheduleForm, scheduleOf } from './schedule-form.ts';

const RUNS = 3;

/** The schedule in words, and the next runs on the one clock. */
export function ScheduleRuns(props: {
  form: ScheduleForm;
  zone: string;
  /** The connection says the zone; else it is an assumption, and says so. */
  isNamed: boolean;
}): JSX.Element {
  const { form, zone, isNamed } = props;
  const clock = useClock();
  const runs = runsInZone(form, zone, useNow(), RUNS);
  return (
    <div className="pp-schedule-runs">
      <b>{runs.length === 0 ? 'It would not run like this.' : scheduleWords(scheduleOf(form, null), zone)}</b>
      <ol aria-label="Next runs">
        {runs.map((run) => (
          <li key={run} className="pp-mono">
            {profileTime(run, clock)}
          </li>
        ))}
      </ol>
      {isNamed ? null : (
        <span className="pp-t3 pp-caption">
          The connection names no zone, so the server is taken to run on UTC. Settings of the connection
          change it.
        </span>
      )}
    </div>
  );
}
