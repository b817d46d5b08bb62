/** Letters of other scripts that pass for Latin ones, in words that mix both. */
import { CONFUSABLE } from '../model/lookalike.ts';

/** The confusables of letters alone: a digit is none in a word. */
const LATIN_OF: ReadonlyMap<string, string> = new Map(
  [...CONFUSABLE].filter(([, letter]) => /^[a-z]{1,2}$/.test(letter)),
);
const FOREIGN = /[^\0-\x7f]/;
const OTHER_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const LATIN = /\p{Script=Latin}/u;

/** A word in which letters of other scripts stand among Latin ones. */
const isMixed = (word: string): boolean => FOREIGN.test(word) && OTHER_SCRIPT.test(word) && LATIN.test(word);

/** A text whose mixed words are written in the Latin letters that they pass for. */
export const latinized = (text: string): string =>
  OTHER_SCRIPT.test(text)
    ? text.replace(/[\p{L}\p{M}]+/gu, (word) =>
        isMixed(word) ? Array.from(word, (char) => LATIN_OF.get(char) ?? char).join('') : word,
      )
    : text;

/** The words of a text in which letters of other scripts pass for Latin ones, at most `most`. */
export function mixedWords(text: string, most: number): string[] {
  const out: string[] = [];
  if (!OTHER_SCRIPT.test(text)) return out;
  for (const [word] of text.matchAll(/[\p{L}\p{M}]{3,40}/gu)) {
    if (isMixed(word) && Array.from(word).every((char) => !OTHER_SCRIPT.test(char) || LATIN_OF.has(char)))
      out.push(word);
    if (out.length >= most) break;
  }
  return out;
}

const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Words in letters of mathematics and of full width, which look like Latin ones; the latter are usual beside Han and kana. */
export function styledWords(text: string): readonly string[] {
  const usual = EAST_ASIAN.test(text);
  return (
    text.match(
      usual
        ? /[\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f189}]{3,}/gu
        : /[\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f189}Ａ-Ｚａ-ｚ]{3,}/gu,
    ) ?? []
  );
}
