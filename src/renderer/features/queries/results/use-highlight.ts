import { type RefObject, useEffect } from 'react';
import { searchTerms, termSpans } from './search-terms.ts';

const NAME = 'pp-search';
/** Ranges drawn at once; a screen of rows has far fewer. */
const MOST = 4000;

/** One per window, since highlights are named; each grid adds and removes its own ranges. */
let shared: Highlight | null = null;
function sharedHighlight(): Highlight | null {
  if (!('highlights' in CSS)) return null;
  if (shared === null) {
    shared = new Highlight();
    CSS.highlights.set(NAME, shared);
  }
  return shared;
}

/** The ranges of a cell's words; its text may lie in several elements (the halves of an address). */
function rangesOf(cell: Element, terms: readonly string[]): Range[] {
  const nodes: { node: Node; start: number }[] = [];
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  let text = '';
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node, start: text.length });
    text += node.nodeValue ?? '';
  }
  return termSpans(text, terms).map(([from, to]) => {
    const range = document.createRange();
    const first = nodes.findLast(({ start }) => start <= from);
    const last = nodes.findLast(({ start }) => start < to);
    if (first) range.setStart(first.node, from - first.start);
    if (last) range.setEnd(last.node, to - last.start);
    return range;
  });
}

/**
 * Marks the words of the quick search in the cells that are drawn. Ranges over the text as it stands, so that no cell
 * is drawn again for it. `columns`: ids of the columns that are searched.
 */
export function useHighlight(
  root: RefObject<HTMLElement | null>,
  text: string,
  columns: readonly string[],
): void {
  const searched = columns.join('\n');
  useEffect(() => {
    const element = root.current;
    const highlight = sharedHighlight();
    const terms = searchTerms(text);
    if (!element || !highlight || terms.length === 0) return undefined;
    const ids = new Set(searched.split('\n'));
    let own: Range[] = [];
    let frame = 0;
    const clear = () => {
      for (const range of own) highlight.delete(range);
      own = [];
    };
    const mark = () => {
      frame = 0;
      clear();
      for (const cell of element.querySelectorAll('.ag-row .ag-cell')) {
        if (own.length >= MOST) break;
        if (ids.has(cell.getAttribute('col-id') ?? '')) own.push(...rangesOf(cell, terms));
      }
      for (const range of own) highlight.add(range);
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
  }, [root, text, searched]);
}
