import { rm } from 'node:fs/promises';
import { spillFolder } from '../files/spill-file.ts';
import { removePart } from '../files/temp-file.ts';
import { clearPart } from '../files/whole-file.ts';
import type { JobsService } from '../jobs/jobs.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersOf } from '../kernel/handlers.ts';
import { redeemForClear } from '../kernel/policy.ts';
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
      // Spill files of a process that died; nothing can read them without its key, and no export is running yet.
      await rm(spillFolder(ctx.ports.paths.profile), { recursive: true, force: true });
    },
  });
  return {
    async 'exports.start'({ grantId, ...request }) {
      const record = await sets.record(request.resultId);
      const sealed = (request.zip?.password ?? null) !== null;
      const chosen = sealed ? ctx.grants.redeem(grantId) : redeemForClear(ctx, grantId);
      return startExport(ctx, sets, { ...request, resultId: record.id }, chosen);
    },
  };
}
