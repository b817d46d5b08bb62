import { type RefObject, useEffect } from 'react';
import { termRanges } from './highlights.ts';
import { useStable } from './use-stable.ts';

const NAME = 'pp-search';
/** Maximum number of highlighted ranges; a screen of rows has far fewer. */
const MOST = 4000;

/** One per window, because highlights are registered by name; each grid adds and removes its own ranges. */
let shared: Highlight | null = null;
function sharedHighlight(): Highlight | null {
  if (!('highlights' in CSS)) return null;
  if (shared === null) {
    shared = new Highlight();
    CSS.highlights.set(NAME, shared);
  }
  return shared;
}

/** Folded words, and the ids of the columns in which to highlight them. */
interface Marked {
  terms: readonly string[];
  columns: readonly string[];
}

export function useHighlight(root: RefObject<HTMLElement | null>, marked: readonly Marked[]): void {
  const highlights = useStable(marked.filter(({ terms }) => terms.length > 0));
  useEffect(() => {
    const element = root.current;
    const highlight = sharedHighlight();
    const termsOf = new Map<string, string[]>();
    for (const { terms, columns } of highlights)
      for (const id of columns) termsOf.set(id, [...(termsOf.get(id) ?? []), ...terms]);
    if (!element || !highlight || termsOf.size === 0) return undefined;
    let ranges: Range[] = [];
    let frame = 0;
    const clear = () => {
      for (const range of ranges) highlight.delete(range);
      ranges = [];
    };
    const mark = () => {
      frame = 0;
      clear();
      for (const cell of element.querySelectorAll('.ag-row .ag-cell')) {
        if (ranges.length >= MOST) break;
        const terms = termsOf.get(cell.getAttribute('col-id') ?? '');
        if (terms) ranges.push(...termRanges(cell, terms).ranges);
      }
      for (const range of ranges) highlight.add(range);
    };
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(mark);
    };
    const observer = new MutationObserver(later);
    element.classList.add('pp-marked');
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    later();
    return () => {
      observer.disconnect();
      element.classList.remove('pp-marked');
      cancelAnimationFrame(frame);
      clear();
    };
  }, [root, highlights]);
}
