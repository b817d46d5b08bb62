/** Single-use permissions to read or write what the analyst chose: the renderer holds an id, the path stays here. */
import { randomUUID } from 'node:crypto';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Grants } from './context.ts';
import type { ChosenPath } from './ports.ts';

/** Choices that were never used; the oldest are dropped. */
const KEPT = 100;

export function createGrants(): Grants {
  const issued = new Map<string, ChosenPath>();
  return {
    issue(chosen) {
      const grantId = randomUUID();
      issued.set(grantId, chosen);
      for (const [oldest] of issued) {
        if (issued.size <= KEPT) break;
        issued.delete(oldest);
      }
      return { grantId, name: chosen.name };
    },
    redeem(grantId) {
      const chosen = issued.get(grantId);
      if (chosen === undefined)
        throw new ParapetError(
          'not-allowed',
          'That file was not chosen, or was already used. Choose it again.',
          {
            data: { field: 'grantId' },
          },
        );
      issued.delete(grantId);
      return chosen;
    },
  };
}
