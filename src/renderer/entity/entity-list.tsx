import type { ComponentProps, JSX } from 'react';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { Panel } from '#renderer/ui/panel.tsx';

type PanelProps = Omit<ComponentProps<typeof Panel>, 'children' | 'noScroll' | 'className'>;
type GridProps<T> = Pick<
  ComponentProps<typeof ListGrid<T>>,
  'columns' | 'rowId' | 'layoutKey' | 'peekedId' | 'onRowOpened' | 'handle'
>;

interface EntityListProps<T> {
  panel: PanelProps;
  /** Undefined if not loaded, null if the service does not list them. */
  rows: readonly T[] | null | undefined;
  grid: GridProps<T>;
}

/** Everything of one kind that belongs to an entity: a panel over its whole part, with a grid. */
export function EntityList<T>({ panel, rows, grid }: EntityListProps<T>): JSX.Element {
  return (
    <Panel rows={6} {...panel} noScroll className="en-fill">
      {rows && rows.length > 0 ? (
        <ListGrid label={panel.title} rows={rows} selectable={false} {...grid} />
      ) : null}
    </Panel>
  );
}
