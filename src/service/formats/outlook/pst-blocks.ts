/**
 * The lowest layer of Outlook's stores (MS-PST 2.2): two trees of pages, and blocks found by number through one of them.
 * Pages are read on demand; every lookup descends a level at each step, so that none loops.
 */
import { crc32, inflateSync } from 'node:zlib';
import type { ByteSource } from '../files/bytes.ts';

/** The store, or a part of it, is damaged or too large. The message gives the reason. */
export class PstError extends Error {
  override readonly name = 'PstError';
}

/** Items of a store that are not mail: appointments, contacts, tasks, notes, rules. The message names their class. */
export class NoMailError extends Error {
  override readonly name = 'NoMailError';
}

/** A node: bytes, and subnodes. Block numbers, 0 for none. */
export interface PstNode {
  id: number;
  data: number;
  children: number;
  /** The folder that contains it. */
  parent: number;
}

/** Remaining bytes that may be read for one mail. */
export interface Room {
  bytes: number;
}

interface Layout {
  /** Size in bytes of a block number or file offset. */
  word: 4 | 8;
  page: number;
  /** Offset and size of the count of entries in a page. */
  count: number;
  countBytes: 1 | 2;
  /** Offsets of a page's type and checksum. */
  trailer: number;
  checksum: number;
  /** Alignment of blocks; size of the trailer after their bytes. */
  align: number;
  blockTrailer: number;
}

const ANSI: Layout = {
  word: 4,
  page: 512,
  count: 496,
  countBytes: 1,
  trailer: 500,
  checksum: 508,
  align: 64,
  blockTrailer: 12,
};
const UNICODE: Layout = {
  word: 8,
  page: 512,
  count: 488,
  countBytes: 1,
  trailer: 496,
  checksum: 500,
  align: 64,
  blockTrailer: 16,
};
const LARGE: Layout = {
  word: 8,
  page: 4096,
  count: 4056,
  countBytes: 2,
  trailer: 4072,
  checksum: 4076,
  align: 512,
  blockTrailer: 24,
};

const HEADER = 564;
const SIGNATURE = '!BDN';
const KIND = { blocks: 0x80, nodes: 0x81 } as const;
const MAX_LEVEL = 16;
const MAX_CHILDREN = 200_000;
const CHUNK = 64 * 1024;
const CHUNKS = 64;

/** The tables of MS-PST 5.1: the first decodes the simple encoding; all three are used for the cyclic one. */
const UNDO = Buffer.from(
  'R/G05gtqckiFTp7r4viUU+C7oALoWgmr2+O6xnzDEN05BZYw9TdggozJE0prHfP7jyaXypEXAcQyLW4xlf/ZI9EAXnncRDsaKMVhVyCQPYO5Q75n0kZCdsBtW36yDxYpPKkDVA3aXd/2t8dizY0G02lchtYU96Vmdayx6UUhcAyHn3SkIkxvvx9Wqi6zeDNQsKOSvM8ZHKdjyx5NPksbm0/n8O6tOrVZBOpAVSVR5XqJOGhSe/wnrte9+gf0zI5f7zWchCsV1Xc0SbYSCn9xiP2dGEF9k9hYLM7+JK/euDbIoYCmmZioLw6BZXPkwqKK1OER0AiLKvLtmmQ/wWz57A==',
  'base64',
);
const MIDDLE = Buffer.from(
  'FFMPVrPIepzrZUgXFhWfAsxUfIMADQwLomKodtvZ7cfFpNyshXTW0KebrpqWcWbDY5m43XOSjoR9pV7RXZOxV1FQgIlSlE9OCmu8jX9uR0ZBQEQBEcsDP/f04amPPDr5+/AZMIIJLsmdoIZJ7m9NbcQtgTQlhxuIqvwGoRI4/UxCcmQTNyRqdXdD/+a0SzZc5Ng1PUW5LOy3MSspB2ijDml7GJ4hOb4oGlt49SPKKrCvPv4EjOflmDKV0/ZK6Kbq6fPVL3Ag8h8FZ61VEM7N4yc72rrXwibUkR3SHCIz+PrxWu/PkLaLtb3AvwiXHmziYeDGwVmru1jeX99geX6yig==',
  'base64',
);
const DO = Buffer.alloc(256);
for (const [plain, coded] of UNDO.entries()) DO[coded] = plain;

