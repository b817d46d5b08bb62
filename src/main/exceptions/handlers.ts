import type { Context } from '../core/context.ts';
import type { HandlersOf } from '../core/handlers.ts';
import type { ResultSets } from '../results/types.ts';
import { blastRadius } from './blast.ts';
import { exportExceptions } from './export.ts';

export const createExceptionHandlers = (
  ctx: Context,
  sets: ResultSets,
): HandlersOf<'exceptions.blast-radius' | 'exceptions.export'> => ({
  'exceptions.blast-radius': ({ connectionId, rule, since, sample }, { signal }) =>
    blastRadius(ctx, sets, { connectionId, rule, since: since ?? null, sample }, signal),
  'exceptions.export': (input, { signal }) => exportExceptions(ctx, input, signal),
});
