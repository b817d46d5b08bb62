/** Results, exports, jobs and query files wired together for the core's composition. */
import type { Context } from '../core/context.ts';
import type { HandlersOf } from '../core/handlers.ts';
import { createExportHandlers } from '../export/handlers.ts';
import { createJobsHandlers } from '../jobs/handlers.ts';
import type { JobsService } from '../jobs/jobs.ts';
import { createQueryFileHandlers, type QueryFileOperation } from '../queries-file/handlers.ts';
import { createResultsHandlers, type ResultsOperation } from './handlers.ts';
import { createResultSets } from './sets.ts';
import type { ResultSets } from './types.ts';

export interface DataServices {
  handlers: HandlersOf<
    ResultsOperation | 'exports.start' | 'jobs.list' | 'jobs.control' | QueryFileOperation
  >;
  sets: ResultSets;
  /** Stops jobs and fills; rows fetched so far stay, and the fills can be resumed. */
  stop(): Promise<void>;
}

/** `jobs` is also the context's own `jobs`. Restores the ended jobs of earlier runs. */
export async function createDataServices(ctx: Context, jobs: JobsService): Promise<DataServices> {
  const sets = createResultSets(ctx);
  jobs.revive('fetch', {
    async retry({ resultId = '' }) {
      return sets.fetchJob(resultId);
    },
  });
  const handlers = {
    ...createResultsHandlers(ctx, sets),
    ...createExportHandlers(ctx, sets, jobs),
    ...createJobsHandlers(jobs),
    ...createQueryFileHandlers(ctx),
  };
  const restore = () =>
    jobs
      .restore()
      .catch((error: unknown) =>
        ctx.ports.log.warn('the jobs of earlier runs could not be read', { reason: String(error) }),
      );
  ctx.onStorage(() => void restore());
  await restore();
  return {
    handlers,
    sets,
    async stop() {
      await jobs.stop();
      await sets.stop();
    },
  };
}