/** Decodes the simple encoding (1) or the cyclic one (2), in place. */
export function decode(bytes: Buffer, method: number, id: number): void {
  if (method === 1)
    for (let offset = 0; offset < bytes.length; offset++) bytes[offset] = UNDO[bytes[offset] ?? 0] ?? 0;
  if (method !== 2) return;
  const key = id % 2 ** 32;
  let turn = (key ^ (key >>> 16)) & 0xffff;
  for (let offset = 0; offset < bytes.length; offset++) {
    let byte = DO[((bytes[offset] ?? 0) + turn) & 0xff] ?? 0;
    byte = MIDDLE[(byte + (turn >> 8)) & 0xff] ?? 0;
    byte = UNDO[(byte - (turn >> 8)) & 0xff] ?? 0;
    bytes[offset] = (byte - turn) & 0xff;
    turn = (turn + 1) & 0xffff;
  }
}

/** The CRC-32 variant of these files: starts with 0, and is not inverted at the end. */
const checksumOf = (bytes: Buffer): number => ~crc32(bytes, 0xffffffff) >>> 0;

interface Page {
  entries: Buffer;
  width: number;
  count: number;
  level: number;
}

export class PstBlocks {
  readonly #source: ByteSource;
  readonly #size: number;
  readonly #layout: Layout;
  readonly #method: number;
  readonly #roots: { nodes: number; blocks: number };
  readonly #chunks = new Map<number, Buffer>();
  /** A page or block has a wrong checksum or an invalid pointer. */
  isDamaged = false;

