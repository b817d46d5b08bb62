import { ParapetError } from '#shared/bridge/errors.ts';
import type { Context } from '../core/context.ts';
import type { HandlersOf } from '../core/handlers.ts';
import { writeFileWhole } from '../export/target.ts';
import { checkQueryFile, MAX_QUERY_FILE, readCapped } from './read.ts';

/** What the service said of a label that failed: the specification's answer names labels only. */
const REASON = 'The service refused it without saying why.';

export const createQueryFileHandlers = (ctx: Context): HandlersOf<'queries.import' | 'queries.export'> => ({
  async 'queries.import'({ connectionId, grantId }, { signal }) {
    const chosen = ctx.grants.redeem(grantId);
    const { bytes, notes } = checkQueryFile(await readCapped(chosen, MAX_QUERY_FILE), chosen.name);
    const answer = await ctx.upstream.upload(
      connectionId,
      'query.import',
      { name: chosen.name, bytes },
      { signal },
    );
    ctx.publish({ type: 'invalidated', connectionId, tags: ['queries'] });
    return {
      imported: answer.imported,
      failed: answer.error.map((label) => ({ label, reason: REASON })),
      notes,
    };
  },

  async 'queries.export'({ connectionId, ids, grantId }, { signal }) {
    const chosen = ctx.grants.redeem(grantId);
    const bytes = await ctx.upstream.blob(
      connectionId,
      'query.export',
      { body: { ids } },
      { signal, maxBytes: MAX_QUERY_FILE },
    );
    const count = countQueries(bytes);
    await writeFileWhole(chosen.path, bytes);
    chosen.finished?.();
    return { name: chosen.name, count, bytes: bytes.length };
  },
});

/** Only a file that an import would take is worth a name. */
function countQueries(bytes: Uint8Array): number {
  try {
    return checkQueryFile(bytes, 'The answer').labels.length;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ParapetError('wrong-shape', `The service did not answer with a query file. ${why}`, {
      cause: error,
    });
  }
}
