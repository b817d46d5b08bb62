/**
 * Creates the grid of a query ahead of time, because creating it takes longer than the service takes to answer: without
 * this, the first rows after Run came a fifth of a second later (median of 20 runs in Chromium on a busy machine). Until
 * there are rows it is mounted invisibly; then the same grid moves to its place between bar and facets.
 */
import {
  type ComponentProps,
  type JSX,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { createPortal } from 'react-dom';
import { usePanelWidth } from '#renderer/state/preferences.ts';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import type { GridSelection } from '#renderer/ui/grid/grid-selection.ts';
import { whenIdle } from '#renderer/ui/idle.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { resultColumns, shownQuery, sortOf, wantedColumns } from '../query-run.ts';
import type { ResultRow } from './result-columns.tsx';
import { ResultsGrid } from './results-grid.tsx';
import { useColumns } from './use-columns.ts';

type GridProps = ComponentProps<typeof ResultsGrid>;

/** Options that a grid reads only on creation. */
const madeWith = ({ gridKey, sort, startRow }: GridProps): string =>
  JSON.stringify([gridKey, sort, startRow]);

/** Owns one grid and controls what it shows. */
export class GridSlot {
  /** The grid is rendered into this element, wherever it is attached. */
  readonly element: HTMLElement = Object.assign(document.createElement('div'), { className: 'pp-grid-slot' });
  #shown: { props: GridProps; made: string; turn: number } | null = null;
  #turn = 0;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  readonly now = (): { props: GridProps; turn: number } | null => this.#shown;

  /** Creates a grid without rows, replacing the existing one if its options would differ. */
  prepare(props: GridProps): void {
    const options = madeWith(props);
    if (this.#shown?.made !== options) this.#show(props, options, ++this.#turn);
  }

  /** Sets what the grid shows. `isFirst` means that the grid may have been prepared for something else. */
  show(props: GridProps, isFirst: boolean): void {
    const options = isFirst || this.#shown === null ? madeWith(props) : this.#shown.made;
    this.#show(props, options, options === this.#shown?.made ? this.#turn : ++this.#turn);
  }

  clear(): void {
    this.#shown = null;
    this.#tell();
  }

  #show(props: GridProps, options: string, turn: number): void {
    this.#shown = { props, made: options, turn };
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const useGridSlot = (): GridSlot => useState(() => new GridSlot())[0];

/** Renders the grid of a slot; it stays mounted while the slot moves. */
export function GridInSlot({ slot }: { slot: GridSlot }): JSX.Element | null {
  const shown = useSyncExternalStore(slot.subscribe, slot.now);
  if (shown === null) return null;
  return createPortal(<ResultsGrid key={shown.turn} {...shown.props} />, slot.element);
}

/** The position of the grid within the results. */
export function GridPlace({ slot, ...props }: GridProps & { slot: GridSlot }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    place.current?.append(slot.element);
    isFirst.current = true;
    return () => slot.clear();
  }, [slot]);
  useLayoutEffect(() => {
    slot.show(props, isFirst.current);
    isFirst.current = false;
  });
  return <div ref={place} className="pp-grid-slot" />;
}

const nobody = () => undefined;
const NO_SELECTION: GridSelection = {
  isSelected: () => false,
  isEmpty: true,
  box: 'none',
  boxLabel: '',
  onBox: nobody,
  onAll: nobody,
  onChange: nobody,
  onBetween: nobody,
};
/** Options of a grid that is not visible yet. */
const UNSEEN = {
  rows: null,
  peekedId: null,
  empty: null,
  selection: NO_SELECTION,
  onLayout: nobody,
  onSort: nobody,
  onOpen: nobody,
  onFocused: nobody,
  onPeek: nobody,
  onRetry: nobody,
} satisfies Partial<GridProps>;

/** Creates the grid when the window is idle: invisible, and hidden from keyboard and screen readers. */
export function UnseenGrid(props: {
  slot: GridSlot;
  draft: Draft;
  config: QueryConfig;
  layout: GridLayout | null;
}): JSX.Element {
  const { slot, draft, config, layout } = props;
  const handle = useRef<GridHandle<ResultRow> | null>(null);
  const query = shownQuery(draft);
  const columns = wantedColumns(query, config, layout);
  const { grid, gridKey } = useColumns(
    draft,
    config,
    { columns: resultColumns(columns, config, query) },
    layout,
    handle,
  );
  const sort = layout?.sort?.length ? layout.sort : sortOf(draft.query, config, layout);
  const startRow = draft.view?.row ?? 0;
  const empty = {
    ...UNSEEN,
    domain: draft.query.domain,
    gridKey,
    columns: grid,
    sort,
    layout,
    handle,
    startRow,
  };
  const latest = useRef(empty);
  latest.current = empty;
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => void place.current?.append(slot.element), [slot]);
  const options = madeWith(empty);
  useEffect(() => {
    if (options === '') return undefined;
    return whenIdle(() => {
      // In a background tab it has no size.
      if (place.current?.clientWidth) slot.prepare(latest.current);
    });
  }, [slot, options]);
  const { wide } = useBreakpoint();
  const [facetsWidth] = usePanelWidth('query-facets');
  return (
    <div className="pp-unseen-grid" inert aria-hidden="true">
      <div style={{ flex: 'none', width: facetsWidth ?? (wide ? 212 : 184) }} />
      <div ref={place} className="pp-results-grid" />
    </div>
  );
}
