import { Button } from '@blueprintjs/core';
import { type JSX, type ReactNode, useState } from 'react';
import { useCommands } from '#renderer/commands/command.tsx';
import { ACTIVITY } from '#renderer/commands/keys.ts';
import { isActiveJob, loadJobs, onJobControl, useJobs, useJobsError } from '#renderer/state/jobs.ts';
import { type ScreenProps, useTabStatus } from '#renderer/state/tab-context.ts';
import { scrollStop } from '#renderer/ui/grid/scroll-stop.ts';
import { JobRow } from '#renderer/ui/job-row.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Job } from '#shared/bridge/operations.ts';
import { exact } from '#shared/model/format.ts';
import './activity.css';
import { EvidenceProblems } from './evidence-problems.tsx';
import { Journal } from './journal.tsx';
import { HINTS } from './labels.ts';
import { VerifyDialog } from './verify-dialog.tsx';

/** `error` is why the list is not known; the jobs are then only those that were reported since. */
export function JobLists(props: {
  active: readonly Job[];
  finished: readonly Job[];
  error: BridgeError | null;
  onVerify: (job: Job) => void;
  /** Between the two lists, as the second grows. */
  children: ReactNode;
}): JSX.Element {
  const { active, finished, error, onVerify } = props;
  return (
    <>
      <Panel
        title="Active"
        errorTitle="Active jobs could not be loaded"
        count={error === null ? exact(active.length) : ''}
        error={error}
        onRetry={() => void loadJobs()}
        empty={
          active.length === 0 && error === null
            ? {
                title: 'No active jobs',
                reason: 'Exports, imports and long fetches show their progress here.',
              }
            : null
        }
      >
        {active.map((job) => (
          <JobRow key={job.id} job={job} onControl={onJobControl} />
        ))}
      </Panel>
      {props.children}
      <Panel
        title="Finished"
        errorTitle="Finished jobs could not be loaded"
        count={error === null ? exact(finished.length) : ''}
        error={error}
        onRetry={() => void loadJobs()}
        empty={
          finished.length === 0 && error === null
            ? { title: 'No finished jobs', reason: 'Completed jobs appear here.' }
            : null
        }
      >
        {finished.map((job) => (
          <JobRow key={job.id} job={job} onControl={onJobControl} onVerify={() => onVerify(job)} full />
        ))}
      </Panel>
    </>
  );
}

/** Jobs with progress, cancel, pause and retry; the journal of changes; and what evidence could not be read. */
export default function ActivityScreen(_: ScreenProps<'activity'>): JSX.Element {
  const jobs = useJobs();
  const error = useJobsError();
  const [verifying, setVerifying] = useState<{ job: Job | null } | null>(null);
  const active = jobs.filter(isActiveJob);
  const finished = jobs.filter((job) => !isActiveJob(job));
  const verify = () =>
    setVerifying({ job: finished.find(({ outcome }) => outcome?.['manifest'] != null) ?? null });
  useCommands([{ ...ACTIVITY.verify, run: verify }]);
  useTabStatus({ hints: HINTS });
  return (
    <>
      <PageHeader
        title="Activity"
        actions={<Button text="Verify…" onClick={() => setVerifying({ job: null })} />}
      />
      {verifying === null ? null : <VerifyDialog job={verifying.job} onClose={() => setVerifying(null)} />}
      <div className="pp-activity">
        <Journal />
        <div ref={scrollStop} className="pp-activity-jobs">
          <JobLists
            active={active}
            finished={finished}
            error={error}
            onVerify={(job) => setVerifying({ job })}
          >
            <EvidenceProblems />
          </JobLists>
        </div>
      </div>
    </>
  );
}
