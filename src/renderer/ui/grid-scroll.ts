/** Two things the grid library does not do on long scrolls: load blocks ahead, and always follow its scroll bar. */
import type { GridApi } from 'ag-grid-community';
import type { Sort } from '#shared/model/entities.ts';
import { rowsOnScreen } from './grid-handle.ts';

/** Rows of one block of a grid that asks for no others. */
export const BLOCK_ROWS = 200;

const VIEWPORT = '.ag-grid-viewport';
const BAR = '.ag-body-vertical-scroll-viewport';
/** The library listens to one of viewport and scroll bar until it was left alone for 150 ms. */
const SETTLED_MS = 200;
const ATTEMPTS = 3;
/** Blocks that the grid is sure to hold; it may hold more. */
const KNOWN = 40;

type GetRows<P> = (start: number, end: number, sort: Sort[]) => Promise<P>;

/** Blocks loaded ahead: the grid itself asks only after it has drawn their rows blank. */
interface BlocksAhead<P> {
  /** For the grid: the block that was loaded ahead, or a new request. */
  read: GetRows<P>;
  /** The rows that will be on screen. */
  look: (first: number, last: number) => void;
  /** Blocks loaded ahead are outdated. */
  forget: () => void;
}

export function blocksAhead<P>(getRows: GetRows<P>, size: number): BlocksAhead<P> {
  const asked = new Map<number, { sort: string; page: Promise<P> }>();
  const known = new Set<number>();
  let sort: Sort[] | null = null;
  return {
    read(start, end, wanted) {
      sort = wanted;
      known.delete(start);
      known.add(start);
      for (const oldest of known) {
        if (known.size <= KNOWN) break;
        known.delete(oldest);
      }
      const early = asked.get(start);
      asked.delete(start);
      return early?.sort === JSON.stringify(wanted) ? early.page : getRows(start, end, wanted);
    },
    look(first, last) {
      if (sort === null) return;
      for (let start = first - (first % size); start <= last; start += size) {
        if (known.has(start) || asked.has(start)) continue;
        const page = getRows(start, start + size, sort);
        // A failure is reported when the grid takes the block.
        page.catch(() => undefined);
        asked.set(start, { sort: JSON.stringify(sort), page });
        for (const oldest of asked.keys()) {
          if (asked.size <= 8) break;
          asked.delete(oldest);
        }
      }
    },
    forget: () => asked.clear(),
  };
}

/**
 * Tells which rows a scroll leads to, before they are drawn, and sees that the grid follows. Where a frame takes
 * longer than it waits, the library takes the echo of a scroll for the next one and leaves the last out: the grid would
 * stay blank, or behind its scroll bar. Answers how to stop.
 */
export function watchScroll<T>(
  root: HTMLElement,
  api: GridApi<T>,
  onLook: (first: number, last: number) => void,
): () => void {
  let timer = 0;
  let attempts = 0;
  const check = () => {
    const viewport = root.querySelector(VIEWPORT);
    const bar = root.querySelector(BAR);
    if (!viewport || api.isDestroyed() || viewport.clientHeight === 0) return;
    const isBlank = api.getDisplayedRowCount() > 0 && rowsOnScreen(api) === null;
    const isBehind = bar !== null && Math.abs(bar.scrollTop - viewport.scrollTop) > 1;
    if ((!isBlank && !isBehind) || attempts >= ATTEMPTS) {
      attempts = 0;
      return;
    }
    attempts += 1;
    (isBlank ? viewport : bar)?.dispatchEvent(new Event('scroll'));
    timer = window.setTimeout(check, SETTLED_MS);
  };
  const onScroll = ({ target }: Event) => {
    if (!(target instanceof HTMLElement) || !(target.matches(VIEWPORT) || target.matches(BAR))) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(check, SETTLED_MS);
    const { scrollTop, scrollHeight, clientHeight } = target;
    const rows = api.getDisplayedRowCount();
    const onScreen = clientHeight / api.getSizesForCurrentTheme().rowHeight;
    if (scrollHeight <= clientHeight || rows <= onScreen) return;
    // By share, not by pixel: a list longer than an element can be is drawn on a shorter one.
    const first = Math.floor((scrollTop / (scrollHeight - clientHeight)) * (rows - onScreen));
    onLook(first, Math.min(rows - 1, Math.ceil(first + onScreen)));
  };
  // Scrolling does not bubble.
  root.addEventListener('scroll', onScroll, { capture: true, passive: true });
  return () => {
    window.clearTimeout(timer);
    root.removeEventListener('scroll', onScroll, { capture: true });
  };
}
