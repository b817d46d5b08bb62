import { ProgressBar } from '@blueprintjs/core';
import { Cross, Endorsed, Pause, Play, Repeat } from '@blueprintjs/icons';
import type { JSX } from 'react';
import type { Job } from '#shared/bridge/operations.ts';
import { bytes, exact, shortAge } from '#shared/model/format.ts';
import { GlyphClean, GlyphError, GlyphStop, GlyphSuspicious } from './glyphs.tsx';
import { IconButton } from './icon-button.tsx';
import { timeLeft } from './time-left.ts';
import { useNow } from './use-now.ts';

export type JobAction = 'cancel' | 'pause' | 'resume' | 'retry' | 'dismiss';

interface JobRowProps {
  job: Job;
  onControl: (job: Job, action: JobAction) => void;
  onVerify?: () => void;
  /** Finished jobs in two lines, with their outcome. */
  full?: boolean;
}

const amount = (value: number, unit: Job['unit']) => (unit === 'bytes' ? bytes(value) : exact(value));

/** "1,214 of 1,904 rows", or "1,214 rows" while the total is not known. */
function jobAmount(job: Job): string {
  const unit = job.unit === 'bytes' ? '' : ` ${job.unit}`;
  if (job.total === null) return `${amount(job.done, job.unit)}${unit}`;
  return `${amount(job.done, job.unit)} of ${amount(job.total, job.unit)}${unit}`;
}

/** "about 20 s left"; nothing when the rate or the total is not known. */
function jobTimeLeft(job: Job): string {
  if (job.state === 'paused') return 'paused';
  if (job.state === 'queued') return 'waiting';
  if (job.total === null || !job.rate || job.rate <= 0) return '';
  return timeLeft((job.total - job.done) / job.rate) ?? '';
}

/** An action without a confirmed target and with unknown outcomes: UNKNOWN, which differs from PARTIAL. */
export const isNotKnown = ({ kind, state, outcome }: Job): boolean =>
  kind === 'action' && state === 'partial' && outcome?.['done'] === 0;

/**
 * Only targets with an unknown outcome are left. They may have been acted on, so they are retried only in the outcome
 * dialog, which asks first.
 */
const hasOnlyUnknown = ({ kind, outcome }: Job): boolean =>
  kind === 'action' &&
  outcome?.['failed'] === 0 &&
  outcome['not-sent'] === 0 &&
  Number(outcome['unknown']) > 0;

function EndMark({ job }: { job: Job }): JSX.Element {
  const { state } = job;
  if (state === 'done')
    return (
      <span className="pp-v-clean">
        <GlyphClean size={14} label="Done" />
      </span>
    );
  if (state === 'failed')
    return (
      <span className="pp-danger">
        <GlyphError size={14} label="Failed" />
      </span>
    );
  if (state === 'partial')
    return (
      <span className="pp-caution">
        <GlyphSuspicious size={14} label={isNotKnown(job) ? 'Unknown' : 'Partial'} />
      </span>
    );
  return (
    <span className="pp-t3">
      <GlyphStop size={12} label="Cancelled" />
    </span>
  );
}

function endWords(job: Job): string {
  if (job.error !== null) return job.error.message;
  return job.state === 'cancelled' ? `Cancelled at ${jobAmount(job)}` : (job.note ?? jobAmount(job));
}

function ActiveJob({ job, onControl }: JobRowProps): JSX.Element {
  const paused = job.state === 'paused';
  return (
    <div className="pp-job" data-job={job.id}>
      <div className="pp-row">
        <span className="pp-ellipsis pp-spacer" title={job.title}>
          {job.title}
        </span>
        {job.canPause ? (
          <IconButton
            small
            icon={paused ? <Play size={12} /> : <Pause size={12} />}
            label={paused ? 'Resume' : 'Pause'}
            onClick={() => onControl(job, paused ? 'resume' : 'pause')}
          />
        ) : null}
        <IconButton
          small
          icon={<Cross size={12} />}
          label="Cancel"
          onClick={() => onControl(job, 'cancel')}
        />
      </div>
      <ProgressBar
        value={job.total === null ? 0 : job.done / Math.max(1, job.total)}
        animate={false}
        stripes={false}
        aria-label={job.title}
      />
      <div className="pp-row pp-caption pp-t3">
        <span className="pp-spacer">{jobAmount(job)}</span>
        <span>{jobTimeLeft(job)}</span>
      </div>
    </div>
  );
}

/** One job: progress, counts, pause and cancel; a finished one with its outcome (design.md, Jobs tray). */
export function JobRow(props: JobRowProps): JSX.Element {
  const { job, onControl, onVerify, full } = props;
  const now = useNow();
  if (job.state === 'queued' || job.state === 'running' || job.state === 'paused')
    return <ActiveJob {...props} />;
  return (
    <div className="pp-job pp-job-ended" data-job={job.id}>
      <EndMark job={job} />
      <div className="pp-spacer">
        <div className="pp-ellipsis" title={job.title}>
          {job.state === 'partial' ? (
            <b className="pp-caution">{isNotKnown(job) ? 'UNKNOWN ' : 'PARTIAL '}</b>
          ) : null}
          {job.title}
        </div>
        {full || job.state !== 'done' ? (
          <div
            className={`pp-small pp-t3 pp-wrap-anywhere${full ? '' : ' pp-job-words'}`}
            title={full ? undefined : endWords(job)}
          >
            {endWords(job)}
          </div>
        ) : null}
      </div>
      {job.canRetry && !hasOnlyUnknown(job) ? (
        <IconButton
          small
          icon={<Repeat size={12} />}
          label={job.state === 'partial' ? 'Retry remaining' : 'Retry'}
          onClick={() => onControl(job, 'retry')}
        />
      ) : null}
      {onVerify && job.outcome?.['manifest'] != null ? (
        <IconButton small icon={<Endorsed size={12} />} label="Verify the file" onClick={onVerify} />
      ) : null}
      {full ? (
        <IconButton
          small
          icon={<Cross size={12} />}
          label="Remove from list"
          onClick={() => onControl(job, 'dismiss')}
        />
      ) : null}
      <span className="pp-caption pp-t3">{shortAge(job.endedAt, now)}</span>
    </div>
  );
}
