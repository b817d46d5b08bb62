/** Near-identical texts share keys: MinHash over shingles of words, cut into bands (Leskovec et al., chapter 3). */
import { textHash } from '../model/text-hash.ts';

/** Words of a shingle; characters, in scripts that write no spaces. */
const SHINGLE = 3;
const UNSPACED_SHINGLE = 5;
/** Words that are compared: more than distinguish two mails, and a bound for hostile ones. */
const MAX_WORDS = 1_000;
/** Shorter texts, such as a greeting, are alike by chance. */
const FEWEST_SHINGLES = 18;
/** Two texts share a band with a probability of 1 − (1 − s⁸)⁶ for a similarity s: 97 % at 0.9, 68 % at 0.8, 30 % at 0.7, 2 % at 0.5. */
const BANDS = 6;
const ROWS = 8;

/** One multiplication makes two numbers of 16 bits; odd factors, so that it permutes the 32-bit numbers. */
const PERMUTATIONS = (BANDS * ROWS) / 2;
const FACTORS = Int32Array.from({ length: PERMUTATIONS }, (_, index) => textHash(`factor ${index}`) | 1);
const OFFSETS = Int32Array.from({ length: PERMUTATIONS }, (_, index) => textHash(`offset ${index}`) | 0);

const BEYOND_ASCII = 0x7f;
const LONGEST_WORD = 24;

/** What differs between copies made for different people: numbers, addresses, names of links. Read letter by letter, as it is asked of every word. */
function isVarying(word: string): boolean {
  if (word.length > LONGEST_WORD) return true;
  for (let index = 0; index < word.length; index++) {
    const code = word.charCodeAt(index);
    if (code > BEYOND_ASCII) return /[\p{N}@]/u.test(word);
    if ((code >= 0x30 && code <= 0x39) || code === 0x40) return true;
  }
  return false;
}

/** The words without those that a mailer fills in; a run of these is one `#`. */
export function commonWords(words: readonly string[]): string[] {
  const common: string[] = [];
  for (const word of words) {
    const token = isVarying(word) ? '#' : word;
    if (token !== '#' || common.at(-1) !== '#') common.push(token);
    if (common.length === MAX_WORDS) break;
  }
  return common;
}

/** A hash for each run of so many tokens, in their order. */
function shinglesOf(tokens: readonly string[], length: number): Int32Array {
  const hashes = new Int32Array(tokens.length);
  for (let index = 0; index < tokens.length; index++) hashes[index] = textHash(tokens[index] ?? '');
  const shingles = new Int32Array(Math.max(0, hashes.length - length + 1));
  for (let start = 0; start < shingles.length; start++) {
    let hash = 0;
    for (let next = start; next < start + length; next++)
      hash = Math.imul(hash ^ (hashes[next] ?? 0), 0x9e3779b1);
    shingles[start] = hash ^ (hash >>> 15);
  }
  return shingles;
}

/** Whether at least so many of the numbers differ. */
function hasDifferent(numbers: Int32Array, count: number): boolean {
  const different = new Set<number>();
  for (const number of numbers) if (different.add(number).size === count) return true;
  return false;
}

/** The least of the numbers' upper and lower halves after each permutation. Most of the work: integers only. */
function leastOf(numbers: Int32Array): Uint16Array {
  const least = new Uint16Array(2 * PERMUTATIONS);
  for (let row = 0; row < PERMUTATIONS; row++) {
    const factor = FACTORS[row] ?? 0;
    const offset = OFFSETS[row] ?? 0;
    let upper = 0xffff;
    let lower = 0xffff;
    for (let index = 0; index < numbers.length; index++) {
      const product = (Math.imul(numbers[index] ?? 0, factor) + offset) | 0;
      const mixed = product ^ (product >>> 15);
      if (mixed >>> 16 < upper) upper = mixed >>> 16;
      if ((mixed & 0xffff) < lower) lower = mixed & 0xffff;
    }
    least[2 * row] = upper;
    least[2 * row + 1] = lower;
  }
  return least;
}

/**
 * One text for each band: mails that have one in common have almost the same words. Empty for a text that is too short.
 * `common` are its words by `commonWords`; `unspaced` is the text without spaces if its script writes none, otherwise ''.
 */
export function textBands(common: readonly string[], unspaced: string): string[] {
  const shingles =
    unspaced === ''
      ? shinglesOf(common, SHINGLE)
      : shinglesOf([...unspaced.slice(0, 2 * MAX_WORDS).replace(/[\p{N}\p{P}]+/gu, '')], UNSPACED_SHINGLE);
  if (!hasDifferent(shingles, FEWEST_SHINGLES)) return [];
  const least = leastOf(shingles);
  // The numbers are written as characters: nothing but their hash is kept.
  return Array.from({ length: BANDS }, (_, band) =>
    String.fromCharCode(band, ...least.subarray(band * ROWS, (band + 1) * ROWS)),
  );
}
