/**
 * Verifies files against their manifests. The analyst chooses the file; its manifest is found beside it, or chosen too.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import { isDenied } from '#shared/model/disk-errors.ts';
import { type AnyManifest, anyManifest } from '../files/manifest.ts';
import { SpillFailure, scratchFolder, workingError } from '../files/spill-file.ts';
import { fileError } from '../files/temp-file.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersOf } from '../kernel/handlers.ts';
import { manifestBeside, readManifest, verifyFile } from './verify.ts';

export function createProofHandlers(
  ctx: Pick<Context, 'grants' | 'ports' | 'jobs'>,
): HandlersOf<'files.verify'> {
  const ofJob = (jobId: string): AnyManifest => {
    const job = ctx.jobs.list().find(({ id }) => id === jobId);
    const manifest = anyManifest.safeParse(job?.outcome?.['manifest']);
    if (!manifest.success)
      throw new ParapetError(
        'not-found',
        'Parapet has no manifest of that job. Choose the manifest beside the file.',
      );
    return manifest.data;
  };
  return {
    async 'files.verify'({ grantId, manifestGrantId, jobId, password }) {
      const chosen = ctx.grants.redeem(grantId);
      const manifestChosen = manifestGrantId == null ? null : ctx.grants.redeem(manifestGrantId);
      try {
        const manifest =
          manifestChosen !== null
            ? await readManifest(manifestChosen.path)
            : jobId != null
              ? ofJob(jobId)
              : await manifestBeside(chosen.path);
        const scratch = await scratchFolder(ctx.ports.paths.profile);
        return await verifyFile(chosen.path, { manifest, password: password ?? null, scratch });
      } catch (error) {
        if (error instanceof SpillFailure) throw workingError(error, chosen.name);
        const code = error instanceof Error && 'code' in error ? error.code : null;
        if (code === 'ENOENT')
          throw new ParapetError('path-missing', `${chosen.name} is no longer there.`, { cause: error });
        if (isDenied(error))
          throw new ParapetError('permission-denied', `Parapet may not read ${chosen.name}.`, {
            cause: error,
          });
        throw fileError(error, chosen.name);
      } finally {
        await chosen.release?.();
        await manifestChosen?.release?.();
      }
    },
  };
}
