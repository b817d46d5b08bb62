import type { JSX } from 'react';
import type { RecentQuery } from '#renderer/state/recent.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { gridTime } from '#shared/model/clock.ts';
import { exact } from '#shared/model/format.ts';

/** The last runs of a query on this machine, newest first, with their totals and how these changed. */
export function Runs({ recent }: { recent: RecentQuery | null }): JSX.Element | null {
  const clock = useClock();
  const runs = (recent?.runs ?? []).slice(0, 5);
  if (runs.length === 0) return null;
  const most = Math.max(1, ...runs.map(({ total }) => total ?? 0));
  return (
    <section className="pp-preview-part">
      <div className="pp-caption pp-t3">Runs on this machine</div>
      {runs.map((run, index) => {
        const before = runs[index + 1]?.total;
        const delta = run.total === null || before == null ? null : run.total - before;
        return (
          <div key={run.ranAt} className="pp-preview-run">
            <span>{gridTime(run.ranAt, clock)}</span>
            <span className="pp-preview-bar">
              <span style={{ width: `${(100 * (run.total ?? 0)) / most}%` }} />
            </span>
            <span className="pp-num">{run.total === null ? '–' : exact(run.total)}</span>
            <span className="pp-preview-delta">
              {delta === null || delta === 0 ? '' : `${delta > 0 ? '+' : '−'}${exact(Math.abs(delta))}`}
            </span>
          </div>
        );
      })}
    </section>
  );
}
