/** Tells at once of most hashes that they were never added, so that a first import need not ask the database for each. */

const BITS = 23;
const DIGITS = 8;

/** Of SHA-256 in hex: 1 MB, whose answer is wrong for one new hash in 2 000 once it has 100 000, in 22 once a million. */
export class StoredHashes {
  readonly #bits = new Uint8Array(1 << (BITS - 3));

  add(sha256: string): void {
    for (const place of [placeIn(sha256, 0), placeIn(sha256, DIGITS)])
      this.#bits[place >>> 3]! |= 1 << (place & 7);
  }

  /** False: it was not added. True: it may have been. */
  mayHave(sha256: string): boolean {
    return this.#has(placeIn(sha256, 0)) && this.#has(placeIn(sha256, DIGITS));
  }

  #has(place: number): boolean {
    return (this.#bits[place >>> 3]! & (1 << (place & 7))) !== 0;
  }
}

/** A hash is as good as random: any of its digits choose a bit. */
const placeIn = (sha256: string, from: number): number =>
  Number.parseInt(sha256.slice(from, from + DIGITS), 16) >>> (4 * DIGITS - BITS);
