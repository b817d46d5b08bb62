/** Highlights rendered text by ranges, so that nothing is re-rendered and no text can imitate a highlight. */
import { foldWithPlaces, spansOf } from '#shared/query/text.ts';

/** Positions of the folded terms in a text: [start, end) in UTF-16 units, in order, without overlaps. */
export function termSpans(text: string, terms: readonly string[]): [number, number][] {
  const searched = foldWithPlaces(text);
  const foundSpans = terms.flatMap((term) => spansOf(searched, term));
  foundSpans.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const spans: [number, number][] = [];
  for (const [start, end] of foundSpans) {
    const last = spans.at(-1);
    if (last === undefined || start > last[1]) spans.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return spans;
}

const BLOCKS =
  'address,article,blockquote,br,caption,center,dd,div,dl,dt,fieldset,figure,h1,h2,h3,h4,h5,h6,hr,li,ol,p,pre,section,table,td,th,tr,ul';

export interface TermRanges {
  /** In text order, up to the requested number. */
  ranges: Range[];
  /** The count of all matches in the text that was read. */
  count: number;
  /** The text was longer than the limit. */
  isCut: boolean;
}

interface Bounds {
  ranges?: number;
  /** Limit in UTF-16 units; folding 100,000 non-ASCII units takes 60 ms. */
  characters?: number;
}

/**
 * Finds the terms in the text below an element. A match may span elements of one block (the halves of an address),
 * but not two blocks.
 */
export const termRanges = (root: Element, terms: readonly string[], most: Bounds = {}): TermRanges =>
  textRanges(root, (text) => termSpans(text, terms), most);

/** The ranges that `find` returns for the text below an element; blocks are separated by line breaks. */
export function textRanges(
  root: Element,
  find: (text: string) => [number, number][],
  most: Bounds = {},
): TermRanges {
  const { ranges = Number.POSITIVE_INFINITY, characters = Number.POSITIVE_INFINITY } = most;
  const document = root.ownerDocument;
  const nodes: { node: Node; start: number }[] = [];
  // 4: NodeFilter.SHOW_TEXT, which the document of a frame has under another object.
  const walker = Document.prototype.createTreeWalker.call(document, root, 4);
  let text = '';
  let block: Element | null = null;
  let node = walker.nextNode();
  for (; node !== null && text.length < characters; node = walker.nextNode()) {
    const around = node.parentElement?.closest(BLOCKS) ?? null;
    if (around !== block && text !== '') text += '\n';
    block = around;
    nodes.push({ node, start: text.length });
    text += node.nodeValue ?? '';
  }
  const isCut = node !== null || text.length > characters;
  const spans = find(text.length > characters ? text.slice(0, characters) : text);
  let position = 0;
  const startOf = (index: number) => nodes[index]?.start ?? Number.POSITIVE_INFINITY;
  return {
    count: spans.length,
    isCut,
    ranges: spans.slice(0, ranges).map(([from, to]) => {
      while (startOf(position + 1) <= from) position += 1;
      let end = position;
      while (startOf(end + 1) < to) end += 1;
      const [first, last] = [nodes[position], nodes[end]];
      const range = Document.prototype.createRange.call(document);
      if (first) range.setStart(first.node, from - first.start);
      if (last) range.setEnd(last.node, to - last.start);
      return range;
    }),
  };
}
