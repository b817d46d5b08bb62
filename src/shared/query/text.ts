/** How text is compared everywhere: folded, and as whole words. */

import { trimPasted } from '../model/pasted.ts';

// Marks that do not change a letter: accents, points and harakat. Marks that are vowels or sounds (Indic and South-East
// Asian scripts, voiced kana) are kept, since they distinguish words.
const LOOSE_MARK =
  /[[\p{M}&&[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]]--[\u3099\u309a]]/gv;
/** Characters that may combine with the preceding one: a run containing one is folded as a whole. */
const JOINING =
  /[[\u1100-\u11ff\u3099\u309a\u3130-\u318f\ua960-\ua97f\ud7b0-\ud7ff\uff61-\uffdc\u{16d63}-\u{16d6a}\p{M}]--[[\p{M}&&[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]]--[\u3099\u309a]]]/v;

/** Folds by upper-casing: `ß` becomes `ss`, `ı` becomes `i`, and a final sigma equals any other. */
function foldWhole(text: string): string {
  const bare = text.normalize('NFKD').replace(LOOSE_MARK, '');
  const small = bare.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return small.normalize('NFKD').replace(LOOSE_MARK, '').normalize('NFC');
}

/** Cached fold of each character, or null if it may combine with the preceding one. */
const FOLDED = new Map<number, string | null>();

function foldOne(code: number): string | null {
  let folded = FOLDED.get(code);
  if (folded === undefined) {
    const char = String.fromCodePoint(code);
    folded = JOINING.test(char) ? null : foldWhole(char);
    FOLDED.set(code, folded);
  }
  return folded;
}

/** Folds a run of non-ASCII characters. */
function foldRun(run: string): string {
  let out = '';
  for (let position = 0; position < run.length; ) {
    const code = run.codePointAt(position)!;
    const folded = foldOne(code);
    if (folded === null) return foldWhole(run);
    out += folded;
    position += code > 0xffff ? 2 : 1;
  }
  return out;
}

/** An address in the form by which mailboxes are counted: unlike `foldText`, it keeps accents. */
export const mailboxOf = (address: string): string => address.normalize('NFC').toLowerCase();

/**
 * Text in the form for comparing: compatibility-decomposed (NFKD), without accents and case; `ı` is `i`, a final sigma
 * is a sigma, `ß` is `ss`. The only fold of index, query, filter, sort and exceptions.
 */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  return isAscii(text) ? lower : lower.replace(/[^\0-\x7f]+/g, foldRun);
}

const NOT_ASCII = /[^\0-\x7f]/;
/** A pattern takes a quarter of the time of a loop over a body, and as much for one word. */
const isAscii = (text: string): boolean => !NOT_ASCII.test(text);

// In scripts without spaces each character is a word, so that a phrase is found inside a longer run.
/** The source of a `v` pattern: one character of such a script. */
export const ALONE = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`;
/** The same: one letter, digit or mark of a word in any other script. */
export const IN_WORD = String.raw`[[\p{L}\p{N}\p{M}]--${ALONE}]`;
/** In folded text. Most words are ASCII, for which the first alternative takes half the time of the second. */
const WORD = new RegExp(`[a-z0-9]+(?!${IN_WORD})|${IN_WORD}+|${ALONE}`, 'gv');

/** The folded words of a text, each surrounded by one space: ` invoice overdue inv 20931 `. '' when there are none. */
export function wordsOf(text: string): string {
  const words = foldText(text).match(isAscii(text) ? /[a-z0-9]+/g : WORD);
  return words === null ? '' : ` ${words.join(' ')} `;
}

/** White space other than a single space. */
const WIDE_SPACE = /\s{2,}|[^\S ]/g;
/** Anything but printable ASCII, and double spaces. */
const UNPLAIN = /[^!-~ ]| {2}/;

/** A text as stored in indexes: NUL, which ends texts in SQLite, is replaced; runs of white space become one space. */
export const searchable = (text: string): string =>
  UNPLAIN.test(text) || text.startsWith(' ') || text.endsWith(' ')
    ? text.toWellFormed().replaceAll('\0', '\ufffd').replace(WIDE_SPACE, ' ').trim()
    : text;

const MAX_TERMS = 20;
/** The words that a row must all contain, in any of its texts; a quoted phrase is one word. Folded, distinct. */
export function searchTerms(text: string): string[] {
  // Mail programs and word processors turn the quotes of a phrase into pairs.
  const terms = [...text.matchAll(/["\u201c\u201e]([^"\u201c-\u201e]+)["\u201c\u201d]|(\S+)/g)].map((match) =>
    trimPasted(foldText(match[1] ?? match[2] ?? '')),
  );
  return [...new Set(terms)].filter((term) => term !== '').slice(0, MAX_TERMS);
}

const EMOJI = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;
/** A text without words but with an emoji, which, unlike other marks, can be searched for. */
export const isSign = (text: string): boolean => wordsOf(text) === '' && EMOJI.test(text);

export interface Folded {
  folded: string;
  /** For each unit, its offset in the original text; and the text's end. */
  places: number[];
}

const PIECE = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A folded text with a mapping back to positions in the original. */
export function foldWithPlaces(text: string): Folded {
  const places: number[] = [];
  if (isAscii(text)) {
    for (let index = 0; index <= text.length; index++) places.push(index);
    return { folded: text.toLowerCase(), places };
  }
  let folded = '';
  for (const { segment, index } of PIECE.segment(text)) {
    const piece = foldText(segment);
    for (let position = 0; position < piece.length; position++) places.push(index);
    folded += piece;
  }
  places.push(text.length);
  return { folded, places };
}

/** Occurrences of a folded term in a text: [start, end) in the original's units, in order, not overlapping. */
export function spansOf({ folded, places }: Folded, term: string): [number, number][] {
  const spans: [number, number][] = [];
  if (term === '') return spans;
  for (
    let position = folded.indexOf(term);
    position >= 0;
    position = folded.indexOf(term, position + term.length)
  ) {
    // A character that folds to several is included as a whole.
    let end = position + term.length;
    while (end < folded.length && places[end] === places[position + term.length - 1]) end += 1;
    const start = Math.max(places[position] ?? 0, spans.at(-1)?.[1] ?? 0);
    const stop = places[end] ?? 0;
    if (stop > start) spans.push([start, stop]);
  }
  return spans;
}

/**
 * Lower case that preserves every UTF-16 position, for names in markup. "İ" (U+0130) is the only letter whose lower
 * case is longer.
 */
export const lowerInPlace = (text: string): string => text.replaceAll('\u0130', 'i').toLowerCase();
