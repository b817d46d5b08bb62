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

/** Odd numbers, so that multiplying by them permutes the 32-bit numbers. */
const FACTORS = Int32Array.from({ length: BANDS * ROWS }, (_, index) => textHash(`factor ${index}`) | 1);
const OFFSETS = Int32Array.from({ length: BANDS * ROWS }, (_, index) => textHash(`offset ${index}`) | 0);

/** What differs between copies made for different people: numbers, addresses, names of links. */
const VARYING = /[\p{N}@]/u;
const LONGEST_WORD = 24;

/** The words without those that a mailer fills in; a run of these is one `#`. */
export function commonWords(words: readonly string[]): string[] {
  const common: string[] = [];
  for (const word of words) {
    const token = word.length > LONGEST_WORD || VARYING.test(word) ? '#' : word;
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

/** The least of the numbers after one permutation. Called with the same types only, in integers, as it is most of the work. */
function leastOf(numbers: Int32Array, factor: number, offset: number): number {
  let least = 0x7fffffff;
  for (let index = 0; index < numbers.length; index++) {
    const product = (Math.imul(numbers[index] ?? 0, factor) + offset) | 0;
    const mixed = product ^ (product >>> 15);
    if (mixed < least) least = mixed;
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
  const least = FACTORS.map((factor, row) => leastOf(shingles, factor, OFFSETS[row] ?? 0));
  return Array.from(
    { length: BANDS },
    (_, band) => `${band} ${least.slice(band * ROWS, (band + 1) * ROWS).join(' ')}`,
  );
}
