import { Button } from '@blueprintjs/core';
import { type JSX, type RefObject, useMemo } from 'react';
import { useLayout } from '#renderer/state/layout.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { DataGrid } from '#renderer/ui/data-grid.tsx';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { EXCEPTION_SEARCH_PAGE } from '#shared/model/constants.ts';
import { exact } from '#shared/model/format.ts';
import type { Branding } from '#shared/model/white-label.ts';
import { entryColumns } from './columns.tsx';
import type { EntryRow } from './entry.ts';
import { DEFAULT_SEARCH, isNarrowed } from './search.ts';
import type { Exceptions } from './use-exceptions.ts';

const rowId = ({ id }: EntryRow) => id;

/** The entries, newest first, a page of twenty at a time as they come into view. */
export function ExceptionsGrid(props: {
  exceptions: Exceptions;
  branding: Branding;
  handle: RefObject<GridHandle<EntryRow> | null>;
  shownId: string | null;
  onShow: (row: EntryRow) => void;
  onFocused: (row: EntryRow) => void;
  onSelected: (ids: string[]) => void;
  onNew: () => void;
}): JSX.Element | null {
  const { exceptions, branding } = props;
  const { search, setSearch, first, total, getRows } = exceptions;
  const { wide } = useBreakpoint();
  const clock = useClock();
  const everyTool = search.tool === null;
  const kind = `${wide ? 'wide' : 'narrow'}${everyTool ? '-every' : ''}`;
  const [layout, setLayout] = useLayout(`exceptions-${kind}`);
  const columns = useMemo(
    () => entryColumns({ wide, everyTool, branding, clock }),
    [wide, everyTool, branding, clock],
  );
  if (layout === undefined) return null;
  const days = search.window === '6M' ? 'of the last six months' : 'of this time';
  const empty =
    total === 0
      ? isNarrowed(search)
        ? {
            title: 'No entry matches',
            reason: `Searched were the entries ${days}.`,
            action: (
              <>
                <Button text="Clear the search" onClick={() => setSearch(DEFAULT_SEARCH)} />
                {search.window === 'all' ? null : (
                  <Button text="Search any time" onClick={() => setSearch({ ...search, window: 'all' })} />
                )}
              </>
            ),
          }
        : {
            title: 'No exceptions',
            reason: `The service lists none ${days}.`,
            action: <Button intent="primary" text="New exception" onClick={props.onNew} />,
          }
      : null;
  return (
    <DataGrid<EntryRow>
      label={total === null ? 'Exceptions' : `Exceptions, ${exact(total)}`}
      columns={columns}
      rowId={rowId}
      rowCount={total}
      getRows={getRows}
      version={first.freshness?.fetchedAt ?? 0}
      blockRows={EXCEPTION_SEARCH_PAGE}
      onBlockError={exceptions.onBlockError}
      layoutKey={kind}
      {...(layout ? { columnState: layout.columns } : {})}
      onColumnStateChange={(next) => setLayout({ ...layout, columns: next })}
      onSelectionChanged={props.onSelected}
      onRowOpened={props.onShow}
      onPeek={props.onShow}
      onRowFocused={props.onFocused}
      peekedId={props.shownId}
      loading={first.loading && total === null}
      error={total === null ? first.error : null}
      errorTitle="The exceptions could not be loaded"
      onRetry={first.refresh}
      empty={empty}
      handle={props.handle}
    />
  );
}
