/** A set of row ids as a bitmap: ids of a table start at 1 and have few gaps. */
import type { SqliteStore } from './sqlite-store.ts';

/** The ids that a statement selects. */
export const idsOf = (
  { db }: Pick<SqliteStore, 'db'>,
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

  /** Adds every id up to the newest. */
  fill(): this {
    for (let id = 1; id <= this.#newest; id++) this.add(id);
    return this;
  }

  /** Adds the ids of another set with the same bound. */
  unite(other: IdSet): this {
    return this.#combine(other, (word, its) => word | its);
  }

  /** Keeps the ids that another set with the same bound has too. */
  intersect(other: IdSet): this {
    return this.#combine(other, (word, its) => word & its);
  }

  #combine(other: IdSet, join: (word: number, its: number) => number): this {
    this.#size = 0;
    for (let index = 0; index < this.#bits.length; index++) {
      const both = join(this.#bits[index]!, other.#bits[index] ?? 0);
      this.#bits[index] = both;
      for (let bits = both; bits !== 0; bits &= bits - 1) this.#size += 1;
    }
    return this;
  }

  /** In ascending order. */
  values(): number[] {
    const out: number[] = [];
    for (let index = 0; index < this.#bits.length; index++) {
      let bits = this.#bits[index]!;
      for (let bit = 0; bits !== 0; bit++, bits >>= 1) if (bits & 1) out.push(index * 8 + bit);
    }
    return out;
  }
}
