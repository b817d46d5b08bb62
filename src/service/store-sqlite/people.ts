import type { EntityRow } from '../store/store.ts';
import type { SqliteStore } from './sqlite-store.ts';

export const findUser = ({ db }: SqliteStore, id: string): EntityRow | null =>
  db
    .prepare<unknown[], EntityRow>('SELECT * FROM users WHERE entity_id = ? OR email = ? LIMIT 1')
    .get(id, id) ?? null;

export const findGroup = ({ db }: SqliteStore, id: string): EntityRow | null =>
  db.prepare<unknown[], EntityRow>('SELECT * FROM groups WHERE entity_id = ?').get(id) ?? null;

export function ownersOf(
  { db }: SqliteStore,
  addresses: readonly string[],
): Map<string, { entity_id: string; name: string }> {
  const find = db.prepare<unknown[], { entity_id: string; name: string }>(
    'SELECT entity_id, name FROM users WHERE email = ?',
  );
  return new Map(
    addresses.flatMap((address) => {
      const owner = find.get(address);
      return owner === undefined ? [] : [[address, owner] as const];
    }),
  );
}

export const peopleCount = ({ db }: SqliteStore): number =>
  Number(db.prepare('SELECT count(*) FROM users').pluck().get());

export const peopleRange = (
  { db }: SqliteStore,
  from: number,
  count: number,
): { entity_id: string; name: string; email: string }[] =>
  db
    .prepare<unknown[], { entity_id: string; name: string; email: string }>(
      'SELECT entity_id, name, email FROM users ORDER BY id LIMIT ? OFFSET ?',
    )
    .all(count, from);
