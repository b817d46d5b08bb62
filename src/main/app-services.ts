/** Wires up results, exports, jobs and query files for the core. */
import { type ActionsService, createActions } from './actions/handlers.ts';
import { createJournalHandlers } from './actions/journal.ts';
import { createExceptionHandlers } from './exceptions/handlers.ts';
import { createExportHandlers } from './export/handlers.ts';
import { createJobsHandlers } from './jobs/handlers.ts';
import type { JobsService } from './jobs/jobs.ts';
import type { Context } from './kernel/context.ts';
import type { HandlersIn } from './kernel/handlers.ts';
import { createQueryFileHandlers } from './queries-file/handlers.ts';
import { createResultsHandlers } from './results/handlers.ts';
import type { LimiterTuning } from './results/request-limiter.ts';
import { ResultSets } from './results/sets.ts';

export interface DataServices {
  handlers: HandlersIn<'results' | 'actions' | 'queries' | 'exceptions' | 'exports' | 'jobs' | 'journal'>;
  sets: ResultSets;
  actions: ActionsService;
  /** Restores the ended jobs of earlier runs. */
  restoreJobs(): Promise<void>;
  /** Stops jobs and fetches; fetched rows stay, and fetches can be resumed. */
  stop(): Promise<void>;
}

/** `jobs` is also the context's `jobs`. */
export function createDataServices(ctx: Context, jobs: JobsService, tuning?: LimiterTuning): DataServices {
  const sets = new ResultSets(ctx, tuning);
  jobs.revive('fetch', {
    async retry({ resultId = '' }) {
      return sets.fetchJob(resultId);
    },
  });
  const results = createResultsHandlers(ctx.ports.now, sets);
  const actions = createActions(ctx, jobs, {
    sets,
    rows: async (resultId, entityIds, signal) =>
      (await results['results.rows']({ resultId, entityIds }, { signal })).rows,
  });
  const handlers = {
    ...results,
    ...actions.handlers,
    ...createJournalHandlers(ctx),
    ...createExceptionHandlers(ctx, sets),
    ...createExportHandlers(ctx, sets, jobs),
    ...createJobsHandlers(jobs),
    ...createQueryFileHandlers(ctx, actions.replaceQueries),
  };
  const restoreJobs = () =>
    jobs
      .restore()
      .catch((error: unknown) =>
        ctx.ports.log.warn('the jobs of earlier runs could not be read', { reason: String(error) }),
      );
  ctx.onStorage(() => void restoreJobs());
  return {
    handlers,
    sets,
    actions,
    restoreJobs,
    async stop() {
      // Fetches are stopped first: a job ended by the shutdown must not mark them as paused by the analyst.
      const ended = sets.stop();
      await jobs.stop();
      await ended;
    },
  };
}
