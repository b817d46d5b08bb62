import type { HandlersOf } from '../kernel/handlers.ts';
import type { JobsService } from './jobs.ts';

export const createJobsHandlers = (jobs: JobsService): HandlersOf<'jobs.list' | 'jobs.control'> => ({
  'jobs.list': async () => ({ jobs: jobs.list() }),
  'jobs.control': ({ id, action }) => jobs.control(id, action),
});
