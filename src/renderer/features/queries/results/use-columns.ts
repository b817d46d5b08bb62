import { type RefObject, useMemo, useState } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { ResultColumn, ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import { zoneLabel } from '#shared/model/clock.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { editQuery } from '../draft-edit.ts';
import { queryColumns, shownQuery } from '../query-run.ts';
import { keptColumns, type LayoutColumn, layoutColumns, shownIds } from './layout-edit.ts';
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
  const { wide } = useBreakpoint();
  const zone = zoneLabel(useClock());
  const { columns: asked } = shownQuery(draft);
  const columnsText = JSON.stringify(result.columns);
  // The announcements of a filling result bring its columns anew each time; the grid must not notice.
  const own = useMemo(() => JSON.parse(columnsText) as ResultColumn[], [columnsText]);
  const index = useMemo(() => columnIndex(own), [own]);
  const all = layoutColumns(layout, { columns: asked }, config, wide);
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
  // Until the columns are arranged, their choice follows the window's width.
  const [arranged] = useState(Boolean(layout?.columns.length));
  const shown = shownIds(all).flatMap((id) => {
    const column = own[index.get(id) ?? -1];
    return column ? [{ id, label: column.label }] : [];
  });
  const draw = (columns: LayoutColumn[]) =>
    handle.current?.applyLayout(columns.filter(({ id }) => index.has(id)));
  return {
    own,
    index,
    grid,
    all,
    shown,
    gridKey: `${draft.id} ${arranged ? '' : wide}`,
    apply(columns) {
      draw(columns);
      return shownIds(columns).some((id) => !index.has(id));
    },
    reset: () => draw(layoutColumns(null, { columns: asked }, config, wide)),
    keepInQuery: () =>
      editQuery(draft.id, (query) => ({
        ...query,
        // The columns on show are the report's while it is the report that is shown.
        [asked === query.reportColumns ? 'reportColumns' : 'columns']: keptColumns(
          all,
          shown,
          queryColumns({ columns: asked }, config),
        ),
      })),
  };
}
