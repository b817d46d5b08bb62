/** evidence/*: rules and marks of the analyst. A tenant has neither. */
import type { Handlers, ServiceContext } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { markFinding } from '../store-sqlite/recount.ts';
import { ruleStates } from '../store-sqlite/rules.ts';

function requireEvidence({ store }: ServiceContext): void {
  if (store.source.tenant !== null) throw new ServiceError(404, 'Only evidence has rules and marks');
}

export const evidenceHandlers = {
  'evidence.rules': (_input, context) => {
    requireEvidence(context);
    const rows = ruleStates(context.store);
    return { rows, total_rows: rows.length };
  },
  'evidence.mark': ({ body }, context) => {
    requireEvidence(context);
    const { entity_id: entityId, check, place, false_positive: isMarked } = body;
    const { store, caller: by } = context;
    if (!markFinding(store, { entityId, check, place }, isMarked, { now: context.now(), by }))
      throw new ServiceError(404, 'This email has no such finding any more. Open it again.', 'check');
    return { success: true };
  },
} satisfies Handlers;
