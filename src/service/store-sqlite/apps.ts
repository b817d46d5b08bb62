import type { App } from '#shared/model/entities.ts';
import type { SqliteStore } from './sqlite-store.ts';

export function appsOf(store: SqliteStore): App[] {
  const rows = store.db
    .prepare<unknown[], string>('SELECT body FROM apps ORDER BY position, name')
    .pluck()
    .all();
  return rows.map((body) => JSON.parse(body) as App);
}
