import { type JSX, useEffect, useMemo, useRef } from 'react';
import { useCommands } from '#renderer/commands/command.tsx';
import { GROUPS } from '#renderer/commands/keys.ts';
import { moveKeys } from '#renderer/commands/list-keys.ts';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { useZoned } from '#renderer/ui/grid/zoned-columns.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { VerdictGlyph } from '#renderer/ui/verdict-chip.tsx';
import { type GroupRow, type NamedAxis, shareText } from './group-rows.ts';

const { sorted } = columnsFor<GroupRow>();

/** A group's value on one axis; the first one filters. */
function GroupName(props: {
  row: GroupRow;
  axis: NamedAxis;
  index: number;
  onFilter: (row: GroupRow) => void;
}): JSX.Element {
  const { row, axis, index, onFilter } = props;
  const { axis: values, isVerdict } = axis;
  const place = row.at[index] ?? 0;
  const verdict = isVerdict && 'values' in values ? values.values[place] : null;
  const name = (
    <>
      {verdict == null ? null : <VerdictGlyph verdict={String(verdict)} />}
      {row.names[index]}
    </>
  );
  if (row.filters === null || index > 0) return <span className="pp-group-name">{name}</span>;
  return (
    <LinkButton className="pp-group-name" tabIndex={-1} onClick={() => onFilter(row)}>
      {name}
    </LinkButton>
  );
}

function columnsOf(axes: readonly NamedAxis[], onFilter: (row: GroupRow) => void): GridColumn<GroupRow>[] {
  return [
    ...axes.map((axis, index) =>
      sorted(
        `group${index}`,
        axis.label,
        'text',
        axis.isTime ? [3, 220] : [2, 120],
        // Times sort chronologically, words alphabetically.
        (row) => (axis.isTime ? row.at[index] : row.names[index]),
        {
          tooltip: (row) => row.names[index] ?? null,
          render: (row) => <GroupName row={row} axis={axis} index={index} onFilter={onFilter} />,
        },
      ),
    ),
    sorted('count', 'Rows', 'count', 96, ({ count }) => count),
    sorted('share', 'Share', 'text', 150, ({ share }) => share, {
      render: ({ share }) => (
        <span className="pp-share">
          <span className="pp-share-bar">
            <span style={{ width: `${100 * share}%` }} />
          </span>
          {shareText(share)}
        </span>
      ),
    }),
    sorted('first', 'First seen', 'time', 140, ({ first }) => first),
    sorted('last', 'Last seen', 'time', 140, ({ last }) => last),
  ];
}

/** Maximum number of frames to wait for the grid. */
const FRAMES = 60;

/** The groups as a table: sorted by any column; Enter or the name filters the rows for one. */
export function GroupsTable(props: {
  axes: readonly NamedAxis[];
  rows: readonly GroupRow[];
  onPick: (row: GroupRow) => void;
  /** The view was opened by a key. */
  takesFocus: boolean;
}): JSX.Element {
  const { axes, rows, onPick, takesFocus } = props;
  const pick = useRef(onPick);
  pick.current = onPick;
  const handle = useRef<GridHandle<GroupRow> | null>(null);
  /** Only once: choosing other columns must not move the focus. */
  const took = useRef(false);
  const of = axes.map(({ axis }) => axis.column).join(' ');
  // Keyboard users continue in the table.
  useEffect(() => {
    if (of === '') return undefined;
    let frame = 0;
    const from = document.activeElement;
    const go = (rows: number) => {
      const { activeElement } = document;
      // A control that the user moved to meanwhile keeps the focus.
      const mayFocus =
        (takesFocus && !took.current && activeElement === from) || activeElement === document.body;
      took.current ||= activeElement?.closest('.pp-groups-table') != null;
      if (!mayFocus || rows === 0 || took.current) return;
      handle.current?.focusRow(0);
      frame = requestAnimationFrame(() => go(rows - 1));
    };
    go(FRAMES);
    return () => cancelAnimationFrame(frame);
  }, [of, takesFocus]);
  useCommands(moveKeys(GROUPS, handle));
  const columns = useZoned(useMemo(() => columnsOf(axes, (row) => pick.current(row)), [axes]));
  return (
    <div className="pp-groups-table">
      <ListGrid
        label="Groups"
        layoutKey={of}
        handle={handle}
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        selectable={false}
        isMuted={({ filters }) => filters === null}
        onRowOpened={onPick}
      />
    </div>
  );
}
