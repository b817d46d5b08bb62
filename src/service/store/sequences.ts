/**
 * Bits of character sequences: for each block of mails and each hash of a sequence, the mails that contain it. A search
 * only compares the texts of mails whose bits are set for all of its sequences. A place is the number of such a set of
 * bits within a block.
 */
import type { Store } from './store.ts';

/** Mails of a block. */
export const BLOCK = 1_024;
/** The first and the last id of a block. */
export const idsIn = (block: number): [first: number, last: number] => [
  block * BLOCK,
  block * BLOCK + BLOCK - 1,
];
/** Bytes of one place in a block: a bit for each mail. */
export const BYTES = BLOCK / 8;
/** Bits of the hash of a sequence: a mail of 2 000 characters contains some 6 % of the hashes. */
const HASH_BITS = 14;
const HASHES = 1 << HASH_BITS;
/** Places per row of a table, so that a row fills a page of the database. */
const ROW = 31;

/** After the hashes: a separate place for each pair of ASCII letters or digits around a space. */
const PAIRS_AT = HASHES;
const IN_PAIR = 36;
/** After the pairs: hashes of three units before a space and one or three after it. */
const JOINS_AT = PAIRS_AT + IN_PAIR * IN_PAIR;
const JOIN_BITS = 13;

/** A table of such bits, in rows by block and place; rows without any bit set are omitted. */
export interface BitsTable {
  name: 'text_bits' | 'header_bits';
  /** A power of two. */
  hashesPerBit: number;
  /** Whether the characters around spaces have bits, too. */
  hasJoins: boolean;
}

const placesIn = ({ hashesPerBit, hasJoins }: BitsTable): number =>
  hasJoins ? JOINS_AT + (1 << JOIN_BITS) : HASHES / hashesPerBit;
const rowsIn = (table: BitsTable): number => Math.ceil(placesIn(table) / ROW);

const FACTORS = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35] as const;
const hashOf = (a: number, b: number, c: number): number =>
  (Math.imul(a, FACTORS[0]) ^ Math.imul(b, FACTORS[1]) ^ Math.imul(c, FACTORS[2])) >>> (32 - HASH_BITS);

type Units = Uint8Array | Uint16Array;

function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return units;
}

/** Sets a bit in each place of a text's sequences: bit `bit` of byte `at`. */
interface Marks {
  bits: Uint8Array;
  /** Bytes of a place. */
  bytes: number;
  at: number;
  bit: number;
}

/**
 * Marks the hashes of the sequences of UTF-16 units in a folded text, divided by `shared`: all of three units, and outside
 * ASCII also of one and two, for scripts whose words have one or two characters.
 */
function markHashes(text: Units, { bits, bytes, at: to, bit }: Marks, shared: number): void {
  const mark = (hash: number) => {
    bits[Math.floor(hash / shared) * bytes + to]! |= bit;
  };
  let a = 0;
  let b = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text[at]!;
    if (at > 1) mark(hashOf(a, b, c));
    if (c > 127) mark(hashOf(0, 0, c));
    if (c > 127 && b > 127) mark(hashOf(0, b, c));
    a = b;
    b = c;
  }
}

/** The contribution of each ASCII character to `hashOf` at its three positions. */
const [FIRST, SECOND, THIRD] = FACTORS.map((factor) =>
  Int32Array.from({ length: 128 }, (_, code) => Math.imul(code, factor)),
) as [Int32Array, Int32Array, Int32Array];

/** The same for ASCII. */
function markAscii(text: Uint8Array, { bits, bytes, at: to, bit }: Marks, shared: number): void {
  const shift = 32 - HASH_BITS + Math.log2(shared);
  let a = text[0]!;
  let b = text[1]!;
  for (let at = 2; at < text.length; at++) {
    const c = text[at]!;
    bits[((FIRST[a]! ^ SECOND[b]! ^ THIRD[c]!) >>> shift) * bytes + to]! |= bit;
    a = b;
    b = c;
  }
}

const SPACE = 32;
const pairCode = (code: number): number => {
  if (code >= 97 && code <= 122) return code - 87;
  return code >= 48 && code <= 57 ? code - 48 : IN_PAIR;
};

/** Marks the characters around each space of a folded text. */
function markJoins(text: Units, { bits, bytes, at: to, bit }: Marks): void {
  const end = text.length;
  for (let at = 1; at < end - 1; at++) {
    if (text[at] !== SPACE) continue;
    const before = text[at - 1]!;
    const behind = text[at + 1]!;
    const one = pairCode(before);
    const other = pairCode(behind);
    if (one < IN_PAIR && other < IN_PAIR) bits[(PAIRS_AT + one * IN_PAIR + other) * bytes + to]! |= bit;
    if (at < 3) continue;
    const three = Math.imul(Math.imul(text[at - 3]!, 31) + text[at - 2]!, 31) + before;
    const four = Math.imul(three, 31) + behind;
    bits[(JOINS_AT + (Math.imul(four, FACTORS[0]) >>> (32 - JOIN_BITS))) * bytes + to]! |= bit;
    if (at + 3 >= end) continue;
    const six = Math.imul(Math.imul(four, 31) + text[at + 2]!, 31) + text[at + 3]! + 1;
    bits[(JOINS_AT + (Math.imul(six, FACTORS[0]) >>> (32 - JOIN_BITS))) * bytes + to]! |= bit;
  }
}

