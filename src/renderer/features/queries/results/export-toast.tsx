import { Button } from '@blueprintjs/core';
import { Cross } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { onJobControl, useJobs } from '#renderer/state/jobs.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { JobRow } from '#renderer/ui/job-row.tsx';

/** The export that was started here: progress and cancel, until it is closed. */
export function ExportToast({ jobId, onClose }: { jobId: string; onClose: () => void }): JSX.Element | null {
  const job = useJobs().find(({ id }) => id === jobId);
  if (!job) return null;
  return (
    <section className="pp-toasts pp-export-toast" aria-label="Export">
      <div className="pp-toast pp-toast-info" role="status">
        <div className="pp-toast-text">
          <JobRow job={job} onControl={onJobControl} />
          {job.state === 'done' || job.state === 'partial' ? (
            <small>
              {job.note ?? (typeof job.outcome?.['file'] === 'string' ? job.outcome['file'] : '')}
            </small>
          ) : null}
        </div>
        <Button variant="minimal" size="small" text="Activity" onClick={() => openScreen('activity')} />
        <IconButton small icon={<Cross size={12} />} label="Close" onClick={onClose} />
      </div>
    </section>
  );
}
