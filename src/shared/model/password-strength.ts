/** Roughly how well a file's password withstands guessing, judged only by its characters; and how long it may be. */
import { z } from 'zod';

/** Bytes of UTF-8. 7-Zip, with which a recipient opens the zip, takes no longer password of an AES-encrypted entry. */
const ZIP_PASSWORD_BYTES = 99;

export const fitsZip = (password: string): boolean =>
  encodeURIComponent(password.toWellFormed()).replace(/%../g, 'x').length <= ZIP_PASSWORD_BYTES;

export const zipPassword = z.string().min(1).refine(fitsZip);

export const TOO_LONG_FOR_ZIP = `Too long: 7-Zip opens passwords of at most ${ZIP_PASSWORD_BYTES} bytes.`;

export type Strength = 'weak' | 'fair' | 'strong';

const POOLS: readonly (readonly [RegExp, number])[] = [
  [/\p{Ll}/u, 26],
  [/\p{Lu}/u, 26],
  [/\p{N}/u, 10],
  [/[^\p{L}\p{N}]/u, 33],
];
/** Bits; a stolen archive can be attacked offline at millions of guesses a second, even with key derivation. */
const FAIR = 50;
const STRONG = 75;

/** Bits, counting a run (aaaa, 1234, qwer) as one character. */
function passwordBits(password: string): number {
  const chars = [...password];
  const pool = POOLS.reduce((sum, [test, size]) => sum + (test.test(password) ? size : 0), 0);
  const rows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
  const follows = (a: string, b: string) => {
    const step = (b.codePointAt(0) ?? 0) - (a.codePointAt(0) ?? 0);
    const keys = `${a}${b}`.toLowerCase();
    return Math.abs(step) <= 1 || rows.some((row) => row.includes(keys));
  };
  const counted = chars.filter((char, index) => index === 0 || !follows(chars[index - 1] ?? '', char)).length;
  const distinct = new Set(chars.map((char) => char.toLowerCase())).size;
  return Math.min(counted, distinct * 2) * Math.log2(Math.max(pool, 2));
}

export function passwordStrength(password: string): Strength {
  const bits = passwordBits(password);
  return bits >= STRONG ? 'strong' : bits >= FAIR ? 'fair' : 'weak';
}

/** Letters and digits that are not easily confused. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXYZ2346789';

/** Twenty characters in groups of five from at least 20 random bytes; about 113 bits. */
export function generatedPassword(random: Uint8Array): string {
  const chars = [...random.slice(0, 20)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return [0, 5, 10, 15].map((position) => chars.slice(position, position + 5).join('')).join('-');
}
