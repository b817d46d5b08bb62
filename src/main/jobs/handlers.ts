import type { HandlersIn } from '../kernel/handlers.ts';
import type { JobsService } from './jobs.ts';

export const createJobsHandlers = (jobs: JobsService): HandlersIn<'jobs'> => ({
  'jobs.list': async () => ({ jobs: jobs.list() }),
  'jobs.control': ({ id, action }) => jobs.control(id, action),
});
