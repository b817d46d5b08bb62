/**
 * The fold of texts, letter by letter, written only from its description; shares no code with the product.
 */

/** Unicode blocks with only combining accents. */
const ACCENTS: readonly (readonly [from: number, to: number])[] = [
  [0x0300, 0x036f],
  [0x0483, 0x0489],
  [0x0591, 0x05c7],
  [0x0610, 0x061a],
  [0x064b, 0x065f],
  [0x0670, 0x0670],
  [0x06d6, 0x06ed],
  [0x08ca, 0x08ff],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0x2cef, 0x2cf1],
  [0x2de0, 0x2dff],
  [0xa66f, 0xa69f],
  [0xfb1e, 0xfb1e],
  [0xfe00, 0xfe0f],
  [0xfe20, 0xfe2f],
  [0xe0100, 0xe01ef],
];
const ALIKE: Readonly<Record<string, string>> = { ß: 'ss', ẞ: 'ss', ı: 'i', ς: 'σ' };

export function plainFold(text: string): string {
  let out = '';
  for (const letter of text.normalize('NFKD')) {
    const code = letter.codePointAt(0) ?? 0;
    if (/\p{M}/u.test(letter) && ACCENTS.some(([from, to]) => code >= from && code <= to)) continue;
    out += ALIKE[letter] ?? letter.toLowerCase();
  }
  return out.normalize('NFC');
}

/** By code points, as UTF-8 sorts. */
function byCodePoints(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** The product's order of texts: by fold, then by code points. */
export const inOneOrder = (a: string, b: string): number =>
  byCodePoints(plainFold(a), plainFold(b)) || byCodePoints(a, b);
