/** A set of row ids as a bitmap: ids of a table start at 1 and have few gaps. */
import type { Store } from './store.ts';

/** The ids that a statement selects. */
export const idsOf = (
  { db }: Pick<Store, 'db'>,
  sql: string,
  ...params: readonly (string | number)[]
): number[] =>
  db
    .prepare<unknown[], number>(sql)
    .pluck()
    .all(...params);

export class IdSet {
  readonly #bits: Uint8Array;
  readonly #newest: number;
  #size = 0;

  /** Ids above `newest` are ignored. */
  constructor(newest: number) {
    this.#newest = newest;
    this.#bits = new Uint8Array((newest >> 3) + 1);
  }

  get size(): number {
    return this.#size;
  }

  /** For reading: the lowest bit of a byte stands for its first id. */
  get bits(): Uint8Array {
    return this.#bits;
  }

  has(id: number): boolean {
    return ((this.#bits[id >> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  add(id: number): void {
    if (id > this.#newest || this.has(id)) return;
    this.#bits[id >> 3]! |= 1 << (id & 7);
    this.#size += 1;
  }

  addAll(ids: readonly number[]): this {
    for (const id of ids) this.add(id);
    return this;
  }

  /** Adds ids by their bits, of which the first stands for `from`, a multiple of eight. */
  addBits(from: number, bits: Uint8Array): this {
    const last = this.#bits.length - 1;
    for (let at = 0; at < bits.length; at++) {
      const to = from / 8 + at;
      if (to > last) break;
      // The bits of the last byte that stand for ids above the newest.
      const known = to === last ? 0xff >> (7 - (this.#newest & 7)) : 0xff;
      let added = bits[at]! & known & ~this.#bits[to]!;
      this.#bits[to]! |= added;
      for (; added !== 0; added &= added - 1) this.#size += 1;
    }
    return this;
  }

  removeAll(ids: readonly number[]): void {
    for (const id of ids) {
      if (id > this.#newest || !this.has(id)) continue;
      this.#bits[id >> 3]! &= ~(1 << (id & 7));
      this.#size -= 1;
    }
  }

  /** Adds every id up to the newest. */
  fill(): this {
    for (let id = 1; id <= this.#newest; id++) this.add(id);
    return this;
  }

  /** Adds the ids of another set with the same bound. */
  unite(other: IdSet): this {
    return this.#combine(other, (own, its) => own | its);
  }

  /** Keeps the ids that another set with the same bound has too. */
  intersect(other: IdSet): this {
    return this.#combine(other, (own, its) => own & its);
  }

  #combine(other: IdSet, join: (own: number, its: number) => number): this {
    this.#size = 0;
    for (let at = 0; at < this.#bits.length; at++) {
      const both = join(this.#bits[at]!, other.#bits[at] ?? 0);
      this.#bits[at] = both;
      for (let left = both; left !== 0; left &= left - 1) this.#size += 1;
    }
    return this;
  }

  /** Removes the ids of another set with the same bound. */
  without(other: IdSet): this {
    return this.#combine(other, (own, its) => own & ~its);
  }

  /** In ascending order. */
  values(): number[] {
    const out: number[] = [];
    for (let at = 0; at < this.#bits.length; at++) {
      let left = this.#bits[at]!;
      for (let bit = 0; left !== 0; bit++, left >>= 1) if (left & 1) out.push(at * 8 + bit);
    }
    return out;
  }
}
