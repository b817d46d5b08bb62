import type { EntityRow, Message } from '../store/store.ts';
import { findEmail } from './emails.ts';
import { findFile } from './files.ts';
import { findGroup, findUser } from './people.ts';
import type { SqliteStore } from './sqlite-store.ts';

export const findMessage = ({ db }: SqliteStore, entityId: string): Message | null =>
  db.prepare<unknown[], Message>('SELECT * FROM messages WHERE entity_id = ?').get(entityId) ?? null;

export const findClick = ({ db }: SqliteStore, id: number): EntityRow | null =>
  db
    .prepare<unknown[], EntityRow>(
      `SELECT k.*, e.saas, e.entity_id AS email_id, e.subject FROM clicks k JOIN emails e ON e.id = k.email_id
       WHERE k.id = ?`,
    )
    .get(id) ?? null;

const FINDERS: readonly (readonly [
  type: string,
  find: (store: SqliteStore, id: string) => { entity_id: string } | null,
])[] = [
  ['email', findEmail],
  ['file', findFile],
  ['message', findMessage],
  ['user', findUser],
  ['group', findGroup],
];

export function typeOf(store: SqliteStore, entityId: string): { type: string; id: string } | null {
  for (const [type, find] of FINDERS) {
    const entity = find(store, entityId);
    if (entity) return { type, id: entity.entity_id };
  }
  return null;
}
