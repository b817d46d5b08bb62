/** Marks in rendered text: ranges, so that nothing is rendered again and no text can pretend to be marked. */
import { foldWithPlaces, spansOf } from '#shared/query/text.ts';

/** Where the terms stand in a text: [start, end) in its UTF-16 units, in order, without overlaps. `terms`: folded. */
export function termSpans(text: string, terms: readonly string[]): [number, number][] {
  const searched = foldWithPlaces(text);
  const found = terms.flatMap((term) => spansOf(searched, term));
  found.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const spans: [number, number][] = [];
  for (const [start, end] of found) {
    const last = spans.at(-1);
    if (last === undefined || start > last[1]) spans.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return spans;
}

const BLOCKS =
  'address,article,blockquote,br,caption,center,dd,div,dl,dt,fieldset,figure,h1,h2,h3,h4,h5,h6,hr,li,ol,p,pre,section,table,td,th,tr,ul';

/**
 * The ranges of the terms in the text below an element, in its order. A term may lie in several elements of one block
 * (the halves of an address), never across two blocks.
 */
export function termRanges(root: Element, terms: readonly string[]): Range[] {
  const document = root.ownerDocument;
  const nodes: { node: Node; start: number }[] = [];
  // 4: NodeFilter.SHOW_TEXT, which the document of a frame has under another object.
  const walker = Document.prototype.createTreeWalker.call(document, root, 4);
  let text = '';
  let block: Element | null = null;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const around = node.parentElement?.closest(BLOCKS) ?? null;
    if (around !== block && text !== '') text += '\n';
    block = around;
    nodes.push({ node, start: text.length });
    text += node.nodeValue ?? '';
  }
  return termSpans(text, terms).map(([from, to]) => {
    const range = Document.prototype.createRange.call(document);
    const first = nodes.findLast(({ start }) => start <= from);
    const last = nodes.findLast(({ start }) => start < to);
    if (first) range.setStart(first.node, from - first.start);
    if (last) range.setEnd(last.node, to - last.start);
    return range;
  });
}
