/** Operations on jobs. */
import { z } from 'zod';
import { bridgeError } from '../error-shape.ts';
import { call } from '../operation.ts';
import { epoch, none } from './common.ts';

const jobKind = z.enum(['export', 'fetch', 'evidence-import', 'query-import', 'action', 'keep', 'rules']);
export const job = z.object({
  id: z.string(),
  kind: jobKind,
  title: z.string(),
  connectionId: z.string().nullable(),
  state: z.enum(['queued', 'running', 'paused', 'done', 'partial', 'failed', 'cancelled']),
  /** In `unit`; the total may not be known yet. */
  done: z.number(),
  total: z.number().nullable(),
  unit: z.enum(['rows', 'messages', 'bytes', 'items']),
  /** Per second, over the last seconds. */
  rate: z.number().nullable(),
  note: z.string().nullable(),
  error: bridgeError.nullable(),
  startedAt: epoch.nullable(),
  endedAt: epoch.nullable(),
  /** The result: file name, rows, SHA-256, problems. */
  outcome: z.record(z.string(), z.json()).nullable(),
  canPause: z.boolean(),
  canRetry: z.boolean(),
});
export type Job = z.infer<typeof job>;

export const jobsOperations = {
  'jobs.list': call('Running jobs and the last ended ones', none, z.object({ jobs: z.array(job) })),

  'jobs.control': call(
    'Cancels, pauses, resumes or retries a job',
    z.object({ id: z.string(), action: z.enum(['cancel', 'pause', 'resume', 'retry', 'dismiss']) }),
    job,
  ),
} as const;
