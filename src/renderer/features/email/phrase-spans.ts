/** Finds the words that a check quotes in a text as it is shown: checks compare words, not characters. Pure, linear. */
import { latinized } from '#shared/checks/latinized.ts';
import { visibleText } from '#shared/model/format.ts';
import { foldWithPlaces } from '#shared/query/text.ts';

const WORD_SIGN = /[\p{L}\p{M}\p{N}]/u;
const WORD_BEFORE = /[\p{L}\p{M}\p{N}]$/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u;
/** Apostrophes, and what `visibleText` shows in place of an invisible character: they join the letters around them. */
const JOINER = /['’ʼ`´]|‹U\+[0-9A-F]{4,6}›/g;

interface Letters {
  /** Folded letters and digits without anything between them. */
  text: string;
  /** For each unit, its offset in the original. */
  places: number[];
  /** Offsets in `text` at which a word begins; the text's end is one. */
  starts: Set<number>;
}

/** `\0` keeps its place and joins what it separates. */
const joined = (text: string): string => text.replace(JOINER, (joiner) => '\0'.repeat(joiner.length));

function lettersOf(text: string): Letters {
  const { folded, places } = foldWithPlaces(joined(text));
  let visible = '';
  const visiblePlaces: number[] = [];
  for (let index = 0; index < folded.length; ) {
    const char = String.fromCodePoint(folded.codePointAt(index) ?? 0);
    if (char !== '\0' && !INVISIBLE.test(char)) {
      visible += char;
      for (let unit = 0; unit < char.length; unit++) visiblePlaces.push(places[index + unit] ?? 0);
    }
    index += char.length;
  }
  const out: Letters = { text: '', places: [], starts: new Set() };
  for (const { 0: word, index } of visible.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    out.starts.add(out.text.length);
    let offset = index;
    const isLatinized = latinized(word) !== word;
    for (const char of word) {
      // Mixed words are written in one alphabet as a whole, so each letter is looked up as part of such a word.
      const letter = isLatinized ? latinized(`a${char}`).slice(1) || char : char;
      for (let unit = 0; unit < letter.length; unit++) out.places.push(visiblePlaces[offset] ?? 0);
      out.text += letter;
      offset += char.length;
    }
  }
  out.starts.add(out.text.length);
  return out;
}

/** The second unit of a pair, or a mark that belongs to the letter before it. */
const PART_OF_LETTER = /[\udc00-\udfff\p{M}]/u;

/** The end of the letter at an offset. */
function letterEnd(text: string, index: number): number {
  let end = index + 1;
  while (end < text.length && PART_OF_LETTER.test(text.charAt(end))) end++;
  return end;
}

/** Occurrences as they stand, between words. */
function literalSpans(text: string, phrase: string): [number, number][] {
  const spans: [number, number][] = [];
  const isInWord = INVISIBLE.test(phrase) || UNSPACED.test(phrase);
  const [first = '', last = ''] = [phrase.charAt(0), phrase.slice(-1)];
  for (let index = text.indexOf(phrase); index >= 0; index = text.indexOf(phrase, index + phrase.length)) {
    const end = index + phrase.length;
    const isSplit =
      (WORD_SIGN.test(first) && WORD_BEFORE.test(text.slice(Math.max(0, index - 1), index))) ||
      (WORD_SIGN.test(last) && WORD_SIGN.test(text.charAt(end)));
    if (isInWord || !isSplit) spans.push([index, end]);
  }
  return spans;
}

/**
 * Where a quotation stands in a text, as `[start, end)`: first as it is, else by its words, whatever the case, accents,
 * punctuation and invisible characters between them. Never a part of another word, and nothing that only resembles it.
 */
export function phraseSpans(text: string, quotation: string): [number, number][] {
  const phrase = quotation.replace(/…$/, '').trim();
  if (phrase === '') return [];
  for (const form of new Set([phrase, visibleText(phrase)])) {
    const literal = literalSpans(text, form);
    if (literal.length > 0) return literal;
  }
  const phraseLetters = lettersOf(phrase).text;
  if (phraseLetters === '') return [];
  const { text: letters, places, starts } = lettersOf(text);
  const isCut = phrase.length < quotation.trim().length;
  const spans: [number, number][] = [];
  for (
    let index = letters.indexOf(phraseLetters);
    index >= 0;
    index = letters.indexOf(phraseLetters, index + 1)
  ) {
    const end = index + phraseLetters.length;
    const isWhole = starts.has(index) && (isCut || starts.has(end));
    if (!isWhole && !UNSPACED.test(phraseLetters)) continue;
    const start = places[index] ?? 0;
    if (start < (spans.at(-1)?.[1] ?? 0)) continue;
    spans.push([start, letterEnd(text, places[end - 1] ?? 0)]);
  }
  return spans;
}
