/** Facts about entities that have no column of their own. */
import type { ScanRecord } from './records.ts';
import type { Store } from './store.ts';

export interface EntityState {
  /** Set by PUT entity_identifier. */
  identifier?: string;
  /** Tool results since a rescan; before one, the generator provides them. */
  scans?: ScanRecord[];
  quarantine?: { at: number; by: string; reason: string };
  restored?: { at: number; by: string; reason: string };
}

export function stateOf(store: Store, entityId: string): EntityState {
  const body = store.db
    .prepare<unknown[], string>('SELECT body FROM entity_state WHERE entity_id = ?')
    .pluck()
    .get(entityId);
  return body === undefined ? {} : (JSON.parse(body) as EntityState);
}

export function changeState(store: Store, entityId: string, change: EntityState): void {
  const body = JSON.stringify({ ...stateOf(store, entityId), ...change });
  store.db
    .prepare(
      'INSERT INTO entity_state (entity_id, body) VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body',
    )
    .run(entityId, body);
}
