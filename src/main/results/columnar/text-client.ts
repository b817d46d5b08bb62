/** Questions to the search thread about the words of a set. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { foldText } from '#shared/query/text.ts';
import { isGroup } from '#shared/query/tree.ts';
import { textOf } from '#shared/query/values.ts';
import type { Database } from '../../store/database.ts';
import type { Found, SearchTask } from '../../store/tasks.ts';
import { termsOf } from '../local-query.ts';
import type { SetRecord } from '../record.ts';
import { foldTerm } from './text-index.ts';

const taskOf = (record: SetRecord, terms: readonly string[], more: Partial<SearchTask>): SearchTask => ({
  type: 'search',
  n: record.n,
  setId: record.id,
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

/** How long what is done ahead rests first. */
const AHEAD_MS = 400;

/** Conditions whose value, folded, is part of the folded cell. */
const PARTS: ReadonlySet<string> = new Set(['contains_text', 'starts_with', 'ends_with', 'is']);
const UNTEXTUAL: ReadonlySet<string> = new Set(['number', 'bytes', 'date', 'boolean']);
/** Looking rows up by their places is worth it for one in so many. */
const FEW = 8;

/** What a row must have somewhere in its words when it fulfils a filter's condition. The condition itself says more. */
function partsOf(record: SetRecord, { condition }: LocalFilter): string[] {
  if (condition === undefined || condition.operator !== 'and' || condition.negate === true) return [];
  const texts = new Set(
    record.columns
      .filter(({ storage, type }) => storage === 'text' && !UNTEXTUAL.has(fieldTypeOf(type)))
      .map(({ id }) => id),
  );
  return condition.conditions.flatMap((node) => {
    if (isGroup(node) || !PARTS.has(node.operator) || !texts.has(node.field)) return [];
    const part = foldText(textOf(node.values[0]) ?? '');
    return part === '' || part !== foldTerm(part) ? [] : [part];
  });
}

/** Names the rows as they lie now: another name says that what is in memory of them is out of date. */
const nameOf = ({ n, loaded }: SetRecord) => `${n} ${loaded}`;

/**
 * Places of all rows that can match a filter by their words, as a JSON list for SQL; null: any can. Exact for the words
 * of a search; conditions on texts leave out what cannot fulfil them, where that saves a look at every row.
 */
export async function hitsOf(
  db: Database,
  record: SetRecord,
  filter: LocalFilter | null,
  signal?: AbortSignal,
): Promise<string | null> {
  if (filter === null) return null;
  const terms = termsOf(filter.text);
  const parts = record.warm.ready === nameOf(record) ? partsOf(record, filter) : [];
  const ask = (more: Partial<SearchTask>) =>
    db.search(
      taskOf(record, [...new Set([...terms, ...parts])], more),
      signal === undefined ? {} : { signal },
    );
  if (terms.length === 0) {
    if (parts.length === 0) return null;
    if ((await ask({})).count > record.loaded / FEW) return null;
  }
  return (await ask({ list: true })).list ?? '[]';
}

/** What makes its rows ready, or has; null: nothing, or other sets took their place since. */
function underWay(record: SetRecord, again: boolean): Promise<void> | null {
  const under = record.warm.making;
  return under?.name === nameOf(record) && !(again && under.over) ? under.done : null;
}

/**
 * Reads the columns and words of a set into memory, as far as there is room; once for its rows as they lie. `again`:
 * other sets took their place since.
 */
export function makeReady(db: Database, record: SetRecord, again = false): Promise<void> {
  const under = underWay(record, again);
  if (under !== null) return under;
  const name = nameOf(record);
  const { warm } = record;
  const done = db.search(taskOf(record, [], {})).then(() => {
    warm.ready = name;
    made.over = true;
  });
  const made = { name, over: false, done };
  warm.making = made;
  done.catch(() => {
    if (warm.making === made) warm.making = null;
  });
  return done;
}

/** After what is being looked at is there: it needs the processor first, and may be asked for in another order at once. */
export function makeReadySoon(db: Database, record: SetRecord, again = false): void {
  // Asked with every page of a set: only the first has something to do.
  if (underWay(record, again) !== null) return;
  void sleep(AHEAD_MS, undefined, { ref: false })
    .then(() => makeReady(db, record, again))
    .catch(() => undefined);
}
