import { type JSX, type RefObject, useContext, useMemo } from 'react';
import { useChangedMarks } from '#renderer/state/changed-rows.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { EntityActionsContext } from '#renderer/ui/entity-value.tsx';
import { DataGrid } from '#renderer/ui/grid/data-grid.tsx';
import type { GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import type { GridSelection } from '#renderer/ui/grid/grid-selection.ts';
import type { GridLayout } from '#shared/bridge/workspace.ts';
import type { Sort } from '#shared/model/entities.ts';
import { useOwnDomains } from '../builder/people.tsx';
import type { ResultRow } from './result-columns.tsx';
import type { Rows } from './use-rows.ts';

/** The infinite grid of a result, with the analyst's layout; the rows' menu opens the row itself. */
export function ResultsGrid(props: {
  /** What the rows are; emails and files open by their text. */
  domain: string;
  gridKey: string;
  columns: GridColumn<ResultRow>[];
  /** Null if there is no run yet. */
  rows: Rows | null;
  sort: Sort[];
  layout: GridLayout | null;
  handle: RefObject<GridHandle<ResultRow> | null>;
  peekedId: string | null;
  startRow: number;
  onFirstRow?: (row: number) => void;
  empty: EmptyInfo | null;
  onLayout: (columns: GridLayout['columns']) => void;
  onSort: (sort: Sort[]) => void;
  selection: GridSelection;
  onOpen: (row: ResultRow, index?: number | null) => void;
  onFocused: (row: ResultRow, index: number) => void;
  onPeek: (row: ResultRow, index: number) => void;
  onRetry: () => void;
}): JSX.Element {
  const { domain, rows, onOpen } = props;
  const outer = useContext(EntityActionsContext);
  const ownDomains = useOwnDomains();
  const actions = useMemo(
    () => ({
      ...outer,
      open: (entity: Parameters<NonNullable<typeof outer.open>>[0]) => {
        if (entity.kind === 'text' && entity.id) onOpen({ id: entity.id, cells: [] });
        else outer.open?.(entity);
      },
      canOpen: (entity: Parameters<NonNullable<typeof outer.open>>[0]) =>
        (entity.kind === 'text' && Boolean(entity.id) && ['email', 'file'].includes(domain)) ||
        (outer.canOpen?.(entity) ?? true),
    }),
    [outer, onOpen, domain],
  );
  return (
    <EntityActionsContext value={actions}>
      <DataGrid<ResultRow>
        label="Results"
        columns={props.columns}
        rowId={({ id }) => id}
        rowCount={rows?.count ?? null}
        getRows={rows?.getRows ?? null}
        ownDomains={ownDomains}
        {...(rows ? { version: rows.version, busy: rows.busy, onBlockError: rows.onBlockError } : {})}
        layoutKey={props.gridKey}
        {...(props.layout ? { columnState: props.layout.columns } : {})}
        onColumnStateChange={props.onLayout}
        sort={props.sort}
        onSortChange={props.onSort}
        selection={props.selection}
        onRowOpened={onOpen}
        onRowFocused={props.onFocused}
        onPeek={props.onPeek}
        peekedId={props.peekedId}
        marks={useChangedMarks()}
        startRow={props.startRow}
        {...(props.onFirstRow ? { onFirstRow: props.onFirstRow } : {})}
        error={rows?.error ?? null}
        errorTitle="Rows could not be read"
        onRetry={props.onRetry}
        empty={props.empty}
        handle={props.handle}
      />
    </EntityActionsContext>
  );
}
