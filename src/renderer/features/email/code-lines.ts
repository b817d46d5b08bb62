/** Splits long hostile text into rows of bounded length and searches in them. */
import { foldText, foldWithPlaces, spansOf } from '#shared/query/text.ts';

/** Longer rows would slow down rendering; they continue in the next row. */
export const MAX_ROW = 2000;

export interface CodeRow {
  /** Row index. */
  at: number;
  text: string;
  /** Line number from 1, or 0 if it continues the row above. */
  line: number;
}

export function codeRows(text: string): CodeRow[] {
  const rows: CodeRow[] = [];
  let line = 0;
  for (const full of text.split(/\r\n|\n|\r/)) {
    line += 1;
    if (full.length <= MAX_ROW) rows.push({ at: rows.length, text: full, line });
    else {
      for (let offset = 0; offset < full.length; offset += MAX_ROW) {
        rows.push({
          at: rows.length,
          text: full.slice(offset, offset + MAX_ROW),
          line: offset === 0 ? line : 0,
        });
      }
    }
  }
  return rows;
}

/** The rows that contain the characters from `start` to `end`. */
export const rowsOf = (text: string, start: number, end: number): { first: number; last: number } => ({
  first: codeRows(text.slice(0, start)).length - 1,
  last: codeRows(text.slice(0, end)).length - 1,
});

const MOST_FOUND = 10_000;

/** The first rows that contain the words, compared as queries compare text. */
export function findRows(rows: readonly CodeRow[], words: string): number[] {
  const needle = foldText(words);
  if (needle === '') return [];
  const indexes: number[] = [];
  for (const [index, row] of rows.entries()) {
    if (indexes.length >= MOST_FOUND) break;
    if (foldText(row.text).includes(needle)) indexes.push(index);
  }
  return indexes;
}

/** A row split at each match: odd pieces are matches. */
export function cutAtHits(text: string, words: string): string[] {
  const pieces: string[] = [];
  let offset = 0;
  for (const [start, end] of spansOf(foldWithPlaces(text), foldText(words))) {
    pieces.push(text.slice(offset, start), text.slice(start, end));
    offset = end;
  }
  pieces.push(text.slice(offset));
  return pieces;
}
