/** Applies what has become due: scheduled actions and finished rescans. */
import { act } from './actions.ts';
import { record } from './events.ts';
import { finishRescans } from './rescans.ts';
import { takeDue } from './scheduled.ts';
import type { SqliteStore } from './sqlite-store.ts';

/** Cheap: two lookups in small indexes. `now` is in milliseconds since the epoch. */
export function isAnythingDue(store: SqliteStore, now: number): boolean {
  const due = store.db
    .prepare(
      'SELECT EXISTS (SELECT 1 FROM pending_actions WHERE due_at <= @now) OR EXISTS (SELECT 1 FROM rescans WHERE due_at <= @now)',
    )
    .pluck()
    .get({ now });
  return due === 1;
}

/** `now` is in milliseconds since the epoch. */
export function applyDue(store: SqliteStore, now: number): void {
  if (!isAnythingDue(store, now)) return;
  store.db.transaction(() => {
    finishRescans(store, now);
    for (const { actor, role, entityType, entityId, data, dueAt } of takeDue(store, now)) {
      const who = { name: actor ?? 'unknown', role };
      const outcome = act(store, { entityType, entityId, data, actor: who, at: dueAt });
      if (!outcome.success)
        record(store, {
          entityId,
          at: dueAt,
          type: 'action_failed',
          actor: who.name,
          actorLabel: null,
          summary: `Planned ${data.action} was not done`,
          detail: outcome.error,
        });
    }
  })();
}
