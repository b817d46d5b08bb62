/** How long a password for a file would hold against guessing, roughly: what was typed, not who typed it. */

export type Strength = 'weak' | 'fair' | 'strong';

const POOLS: readonly (readonly [RegExp, number])[] = [
  [/\p{Ll}/u, 26],
  [/\p{Lu}/u, 26],
  [/\p{N}/u, 10],
  [/[^\p{L}\p{N}]/u, 33],
];
/** Bits of work; a stolen archive is tried offline, millions a second even with its key derivation. */
const FAIR = 50;
const STRONG = 75;

/** Bits, counting a run (aaaa, 1234, qwer on one row) as one character of it. */
function passwordBits(password: string): number {
  const chars = [...password];
  const pool = POOLS.reduce((sum, [test, size]) => sum + (test.test(password) ? size : 0), 0);
  const rows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
  const follows = (a: string, b: string) => {
    const step = b.codePointAt(0)! - a.codePointAt(0)!;
    const keys = `${a}${b}`.toLowerCase();
    return Math.abs(step) <= 1 || rows.some((row) => row.includes(keys));
  };
  const counted = chars.filter((char, index) => index === 0 || !follows(chars[index - 1]!, char)).length;
  const distinct = new Set(chars.map((char) => char.toLowerCase())).size;
  return Math.min(counted, distinct * 2) * Math.log2(Math.max(pool, 2));
}

export function passwordStrength(password: string): Strength {
  const bits = passwordBits(password);
  return bits >= STRONG ? 'strong' : bits >= FAIR ? 'fair' : 'weak';
}

/** Letters and digits that nobody mixes up, in groups. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXYZ2346789';

/** Twenty characters in groups of five from random bytes (20 of them at least; about 113 bits). */
export function madePassword(random: Uint8Array): string {
  const chars = [...random.slice(0, 20)].map((byte) => ALPHABET[byte % ALPHABET.length]!);
  return [0, 5, 10, 15].map((at) => chars.slice(at, at + 5).join('')).join('-');
}
