/** Keys of every grid: a single tab stop, rows opened and previewed, columns that move by keys, and undo for moves and widths. */
import type { GridApi } from 'ag-grid-community';
import { chordOf } from '../chord.ts';
import { setGridFocus } from '../focus.ts';
import type { ColumnLayout } from './grid-columns.tsx';
import { SELECT_COLUMN } from './grid-columns.tsx';
import type { GridHandle } from './grid-handle.ts';
import type { GridProps } from './grid-options.ts';
import type { GridSelection } from './grid-selection.ts';

const MOST_UNDONE = 50;
const NARROWEST = 56;
const WIDTH_STEP = 24;

/** Undo history of layouts. Pure; unchanged layouts are not recorded. */
export class LayoutHistory {
  private readonly past: ColumnLayout[][] = [];
  private present: ColumnLayout[];

  constructor(start: ColumnLayout[]) {
    this.present = start;
  }

  note(layout: ColumnLayout[]): void {
    if (JSON.stringify(layout) === JSON.stringify(this.present)) return;
    this.past.push(this.present);
    if (this.past.length > MOST_UNDONE) this.past.shift();
    this.present = layout;
  }

  /** A layout from elsewhere: what is undone afterwards returns to it. */
  follow(layout: ColumnLayout[]): void {
    this.present = layout;
  }

  /** The previous layout, or null if there is nothing to undo. */
  undo(): ColumnLayout[] | null {
    const before = this.past.pop() ?? null;
    if (before) this.present = before;
    return before;
  }
}

const sideOf = ({ pinned }: ColumnLayout) => (pinned === true ? 'left' : pinned || '');

/** Moves a column by one position among the visible ones of its pinned side, or null if it is at the end. Pure. */
export function moved(layout: readonly ColumnLayout[], id: string, by: 1 | -1): ColumnLayout[] | null {
  const index = layout.findIndex((entry) => entry.id === id);
  const ownEntry = layout[index];
  if (!ownEntry) return null;
  for (let to = index + by; to >= 0 && to < layout.length; to += by) {
    const other = layout[to];
    if (!other || other.hidden || sideOf(other) !== sideOf(ownEntry)) continue;
    const rest = layout.filter((entry) => entry !== ownEntry);
    rest.splice(to, 0, ownEntry);
    return rest;
  }
  return null;
}

export interface GridKeysOptions<T> {
  api: GridApi<T>;
  root: HTMLElement;
  handle: GridHandle<T>;
  layout: () => ColumnLayout[];
  selection: () => GridSelection | null | undefined;
  /** What Enter and Space do with a row. */
  acts: () => Pick<GridProps<T>, 'onRowOpened' | 'onPeek'>;
  /** Only placeholders are rendered so far; focusing one would force a needless layout. */
  waits: () => boolean;
}

export class GridKeys<T> {
  private readonly history: LayoutHistory;
  private readonly grid: GridKeysOptions<T>;

  constructor(grid: GridKeysOptions<T>) {
    this.grid = grid;
    this.history = new LayoutHistory(grid.layout());
    setGridFocus(
      grid.root,
      () => !grid.api.isDestroyed() && !grid.waits() && grid.api.getDisplayedRowCount() > 0,
      () => this.focus(),
    );
    // Runs before the library, which would select rows without the page's knowledge, and which reports Enter and Space
    // only a moment later: the next key would act before them.
    grid.root.addEventListener('keydown', this.onKeyDown, true);
  }

  leave(): void {
    this.grid.root.removeEventListener('keydown', this.onKeyDown, true);
  }

  noteLayout(layout: ColumnLayout[]): void {
    this.history.note(layout);
  }

  followLayout(layout: ColumnLayout[]): void {
    this.history.follow(layout);
  }

  /** The last focused row, or the first one, if the grid has rows. */
  focus(): boolean {
    const { api, handle } = this.grid;
    const index = Math.min(handle.focusedIndex() ?? 0, api.getDisplayedRowCount() - 1);
    handle.focusRow(index);
    return this.grid.root.contains(document.activeElement);
  }

  private readonly onKeyDown = (event: KeyboardEvent) => {
    const chord = chordOf(event);
    if (!this.run(chord) && !this.act(chord, event.target)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  private run(chord: string): boolean {
    switch (chord) {
      case 'Ctrl+A':
        return this.selectAll();
      case 'Ctrl+Home':
        return this.toRow(0);
      case 'Ctrl+End':
        return this.toRow(this.grid.api.getDisplayedRowCount() - 1);
      case 'Ctrl+Z':
        return this.apply(this.history.undo());
      case 'M':
      case 'ContextMenu':
      case 'Shift+F10':
        return this.grid.handle.openMenu();
      case 'Alt+Shift+ArrowLeft':
        return this.move(-1);
      case 'Alt+Shift+ArrowRight':
        return this.move(1);
      case 'Alt+Shift+ArrowUp':
        return this.widen(WIDTH_STEP);
      case 'Alt+Shift+ArrowDown':
        return this.widen(-WIDTH_STEP);
      default:
        return false;
    }
  }

  /** Enter opens the row of a cell, Space previews it. */
  private act(chord: string, target: EventTarget | null): boolean {
    if (chord !== 'Enter' && chord !== 'Space') return false;
    const cell =
      target instanceof Element && !target.closest('button, a') ? target.closest('.ag-cell') : null;
    if (cell === null) return false;
    const index = Number(cell.closest('.ag-row')?.getAttribute('row-index') ?? Number.NaN);
    const row = Number.isInteger(index) ? this.grid.api.getDisplayedRowAtIndex(index)?.data : undefined;
    const { onRowOpened, onPeek } = this.grid.acts();
    const run = chord === 'Enter' ? onRowOpened : onPeek;
    if (row !== undefined) run?.(row, index);
    return row !== undefined && run !== undefined;
  }

  private toRow(index: number): boolean {
    if (index >= 0) this.grid.handle.focusRow(index);
    return true;
  }

  private selectAll(): boolean {
    const { api, selection } = this.grid;
    if (!api.getGridOption('rowSelection')) return true;
    const chosen = selection();
    if (chosen) chosen.onAll();
    else {
      const nodes: Parameters<typeof api.setNodesSelected>[0]['nodes'] = [];
      api.forEachNode((node) => {
        if (node.data) nodes.push(node);
      });
      api.setNodesSelected({ nodes, newValue: true });
    }
    return true;
  }

  private apply(layout: ColumnLayout[] | null): boolean {
    if (layout) this.grid.handle.applyLayout(layout);
    return layout !== null;
  }

  private column(): string | null {
    const header = document.activeElement?.closest('.ag-header-cell')?.getAttribute('col-id');
    const id = header ?? this.grid.handle.focusedColumnId();
    return id === SELECT_COLUMN ? null : id;
  }

  private move(by: 1 | -1): boolean {
    const id = this.column();
    if (id === null) return false;
    this.apply(moved(this.grid.layout(), id, by));
    this.grid.api.ensureColumnVisible(id);
    return true;
  }

  private widen(by: number): boolean {
    const id = this.column();
    const width = id === null ? undefined : this.grid.api.getColumn(id)?.getActualWidth();
    if (width === undefined) return false;
    const sized = (entry: ColumnLayout) =>
      entry.id === id ? { ...entry, width: Math.max(NARROWEST, width + by) } : entry;
    return this.apply(this.grid.layout().map(sized));
  }
}
