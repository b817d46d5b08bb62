/** Counts rows of a set by values and spans of time in SQL, when the columns in memory cannot answer. */
import { spanOf } from '#shared/model/time-buckets.ts';
import type { SqlValue } from '../store/database.ts';
import type { GroupAxis, GroupCell } from '../store/tasks.ts';
import { countedItemsSql, countedSql, itemSql, mappingOf } from './column-sql.ts';
import type { StoredColumn } from './columns.ts';
import type { LocalQuery } from './local-query.ts';

/** The instant of a time column in sortable form, with milliseconds; NULL for anything else. */
const instantSql = (column: StoredColumn): string => mappingOf(column, `r.${column.sql}`).instant ?? 'NULL';

/**
 * The part of an instant that determines its span: to the hour, the minute or the second; and the rest of the format.
 */
function precisionOf(starts: readonly string[]): { length: number; rest: string } {
  const full = '0000-00-00T00:00:00.000Z';
  const enough = [13, 16].find((length) =>
    starts.every((start) => start.slice(length) === full.slice(length)),
  );
  const length = enough ?? 19;
  return { length, rest: full.slice(length) };
}

interface SqlAxis {
  /** Joined to the rows, to expand their items. */
  join: string;
  /** Columns of the answer. */
  keys: [kind: string, key: string];
  param: [name: string, value: SqlValue] | null;
  /** The slot on the axis for a value of the answer. */
  slotOf: (kind: unknown, key: unknown) => number;
}

/** kind: 0 a value that is not on the axis, 1 a value on the axis or an instant, 2 no value. */
function sqlAxis(column: StoredColumn, axis: GroupAxis, index: number): SqlAxis {
  if ('starts' in axis) {
    const { starts } = axis;
    const { length, rest } = precisionOf(starts);
    const instant = instantSql(column);
    return {
      join: '',
      keys: [`iif(${instant} IS NULL, 2, 1)`, `substr(${instant}, 1, ${length})`],
      param: null,
      slotOf: (kind, key) => (kind === 2 ? starts.length : spanOf(starts, `${String(key)}${rest}`)),
    };
  }
  const several = column.storage === 'json';
  const cell = `r.${column.sql}`;
  const item = several ? itemSql(column, cell, `j${index}`) : countedSql(column);
  const name = `a${index}`;
  const test = `${item} IN (SELECT value FROM json_each(@${name}))`;
  const slots = new Map(axis.values.map((value, index) => [value, index]));
  const others = axis.values.length;
  return {
    join: several ? ` JOIN json_each(${countedItemsSql(cell)}) j${index}` : '',
    keys: [`CASE WHEN ${item} IS NULL THEN 2 ELSE ${test} END`, `iif(${test}, ${item}, NULL)`],
    param: [name, JSON.stringify(axis.values.filter((value) => value !== null))],
    slotOf: (kind, key) =>
      (kind === 2 ? slots.get(null) : kind === 1 ? slots.get(key as string | number) : undefined) ?? others,
  };
}

type Answer = [count: number, first: string | null, last: string | null, ...keys: unknown[]];

/** Merges result rows of the same group: SQL returns spans of time in finer pieces. */
function gather(answers: readonly Answer[], axes: readonly SqlAxis[]): GroupCell[] {
  const cells = new Map<string, GroupCell>();
  for (const [count, first, last, ...keys] of answers) {
    const slots = axes.map(({ slotOf: place }, index) => place(keys[2 * index], keys[2 * index + 1]));
    const name = slots.join(' ');
    const before = cells.get(name);
    if (before === undefined) {
      cells.set(name, { at: slots, count, first, last });
      continue;
    }
    before.count += count;
    if (first !== null && (before.first === null || first < before.first)) before.first = first;
    if (last !== null && (before.last === null || last > before.last)) before.last = last;
  }
  return [...cells.values()];
}

/** Reads rows of the answer with `read`. `columns` are those of the axes, in their order. */
export function groupsStatement(
  query: LocalQuery,
  columns: readonly StoredColumn[],
  axes: readonly GroupAxis[],
  time: StoredColumn | null,
): { sql: string; params: Record<string, SqlValue>; read: (rows: readonly SqlValue[][]) => GroupCell[] } {
  const parts = axes.map((axis, index) => sqlAxis(columns[index]!, axis, index));
  const joins = parts.map(({ join }) => join).join('');
  const cells = [...columns, ...(time === null ? [] : [time])].map(({ sql }) => `r.${sql}`);
  const from =
    joins === ''
      ? query.from
      : `FROM (SELECT ${['r.pos', ...new Set(cells)].join(', ')} ${query.from}) r${joins}`;
  const instant = time === null ? 'NULL' : instantSql(time);
  const keys = parts.flatMap((part) => part.keys);
  // A row with several values that are not on the axis counts once among the others.
  const count = joins === '' ? 'count(*)' : 'count(DISTINCT r.pos)';
  const grouped = keys.length === 0 ? '' : ` GROUP BY ${keys.map((_, index) => index + 4).join(', ')}`;
  const params = parts.flatMap(({ param }) => (param === null ? [] : [param]));
  return {
    sql: `SELECT ${[count, `min(${instant})`, `max(${instant})`, ...keys].join(', ')} ${from}${grouped}`,
    params: { ...query.params, ...Object.fromEntries(params) },
    read: (rows) => gather(rows as unknown as Answer[], parts).filter((cell) => cell.count > 0),
  };
}
