/** Copies what only a damaged store has into a new one, as far as it can be read. */
import { dictionary } from '#shared/dictionary.ts';
import { plural } from '#shared/model/format.ts';
import { isDamaged, openUnchecked, type SqliteStore, type StoreOptions } from './sqlite-store.ts';

/** Tables that cannot be restored from the mail. Rows refer to emails by ids derived from their content. */
const CARRIED: Readonly<Record<string, readonly [one: string, many: string] | null>> = dictionary({
  queries: ['saved query', 'saved queries'],
  exceptions: ['exception', 'exceptions'],
  lists: ['list', 'lists'],
  list_values: null,
  entity_state: null,
  entity_events: null,
  action_log: null,
  sent_results: null,
  finding_marks: ['false positive', 'false positives'],
});

const columnsOf = ({ db }: Pick<SqliteStore, 'db'>, table: string): string[] =>
  db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);

/**
 * Copies the rows of a table up to the first unreadable one; returns how many the new index did not have, as it comes
 * with ready-made queries, and whether these are all.
 */
function copyTable(
  from: Pick<SqliteStore, 'db'>,
  into: SqliteStore,
  table: string,
): { copied: number; isWhole: boolean } {
  const count = into.db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck();
  const before = count.get() ?? 0;
  const copied = () => (count.get() ?? 0) - before;
  try {
    const existingColumns = new Set(columnsOf(from, table));
    const columns = columnsOf(into, table).filter((name) => existingColumns.has(name));
    if (columns.length === 0) return { copied: 0, isWhole: true };
    const insert = into.db.prepare(
      `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    const rows = from.db.prepare<unknown[], unknown[]>(`SELECT ${columns.join(', ')} FROM ${table}`).raw();
    for (const row of rows.iterate()) insert.run(...row);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return { copied: copied(), isWhole: false };
  }
  return { copied: copied(), isWhole: true };
}

/** What was carried over and what was unreadable, in a sentence or two without the final full stop. */
export function carryOver(path: string, options: StoreOptions, into: SqliteStore): string {
  let db: SqliteStore['db'];
  try {
    db = openUnchecked({ ...options, path });
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return 'Nothing in it was readable: the queries saved for this evidence are missing';
  }
  const carried: string[] = [];
  const unread: string[] = [];
  try {
    into.db.transaction(() => {
      for (const [table, noun] of Object.entries(CARRIED)) {
        const { copied, isWhole } = copyTable({ db }, into, table);
        if (noun === null) continue;
        if (copied > 0) carried.push(plural(copied, ...noun));
        if (!isWhole) unread.push(noun[1]);
      }
    })();
    const words = `Carried over from it: ${carried.join(', ') || 'nothing'}`;
    return unread.length === 0 ? words : `${words}. Not all of its ${unread.join(' and ')} could be read`;
  } finally {
    db.close();
  }
}
