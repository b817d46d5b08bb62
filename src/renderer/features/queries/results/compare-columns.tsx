import { ArrowRight } from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { type CellContext, Cell as CellView, cellText, isRendered } from '#renderer/ui/grid/cells.tsx';
import type { GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { COMPARISON_COLUMNS, type ResultColumn } from '#shared/bridge/operations.ts';
import type { Cell, FieldConfig, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { queryColumns } from '../query-run.ts';
import type { ResultRow } from './result-columns.tsx';

export type Change = 'new' | 'gone' | 'changed';
export const CHANGE_LABELS: Readonly<Record<Change, string>> = {
  new: 'New',
  gone: 'Removed',
  changed: 'Changed',
};
const isChange = (value: unknown): value is Change =>
  typeof value === 'string' && Object.hasOwn(CHANGE_LABELS, value);

const { change, changed, before } = COMPARISON_COLUMNS;
const GROUP = 'Comparison';

/** The query config with the comparison's own columns as fields, so that they can be filtered like any other. */
export function comparisonConfig(config: QueryConfig, columns: readonly ResultColumn[]): QueryConfig {
  const enumerated = config.fields.find(
    (field) => (field.allowedValues?.length ?? 0) > 0 && field.multiValues !== true,
  );
  const lists = config.fields.find(
    (field) => (field.allowedValues?.length ?? 0) > 0 && field.multiValues === true,
  );
  const list = enumerated?.operators ?? [];
  const labels = new Map(columns.map(({ id, label }) => [id, label]));
  const fields: FieldConfig[] = [
    {
      id: change,
      dbId: change,
      label: 'Change',
      type: enumerated?.type ?? 'enum',
      group: GROUP,
      operators: list,
      sortable: true,
      allowedValues: Object.entries(CHANGE_LABELS).map(([value, label]) => ({ value, label })),
    },
    {
      id: changed,
      dbId: changed,
      label: 'Changed columns',
      type: lists?.type ?? 'enum',
      group: GROUP,
      operators: lists?.operators ?? list,
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
    conditions: [{ field: change, operator: list[0] ?? '', label: 'Change' }, ...config.conditions],
  };
}

/** Columns that usually change between runs: shown in a comparison even where the query lacks them. */
const CHANGE_PRONE = ['verdict', 'click_verdict', 'state', 'folder', 'status', 'clicks'];

/** Columns that may hold a row's name. */
const NAMES = ['subject', 'title', 'name'];

/** The columns of a comparison: name, frequently changing ones, and the query's others. */
export function comparisonQuery(
  query: NewQuery,
  config: QueryConfig,
  columns: readonly ResultColumn[],
): NewQuery {
  const labels = new Map(columns.map(({ id, label }) => [id, label]));
  const ownColumns = queryColumns(query, config);
  const telling = CHANGE_PRONE.filter((id) => labels.has(id)).map((id) => ({
    ...(ownColumns.find((column) => column.id === id) ?? { id, label: labels.get(id) ?? id }),
    width: id === 'clicks' ? 112 : 232,
  }));
  const named = ownColumns.find(({ id }) => NAMES.includes(id));
  return {
    ...query,
    columns: [
      { id: change, label: 'Change', width: 108 },
      ...(named ? [named] : []),
      { id: changed, label: 'Changed columns', width: 150 },
      ...telling,
      ...ownColumns.filter((column) => column !== named && !CHANGE_PRONE.includes(column.id)),
    ].map((column, order) => ({ ...column, order })),
  };
}

/** The earlier run's values in the columns that differ. */
function beforeOf(value: Cell | undefined): Readonly<Record<string, Cell>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {};
  return value;
}

/** "+24", "−3" or "±0": the newer total against an earlier one. */
export function signed(difference: number, format: (count: number) => string): string {
  if (difference === 0) return '±0';
  return `${difference > 0 ? '+' : '−'}${format(Math.abs(difference))}`;
}

const SIGNS: Readonly<Record<Change, string>> = { new: '+', gone: '−', changed: '→' };

/** The change of a row as sign, colour and word. */
export function ChangeMark({ change, text }: { change: Change; text?: string }): JSX.Element {
  return (
    <span className={`pp-change pp-change-${change}`}>
      <span aria-hidden="true">{SIGNS[change]}</span>
      {text ?? CHANGE_LABELS[change]}
    </span>
  );
}

/**
 * Columns of a comparison: cells that differ show the earlier and the current value. `index`: each
 * column's position among a row's cells.
 */
export function comparisonColumns(
  columns: readonly GridColumn<ResultRow>[],
  index: ReadonlyMap<string, number>,
  context: CellContext,
): GridColumn<ResultRow>[] {
  const { change, changed, before } = COMPARISON_COLUMNS;
  const cellOf = (row: ResultRow, id: string) => row.cells[index.get(id) ?? -1];
  const labels = new Map(columns.map(({ id, label }) => [id, label]));
  return columns
    .filter(({ id }) => id !== before)
    .map((column): GridColumn<ResultRow> => {
      if (column.id === change)
        return {
          ...column,
          pinned: true,
          render: (row) => {
            const value = cellOf(row, change);
            return isChange(value) ? <ChangeMark change={value} /> : null;
          },
        };
      if (column.id === changed) {
        const names = (row: ResultRow) => {
          const ids = cellOf(row, changed);
          return Array.isArray(ids) ? ids.map((id) => labels.get(String(id)) ?? String(id)).join(', ') : '';
        };
        return { ...column, notApplicable: (row) => names(row) === '', render: names, tooltip: names };
      }
      const type = column.type ?? 'text';
      const show = (row: ResultRow, value: unknown): ReactNode =>
        column.render ? (
          column.render(row, value)
        ) : isRendered(type) ? (
          <CellView value={value} type={type} context={context} />
        ) : (
          cellText(value, type, context)
        );
      /** The row of the earlier run, when this column differs. */
      const earlier = (row: ResultRow): ResultRow | null => {
        const old = beforeOf(cellOf(row, before));
        if (!Object.hasOwn(old, column.id)) return null;
        const cells = [...row.cells];
        for (const [id, value] of Object.entries(old)) {
          const place = index.get(id);
          if (place !== undefined) cells[place] = value;
        }
        return { ...row, cells };
      };
      return {
        ...column,
        render: (row, value) => {
          const old = earlier(row);
          if (old === null) return show(row, value);
          return (
            <span className="pp-was">
              <span className="pp-was-before">{show(old, column.value(old))}</span>
              <ArrowRight size={12} />
              <span className="pp-was-now">{show(row, value)}</span>
            </span>
          );
        },
        tooltip: (row) => {
          const old = earlier(row);
          const now = cellText(column.value(row), type, context);
          return old === null ? now : `Before: ${cellText(column.value(old), type, context)}\nNow: ${now}`;
        },
      };
    });
}
