/** How text is compared by conditions: case folded, and as whole words. */

/** Text as conditions compare it: one normal form, without case. */
export function foldText(text: string): string {
  return isAscii(text) ? text.toLowerCase() : text.normalize('NFC').toLowerCase();
}

/**
 * Lower case in which every UTF-16 unit stands where it stood, for positions that are used on the original.
 * "İ" (U+0130) is the one letter whose lower case is longer.
 */
export const lowerInPlace = (text: string): string => text.replaceAll('\u0130', 'i').toLowerCase();

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 127) return false;
  return true;
}

// Scripts written without spaces: each character is a word of its own, so that a phrase of them is found inside
// a longer run.
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}])+/gu;

/** The words of a text, folded, one space around each: ` invoice overdue inv 20931 `. '' when there is none. */
export function wordsOf(text: string): string {
  const words = foldText(text).match(isAscii(text) ? /[a-z0-9]+/g : WORD);
  return words === null ? '' : ` ${words.join(' ')} `;
}
