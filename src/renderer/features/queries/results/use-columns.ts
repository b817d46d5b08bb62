import { type RefObject, useMemo } from 'react';
import { useConnection } from '#renderer/state/connection.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { useStable } from '#renderer/ui/use-stable.ts';
import type { ResultColumn, ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import { zoneLabel } from '#shared/model/clock.ts';
import type { Column, QueryConfig } from '#shared/model/entities.ts';
import { columnsToSave, type LayoutColumn, layoutColumns, shownIds } from '../columns-edit.ts';
import { editQuery } from '../draft-edit.ts';
import { fieldsById, queryColumns, shownColumns, shownQuery, showsReport } from '../query-run.ts';
import { columnIndex, gridColumns, missingColumn, type ResultRow } from './result-columns.tsx';

export type Decorate = (
  columns: GridColumn<ResultRow>[],
  index: ReadonlyMap<string, number>,
) => GridColumn<ResultRow>[];
const PLAIN: Decorate = (columns) => columns;

export interface Columns {
  /** The result's columns, in its own order. */
  ofResult: ResultColumn[];
  index: ReadonlyMap<string, number>;
  grid: GridColumn<ResultRow>[];
  /** Every column in the analyst's order, hidden ones too. */
  all: LayoutColumn[];
  /** As displayed, for exports. */
  shown: { id: string; label: string }[];
  /** Columns that these rows lack: another run fetches them (`isKnown`), or the service has no such field. */
  absent: { label: string; isKnown: boolean }[];
  /** Changing it recreates the grid. */
  gridKey: string;
  /** Returns whether the result lacks a column that is now visible. */
  apply: (columns: LayoutColumn[]) => boolean;
  /** Draws a layout that another window has saved. */
  follow: (layout: GridLayout | null) => void;
  reset: () => void;
  saveToQuery: () => void;
}

/** The grid's columns plus those missing in the config, at their position in the query. */
export function withMissing(
  columns: GridColumn<ResultRow>[],
  visible: readonly string[],
  declared: readonly Column[],
  config: QueryConfig,
): GridColumn<ResultRow>[] {
  const fields = fieldsById(config);
  const labels = new Map(declared.map(({ id, label }) => [id, label]));
  const missing = visible.filter((id) => labels.has(id) && !fields.has(id));
  if (missing.length === 0) return columns;
  const all = [...columns, ...missing.map((id) => missingColumn(id, labels.get(id) || id))];
  const place = new Map(visible.map((id, index) => [id, index]));
  return all.sort((a, b) => (place.get(a.id) ?? visible.length) - (place.get(b.id) ?? visible.length));
}

/** Entities that services keep for weeks or months; all others may be years old. */
const RECENT: readonly string[] = ['email', 'click', 'message'];

/** Whether times need room for their year: evidence may reach back decades, files and accounts years. */
export const reachesBack = (connection: string | undefined, domain: string): boolean =>
  connection === 'evidence' || !RECENT.includes(domain);

/** The columns of a result: the query's, in the analyst's layout. */
export function useColumns(
  draft: Draft,
  config: QueryConfig,
  result: Pick<ResultSet, 'columns'>,
  layout: GridLayout | null,
  handle: RefObject<GridHandle<ResultRow> | null>,
  /** Changes how columns are rendered; must be a stable function. */
  decorate: Decorate = PLAIN,
): Columns {
  const zone = zoneLabel(useClock());
  const { columns: queried, filter, domain } = shownQuery(draft);
  const { full } = useBreakpoint();
  const years = reachesBack(useConnection().connection?.kind, domain);
  const ownFilter = useStable(filter ?? null);
  const ownColumns = useMemo(
    () => shownColumns({ columns: queried, filter: ownFilter }, config),
    [queried, ownFilter, config],
  );
  // Every progress event of a fetch carries a new columns array; equal columns must not rebuild the grid.
  const resultColumns = useStable(result.columns);
  const columns = useMemo(() => {
    // Labels are the query's current ones, even if they have changed since these rows were requested.
    const now = new Map(ownColumns.map(({ id, label }) => [id, label]));
    return resultColumns.map((column) => ({ ...column, label: now.get(column.id) || column.label }));
  }, [resultColumns, ownColumns]);
  const index = useMemo(() => columnIndex(columns), [columns]);
  const all = layoutColumns(layout, { columns: ownColumns }, config);
  const shownText = shownIds(all).join('\n');
  const grid = useMemo(() => {
    const declared = queryColumns({ columns: ownColumns }, config);
    const visible = shownText.split('\n');
    const saved = new Map(queried.flatMap(({ id, width }) => (width == null ? [] : [[id, width]])));
    const options = { declared, visible: new Set(visible), saved, full, zone, years };
    return decorate(withMissing(gridColumns(columns, config, options), visible, declared, config), index);
  }, [columns, config, ownColumns, queried, shownText, full, zone, years, decorate, index]);
  const report = showsReport(draft);
  const hasSaved = queried.some(({ width }) => width != null);
  const declared = queryColumns({ columns: ownColumns }, config);
  const labels = new Map(declared.map(({ id, label }) => [id, label]));
  const fields = fieldsById(config);
  const preview = shownIds(all).map((id) => ({
    id,
    label: columns[index.get(id) ?? -1]?.label ?? (labels.get(id) || (fields.get(id)?.label ?? id)),
  }));
  const shown = preview.filter(({ id }) => index.has(id));
  const absent = preview
    .filter(({ id }) => !index.has(id))
    .map(({ id, label }) => ({ label, isKnown: fields.has(id) }));
  const drawn = (columns: LayoutColumn[]) => columns.filter(({ id }) => index.has(id) || !fields.has(id));
  return {
    ofResult: columns,
    index,
    grid,
    all,
    shown,
    absent,
    // The grid appends columns that are added later, so each set of columns gets a grid of its own.
    gridKey: [
      draft.id,
      report ? 'report' : 'query',
      hasSaved && !full ? 'narrow' : '',
      ...grid.map(({ id }) => id).sort(),
    ].join(' '),
    apply(columns) {
      handle.current?.applyLayout(drawn(columns));
      return shownIds(columns).some((id) => !index.has(id));
    },
    follow: (theirs) =>
      handle.current?.followLayout(drawn(layoutColumns(theirs, { columns: ownColumns }, config))),
    reset: () => handle.current?.applyLayout(drawn(layoutColumns(null, { columns: ownColumns }, config))),
    saveToQuery: () =>
      editQuery(draft.id, (query) => ({
        ...query,
        // While the report is shown, its columns are the visible ones.
        [report ? 'reportColumns' : 'columns']: columnsToSave(all, preview, declared),
      })),
  };
}
