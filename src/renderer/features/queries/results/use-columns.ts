import { type RefObject, useMemo } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import type { ResultColumn, ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import { zoneLabel } from '#shared/model/clock.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { columnsToSave, type LayoutColumn, layoutColumns, shownIds } from '../columns-edit.ts';
import { editQuery } from '../draft-edit.ts';
import { fieldsById, queryColumns, shownQuery, showsReport } from '../query-run.ts';
import { columnIndex, gridColumns, type ResultRow } from './result-columns.tsx';

export type Decorate = (
  columns: GridColumn<ResultRow>[],
  index: ReadonlyMap<string, number>,
) => GridColumn<ResultRow>[];
const PLAIN: Decorate = (columns) => columns;

export interface Columns {
  /** Of the result, in its own order. */
  own: ResultColumn[];
  index: ReadonlyMap<string, number>;
  grid: GridColumn<ResultRow>[];
  /** Every column in the analyst's order, hidden ones too. */
  all: LayoutColumn[];
  /** As shown, for exports. */
  shown: { id: string; label: string }[];
  /** Columns that these rows lack: another run fetches them (known), or the service has no such field. */
  absent: { label: string; known: boolean }[];
  /** Changing it recreates the grid. */
  gridKey: string;
  /** Returns whether the result lacks a column that is now visible. */
  apply: (columns: LayoutColumn[]) => boolean;
  reset: () => void;
  saveToQuery: () => void;
}

/** The columns of a result: the query's, in the analyst's layout. */
export function useColumns(
  draft: Draft,
  config: QueryConfig,
  result: ResultSet,
  layout: GridLayout | null,
  handle: RefObject<GridHandle<ResultRow> | null>,
  /** Draws the columns in another way; one stable function. */
  decorate: Decorate = PLAIN,
): Columns {
  const zone = zoneLabel(useClock());
  const { columns: ownColumns } = shownQuery(draft);
  const columnsText = JSON.stringify(result.columns);
  // Every progress event of a fetch carries a new columns array; equal columns must not rebuild the grid.
  const own = useMemo(() => JSON.parse(columnsText) as ResultColumn[], [columnsText]);
  const index = useMemo(() => columnIndex(own), [own]);
  const all = layoutColumns(layout, { columns: ownColumns }, config);
  const shownText = shownIds(all).join('\n');
  const grid = useMemo(
    () =>
      decorate(
        gridColumns(
          own,
          config,
          queryColumns({ columns: ownColumns }, config),
          new Set(shownText.split('\n')),
          zone,
        ),
        index,
      ),
    [own, config, ownColumns, shownText, zone, decorate, index],
  );
  const report = showsReport(draft);
  const declared = queryColumns({ columns: ownColumns }, config);
  const labels = new Map(declared.map(({ id, label }) => [id, label]));
  const fields = fieldsById(config);
  const wanted = shownIds(all).map((id) => ({
    id,
    label: own[index.get(id) ?? -1]?.label ?? (labels.get(id) || (fields.get(id)?.label ?? id)),
  }));
  const shown = wanted.filter(({ id }) => index.has(id));
  const absent = wanted
    .filter(({ id }) => !index.has(id))
    .map(({ id, label }) => ({ label, known: fields.has(id) }));
  const draw = (columns: LayoutColumn[]) =>
    handle.current?.applyLayout(columns.filter(({ id }) => index.has(id)));
  return {
    own,
    index,
    grid,
    all,
    shown,
    absent,
    // The grid appends columns that are added later, so each set of columns gets a grid of its own.
    gridKey: [draft.id, report ? 'report' : 'query', ...index.keys()].join(' '),
    apply(columns) {
      draw(columns);
      return shownIds(columns).some((id) => !index.has(id));
    },
    reset: () => draw(layoutColumns(null, { columns: ownColumns }, config)),
    saveToQuery: () =>
      editQuery(draft.id, (query) => ({
        ...query,
        // While the report is shown, its columns are the visible ones.
        [report ? 'reportColumns' : 'columns']: columnsToSave(all, wanted, declared),
      })),
  };
}
