import type { JobAction } from '#renderer/ui/job-row.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { Job } from '#shared/bridge/operations.ts';
import { controlJob } from './jobs.ts';

/** What the buttons of a job row do; a refusal is said in a toast. */
export function onJobControl(job: Job, action: JobAction): void {
  controlJob(job.id, action).catch((reason: unknown) => {
    showToast({
      intent: 'error',
      title: `Could not ${action}: ${job.title}`,
      detail: toBridgeError(reason).message,
    });
  });
}
