/** The words of a quick search as the store reads them, and where they stand in a text. Pure. */
import { foldText, foldWithPlaces, spansOf } from '#shared/query/text.ts';

const MAX_TERMS = 20;

/** The words that every row shown has; a quoted phrase is one word. Folded, each once. */
export function searchTerms(text: string): string[] {
  const terms = [...text.matchAll(/"([^"]+)"|(\S+)/g)].map((match) =>
    foldText(match[1] ?? match[2] ?? '').trim(),
  );
  return [...new Set(terms)].filter((term) => term !== '').slice(0, MAX_TERMS);
}

/** Where the terms stand in a text: [start, end) in its UTF-16 units, in order, without overlaps. */
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
