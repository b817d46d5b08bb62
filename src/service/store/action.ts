/** An action on an entity, its outcome, and its record. */
import { isOneOf } from '#shared/model/narrow.ts';
import { RESPONSES } from '#shared/model/responses.ts';
import { may, type RoleName, refusal } from '../roles.ts';

export interface ActionData {
  action: string;
  reason?: string | undefined;
}

export interface Scheduled {
  dueAt: number;
  askedAt: number;
  actor: string | null;
  role: RoleName;
  entityType: string;
  entityId: string;
  data: ActionData;
}

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

/** Where an action was scheduled: when it is due, in wire format. */
export interface Planned {
  scheduled: string;
}

/** An action of query/config on one of many rows. */
export interface QueryAction {
  action: string;
  params: Readonly<Record<string, string>>;
  actor: Actor;
  /** Milliseconds since the epoch. */
  at: number;
}

/** What an analyst reports of an email or file. */
export interface Report {
  entityType: string;
  entityId: string;
  /** `clean` is no threat. */
  verdict: string;
  comment: string;
  actor: Actor;
  /** Milliseconds since the epoch. */
  at: number;
}

/** error: why this target was not changed, in words for the user. */
export type ActionOutcome = { success: true } | { success: false; error: string };

export const SUCCESS: ActionOutcome = { success: true };

export const failed = (error: string): ActionOutcome => ({ success: false, error });

export const ENTITY_ACTIONS = ['quarantine', 'restore', 'decline', 'delete', 'request_restore'] as const;
export type EntityAction = (typeof ENTITY_ACTIONS)[number];

export const isEntityAction = (action: string): action is EntityAction => isOneOf(ENTITY_ACTIONS, action);

/** Checks permission and parameters only, before any entity is touched. */
export function checkAction({ action, reason }: ActionData, role: RoleName): ActionOutcome {
  if (!isEntityAction(action)) return failed(`There is no action ${action.slice(0, 60)}`);
  const needed = RESPONSES[action].permission;
  if (needed !== null && !may(role, needed)) return failed(refusal(role, needed));
  if (action === 'decline' && (reason ?? '').trim() === '')
    return failed('A declined request needs a reason');
  return SUCCESS;
}
