/** Custom lists: named sets of values for list operators (specification section 5), and the rules of the analyst. */
import { foldText } from '#shared/query/text.ts';
import { ruleCheckId } from '#shared/rules/rule.ts';
import type { CustomList } from '../store/store.ts';
import type { SqliteStore } from './sqlite-store.ts';

export const customLists = ({ db }: SqliteStore): CustomList[] =>
  db
    .prepare<unknown[], CustomList>(
      `SELECT id, label, (SELECT count(*) FROM list_values v WHERE v.list_id = l.id) AS count
       FROM lists l ORDER BY position`,
    )
    .all();

export function listValues({ db }: SqliteStore, id: string): string[] | undefined {
  if (db.prepare('SELECT 1 FROM lists WHERE id = ?').get(id) === undefined) return undefined;
  return db
    .prepare<unknown[], string>('SELECT value FROM list_values WHERE list_id = ? ORDER BY value')
    .pluck()
    .all(id);
}

export function addList({ db }: SqliteStore, id: string, label: string, values: readonly string[]): void {
  db.prepare('INSERT INTO lists (id, label, position) SELECT ?, ?, count(*) FROM lists').run(id, label);
  const insert = db.prepare('INSERT OR IGNORE INTO list_values (list_id, value) VALUES (?, ?)');
  for (const value of values) insert.run(id, foldText(value));
}

export const ruleChecks = ({ db }: SqliteStore): { value: string; label: string }[] =>
  db
    .prepare<unknown[], { id: string; name: string }>(
      "SELECT id, name FROM rules WHERE state <> 'removed' ORDER BY name, id",
    )
    .all()
    .map(({ id, name }) => ({ value: ruleCheckId(id), label: name }));
