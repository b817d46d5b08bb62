import { rm } from 'node:fs/promises';
import { removePart } from '../files/part.ts';
import { scratchOf } from '../files/spill-file.ts';
import { clearPart } from '../files/whole-file.ts';
import type { JobsService } from '../jobs/jobs.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersOf } from '../kernel/handlers.ts';
import type { ResultSets } from '../results/sets.ts';
import { startExport } from './run.ts';

export function createExportHandlers(
  ctx: Context,
  sets: ResultSets,
  jobs: JobsService,
): HandlersOf<'exports.start'> {
  jobs.revive('export', {
    async lost({ part, beside }) {
      await removePart(part);
      await clearPart(beside);
      // Working files of a Parapet that died; they are sealed, and no export runs yet.
      await rm(scratchOf(ctx.ports.paths.profile), { recursive: true, force: true });
    },
  });
  return {
    async 'exports.start'({ grantId, ...request }) {
      const record = await sets.record(request.resultId);
      return startExport(ctx, sets, { ...request, resultId: record.id }, ctx.grants.redeem(grantId));
    },
  };
}
