/** How a result is grouped: the analyst's choice over what the query says. Pure. */
import type { Groups, ResultSet } from '#shared/bridge/operations.ts';
import type { GridLayout, GroupView } from '#shared/bridge/workspace.ts';
import type { Column, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { type ConditionGroup, emptyGroup, isGroup } from '#shared/query/tree.ts';
import { fieldsById, groupColumns, isVerdictField } from '../query-run.ts';

export type GroupBy = GroupView['by'][number];
type Columns = ResultSet['columns'];

export const TOP_CHOICES = [5, 10, 20, 50, 100] as const;
const TOP = 10;

export const isTime = (columns: Columns, id: string): boolean =>
  fieldTypeOf(columns.find((column) => column.id === id)?.type ?? '') === 'date';

/** Chart types for these columns; the first one is the default. */
export function shapesOf(columns: Columns, by: readonly GroupBy[]): GroupView['shape'][] {
  const overTime = by.some(({ column }) => isTime(columns, column));
  return [
    ...(overTime ? (['line', 'bars'] as const) : (['bars'] as const)),
    ...(by.length === 2 ? (['heat'] as const) : []),
    'table',
  ];
}

/** Without a choice, the query's own grouping or its verdicts are used. Columns that the result lacks are left out. */
export function groupViewOf(
  layout: GridLayout | null,
  query: NewQuery,
  columns: Columns,
  config: QueryConfig,
): GroupView {
  const has = (id: string) => columns.some((column) => column.id === id);
  const chosen = (layout?.groups?.by ?? []).filter(({ column }) => has(column));
  const own = groupColumns(query).filter(has).slice(0, 2);
  const fields = fieldsById(config);
  const verdict = columns.find(({ id }) => {
    const field = fields.get(id);
    return field !== undefined && isVerdictField(field);
  });
  const usual = verdict?.id ?? columns[0]?.id;
  const first = own.length > 0 ? own : usual === undefined ? [] : [usual];
  const by = chosen.length > 0 ? chosen : first.map((column): GroupBy => ({ column }));
  const shapes = shapesOf(columns, by);
  const wanted = layout?.groups?.shape;
  return {
    open: layout?.groups?.open ?? own.length > 0,
    by,
    most: layout?.groups?.most ?? TOP,
    shape: wanted !== undefined && shapes.includes(wanted) ? wanted : (shapes[0] ?? 'table'),
  };
}

/** The query with these columns to group by: an analytics query, which keeps them as its report columns. */
export function withGroups(query: NewQuery, by: readonly GroupBy[], columns: Columns): NewQuery {
  const reportColumns = by.map(({ column }, order): Column => {
    const label = columns.find(({ id }) => id === column)?.label ?? column;
    return { id: column, label, order };
  });
  return { ...query, subType: 'analytics', reportColumns };
}

/** Why the grouping cannot be saved in the query; null: it can. */
export const unsavable = (query: NewQuery): string | null =>
  query.subType != null && query.subType !== '' && query.subType !== 'analytics'
    ? 'Only analytics queries keep groups. Groups of this query are kept on this machine.'
    : query.subType !== 'analytics' && (query.reportColumns?.length ?? 0) > 0
      ? 'This query has a report. Its groups are kept on this machine.'
      : null;

const iso = (instant: number): string => new Date(instant).toISOString();

const isSpanOf = (node: ConditionGroup['conditions'][number], field: string): boolean =>
  !isGroup(node) && node.field === field && node.operator === 'between' && !node.disabled;

/** Replaces the time span of the tree (end exclusive); null: removes it. */
export function withSpan(
  tree: ConditionGroup,
  field: string,
  span: readonly [from: number, to: number] | null,
): ConditionGroup {
  const all = tree.operator === 'and' && !tree.negate && !tree.disabled;
  const root = all ? tree : { ...emptyGroup(), conditions: [tree] };
  const others = root.conditions.filter((node) => !isSpanOf(node, field));
  if (span === null) return others.length === root.conditions.length ? tree : { ...root, conditions: others };
  const values = [iso(span[0]), iso(span[1] - 1)];
  return { ...root, conditions: [...others, { field, operator: 'between', values }] };
}

/** Whether a span of time narrows the rows. */
export const hasSpan = (tree: ConditionGroup, field: string): boolean =>
  tree.operator === 'and' && !tree.negate && tree.conditions.some((node) => isSpanOf(node, field));

type Axis = Groups['axes'][number];
type Value = Extract<Axis, { values: unknown }>['values'][number];

/** The filter of a group: a value, a time span, or rows without a time. null: all other values. */
export type GroupFilter =
  | { column: string; value: Value }
  | { column: string; span: readonly [from: number, to: number] }
  | { column: string; missing: true };

export function filterOf(axis: Axis, at: number): GroupFilter | null {
  const { column } = axis;
  if ('values' in axis) return at < axis.values.length ? { column, value: axis.values[at] ?? null } : null;
  const [from, to] = [axis.edges[at], axis.edges[at + 1]];
  return from === undefined || to === undefined ? { column, missing: true } : { column, span: [from, to] };
}

/** Restricts the tree to rows without a time. */
export const withoutTime = (tree: ConditionGroup, field: string): ConditionGroup => {
  const narrowed = withSpan(tree, field, [0, 1]);
  return {
    ...narrowed,
    conditions: [...narrowed.conditions.slice(0, -1), { field, operator: 'is_empty', values: [] }],
  };
};
