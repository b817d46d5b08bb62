/** Compound files (MS-CFB), in which Outlook stores a message. Each chain visits a sector only once, so none loops. */

export interface Storage {
  /** The class of the object in the storage: 16 bytes. */
  clsid: Buffer;
  streams: Map<string, () => Buffer>;
  storages: Map<string, Storage>;
}

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER = 512;
const ENTRY = 128;
const NONE = 0xfffffffa;
const MAX_ENTRIES = 200_000;
/** Owners of sectors beside the entries of streams. */
const [ROOT, DIRECTORY] = [0, -1];

export const isCfb = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(SIGNATURE);

class Reader {
  readonly #bytes: Buffer;
  readonly #sector: number;
  readonly #mini: number;
  readonly #cutoff: number;
  readonly #fat: number[] = [];
  readonly #miniFat: number[];
  readonly #entries: Buffer;
  readonly #miniStream: Buffer;
  /** The directory entry that owns each sector and each mini sector that was read. */
  readonly #owners = new Map<number, number>();
  readonly #miniOwners = new Map<number, number>();
  /** Remaining bytes for streams: several streams over one chain must not add up without limit. */
  #room: number;
  isDamaged = false;

  constructor(bytes: Buffer) {
    if (!isCfb(bytes) || bytes.length < HEADER) throw new Error('it is not an Outlook message');
    const [shift, mini] = [bytes.readUInt16LE(30), bytes.readUInt16LE(32)];
    if ((shift !== 9 && shift !== 12) || mini !== 6) throw new Error('its header is damaged');
    this.#bytes = bytes;
    this.#sector = 1 << shift;
    this.#mini = 1 << mini;
    this.#cutoff = bytes.readUInt32LE(56);
    this.#room = 4 * bytes.length + 1024 * 1024;
    for (const sector of this.#fatSectors()) this.#fat.push(...this.#words(sector));
    this.#miniFat = this.#chain(bytes.readUInt32LE(60), this.#fat).flatMap((sector) => this.#words(sector));
    this.#entries = this.#stream(bytes.readUInt32LE(48), MAX_ENTRIES * ENTRY, DIRECTORY);
    if (this.#entries.length < ENTRY) throw new Error('its directory is damaged');
    this.#miniStream = this.#stream(this.#entries.readUInt32LE(116), this.#entries.readUInt32LE(120), ROOT);
  }

  #bytesOf(sector: number): Buffer {
    const start = (sector + 1) * this.#sector;
    const bytes = this.#bytes.subarray(start, start + this.#sector);
    if (bytes.length < this.#sector) this.isDamaged = true;
    return bytes;
  }

  #words(sector: number): number[] {
    const bytes = this.#bytesOf(sector);
    return Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readUInt32LE(index * 4));
  }

  /** The sectors of the allocation table: 109 in the header, further ones in a chain of their own. */
  #fatSectors(): number[] {
    const most = Math.ceil(this.#bytes.length / this.#sector);
    const out: number[] = [];
    const take = (sector: number) => {
      if (sector < NONE && sector < most) out.push(sector);
    };
    for (let offset = 76; offset < HEADER; offset += 4) take(this.#bytes.readUInt32LE(offset));
    const visited = new Set<number>();
    for (let next = this.#bytes.readUInt32LE(68); next < NONE && next < most && !visited.has(next); ) {
      visited.add(next);
      const words = this.#words(next);
      next = words.pop() ?? NONE;
      for (const sector of words) take(sector);
    }
    return out.slice(0, most);
  }

  #chain(start: number, table: readonly number[]): number[] {
    const out: number[] = [];
    const visited = new Set<number>();
    for (let sector = start; sector < NONE; sector = table[sector] ?? NONE) {
      if (visited.has(sector) || sector >= table.length) {
        this.isDamaged = true;
        break;
      }
      visited.add(sector);
      out.push(sector);
    }
    return out;
  }

  #spend(bytes: number): void {
    this.#room -= bytes;
    if (this.#room < 0) throw new Error('its parts together are larger than the file');
  }

  /** No sector belongs to two streams. */
  #claim(sectors: readonly number[], owners: Map<number, number>, owner: number): void {
    for (const sector of sectors) {
      if ((owners.get(sector) ?? owner) !== owner) this.isDamaged = true;
      owners.set(sector, owner);
    }
  }

  #stream(start: number, size: number, owner: number): Buffer {
    const sectors = this.#chain(start, this.#fat).slice(0, Math.ceil(size / this.#sector));
    this.#claim(sectors, this.#owners, owner);
    this.#spend(sectors.length * this.#sector);
    return Buffer.concat(sectors.map((sector) => this.#bytesOf(sector))).subarray(0, size);
  }

  #content(start: number, size: number, owner: number): Buffer {
    if (size === 0) return Buffer.alloc(0);
    if (size >= this.#cutoff) return this.#whole(this.#stream(start, size, owner), size);
    const sectors = this.#chain(start, this.#miniFat).slice(0, Math.ceil(size / this.#mini));
    this.#claim(sectors, this.#miniOwners, owner);
    this.#spend(sectors.length * this.#mini);
    const pieces = sectors.map((offset) =>
      this.#miniStream.subarray(offset * this.#mini, (offset + 1) * this.#mini),
    );
    return this.#whole(Buffer.concat(pieces).subarray(0, size), size);
  }

  #whole(bytes: Buffer, size: number): Buffer {
    if (bytes.length < size) this.isDamaged = true;
    return bytes;
  }

  /** The tree below an entry; each entry occurs in it once. */
  storage(entry = 0, used = new Set([0]), depth = 0): Storage {
    const clsid = this.#entries.subarray(entry * ENTRY + 80, entry * ENTRY + 96);
    const out: Storage = { clsid, streams: new Map(), storages: new Map() };
    const waiting = [this.#entries.readUInt32LE(entry * ENTRY + 76)];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const start = index * ENTRY;
      if (index >= NONE) continue;
      if (used.has(index) || start + ENTRY > this.#entries.length) {
        this.isDamaged = true;
        continue;
      }
      used.add(index);
      const owner = index;
      const entry = this.#entries.subarray(start, start + ENTRY);
      waiting.push(entry.readUInt32LE(68), entry.readUInt32LE(72));
      const name = entry.toString('utf16le', 0, Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2));
      const [first, size] = [entry.readUInt32LE(116), entry.readUInt32LE(120)];
      if (entry[66] === 2) out.streams.set(name, () => this.#content(first, size, owner));
      else if (entry[66] === 1 && depth < 64) out.storages.set(name, this.storage(index, used, depth + 1));
      else this.isDamaged = true;
    }
    return out;
  }
}

/** The root of a compound file. Throws, in words, if it cannot be read at all. */
export function readCfb(bytes: Buffer): { root: Storage; isDamaged: () => boolean } {
  const reader = new Reader(bytes);
  return { root: reader.storage(), isDamaged: () => reader.isDamaged };
}
