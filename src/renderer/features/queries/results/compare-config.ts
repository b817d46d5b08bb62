/** Two runs compared, as a query config and columns that the grid, the facets and the filter understand. Pure. */
import { COMPARISON_COLUMNS, type ResultColumn } from '#shared/bridge/operations.ts';
import type { Cell, FieldConfig, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { queryColumns } from '../query-run.ts';

export type Change = 'new' | 'gone' | 'changed';
export const CHANGE_WORDS: Readonly<Record<Change, string>> = {
  new: 'New',
  gone: 'Gone',
  changed: 'Changed',
};
export const isChange = (value: unknown): value is Change =>
  typeof value === 'string' && Object.hasOwn(CHANGE_WORDS, value);

const { change, changed, before } = COMPARISON_COLUMNS;
const GROUP = 'Comparison';

/** The config with the columns that say what differs, asked like any other field. */
export function comparisonConfig(config: QueryConfig, columns: readonly ResultColumn[]): QueryConfig {
  const enumerated = config.fields.find(
    (field) => (field.allowedValues?.length ?? 0) > 0 && field.multiValues !== true,
  );
  const lists = config.fields.find(
    (field) => (field.allowedValues?.length ?? 0) > 0 && field.multiValues === true,
  );
  const one = enumerated?.operators ?? [];
  const labels = new Map(columns.map(({ id, label }) => [id, label]));
  const fields: FieldConfig[] = [
    {
      id: change,
      dbId: change,
      label: 'Change',
      type: enumerated?.type ?? 'enum',
      group: GROUP,
      operators: one,
      sortable: true,
      allowedValues: Object.entries(CHANGE_WORDS).map(([value, label]) => ({ value, label })),
    },
    {
      id: changed,
      dbId: changed,
      label: 'Changed columns',
      type: lists?.type ?? 'enum',
      group: GROUP,
      operators: lists?.operators ?? one,
      sortable: false,
      multiValues: true,
      allowedValues: columns
        .filter(({ id }) => id !== change && id !== changed && id !== before)
        .map(({ id }) => ({ value: id, label: labels.get(id) ?? id })),
    },
  ];
  return {
    ...config,
    fields: [...fields, ...config.fields],
    conditions: [{ field: change, operator: one[0] ?? '', label: 'Change' }, ...config.conditions],
  };
}

/** What an analyst looks for in a comparison, whether the query shows it or not. */
const TELLING = ['verdict', 'click_verdict', 'state', 'folder', 'status', 'clicks'];

/** The query's columns with the change in front, and behind it what changes most. */
export function comparisonQuery(
  query: NewQuery,
  config: QueryConfig,
  columns: readonly ResultColumn[],
): NewQuery {
  const labels = new Map(columns.map(({ id, label }) => [id, label]));
  const own = queryColumns(query, config);
  const telling = TELLING.filter((id) => labels.has(id)).map((id) => ({
    ...(own.find((column) => column.id === id) ?? { id, label: labels.get(id) ?? id }),
    // Room for what it was and what it is.
    width: id === 'clicks' ? 112 : 232,
  }));
  return {
    ...query,
    columns: [
      { id: change, label: 'Change', width: 108 },
      { id: changed, label: 'Changed columns', width: 150 },
      ...telling,
      ...own.filter(({ id }) => !TELLING.includes(id)),
    ].map((column, order) => ({ ...column, order })),
  };
}

/** What the earlier run held in the columns that differ. */
export function beforeOf(value: Cell | undefined): Readonly<Record<string, Cell>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {};
  return value as Record<string, Cell>;
}

/** "+24", "−3" or "±0": the newer total against an earlier one. */
export function signed(difference: number, format: (count: number) => string): string {
  if (difference === 0) return '±0';
  return `${difference > 0 ? '+' : '−'}${format(Math.abs(difference))}`;
}
