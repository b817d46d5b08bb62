/** Questions to the search thread about the words of a set. */
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Database } from '../store/database.ts';
import type { Found, SearchTask } from '../store/tasks.ts';
import { termsOf } from './local-query.ts';
import type { SetRecord } from './record.ts';

/** Names the rows of a set as they lie now: another name says that what is in memory of them is out of date. */
export const nameOf = (record: SetRecord): string => `${record.id} ${record.moves}`;

const taskOf = (record: SetRecord, terms: readonly string[], more: Partial<SearchTask>): SearchTask => ({
  type: 'search',
  n: record.n,
  setId: nameOf(record),
  columns: record.columns.map(({ sql, storage }) => ({ sql, storage })),
  loaded: record.loaded,
  terms,
  start: 0,
  end: 0,
  list: false,
  early: false,
  ...more,
});

/**
 * Places of the rows that have every word of a filter, start to end (exclusive) of them, and how many there are: first
 * hits are answered before the rest is counted.
 */
export const placesOf = (
  db: Database,
  record: SetRecord,
  text: string,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<Found> =>
  db.search(
    taskOf(record, termsOf(text), { start, end, early: true }),
    signal === undefined ? {} : { signal },
  );

/** How many rows have every word of a filter. */
export const countOf = async (
  db: Database,
  record: SetRecord,
  text: string,
  signal?: AbortSignal,
): Promise<number> =>
  (await db.search(taskOf(record, termsOf(text), {}), signal === undefined ? {} : { signal })).count;

/** All places that have the words of a filter, as a JSON list for SQL; null: it asks for none. */
export async function hitsOf(
  db: Database,
  record: SetRecord,
  filter: LocalFilter | null,
  signal?: AbortSignal,
): Promise<string | null> {
  const terms = filter === null ? [] : termsOf(filter.text);
  if (terms.length === 0) return null;
  const found = await db.search(
    taskOf(record, terms, { list: true }),
    signal === undefined ? {} : { signal },
  );
  return found.list ?? '[]';
}

/** Reads the words of a set into memory, as far as there is room. */
export const makeReady = async (db: Database, record: SetRecord): Promise<void> => {
  await db.search(taskOf(record, [], {}));
};
