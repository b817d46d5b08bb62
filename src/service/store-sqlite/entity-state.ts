import type { EntityState } from '../store/entity-state.ts';
import type { SqliteStore } from './sqlite-store.ts';

export function stateOf(store: SqliteStore, entityId: string): EntityState {
  const body = store.db
    .prepare<unknown[], string>('SELECT body FROM entity_state WHERE entity_id = ?')
    .pluck()
    .get(entityId);
  return body === undefined ? {} : (JSON.parse(body) as EntityState);
}

export function changeState(store: SqliteStore, entityId: string, change: EntityState): void {
  const body = JSON.stringify({ ...stateOf(store, entityId), ...change });
  store.db
    .prepare(
      'INSERT INTO entity_state (entity_id, body) VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body',
    )
    .run(entityId, body);
}
