import { Button } from '@blueprintjs/core';
import { type JSX, type RefObject, useMemo } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { type Command, CommandButton } from '#renderer/commands/command.tsx';
import { useFollowedLayout, useLayout } from '#renderer/state/layout.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { plural } from '#shared/model/format.ts';
import { type LibraryRow, libraryColumns } from './library-columns.tsx';

/** The list of the library; a list that could not be loaded is shown empty, with its reason (specification section 8). */
export function LibraryGrid(props: {
  list: Read<'query.list'>;
  /** Queries of the service, shown or not. */
  total: number;
  rows: readonly LibraryRow[];
  offline: boolean;
  handle: RefObject<GridHandle<LibraryRow> | null>;
  peekedId: string | null;
  onPeek: (id: string) => void;
  onOpen: (row: LibraryRow) => void;
  onSelected: (ids: string[]) => void;
  create: Command;
  onClear: () => void;
}): JSX.Element | null {
  const { list, total, rows, offline, onPeek } = props;
  const { wide } = useBreakpoint();
  const [layout, setLayout] = useLayout('queries');
  useFollowedLayout('queries', (theirs) => props.handle.current?.followLayout(theirs?.columns ?? []));
  const columns = useMemo(() => libraryColumns(wide, offline), [wide, offline]);
  if (layout === undefined) return null;
  const none: EmptyInfo = {
    title: 'No saved queries',
    reason: 'The service has no saved queries yet.',
    action: <CommandButton isPrimary command={props.create} />,
  };
  const noneShown: EmptyInfo = {
    title: 'No matching queries',
    reason: `${plural(total, 'query', 'queries')} in the library.`,
    action: <Button text="Clear filters" onClick={props.onClear} />,
  };
  const empty = rows.length > 0 || list.data === undefined ? null : total === 0 ? none : noneShown;
  return (
    <ListGrid<LibraryRow>
      label="Queries"
      rows={rows}
      columns={columns}
      rowId={({ query }) => query.id}
      layoutKey={wide ? 'wide' : 'narrow'}
      {...(layout ? { columnState: layout.columns, sort: layout.sort ?? [] } : {})}
      onColumnStateChange={(next) => setLayout({ ...layout, columns: next })}
      onSortChange={(sort) => setLayout({ columns: layout?.columns ?? [], sort })}
      onSelectionChanged={props.onSelected}
      onRowOpened={props.onOpen}
      onRowFocused={({ query }) => onPeek(query.id)}
      onPeek={({ query }) => onPeek(query.id)}
      peekedId={props.peekedId}
      loading={list.loading && total === 0}
      error={total === 0 ? list.error : null}
      errorTitle="Queries could not be loaded"
      onRetry={list.refresh}
      empty={empty}
      handle={props.handle}
    />
  );
}
