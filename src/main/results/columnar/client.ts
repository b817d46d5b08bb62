/** A local sort and filter as a question to the columns of a set in memory; SQLite answers what they cannot. */
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { compileCondition } from '#shared/query/compile.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { type Condition, type ConditionGroup, isGroup } from '#shared/query/tree.ts';
import type { Database } from '../../store/database.ts';
import type { Looked, LookNode, LookRange, LookTask } from '../../store/tasks.ts';
import { columnOf, type StoredColumn } from '../columns.ts';
import { fieldOf, mappingOf } from '../condition.ts';
import { termsOf } from '../local-query.ts';
import type { SetRecord } from '../record.ts';
import { makeReadySoon } from './text-client.ts';
import { instantKey } from './vectors.ts';

/** Fewer rows SQLite looks through as quickly. */
const LOOK_FROM = 5_000;

/** Every shape that a condition on numbers and instants is compiled to (shared/query/compile-leaf.ts), over `v`. */
const SHAPES: readonly [RegExp, (params: readonly number[]) => LookRange | null][] = [
  [/^v > \?$/, ([low = 0]) => ({ low, high: Infinity, lowOpen: true, highOpen: false })],
  [/^v < \?$/, ([high = 0]) => ({ low: -Infinity, high, lowOpen: false, highOpen: true })],
  [/^v = \?$/, ([only = 0]) => ({ low: only, high: only, lowOpen: false, highOpen: false })],
  [
    /^(v BETWEEN \? AND \?|\(v >= \? AND v <= \?\))$/,
    ([low = 0, high = 0]) => ({ low, high, lowOpen: false, highOpen: false }),
  ],
  [
    /^\(v IS NOT NULL AND v <> ''\)$/,
    () => ({ low: -Infinity, high: Infinity, lowOpen: false, highOpen: false }),
  ],
  [/^v IN \(SELECT value FROM json_each\(\?\)\)$/, (among) => ({ among })],
  [/^0$/, () => null],
];

function rangeOf(column: StoredColumn, sql: string, params: readonly (string | number)[]): LookNode | null {
  const negated = /^NOT coalesce\((.*), 0\)$/.exec(sql)?.[1];
  const shape = SHAPES.find(([pattern]) => pattern.test(negated ?? sql));
  if (shape === undefined) return null;
  const list = sql.includes('json_each') ? (JSON.parse(String(params[0])) as number[]) : params;
  const numbers = list.map((param) => (typeof param === 'number' ? param : instantKey(param)));
  if (numbers.some(Number.isNaN)) return null;
  return { kind: 'range', sql: column.sql, negate: negated !== undefined, range: shape[1](numbers) };
}

function leafOf(columns: readonly StoredColumn[], leaf: Condition, now: number): LookNode | null {
  const column = columns.find(({ id }) => id === leaf.field);
  if (column === undefined) return null;
  const ranged = column.storage === 'number' || column.storage === 'date';
  const compiled = compileCondition(
    { operator: 'and', conditions: [leaf] },
    {
      fields: [fieldOf(column)],
      operators: STANDARD_OPERATORS,
      mapping: () => (ranged ? { value: 'v', instants: 'iso' } : mappingOf(column, 'v.value')),
      now,
    },
  );
  if (!compiled.ok) return null;
  const sql = compiled.sql.slice(1, -1);
  return ranged
    ? rangeOf(column, sql, compiled.params)
    : { kind: 'where', sql: column.sql, where: sql, params: compiled.params };
}

/** null: it has a condition that is not for here. */
function nodeOf(columns: readonly StoredColumn[], group: ConditionGroup, now: number): LookNode | null {
  const nodes: LookNode[] = [];
  for (const child of group.conditions) {
    const node = isGroup(child) ? nodeOf(columns, child, now) : leafOf(columns, child, now);
    if (node === null) return null;
    nodes.push(node);
  }
  return { kind: 'group', any: group.operator === 'or', negate: group.negate === true, nodes };
}

export interface LookAsk {
  sort: readonly Sort[];
  /** As `activeFilter` leaves it. */
  filter: LocalFilter | null;
  want: LookTask['want'];
  now: number;
  /** A facet column left out of the filter. */
  ignoring?: string;
  signal?: AbortSignal | undefined;
}

const sortOf = (columns: readonly StoredColumn[], sort: readonly Sort[]): LookTask['sort'] =>
  sort.map(({ dbId, direction }) => ({
    sql: columnOf(columns, dbId).sql,
    descending: direction === 'desc',
  }));

/** The question as the search thread takes it; null: it has a condition that is not for it. Throws `invalid-input`. */
export function lookTask(record: SetRecord, ask: LookAsk): LookTask | null {
  const { filter, now } = ask;
  const { columns } = record;
  const condition = filter?.condition;
  const tree = condition === undefined ? null : nodeOf(columns, condition, now);
  if (condition !== undefined && tree === null) return null;
  const choices = Object.entries(filter?.facets ?? {}).filter(([id]) => id !== ask.ignoring);
  return {
    type: 'look',
    n: record.n,
    setId: record.id,
    columns: columns.map(({ sql, storage }) => ({ sql, storage })),
    loaded: record.loaded,
    terms: filter === null ? [] : termsOf(filter.text),
    choices: choices.map(([id, values]) => ({
      sql: columnOf(columns, id).sql,
      values: values.map((value) => (typeof value === 'boolean' ? Number(value) : value)),
    })),
    tree,
    sort: sortOf(columns, ask.sort),
    want: ask.want,
  };
}

/** Rows, an order or a facet; null: ask SQLite. Throws `invalid-input` for a column that the set does not have. */
export async function look(db: Database, record: SetRecord, ask: LookAsk): Promise<Looked | null> {
  if (record.state === 'filling' || record.loaded < LOOK_FROM) return null;
  const task = lookTask(record, ask);
  if (task === null) return null;
  const looked = await db.look(task, { signal: ask.signal });
  if (typeof looked !== 'string') return looked;
  // For the next time: SQLite is quicker than both together.
  if (looked === 'absent') makeReadySoon(db, record, true);
  return null;
}
