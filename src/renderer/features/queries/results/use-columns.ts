import { type RefObject, useMemo } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import type { ResultColumn, ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import { zoneLabel } from '#shared/model/clock.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { keptColumns, type LayoutColumn, layoutColumns, shownIds } from '../columns-edit.ts';
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
  /** Columns to show that these rows do not have: another run brings them, or the service does not know them. */
  absent: { label: string; known: boolean }[];
  /** A new key makes a new grid. */
  gridKey: string;
  /** Tells whether the result lacks a column that is now wanted. */
  apply: (columns: LayoutColumn[]) => boolean;
  reset: () => void;
  keepInQuery: () => void;
}

/** The columns of a result: what the query says, arranged by the analyst. */
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
  const { columns: asked } = shownQuery(draft);
  const columnsText = JSON.stringify(result.columns);
  // The announcements of a filling result bring its columns anew each time; the grid must not notice.
  const own = useMemo(() => JSON.parse(columnsText) as ResultColumn[], [columnsText]);
  const index = useMemo(() => columnIndex(own), [own]);
  const all = layoutColumns(layout, { columns: asked }, config);
  const shownText = shownIds(all).join('\n');
  const grid = useMemo(
    () =>
      decorate(
        gridColumns(
          own,
          config,
          queryColumns({ columns: asked }, config),
          new Set(shownText.split('\n')),
          zone,
        ),
        index,
      ),
    [own, config, asked, shownText, zone, decorate, index],
  );
  const report = showsReport(draft);
  const said = queryColumns({ columns: asked }, config);
  const labels = new Map(said.map(({ id, label }) => [id, label]));
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
    // A grid puts columns that come later behind all others: one for each set of columns.
    gridKey: [draft.id, report ? 'report' : 'query', ...index.keys()].join(' '),
    apply(columns) {
      draw(columns);
      return shownIds(columns).some((id) => !index.has(id));
    },
    reset: () => draw(layoutColumns(null, { columns: asked }, config)),
    keepInQuery: () =>
      editQuery(draft.id, (query) => ({
        ...query,
        // The columns on show are the report's while it is the report that is shown.
        [report ? 'reportColumns' : 'columns']: keptColumns(all, wanted, said),
      })),
  };
}
