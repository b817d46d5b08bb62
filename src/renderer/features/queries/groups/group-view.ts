/** How a result is grouped: the analyst's choice over what the query says. Pure. */
import type { Groups, LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import type { GridLayout, GroupView } from '#shared/bridge/workspace.ts';
import type { Column, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { type ConditionGroup, emptyGroup, isGroup } from '#shared/query/tree.ts';
import { parseTime } from '#shared/query/values.ts';
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
  const ownColumns = groupColumns(query).filter(has).slice(0, 2);
  const fields = fieldsById(config);
  const verdict = columns.find(({ id }) => {
    const field = fields.get(id);
    return field !== undefined && isVerdictField(field);
  });
  const usual = verdict?.id ?? columns[0]?.id;
  const first = ownColumns.length > 0 ? ownColumns : usual === undefined ? [] : [usual];
  const by = chosen.length > 0 ? chosen : first.map((column): GroupBy => ({ column }));
  const shapes = shapesOf(columns, by);
  const shape = layout?.groups?.shape;
  return {
    open: layout?.groups?.open ?? ownColumns.length > 0,
    by,
    most: layout?.groups?.most ?? TOP,
    shape: shape !== undefined && shapes.includes(shape) ? shape : (shapes[0] ?? 'table'),
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

/** Why the grouping cannot be saved in the query, or null if it can. */
export const unsavable = (query: NewQuery): string | null =>
  query.subType != null && query.subType !== '' && query.subType !== 'analytics'
    ? 'Only analytics queries keep groups. Groups of this query are kept on this machine.'
    : query.subType !== 'analytics' && (query.reportColumns?.length ?? 0) > 0
      ? 'This query has a report. Its groups are kept on this machine.'
      : null;

type Span = readonly [from: number, to: number];

const iso = (instant: number): string => new Date(instant).toISOString();

const isSpanOf = (node: ConditionGroup['conditions'][number], field: string): boolean =>
  !isGroup(node) && node.field === field && node.operator === 'between' && !node.disabled;

/** The part of a span (end exclusive) that lies in the span of a condition. */
function within(span: Span, node: ConditionGroup['conditions'][number]): Span {
  const [a, b] = isGroup(node) ? [] : node.values.map(parseTime);
  if (!a || !b) return span;
  return [Math.max(span[0], Math.min(a.from, b.from)), Math.min(span[1], Math.max(a.to, b.to) + 1)];
}

const allOf = (tree: ConditionGroup): ConditionGroup =>
  tree.operator === 'and' && !tree.negate && !tree.disabled ? tree : { ...emptyGroup(), conditions: [tree] };

/** Narrows the time span of the tree (end exclusive): what was counted lies in the span before, which may end within a bar. */
export function withSpan(tree: ConditionGroup, field: string, span: Span): ConditionGroup {
  const root = allOf(tree);
  const before = root.conditions.filter((node) => isSpanOf(node, field));
  const others = root.conditions.filter((node) => !isSpanOf(node, field));
  const [from, to] = before.reduce(within, span);
  const values = [iso(from), iso(to - 1)];
  return { ...root, conditions: [...others, { field, operator: 'between', values }] };
}

/** Narrows to the rows whose time lies before or after all spans. */
export function withAside(tree: ConditionGroup, field: string, edges: readonly number[]): ConditionGroup {
  const root = allOf(tree);
  const [from, to] = [edges[0] ?? 0, edges.at(-1) ?? 0];
  const conditions = [
    { field, operator: 'before', values: [iso(from)] },
    { field, operator: 'after', values: [iso(to - 1)] },
  ];
  const others = root.conditions.filter((node) => !isSpanOf(node, field));
  return { ...root, conditions: [...others, { ...emptyGroup(), operator: 'or', conditions }] };
}

type Axis = Groups['axes'][number];
type Value = Extract<Axis, { values: unknown }>['values'][number];

/** The filter of a group: a value (null for none, for a time too) or a time span. Null for all other values. */
export type GroupFilter = { column: string; value: Value; several: boolean } | { column: string; span: Span };

export function filterOf(axis: Axis, index: number): GroupFilter | null {
  const { column } = axis;
  if ('values' in axis) {
    const { values, several } = axis;
    return index < values.length ? { column, value: values[index] ?? null, several } : null;
  }
  const [from, to] = [axis.edges[index], axis.edges[index + 1]];
  return from === undefined || to === undefined
    ? { column, value: null, several: false }
    : { column, span: [from, to] };
}

/** A filter on the loaded rows as far as groups narrow it. */
export interface Narrowing {
  facets: LocalFilter['facets'];
  tree: ConditionGroup;
}

/** Narrows a filter to one group of the rows that it leaves. */
export const narrowedTo = (filter: Narrowing, group: readonly GroupFilter[]): Narrowing =>
  group.reduce<Narrowing>(({ facets, tree }, filter) => {
    if ('span' in filter) return { facets, tree: withSpan(tree, filter.column, filter.span) };
    const { column, value, several } = filter;
    const before = facets[column] ?? [];
    // A row with several values was counted for one that may not be the one it was chosen for: it must have both.
    if (several && before.length > 0 && !before.includes(value)) {
      const root = allOf(tree);
      const conditions = [...root.conditions, { field: column, operator: 'is', values: [value] }];
      return { facets, tree: { ...root, conditions } };
    }
    return { facets: { ...facets, [column]: [value] }, tree };
  }, filter);