/** Two ASCII letters or digits around a space. Their bit is not shared, so it proves that a mail contains the text. */
export const isPair = (text: string): boolean => /^[a-z0-9] [a-z0-9]$/.test(text);

const NO_BITS = Buffer.alloc(ROW * BYTES);

/** Cleared memory for the next block of each table: in 3 MB of fresh memory, each page that is touched costs a fault. */
const cleared = new Map<BitsTable, Uint8Array>();

/** The bits of a block. */
export class BlockBits {
  readonly #table: BitsTable;
  readonly #bits: Uint8Array;

  constructor(table: BitsTable) {
    this.#table = table;
    this.#bits = cleared.get(table) ?? new Uint8Array(rowsIn(table) * ROW * BYTES);
    cleared.delete(table);
  }

  /** Adds a folded text, as bytes if it is ASCII. */
  add(id: number, text: Buffer | string): void {
    const { hashesPerBit, hasJoins } = this.#table;
    const marks = { bits: this.#bits, bytes: BYTES, at: (id % BLOCK) >> 3, bit: 1 << (id & 7) };
    const units = typeof text === 'string' ? unitsOf(text) : text;
    if (units instanceof Uint8Array) markAscii(units, marks, hashesPerBit);
    else markHashes(units, marks, hashesPerBit);
    if (hasJoins) markJoins(units, marks);
  }

  /** Rows without any bit set are omitted, which is most of them if a block has few mails. To be called once, at the end. */
  write(db: Store['db'], block: number): void {
    const { name } = this.#table;
    const rows = rowsIn(this.#table);
    const first = block * rows;
    db.prepare(`DELETE FROM ${name} WHERE id BETWEEN ? AND ?`).run(first, first + rows - 1);
    const add = db.prepare(`INSERT INTO ${name} VALUES (?, ?)`);
    for (let row = 0; row < rows; row++) {
      const bits = this.#bits.subarray(row * ROW * BYTES, (row + 1) * ROW * BYTES);
      if (NO_BITS.compare(bits) !== 0) add.run(first + row, bits);
    }
    this.#bits.fill(0);
    cleared.set(this.#table, this.#bits);
  }
}

/** Maximum places that a search looks up; of more, an even sample. Characters around a space already exclude most mails. */
const MOST_LOOKED_UP = 8;
const MOST_JOINS = 3;
const MOST_BESIDE_JOINS = 2;

function sampleOf(places: readonly number[], most: number): number[] {
  const step = Math.max(1, places.length / most);
  return Array.from({ length: Math.min(places.length, most) }, (_, at) => places[Math.floor(at * step)] ?? 0);
}

function placesMarked(table: BitsTable, mark: (marks: Marks) => void): number[] {
  const bits = new Uint8Array(placesIn(table));
  mark({ bits, bytes: 1, at: 0, bit: 1 });
  const places: number[] = [];
  for (let place = bits.indexOf(1); place >= 0; place = bits.indexOf(1, place + 1)) places.push(place);
  return places;
}

/** A place in a row of the table. */
export interface BitsPlace {
  row: number;
  offset: number;
}

/** The places of a folded text's sequences; none: it is too short. */
export function placesOf(text: string, table: BitsTable): BitsPlace[] {
  const units = unitsOf(text);
  const around = table.hasJoins ? placesMarked(table, (marks) => markJoins(units, marks)) : [];
  // In a longer text the pairs add little: most mails with its joins have them too.
  const joins = sampleOf(isPair(text) ? around : around.filter((place) => place >= JOINS_AT), MOST_JOINS);
  const hashes = placesMarked(table, (marks) => markHashes(units, marks, table.hashesPerBit));
  const beside = joins.length > 0 ? MOST_BESIDE_JOINS : MOST_LOOKED_UP;
  return [...joins, ...sampleOf(hashes, beside)].map((place) => ({
    row: Math.floor(place / ROW),
    offset: (place % ROW) * BYTES,
  }));
}

/** Mails whose bits are set at all places: only these can contain all of the sequences. */
export function markedMails({ db }: Store, table: BitsTable, places: readonly BitsPlace[]): number[] {
  const rows = rowsIn(table);
  const read = db.prepare<unknown[], Buffer>(`SELECT bits FROM ${table.name} WHERE id = ?`).pluck();
  const last = Number(db.prepare(`SELECT coalesce(max(id), -1) FROM ${table.name}`).pluck().get());
  const out: number[] = [];
  for (let block = 0; block * rows <= last; block++) {
    const bits = places.map(({ row, offset }) =>
      read.get(block * rows + row)?.subarray(offset, offset + BYTES),
    );
    if (bits.every((one) => one !== undefined)) out.push(...markedIn(block, bits));
  }
  return out;
}

/** SQL: the bits at a place in the block `b`. */
export const bitsSql = (table: BitsTable, { row, offset }: BitsPlace): string =>
  `(SELECT substr(s.bits, ${offset + 1}, ${BYTES}) FROM ${table.name} s WHERE s.id = b.block * ${rowsIn(table)} + ${row})`;

/** The mails of a block whose bits are set in all. */
export function markedIn(block: number, bits: readonly (Uint8Array | null)[]): number[] {
  const ids: number[] = [];
  const [first, ...others] = bits;
  for (let at = 0; first && at < first.length; at++) {
    let both = first[at]!;
    for (const other of others) both &= other?.[at] ?? 0;
    for (let bit = 0; both !== 0; bit++, both >>= 1) if (both & 1) ids.push(block * BLOCK + at * 8 + bit);
  }
  return ids;
}
