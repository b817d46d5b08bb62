import type { FileRow } from '../store/files.ts';
import type { SqliteStore } from './sqlite-store.ts';

export const findFile = (store: SqliteStore, entityId: string): FileRow | null =>
  store.db.prepare<unknown[], FileRow>('SELECT * FROM files WHERE entity_id = ?').get(entityId) ?? null;
