import { Button } from '@blueprintjs/core';
import { Disable, TickCircle } from '@blueprintjs/icons';
import { type JSX, type RefObject, useMemo } from 'react';
import { type Command, CommandButton } from '#renderer/commands/command.tsx';
import { useFollowedLayout, useLayout } from '#renderer/state/layout.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { DataGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn, optional } from '#renderer/ui/grid/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { listLabel, listLimit } from '#shared/exceptions/words.ts';
import { type ClockSetting, profileTime } from '#shared/model/clock.ts';
import { EXCEPTION_SEARCH_PAGE } from '#shared/model/constants.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { type Branding, toolLabel } from '#shared/model/white-label.ts';
import { type EntryRow, entityOf } from './entry.ts';
import { DEFAULT_SEARCH, isNarrowed } from './search.ts';
import type { Exceptions } from './use-exceptions.ts';

const { column } = columnsFor<EntryRow>();

/** Allow or block, as icon, colour and words. */
export function ListMark({ list, rule }: Pick<EntryRow, 'list' | 'rule'>): JSX.Element {
  if (list === null) return <span className="pp-t3">Unknown</span>;
  return (
    <span className={`pp-word pp-exc-list pp-exc-${list}`}>
      {list === 'allow' ? <TickCircle size={12} /> : <Disable size={12} />}
      {list === 'allow' ? 'Allow' : 'Block'}
      {rule ? listLimit(rule) : ''}
    </span>
  );
}

/** Columns of the list; match, comment and authorship where there is room, the tool where the list is of all. */
function entryColumns(options: {
  wide: boolean;
  everyTool: boolean;
  branding: Branding;
  clock: ClockSetting;
}): GridColumn<EntryRow>[] {
  const { wide, everyTool, branding, clock } = options;
  const when = (shown: boolean, ...columns: GridColumn<EntryRow>[]) => (shown ? columns : []);
  return [
    column('list', 'List', 'text', 78, ({ list }) => list, {
      tooltip: ({ rule }) => (rule && listLimit(rule) !== '' ? listLabel(rule) : null),
      render: ({ list, rule }) => <ListMark list={list} rule={rule} />,
    }),
    ...when(
      everyTool,
      // Empty if the service does not say it.
      column('tool', 'Tool', 'text', wide ? 150 : 112, ({ tool }) =>
        tool === '' ? null : toolLabel(tool, branding),
      ),
    ),
    column('type', 'Type', 'text', wide ? 124 : 114, ({ type }) => type, {
      tooltip: ({ type, rule }) => (rule ? visibleText(type) : `${visibleText(type)}: unsupported type`),
      render: ({ type, rule }) => <span className={rule ? '' : 'pp-t3'}>{visibleText(type)}</span>,
    }),
    ...when(wide, optional(column('matching', 'Match', 'text', 84, ({ matching }) => matching))),
    column('value', 'Value', 'mono', [1, 180], ({ value }) => value, { entity: entityOf }),
    ...when(wide, optional(column('comment', 'Comment', 'text', 124, ({ entry }) => entry.comment || null))),
    column('hits', 'Hits, 6 months', 'count', 108, ({ entry }) => entry.hits ?? null, {
      headerTooltip: 'Matching emails in the last 6 months, counted by the service',
    }),
    ...when(
      wide,
      column('exclusive', 'Exclusive', 'boolean', 78, ({ entry }) => entry.is_exclusive ?? null),
      column('by', 'Created by', 'text', 92, ({ entry }) => entry.created_by ?? null),
      column(
        'added',
        'Added',
        'text',
        108,
        ({ entry }) => (entry.created_at ? profileTime(entry.created_at, clock).slice(0, 10) : null),
        { tooltip: ({ entry }) => (entry.created_at ? profileTime(entry.created_at, clock) : null) },
      ),
    ),
  ];
}

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
  /** Null if this connection takes no new entries. */
  create: Command | null;
}): JSX.Element | null {
  const { exceptions, branding } = props;
  const { search, setSearch, first, total, getRows } = exceptions;
  const { wide } = useBreakpoint();
  const clock = useClock();
  const everyTool = search.tool === null;
  const kind = `${wide ? 'wide' : 'narrow'}${everyTool ? '-every' : ''}`;
  const [layout, setLayout] = useLayout(`exceptions-${kind}`);
  useFollowedLayout(`exceptions-${kind}`, (theirs) =>
    props.handle.current?.followLayout(theirs?.columns ?? []),
  );
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
            title: 'No matches',
            reason: `No entries ${days} match.`,
            action: (
              <>
                <Button text="Clear search" onClick={() => setSearch(DEFAULT_SEARCH)} />
                {search.window === 'all' ? null : (
                  <Button text="Search any time" onClick={() => setSearch({ ...search, window: 'all' })} />
                )}
              </>
            ),
          }
        : props.create === null
          ? { title: 'No exceptions', reason: 'A folder of mail has no allow and block lists.' }
          : {
              title: 'No exceptions',
              reason: `The service lists none ${days}.`,
              action: <CommandButton isPrimary command={props.create} />,
            }
      : null;
  return (
    <DataGrid<EntryRow>
      // A new grid, because a grid keeps the row count that it was given.
      key={exceptions.isUncounted ? 'uncounted' : 'counted'}
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
      loading={first.loading && !first.data}
      error={first.data ? null : first.error}
      errorTitle="The exceptions could not be loaded"
      onRetry={first.refresh}
      empty={empty}
      handle={props.handle}
    />
  );
}
