/** evidence/*: rules and marks of the analyst. A tenant has neither. */
import type { Handlers, ServiceContext } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';

function requireEvidence({ store }: ServiceContext): void {
  if (store.source.tenant !== null) throw new ServiceError(404, 'Only evidence has rules and marks');
}

export const evidenceHandlers = {
  'evidence.rules': async (_input, context) => {
    requireEvidence(context);
    const rows = await context.store.rules.states();
    return { rows, total_rows: rows.length };
  },
  'evidence.mark': async ({ body }, context) => {
    requireEvidence(context);
    const { entity_id: entityId, check, place, false_positive: isMarked } = body;
    const { store, caller: by } = context;
    if (!(await store.rules.mark({ entityId, check, place }, isMarked, { now: context.now(), by })))
      throw new ServiceError(404, 'This email has no such finding any more. Open it again.', 'check');
    return { success: true };
  },
} satisfies Handlers;
