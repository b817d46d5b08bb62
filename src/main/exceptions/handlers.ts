import type { Context } from '../kernel/context.ts';
import type { HandlersOf, OperationIn } from '../kernel/handlers.ts';
import type { ResultSets } from '../results/sets.ts';
import { blastMailboxes, blastRadius } from './blast.ts';
import { exportExceptions } from './export.ts';

export const createExceptionHandlers = (
  ctx: Context,
  sets: ResultSets,
): HandlersOf<Exclude<OperationIn<'exceptions'>, 'exceptions.create-many'>> => ({
  'exceptions.blast-radius': ({ connectionId, rule, since, sample }, { signal }) =>
    blastRadius(ctx, sets, { connectionId, rule, since: since ?? null, sample }, signal),
  'exceptions.blast-mailboxes': ({ connectionId, rule, since }, { signal }) =>
    blastMailboxes(ctx, sets, { connectionId, rule, since: since ?? null }, signal),
  'exceptions.export': (input, { signal }) => exportExceptions(ctx, input, signal),
});
