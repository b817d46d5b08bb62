/** Objects and tables in the nodes of an Outlook store (MS-PST 2.3). */

import { type Properties, TYPE } from './properties.ts';
import { type PstBlocks, PstError, type PstNode, type Room } from './pst-blocks.ts';

const MULTIPLE = 0x1000;
const GUID = 0x0048;
const MAX_RECORDS = 500_000;
/** Size in bytes of a fixed-size type, or undefined if the size varies. */
const WIDTHS: Readonly<Record<number, number>> = {
  2: 2,
  3: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  11: 1,
  20: 8,
  64: 8,
};

/** A node with its content: a heap of small pieces, and subnodes for large ones. */
export class PstHeap {
  readonly #store: PstBlocks;
  readonly #room: Room;
  readonly #blocks: Buffer[];
  readonly children: ReadonlyMap<number, PstNode>;

  private constructor(
    store: PstBlocks,
    room: Room,
    blocks: Buffer[],
    children: ReadonlyMap<number, PstNode>,
  ) {
    this.#store = store;
    this.#room = room;
    this.#blocks = blocks;
    this.children = children;
  }

  static async open(store: PstBlocks, node: PstNode, room: Room): Promise<PstHeap> {
    const blocks = await store.data(node.data, room);
    const children = await store.children(node.children, room);
    const [first] = blocks;
    if (first === undefined || first.length < 12 || first[2] !== 0xec)
      throw new PstError('an object in it is damaged');
    return new PstHeap(store, room, blocks, children);
  }

  get #root(): Buffer {
    return this.#item(this.#blocks[0]?.readUInt32LE(4) ?? 0);
  }

  #item(handle: number): Buffer {
    if (handle === 0) return Buffer.alloc(0);
    const bits = this.#store.isLarge ? 19 : 16;
    const index = (handle & (2 ** bits - 1)) >>> 5;
    const block = this.#blocks[handle >>> bits];
    const map = block !== undefined && block.length >= 2 ? block.readUInt16LE(0) : 0;
    if (block === undefined || index === 0 || map + 4 + index * 2 + 2 > block.length)
      throw new PstError('an object in it is damaged');
    const offset = map + 4 + (index - 1) * 2;
    const [from, to] = [block.readUInt16LE(offset), block.readUInt16LE(offset + 2)];
    if (from > to || to > block.length) throw new PstError('an object in it is damaged');
    return block.subarray(from, to);
  }

  /** The target of a reference: a piece of the heap, or a subnode. */
  async #referred(handle: number): Promise<Buffer[]> {
    if ((handle & 31) === 0) return [this.#item(handle)];
    const node = this.children.get(handle);
    if (node === undefined) throw new PstError('a part of it is missing');
    return this.#store.data(node.data, this.#room);
  }

  /** The records of a tree in the heap, the key first. */
  #records(header: Buffer): Buffer[] {
    if (header.length < 8 || header[0] !== 0xb5) throw new PstError('an object in it is damaged');
    const [, keyBytes = 0, valueBytes = 0, levels = 0] = header;
    if (keyBytes === 0 || levels > 8) throw new PstError('an object in it is damaged');
    const out: Buffer[] = [];
    const walk = (handle: number, level: number): void => {
      const bytes = this.#item(handle);
      const width = keyBytes + (level === 0 ? valueBytes : 4);
      for (let offset = 0; offset + width <= bytes.length; offset += width) {
        if (level > 0) walk(bytes.readUInt32LE(offset + keyBytes), level - 1);
        else out.push(bytes.subarray(offset, offset + width));
        if (out.length > MAX_RECORDS) throw new PstError('a table in it has more rows than the limit');
      }
    };
    walk(header.readUInt32LE(4), levels);
    return out;
  }

  async #value(type: number, inline: Buffer): Promise<Buffer> {
    const width = WIDTHS[type];
    if (width !== undefined && width <= 4) return inline;
    return Buffer.concat(await this.#referred(inline.readUInt32LE(0)));
  }

  /**
   * The requested properties of an object; `lost` counts the unreadable ones. An object inside it is returned as the
   * number of its node, in `nodes`.
   */
  async properties(
    ids: ReadonlySet<number>,
  ): Promise<{ properties: Properties; nodes: Map<number, number>; lost: number }> {
    const properties: Properties = new Map();
    const nodes = new Map<number, number>();
    let lost = 0;
    for (const record of this.#records(this.#root)) {
      if (record.length < 8) throw new PstError('an object in it is damaged');
      const [id, type] = [record.readUInt16LE(0), record.readUInt16LE(2)];
      if (!ids.has(id) || type >= MULTIPLE) continue;
      try {
        const bytes = await this.#value(type, record.subarray(4, 8));
        if (type === TYPE.object && bytes.length >= 4) nodes.set(id, bytes.readUInt32LE(0));
        else properties.set(id, { type, bytes });
      } catch (error) {
        if (!(error instanceof PstError)) throw error;
        lost += 1;
      }
    }
    return { properties, nodes, lost };
  }

  /** The rows of a table, each with the properties that it has. */
  async rows(): Promise<Properties[]> {
    const info = this.#root;
    if (info.length < 22 || info[0] !== 0x7c) throw new PstError('a table in it is damaged');
    const columns = Array.from({ length: info[1] ?? 0 }, (_, index) =>
      info.subarray(22 + index * 8, 30 + index * 8),
    );
    const width = info.readUInt16LE(8);
    const bits = info.readUInt16LE(6);
    const [index, rows] = [info.readUInt32LE(10), info.readUInt32LE(14)];
    if (width === 0 || bits > width || columns.some((column) => column.length < 8))
      throw new PstError('a table in it is damaged');
    if (rows === 0) return [];
    const ids = new Set(
      this.#records(this.#item(index)).map((record) => record.readUIntLE(4, this.#store.isAnsi ? 2 : 4)),
    );
    const out: Properties[] = [];
    let position = 0;
    // A row never spans two blocks.
    for (const block of await this.#referred(rows))
      for (let from = 0; from + width <= block.length; from += width, position++)
        if (ids.has(position)) out.push(await this.#row(block.subarray(from, from + width), columns, bits));
    return out;
  }

  async #row(row: Buffer, columns: readonly Buffer[], bits: number): Promise<Properties> {
    const out: Properties = new Map();
    for (const column of columns) {
      const [type, id, from] = [column.readUInt16LE(0), column.readUInt16LE(2), column.readUInt16LE(4)];
      const [, , , , , , length = 0, bit = 0] = column;
      const isSet = ((row[bits + (bit >> 3)] ?? 0) & (0x80 >> (bit & 7))) !== 0;
      if (!isSet || type >= MULTIPLE || from + length > row.length) continue;
      const cell = row.subarray(from, from + length);
      const isInline = WIDTHS[type] !== undefined && type !== GUID;
      if (!isInline && cell.length < 4) continue;
      out.set(id, {
        type,
        bytes: isInline ? cell : Buffer.concat(await this.#referred(cell.readUInt32LE(0))),
      });
    }
    return out;
  }
}
