/** Queries to the search thread, on the texts of a set and its columns in memory; SQLite answers what they cannot. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { isVerdictColumn } from '#shared/model/verdict.ts';
import { foldText } from '#shared/query/text.ts';
import type { ColumnAnswer, ColumnQuery, ResultStore, SearchResult, SearchTask } from '../../store/tasks.ts';
import { columnOf } from '../columns.ts';
import { conditionPredicate } from '../condition.ts';
import { termsOf } from '../local-query.ts';
import type { SetRecord } from '../record.ts';
import { foldTerm } from './text-index.ts';

/** Below this many rows a scan by SQLite is as fast. */
const MIN_ROWS = 5_000;
/** Delay before loading a set into memory, so that the current request is served first. */
const READY_DELAY_MS = 400;
/** Rows are looked up by index when at most one in this many matches. */
const SELECTIVE = 8;

const columnsOf = ({ columns }: SetRecord) =>
  columns.map(({ id, sql, storage, long }) => ({ id, sql, storage, ...(long && { long }) }));

const searchTask = (
  record: SetRecord,
  terms: readonly string[],
  more: Partial<SearchTask> = {},
): SearchTask => ({
  type: 'search',
  n: record.n,
  setId: record.id,
  columns: columnsOf(record),
  loaded: record.loaded,
  terms,
  start: 0,
  end: 0,
  list: false,
  early: false,
  ...more,
});

/**
 * Rows that contain every term of a search text: the indexes of hits `start` to `end` (exclusive), and the number of
 * hits. The first hits are returned before the rest is counted.
 */
export const searchRows = (
  db: ResultStore,
  record: SetRecord,
  text: string,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<SearchResult> =>
  db.search(searchTask(record, termsOf(text), { start, end, early: true }), { signal });

/** Number of rows that contain every term of a search text. */
export const countHits = async (
  db: ResultStore,
  record: SetRecord,
  text: string,
  signal?: AbortSignal,
): Promise<number> => (await db.search(searchTask(record, termsOf(text)), { signal })).count;

/** Identifies the state of the rows loaded into memory: if it differs, they are stale. */
const nameOf = ({ n, loaded }: SetRecord) => `${n} ${loaded}`;

/** Texts that a row must contain to fulfil the filter's condition: necessary, not sufficient. */
function necessaryTexts({ columns }: SetRecord, { condition }: LocalFilter, now: number): string[] {
  if (condition === undefined) return [];
  const predicate = conditionPredicate(columns, condition, now);
  if (predicate.kind !== 'and') return [];
  const textColumns = new Set(columns.filter(({ storage }) => storage === 'text').map(({ id }) => id));
  return predicate.parts.flatMap((part) => {
    if (part.kind !== 'test' || !textColumns.has(part.field)) return [];
    const { test } = part;
    if (test.kind !== 'contains' && test.kind !== 'starts' && test.kind !== 'ends' && test.kind !== 'equals')
      return [];
    if (test.kind === 'equals' && test.texts.length > 1) return [];
    const text = foldText(test.kind === 'equals' ? test.texts[0] : test.text);
    return text === '' || text !== foldTerm(text) ? [] : [text];
  });
}

/**
 * Indexes of all rows whose texts can match a filter, as a JSON list for SQL, or null if any row can. Exact for search
 * terms; for conditions on texts it only rules out rows, when that saves SQLite a scan.
 */
export async function candidateRows(
  db: ResultStore,
  record: SetRecord,
  filter: LocalFilter | null,
  now: number,
  signal?: AbortSignal,
): Promise<string | null> {
  if (filter === null) return null;
  const words = termsOf(filter.text);
  const texts = record.warm.ready === nameOf(record) ? necessaryTexts(record, filter, now) : [];
  const terms = [...new Set([...words, ...texts])];
  if (words.length === 0) {
    if (texts.length === 0) return null;
    const { count } = await db.search(searchTask(record, terms), { signal });
    if (count > record.loaded / SELECTIVE) return null;
  }
  return (await db.search(searchTask(record, terms, { list: true }), { signal })).list ?? '[]';
}

/** The request that loads these rows into memory, in flight or done, or null if none, or they were evicted. */
function inFlight(record: SetRecord, evicted: boolean): Promise<void> | null {
  const { making } = record.warm;
  return making?.name === nameOf(record) && !(evicted && making.over) ? making.done : null;
}

/**
 * Loads the columns and texts of a set into memory, as far as there is room; once per state of its rows, or when
 * `evicted`.
 */
export function makeReady(db: ResultStore, record: SetRecord, evicted = false): Promise<void> {
  const under = inFlight(record, evicted);
  if (under !== null) return under;
  const name = nameOf(record);
  const { warm } = record;
  const warming = db.search(searchTask(record, [])).then(() => {
    warm.ready = name;
    task.over = true;
  });
  const task = { name, over: false, done: warming };
  warm.making = task;
  warming.catch(() => {
    if (warm.making === task) warm.making = null;
  });
  return warming;
}

/** The same after a delay: the page being requested needs the processor first. */
export function makeReadySoon(db: ResultStore, record: SetRecord, evicted = false): void {
  // Called with every page of a set; only the first call does anything.
  if (inFlight(record, evicted) !== null) return;
  void sleep(READY_DELAY_MS, undefined, { ref: false })
    .then(() => makeReady(db, record, evicted))
    .catch(() => undefined);
}

export interface ColumnQuestion {
  sort: readonly Sort[];
  /** As returned by `activeFilter`. */
  filter: LocalFilter | null;
  want: ColumnQuery['want'];
  now: number;
  /** A facet column excluded from the filter. */
  ignoring?: string;
  signal?: AbortSignal | undefined;
}

/** The question as a query for the search thread. Throws `invalid-input`. */
export function columnQuery(record: SetRecord, question: ColumnQuestion): ColumnQuery {
  const { filter, sort, want, now, ignoring } = question;
  const { columns } = record;
  const choices = Object.entries(filter?.facets ?? {}).filter(([id]) => id !== ignoring);
  return {
    type: 'columns',
    n: record.n,
    setId: record.id,
    columns: columnsOf(record),
    loaded: record.loaded,
    terms: filter === null ? [] : termsOf(filter.text),
    choices: choices.map(([id, values]) => ({
      sql: columnOf(columns, id).sql,
      values: values.map((value) => (typeof value === 'boolean' ? Number(value) : value)),
    })),
    predicate: filter?.condition === undefined ? null : conditionPredicate(columns, filter.condition, now),
    sort: sort.map(({ dbId, direction }) => {
      const column = columnOf(columns, dbId);
      return { sql: column.sql, descending: direction === 'desc', verdicts: isVerdictColumn(column) };
    }),
    want,
  };
}

/**
 * Rows, an order or a facet, or null if SQLite has to answer. Throws `invalid-input` for an unknown column and for a
 * condition it does not support.
 */
export async function askColumns(
  db: ResultStore,
  record: SetRecord,
  question: ColumnQuestion,
): Promise<ColumnAnswer | null> {
  if (record.state === 'filling' || record.loaded < MIN_ROWS) return null;
  const answer = await db.askColumns(columnQuery(record, question), { signal: question.signal });
  if (typeof answer !== 'string') return answer;
  // Loaded for the next question; for this one SQLite is faster than loading and answering.
  if (answer === 'absent') makeReadySoon(db, record, true);
  return null;
}
