/** An action on an entity, its outcome, and its record. */
import { type RoleName, roleOf } from '../roles.ts';
import { record } from './events.ts';
import type { ActionData } from './scheduled.ts';
import type { Store } from './store.ts';

export interface Actor {
  name: string;
  role: RoleName;
}

export interface ActionRequest {
  entityType: string;
  entityId: string;
  data: ActionData;
  actor: Actor;
  /** Milliseconds since the epoch. */
  at: number;
}

/** error: why this target was not changed, in words for the user. */
export type ActionOutcome = { success: true } | { success: false; error: string };

export const failed = (error: string): ActionOutcome => ({ success: false, error });

export function happened(
  store: Store,
  request: ActionRequest,
  entityId: string,
  type: string,
  summary: string,
): void {
  record(store, {
    entityId,
    at: request.at,
    type,
    actor: request.actor.name,
    actorLabel: roleOf(request.actor.role).label,
    summary,
    detail: request.data.reason?.trim() || null,
  });
}
