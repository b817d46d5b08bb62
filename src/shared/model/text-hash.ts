/** Distinguishes texts that are too long to be kept. Not for secrets or proofs: anyone can make two with one hash. */

/** cyrb53: 53 bits of a text. */
export function textHash(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
