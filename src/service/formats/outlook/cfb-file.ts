/** Writes a storage as a separate compound file (MS-CFB): an object that Outlook stores inside a message. */
import type { Storage } from './cfb.ts';

const SECTOR = 512;
const MINI = 64;
const CUTOFF = 4096;
const ENTRY = 128;
const END = 0xfffffffe;
const FREE = 0xffffffff;
const TABLE = 0xfffffffd;
const MASTER = 0xfffffffc;
/** Sectors of the allocation table listed in the header; further ones are listed in separate sectors. */
const IN_HEADER = 109;
const KIND = { storage: 1, stream: 2, root: 5 } as const;

const words = (values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
};
const padded = (bytes: Buffer, unit: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((unit - (bytes.length % unit)) % unit)]);

/** Pieces of one size, and the next piece of each chain. */
class Pieces {
  readonly table: number[] = [];
  readonly bytes: Buffer[] = [];
  readonly #unit: number;
  constructor(unit: number) {
    this.#unit = unit;
  }
  add(bytes: Buffer): number {
    const first = this.table.length;
    const count = Math.ceil(bytes.length / this.#unit);
    if (count === 0) return END;
    for (let index = 1; index < count; index++) this.table.push(first + index);
    this.table.push(END);
    this.bytes.push(padded(bytes, this.#unit));
    return first;
  }
}

class Writer {
  readonly #sectors = new Pieces(SECTOR);
  readonly #minis = new Pieces(MINI);
  readonly #entries: Buffer[] = [];

  #entry(name: string, kind: number, start: number, size: number): Buffer {
    const entry = Buffer.alloc(ENTRY);
    const text = Buffer.from(name.slice(0, 31), 'utf16le');
    text.copy(entry);
    entry.writeUInt16LE(text.length + 2, 64);
    entry[66] = kind;
    // Black, as a balanced tree would have it.
    entry[67] = 1;
    entry.fill(0xff, 68, 80);
    entry.writeUInt32LE(start, 116);
    entry.writeUInt32LE(size, 120);
    this.#entries.push(entry);
    return entry;
  }

  /** The entries below a storage, as a tree that is searched by name: shorter names first (MS-CFB 2.6.4). */
  #below(parent: Buffer, storage: Storage): void {
    storage.clsid.copy(parent, 80);
    const all = [
      ...[...storage.streams].map(([name, read]) => ({ name, read, inner: null })),
      ...[...storage.storages].map(([name, inner]) => ({ name, read: null, inner })),
    ].sort((a, b) => a.name.length - b.name.length || (a.name.toUpperCase() < b.name.toUpperCase() ? -1 : 1));
    const numbers = all.map(({ name, read, inner }) => {
      const number = this.#entries.length;
      if (inner !== null) this.#below(this.#entry(name, KIND.storage, 0, 0), inner);
      else {
        const bytes = read();
        const start = (bytes.length < CUTOFF ? this.#minis : this.#sectors).add(bytes);
        this.#entry(name, KIND.stream, start, bytes.length);
      }
      return number;
    });
    const tree = (from: number, to: number): number => {
      if (from >= to) return FREE;
      const middle = (from + to) >> 1;
      const number = numbers[middle] ?? FREE;
      this.#entries[number]?.writeUInt32LE(tree(from, middle), 68);
      this.#entries[number]?.writeUInt32LE(tree(middle + 1, to), 72);
      return number;
    };
    parent.writeUInt32LE(tree(0, numbers.length), 76);
  }

  write(storage: Storage): Buffer {
    const root = this.#entry('Root Entry', KIND.root, END, 0);
    this.#below(root, storage);
    const minis = Buffer.concat(this.#minis.bytes);
    root.writeUInt32LE(this.#sectors.add(minis), 116);
    root.writeUInt32LE(minis.length, 120);
    const miniTable = padded(words(this.#minis.table), SECTOR).fill(0xff, this.#minis.table.length * 4);
    const miniStart = this.#sectors.add(miniTable);
    const directory = this.#sectors.add(Buffer.concat(this.#entries));
    const data = this.#sectors.table;
    const perSector = SECTOR / 4;
    let [tables, masters] = [0, 0];
    while (tables * perSector < data.length + tables + masters) {
      tables += 1;
      masters = Math.ceil(Math.max(0, tables - IN_HEADER) / (perSector - 1));
    }
    const first = data.length;
    const ownSectors = Array.from({ length: tables }, (_, index) => first + index);
    const table = [...data, ...ownSectors.map(() => TABLE), ...Array.from({ length: masters }, () => MASTER)];
    const whole = Buffer.alloc(tables * SECTOR, 0xff);
    words(table).copy(whole);
    const further = ownSectors.slice(IN_HEADER);
    const listed = Array.from({ length: masters }, (_, index) => {
      const sectors = further.slice(index * (perSector - 1), (index + 1) * (perSector - 1));
      const next = index + 1 < masters ? first + tables + index + 1 : END;
      return words([...sectors, ...Array.from({ length: perSector - 1 - sectors.length }, () => FREE), next]);
    });
    const header = Buffer.alloc(SECTOR);
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
    for (const [index, value] of [
      [24, 0x3e],
      [26, 3],
      [28, 0xfffe],
      [30, 9],
      [32, 6],
    ] as const)
      header.writeUInt16LE(value, index);
    for (const [index, value] of [
      [44, tables],
      [48, directory],
      [56, CUTOFF],
      [60, miniStart],
      [64, miniTable.length / SECTOR],
      [68, masters > 0 ? first + tables : END],
      [72, masters],
    ] as const)
      header.writeUInt32LE(value, index);
    words(Array.from({ length: IN_HEADER }, (_, index) => ownSectors[index] ?? FREE)).copy(header, 76);
    return Buffer.concat([header, ...this.#sectors.bytes, whole, ...listed]);
  }
}

/** Deterministic: the same storage gives the same bytes. */
export const compoundFile = (storage: Storage): Buffer => new Writer().write(storage);
