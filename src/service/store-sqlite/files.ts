/** Files of the cloud drives. */
import type { FileRow } from '../store/files.ts';
import type { Store } from './store.ts';

export const findFile = (store: Store, entityId: string): FileRow | null =>
  store.db.prepare<unknown[], FileRow>('SELECT * FROM files WHERE entity_id = ?').get(entityId) ?? null;