  private constructor(source: ByteSource, size: number, header: Buffer) {
    this.#source = source;
    this.#size = size;
    const version = header.readUInt16LE(10);
    this.#layout = version >= 36 ? LARGE : version >= 23 ? UNICODE : ANSI;
    const isAnsi = this.#layout.word === 4;
    this.#method = header.readUInt8(isAnsi ? 461 : 513);
    this.#roots = isAnsi
      ? { nodes: this.#word(header, 188), blocks: this.#word(header, 196) }
      : { nodes: this.#word(header, 224), blocks: this.#word(header, 240) };
  }

  /** Throws PstError if it is not a store, or is encrypted. */
  static async open(source: ByteSource, size: number): Promise<PstBlocks> {
    const header = Buffer.alloc(HEADER);
    const { bytesRead } = await source.read(header, 0, HEADER, 0);
    if (bytesRead < HEADER || header.toString('latin1', 0, 4) !== SIGNATURE)
      throw new PstError('it is not an Outlook store (.pst, .ost)');
    const version = header.readUInt16LE(10);
    if (version !== 14 && version !== 15 && version < 21)
      throw new PstError(`an Outlook store of an unknown version (${version})`);
    const store = new PstBlocks(source, size, header);
    if (store.#method === 0x10)
      throw new PstError('encrypted: Windows Information Protection keeps it for its owner');
    // Two checksums (MS-PST 2.2.2.6); those of stores with large pages are not documented.
    const isWhole =
      checksumOf(header.subarray(8, 479)) === header.readUInt32LE(4) &&
      (store.isAnsi || checksumOf(header.subarray(8, 524)) === header.readUInt32LE(524));
    if (!store.isLarge && !isWhole) store.isDamaged = true;
    if (store.#method > 2) throw new PstError(`it is encoded in an unknown way (${store.#method})`);
    return store;
  }

  get isLarge(): boolean {
    return this.#layout === LARGE;
  }
  get isAnsi(): boolean {
    return this.#layout === ANSI;
  }

  #word(bytes: Buffer, offset: number): number {
    if (this.#layout.word === 4) return bytes.readUInt32LE(offset);
    return bytes.readUInt32LE(offset) + bytes.readUInt32LE(offset + 4) * 2 ** 32;
  }

  async #chunk(index: number): Promise<Buffer> {
    const cached = this.#chunks.get(index);
    if (cached !== undefined) {
      this.#chunks.delete(index);
      this.#chunks.set(index, cached);
      return cached;
    }
    const bytes = Buffer.allocUnsafe(CHUNK);
    const { bytesRead } = await this.#source.read(bytes, 0, CHUNK, index * CHUNK);
    const chunk = bytes.subarray(0, bytesRead);
    this.#chunks.set(index, chunk);
    const [oldest] = this.#chunks.keys();
    if (this.#chunks.size > CHUNKS && oldest !== undefined) this.#chunks.delete(oldest);
    return chunk;
  }

  /** Throws PstError if the file ends earlier. */
  async #bytes(position: number, length: number): Promise<Buffer> {
    if (!(position >= 0 && position + length <= this.#size))
      throw new PstError('it points beyond its own end');
    const first = Math.floor(position / CHUNK);
    const last = Math.floor((position + length - 1) / CHUNK);
    const pieces: Buffer[] = [];
    for (let index = first; index <= last; index++) pieces.push(await this.#chunk(index));
    const start = position - first * CHUNK;
    const [only = Buffer.alloc(0)] = pieces;
    // Copied, as decoding changes the bytes in place.
    const out = Buffer.from((first === last ? only : Buffer.concat(pieces)).subarray(start, start + length));
    if (out.length < length) throw new PstError('it ended while it was read');
    return out;
  }

  /** A page of one of the trees; `below` is the level of its parent page. */
  async #page(position: number, kind: number, below: number): Promise<Page> {
    const { page, count, countBytes, trailer, checksum } = this.#layout;
    const bytes = await this.#bytes(position, page);
    if (bytes[trailer] !== kind || bytes[trailer + 1] !== kind)
      throw new PstError('a page of its index is damaged');
    if (checksumOf(bytes.subarray(0, trailer)) !== bytes.readUInt32LE(checksum)) this.isDamaged = true;
    const entries = bytes.readUIntLE(count, countBytes);
    const width = bytes.readUInt8(count + countBytes * 2);
    const level = bytes.readUInt8(count + countBytes * 2 + 1);
    const { word } = this.#layout;
    const least = level > 0 ? word * 3 : kind === KIND.nodes ? word * 4 : word * 2 + 4;
    if (level >= below || width < least || entries * width > count)
      throw new PstError('a page of its index is damaged');
    return { entries: bytes, width, count: entries, level };
  }

  /** The entry of a leaf with this key, or null. */
  async #find(root: number, kind: number, key: number): Promise<Buffer | null> {
    let position = root;
    for (let below = MAX_LEVEL; ; ) {
      const { entries, width, count, level } = await this.#page(position, kind, below);
      let foundPosition = -1;
      for (let index = 0; index < count; index++) {
        const ownKey = this.#word(entries, index * width);
        if (level === 0 ? ownKey === key : ownKey <= key) foundPosition = index;
        if (ownKey >= key) break;
      }
      if (foundPosition < 0) return null;
      if (level === 0) return entries.subarray(foundPosition * width, (foundPosition + 1) * width);
      position = this.#word(entries, foundPosition * width + this.#layout.word * 2);
      below = level;
    }
  }

  #nodeAt(entry: Buffer): PstNode {
    const { word } = this.#layout;
    return {
      id: entry.readUInt32LE(0),
      data: this.#word(entry, word),
      children: this.#word(entry, word * 2),
      parent: entry.readUInt32LE(word * 3),
    };
  }

  /** Every node, by number. Unreadable pages are omitted; `isDamaged` reports them. */
  async *nodes(): AsyncGenerator<PstNode> {
    let pages = Math.ceil(this.#size / this.#layout.page);
    const open: { offset: number; below: number }[] = [{ offset: this.#roots.nodes, below: MAX_LEVEL }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      pages -= 1;
      if (pages < 0) throw new PstError('its index holds more pages than the file');
      let page: Page;
      try {
        page = await this.#page(next.offset, KIND.nodes, next.below);
      } catch (error) {
        if (!(error instanceof PstError) || next.below === MAX_LEVEL) throw error;
        this.isDamaged = true;
        continue;
      }
      const { entries, width, count, level } = page;
      if (level === 0)
        for (let index = 0; index < count; index++) yield this.#nodeAt(entries.subarray(index * width));
      else
        for (let index = count - 1; index >= 0; index--)
          open.push({ offset: this.#word(entries, index * width + this.#layout.word * 2), below: level });
    }
  }

  /** Null if there is no block with this number. */
  async node(id: number): Promise<PstNode | null> {
    const entry = await this.#find(this.#roots.nodes, KIND.nodes, id);
    return entry && this.#nodeAt(entry);
  }

  async #block(id: number, room: Room): Promise<Buffer> {
    const { word, align, blockTrailer } = this.#layout;
    const entry = await this.#find(this.#roots.blocks, KIND.blocks, id - (id % 2));
    if (entry === null) throw new PstError('a block of it is missing');
    const position = this.#word(entry, word);
    const length = entry.readUInt16LE(word * 2);
    room.bytes -= length;
    if (room.bytes < 0) throw new PstError('it is larger than the limit of a mail');
    const whole = Math.ceil((length + blockTrailer) / align) * align;
    const read = await this.#bytes(position, whole);
    const end = whole - blockTrailer;
    if (this.#word(read, end + (word === 4 ? 4 : 8)) !== id - (id % 2))
      throw new PstError('a block of it is not where its index says');
    // Other programs may leave a wrong checksum; the bytes are shown, and marked.
    const sum = read.readUInt32LE(end + (word === 4 ? 8 : 4));
    const stored = read.subarray(0, length);
    if (checksumOf(stored) !== sum) this.isDamaged = true;
    const unpacked = this.isLarge ? entry.readUInt16LE(word * 2 + 2) : length;
    let bytes = stored;
    if (unpacked !== length) {
      room.bytes -= unpacked;
      if (room.bytes < 0) throw new PstError('it is larger than the limit of a mail');
      try {
        bytes = inflateSync(stored, { maxOutputLength: unpacked });
      } catch {
        throw new PstError('a block of it is damaged');
      }
    }
    // Blocks of blocks, with the second bit, are never encoded.
    if (id % 4 < 2) decode(bytes, this.#method, id);
    return bytes;
  }

  /** The bytes of a block number, in the blocks that contain them. */
  async data(id: number, room: Room, below = 3): Promise<Buffer[]> {
    if (id === 0) return [];
    const block = await this.#block(id, room);
    if (id % 4 < 2) return [block];
    const level = block[1] ?? 0;
    if (block[0] !== 1 || level >= below || level === 0)
      throw new PstError('a list of its blocks is damaged');
    const out: Buffer[] = [];
    const count = block.readUInt16LE(2);
    if (8 + count * this.#layout.word > block.length) throw new PstError('a list of its blocks is damaged');
    for (let index = 0; index < count; index++)
      out.push(...(await this.data(this.#word(block, 8 + index * this.#layout.word), room, level)));
    return out;
  }

  /** The subnodes of a node, by number. */
  async children(id: number, room: Room, below = 2): Promise<Map<number, PstNode>> {
    const out = new Map<number, PstNode>();
    if (id === 0) return out;
    const block = await this.#block(id, room);
    const { word } = this.#layout;
    const level = block[1] ?? 0;
    const width = word * (level === 0 ? 3 : 2);
    const count = block.readUInt16LE(2);
    const start = word === 4 ? 4 : 8;
    if (block[0] !== 2 || level >= below || start + count * width > block.length)
      throw new PstError('a list of its parts is damaged');
    for (let index = 0; index < count; index++) {
      const offset = start + index * width;
      const key = block.readUInt32LE(offset);
      if (level === 0) {
        const node = {
          data: this.#word(block, offset + word),
          children: this.#word(block, offset + word * 2),
        };
        out.set(key, { id: key, ...node, parent: 0 });
      } else
        for (const [key, node] of await this.children(this.#word(block, offset + word), room, level))
          out.set(key, node);
      if (out.size > MAX_CHILDREN) throw new PstError('it has more parts than the limit');
    }
    return out;
  }
}
