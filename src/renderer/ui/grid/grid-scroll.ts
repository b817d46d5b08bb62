/** Two things the grid library lacks on long scrolls: preloading blocks, and always following its scroll bar. */
import type { GridApi } from 'ag-grid-community';
import type { Sort } from '#shared/model/entities.ts';
import { rowsOnScreen } from './grid-handle.ts';

export const BLOCK_ROWS = 200;

const VIEWPORT = '.ag-grid-viewport';
const BAR = '.ag-body-vertical-scroll-viewport';
/** The library ignores the scroll bar while the viewport scrolls, and vice versa, until 150 ms after the last event. */
const SETTLED_MS = 200;
const ATTEMPTS = 3;
/** Minimum number of blocks that the grid caches. */
const KNOWN = 40;

type GetRows<P> = (start: number, end: number, sort: Sort[]) => Promise<P>;

/** Preloads blocks: the grid itself requests a block only after drawing its rows blank. */
export interface BlocksAhead<P> {
  /** For the grid: returns the preloaded block, or requests it. */
  read: GetRows<P>;
  /** Announces the rows about to be visible. */
  look: (first: number, last: number) => void;
  forget: () => void;
}

export function blocksAhead<P>(getRows: GetRows<P>, size: number): BlocksAhead<P> {
  const pages = new Map<number, { sort: string; page: Promise<P> }>();
  const starts = new Set<number>();
  let sort: Sort[] | null = null;
  return {
    read(start, end, order) {
      sort = order;
      starts.delete(start);
      starts.add(start);
      for (const oldest of starts) {
        if (starts.size <= KNOWN) break;
        starts.delete(oldest);
      }
      const early = pages.get(start);
      pages.delete(start);
      return early?.sort === JSON.stringify(order) ? early.page : getRows(start, end, order);
    },
    look(first, last) {
      if (sort === null) return;
      for (let start = first - (first % size); start <= last; start += size) {
        if (starts.has(start) || pages.has(start)) continue;
        const page = getRows(start, start + size, sort);
        // Failures are reported when the grid uses the block.
        page.catch(() => undefined);
        pages.set(start, { sort: JSON.stringify(sort), page });
        for (const oldest of pages.keys()) {
          if (pages.size <= 8) break;
          pages.delete(oldest);
        }
      }
    },
    forget: () => pages.clear(),
  };
}

/**
 * Reports the rows that a scroll leads to before they are drawn, and makes sure that the grid follows. If a frame
 * takes longer than its timeout, the library mistakes the echo of a scroll for the next one and drops the last one:
 * the grid would stay blank, or rows and scroll bar would differ; then whichever moved last is right. Returns the
 * cleanup.
 */
export function watchScroll<T>(
  root: HTMLElement,
  api: GridApi<T>,
  onLook: (first: number, last: number) => void,
): () => void {
  let timer = 0;
  let attempts = 0;
  let moved: Element | null = null;
  const differ = (bar: Element | null, viewport: Element | null) =>
    bar !== null && viewport !== null && Math.abs(bar.scrollTop - viewport.scrollTop) > 1;
  const check = () => {
    const viewport = root.querySelector(VIEWPORT);
    const bar = root.querySelector(BAR);
    if (!viewport || api.isDestroyed() || viewport.clientHeight === 0) return;
    const isBlank = api.getDisplayedRowCount() > 0 && rowsOnScreen(api) === null;
    const isBehind = differ(bar, viewport);
    if ((!isBlank && !isBehind) || attempts >= ATTEMPTS) {
      attempts = 0;
      return;
    }
    attempts += 1;
    (isBehind ? (moved ?? bar) : viewport)?.dispatchEvent(new Event('scroll'));
    timer = window.setTimeout(check, SETTLED_MS);
  };
  const onScroll = ({ target }: Event) => {
    if (!(target instanceof HTMLElement) || !(target.matches(VIEWPORT) || target.matches(BAR))) return;
    if (differ(root.querySelector(BAR), root.querySelector(VIEWPORT))) moved = target;
    window.clearTimeout(timer);
    timer = window.setTimeout(check, SETTLED_MS);
    const { scrollTop, scrollHeight, clientHeight } = target;
    const rows = api.getDisplayedRowCount();
    const onScreen = clientHeight / api.getSizesForCurrentTheme().rowHeight;
    if (scrollHeight <= clientHeight || rows <= onScreen) return;
    // By ratio instead of pixels: a list longer than the maximum element height is mapped to a shorter element.
    const first = Math.floor((scrollTop / (scrollHeight - clientHeight)) * (rows - onScreen));
    onLook(first, Math.min(rows - 1, Math.ceil(first + onScreen)));
  };
  // Scroll events do not bubble.
  root.addEventListener('scroll', onScroll, { capture: true, passive: true });
  return () => {
    window.clearTimeout(timer);
    root.removeEventListener('scroll', onScroll, { capture: true });
  };
}
