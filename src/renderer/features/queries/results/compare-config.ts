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

/** The query's columns with the change in front. */
export function comparisonQuery(query: NewQuery, config: QueryConfig): NewQuery {
  const columns = queryColumns(query, config).map((column, index) => ({ ...column, order: index + 2 }));
  return {
    ...query,
    columns: [
      { id: change, label: 'Change', order: 0, width: 108 },
      { id: changed, label: 'Changed columns', order: 1, width: 150 },
      ...columns,
    ],
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
