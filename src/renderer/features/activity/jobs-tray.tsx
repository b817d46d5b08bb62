import type { JSX } from 'react';
import { isActiveJob, loadJobs, onJobControl, useJobs, useJobsError } from '#renderer/state/jobs.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { ErrorBar, ErrorState } from '#renderer/ui/error-bar.tsx';
import { isNotKnown, JobRow } from '#renderer/ui/job-row.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';

const SHOWN = 8;

export function JobsTray(): JSX.Element {
  const jobs = useJobs();
  const error = useJobsError();
  const retry = () => void loadJobs();
  const running = jobs.filter(isActiveJob).length;
  const unknown = jobs.filter(isNotKnown).length;
  const partial = jobs.filter(({ state }) => state === 'partial').length - unknown;
  const words = [
    running > 0 ? `${running} active` : '',
    partial > 0 ? `${partial} partial` : '',
    unknown > 0 ? `${unknown} unknown` : '',
  ];
  return (
    <section className="pp-jobs-tray" aria-label="Jobs">
      <header className="pp-panel-header">
        <h2>Jobs</h2>
        <span className="pp-panel-count">{words.filter(Boolean).join(', ')}</span>
        <span className="pp-panel-tail">
          <LinkButton className="bp6-popover-dismiss" onClick={() => openScreen('activity')}>
            Activity
          </LinkButton>
        </span>
      </header>
      <div className="pp-jobs-list">
        {error === null ? null : jobs.length > 0 ? (
          <ErrorBar error={error} onRetry={retry} />
        ) : (
          <ErrorState small title="Jobs could not be loaded" error={error} onRetry={retry} />
        )}
        {jobs.length === 0 && error === null ? (
          <EmptyState small title="No jobs" reason="Exports and imports appear here." />
        ) : null}
        {jobs.slice(0, SHOWN).map((job) => (
          <JobRow key={job.id} job={job} onControl={onJobControl} />
        ))}
      </div>
    </section>
  );
}
