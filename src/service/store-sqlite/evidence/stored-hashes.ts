/** A filter that rejects most hashes that were never added, so that a first import need not query the database for each. */

const BITS = 23;
const DIGITS = 8;

/** For SHA-256 in hex: 1 MB. False positives: one new hash in 2 000 with 100 000 hashes, one in 22 with a million. */
export class StoredHashes {
  readonly #bits = new Uint8Array(1 << (BITS - 3));

  add(sha256: string): void {
    for (const place of [placeIn(sha256, 0), placeIn(sha256, DIGITS)])
      this.#bits[place >>> 3]! |= 1 << (place & 7);
  }

  /** False is certain: it was not added. True means that it may have been. */
  mayHave(sha256: string): boolean {
    return this.#has(placeIn(sha256, 0)) && this.#has(placeIn(sha256, DIGITS));
  }

  #has(place: number): boolean {
    return (this.#bits[place >>> 3]! & (1 << (place & 7))) !== 0;
  }
}

/** A hash is effectively random, so its digits select the bits. */
const placeIn = (sha256: string, from: number): number =>
  Number.parseInt(sha256.slice(from, from + DIGITS), 16) >>> (4 * DIGITS - BITS);
