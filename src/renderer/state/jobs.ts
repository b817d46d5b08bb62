import { create } from 'zustand';
import { showFailure } from '#renderer/state/show-failure.ts';
import type { JobAction } from '#renderer/ui/job-row.tsx';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { InputOf, Job } from '#shared/bridge/operations.ts';
import { onAppEvent } from './app-events.ts';
import { windowBridge } from './window-bridge.ts';
import { onWireBack } from './wire-health.ts';

/** Buttons of jobs that wait for their response. */
const pressed = new Set<string>();

/** Actions of a job row's buttons; failures become toasts. A second press before the response does nothing. */
export function onJobControl(job: Job, action: JobAction): void {
  const button = `${job.id} ${action}`;
  if (pressed.has(button)) return;
  pressed.add(button);
  controlJob(job.id, action)
    .catch((reason: unknown) => showFailure(`Couldn’t ${action}: ${job.title}`, reason))
    .finally(() => pressed.delete(button));
}

interface Jobs {
  jobs: ReadonlyMap<string, Job>;
  /** Why the list is unknown: `jobs` then contains only jobs that were reported since. */
  error: BridgeError | null;
}

const useStore = create<Jobs>(() => ({ jobs: new Map(), error: null }));

function take(jobs: readonly Job[]): void {
  const next = new Map(useStore.getState().jobs);
  for (const job of jobs) next.set(job.id, job);
  useStore.setState({ jobs: next });
}

/** Loads the list of jobs. Never rejects: `useJobsError` says why it is unknown. */
export async function loadJobs(): Promise<void> {
  try {
    take((await windowBridge().call('jobs.list', {})).jobs);
    useStore.setState({ error: null });
  } catch (reason) {
    useStore.setState({ error: toBridgeError(reason) });
  }
}

export async function startJobs(): Promise<void> {
  onAppEvent('job', ({ job }) => take([job]));
  onWireBack(() => {
    // Jobs that ended with a restart are in the new list or gone.
    useStore.setState({ jobs: new Map() });
    void loadJobs();
  });
  await loadJobs();
}

const ACTIVE: readonly Job['state'][] = ['queued', 'running', 'paused'];
export const isActiveJob = (job: Job): boolean => ACTIVE.includes(job.state);

/** Active jobs first, then finished ones; each newest first. */
function orderJobs(jobs: Iterable<Job>): Job[] {
  const timeOf = (job: Job) => job.endedAt ?? job.startedAt ?? Number.MAX_SAFE_INTEGER;
  return [...jobs].sort((a, b) => Number(isActiveJob(b)) - Number(isActiveJob(a)) || timeOf(b) - timeOf(a));
}

export function useJobs(): Job[] {
  return orderJobs(useStore((store) => store.jobs).values());
}

/** Why the list of jobs could not be read, or null if it is known. */
export const useJobsError = (): BridgeError | null => useStore(({ error }) => error);

/** Resolves with a job once it has ended. */
export function whenJobEnds(job: Job): Promise<Job> {
  take([useStore.getState().jobs.get(job.id) ?? job]);
  return new Promise((resolve) => {
    const look = () => {
      const now = useStore.getState().jobs.get(job.id);
      if (now && isActiveJob(now)) return;
      unsubscribe();
      resolve(now ?? job);
    };
    const unsubscribe = useStore.subscribe(look);
    look();
  });
}

/** Cancels, pauses, resumes, retries or dismisses. Rejects with a ParapetError. */
export async function controlJob(id: string, action: InputOf<'jobs.control'>['action']): Promise<void> {
  const job = await windowBridge().call('jobs.control', { id, action });
  if (action !== 'dismiss') return take([job]);
  const next = new Map(useStore.getState().jobs);
  next.delete(id);
  useStore.setState({ jobs: next });
}
