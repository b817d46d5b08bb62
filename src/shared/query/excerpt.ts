/** Excerpts: the line of a text around a hit. */
import { ALONE, foldText, IN_WORD } from './text.ts';

/** What a condition searches for: folded text, or words in the form of `wordsOf`. */
export interface Sought {
  kind: 'text' | 'words';
  value: string;
}

/** Characters before a hit: few, so that a narrow cell shows the hit; up to this many more to start at a word. */
const BEFORE = 16;
const TO_WORD = 10;
const LENGTH = 180;

const OTHER = `[^${IN_WORD}${ALONE}]`;
const IS_ALONE = new RegExp(`^${ALONE}$`, 'v');

/** Matches a folded text where words (in the form of `wordsOf`) follow each other, with any marks between them. */
export function phraseOf(words: string, flags = 'v'): RegExp {
  const parts = words.trim().split(' ');
  const text = parts.map((part, index) => {
    const next = parts[index + 1];
    const isLoose = IS_ALONE.test(part) || (next !== undefined && IS_ALONE.test(next));
    return next === undefined ? part : `${part}${OTHER}${isLoose ? '*' : '+'}`;
  });
  const edge = (part: string | undefined, look: string) =>
    part === undefined || IS_ALONE.test(part) ? '' : `(?${look}${IN_WORD})`;
  return new RegExp(`${edge(parts[0], '<!')}${text.join('')}${edge(parts.at(-1), '!')}`, flags);
}

/** Position of the first match in a folded text; -1 if there is none. */
function firstOf(sought: readonly Sought[], folded: string): number {
  const places = sought.map(({ kind, value }) =>
    kind === 'text' ? folded.indexOf(value) : folded.search(phraseOf(value)),
  );
  return places.filter((place) => place >= 0).sort((a, b) => a - b)[0] ?? -1;
}

/** Maps a position in the fold to one in the text; folding never crosses a space. */
function unfolded(shown: string, place: number): number {
  let position = 0;
  let rest = place;
  for (const piece of shown.split(' ')) {
    const length = foldText(piece).length;
    if (rest <= length) break;
    rest -= length + 1;
    position += piece.length + 1;
  }
  for (const char of shown.slice(position, position + rest)) {
    if (rest <= 0) break;
    rest -= foldText(char).length;
    position += char.length;
  }
  return Math.min(position, shown.length);
}

/** A line of the text around the first match, or null if there is no match. */
export function excerptOf(sought: readonly Sought[], folded: string, shown: () => string): string | null {
  const place = firstOf(sought, folded);
  if (place < 0) return null;
  const text = shown();
  const hit = unfolded(text, place);
  // Starts at a word if one begins nearby.
  const space = text.lastIndexOf(' ', Math.max(0, hit - BEFORE));
  const most = BEFORE + TO_WORD;
  const start = hit <= most ? 0 : space >= 0 && hit - space <= most ? space + 1 : hit - BEFORE;
  const end = start + LENGTH;
  const line = text
    .slice(start, end)
    .toWellFormed()
    .replace(/^\ufffd|\ufffd$/g, '')
    .trim();
  return `${start > 0 ? '… ' : ''}${line}${end < text.length ? ' …' : ''}`;
}

const MOST_SHOWN = 4_000;
const NUMBER = new Intl.NumberFormat('en');

/** A text for a cell; a long one is cut and says how much more there is. */
export function cellText(text: string): string {
  if (text.length <= MOST_SHOWN) return text;
  const more = NUMBER.format(text.length - MOST_SHOWN);
  return `${text.slice(0, MOST_SHOWN).toWellFormed()} … (${more} more characters)`;
}
