/** A minimal Outlook store (MS-PST) with given messages: one page per tree, one folder. */
import { crc32 } from 'node:zlib';
import { type MessageSpec, numbered, type PropertyValues } from './outlook-files.ts';

const INBOX = 0x8022;
const LARGEST_PIECE = 3_000;

const checksum = (bytes: Buffer) => ~crc32(bytes, 0xffffffff) >>> 0;
const word = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};
const long = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

interface Node {
  id: number;
  data: number;
  children: number;
  parent: number;
}

class Writer {
  readonly isAnsi: boolean;
  readonly encode: (bytes: Buffer, id: number) => Buffer;
  readonly blocks: { id: number; at: number; length: number }[] = [];
  readonly pieces: Buffer[] = [];
  size = 1024;

  constructor(isAnsi: boolean, encode: (bytes: Buffer, id: number) => Buffer) {
    this.isAnsi = isAnsi;
    this.encode = encode;
  }

  number(value: number): Buffer {
    return this.isAnsi ? long(value) : Buffer.concat([long(value), long(0)]);
  }

  put(bytes: Buffer): number {
    const offset = this.size;
    this.pieces.push(bytes);
    this.size += bytes.length;
    return offset;
  }

  block(plain: Buffer, isInternal = false): number {
    const id = (this.blocks.length + 1) * 4 + (isInternal ? 2 : 0);
    const bytes = isInternal ? plain : this.encode(Buffer.from(plain), id);
    const trailer = this.isAnsi
      ? Buffer.concat([word(bytes.length), word(0), long(id), long(checksum(bytes))])
      : Buffer.concat([word(bytes.length), word(0), long(checksum(bytes)), long(id), long(0)]);
    const filling = Buffer.alloc(-(bytes.length + trailer.length) & 63);
    this.blocks.push({
      id,
      at: this.put(Buffer.concat([bytes, filling, trailer])),
      length: bytes.length,
    });
    return id;
  }

  data(bytes: Buffer): number {
    if (bytes.length <= 8_000) return this.block(bytes);
    const ids: Buffer[] = [];
    for (let offset = 0; offset < bytes.length; offset += 8_000)
      ids.push(this.number(this.block(bytes.subarray(offset, offset + 8_000))));
    return this.block(
      Buffer.concat([Buffer.from([1, 1]), word(ids.length), long(bytes.length), ...ids]),
      true,
    );
  }

  children(nodes: readonly Node[]): number {
    if (nodes.length === 0) return 0;
    const entries = nodes.map(({ id, data, children }) =>
      Buffer.concat([this.number(id), this.number(data), this.number(children)]),
    );
    return this.block(
      Buffer.concat([Buffer.from([2, 0]), word(nodes.length), Buffer.alloc(this.isAnsi ? 0 : 4), ...entries]),
      true,
    );
  }

  page(kind: number, entries: readonly Buffer[]): number {
    const bytes = Buffer.alloc(512);
    Buffer.concat(entries).copy(bytes);
    const count = this.isAnsi ? 496 : 488;
    if (Buffer.concat(entries).length > count) throw new Error('more than one page holds');
    Buffer.from([entries.length, entries.length, entries[0]?.length ?? 0, 0]).copy(bytes, count);
    const trailer = this.isAnsi ? 500 : 496;
    bytes.fill(kind, trailer, trailer + 2);
    bytes.writeUInt32LE(checksum(bytes.subarray(0, trailer)), this.isAnsi ? 508 : 500);
    return this.put(bytes);
  }
}

class Heap {
  readonly items: Buffer[] = [];
  readonly nodes: Node[] = [];

  item(bytes: Buffer): number {
    return this.items.push(bytes) << 5;
  }

  value(to: Writer, bytes: Buffer): number {
    if (bytes.length <= LARGEST_PIECE) return this.item(bytes);
    const id = ((this.nodes.length + 1) << 5) | 0x1f;
    this.nodes.push({ id, data: to.data(bytes), children: 0, parent: 0 });
    return id;
  }

  bytes(kind: number, root: number): Buffer {
    const length = this.items.reduce((sum, item) => sum + item.length, 12);
    const places = [12];
    for (const item of this.items) places.push((places.at(-1) ?? 12) + item.length);
    return Buffer.concat([
      word(length),
      Buffer.from([0xec, kind]),
      long(root),
      long(0),
      ...this.items,
      word(this.items.length),
      word(0),
      ...places.map(word),
    ]);
  }
}

function bytesOf(tag: number, value: string | Buffer | number): Buffer {
  if (typeof value === 'string') return Buffer.from(value, (tag & 0xffff) === 0x1f ? 'utf16le' : 'latin1');
  if (typeof value !== 'number') return value;
  if ((tag & 0xffff) !== 0x40) return long(value);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE((BigInt(value) + 11_644_473_600_000n) * 10_000n);
  return bytes;
}

const tagged = (values: PropertyValues) =>
  Object.entries(values).map(([id, value]) => {
    const tag = Number.parseInt(id, 16);
    return {
      tag,
      bytes: bytesOf(tag, value),
      isInline: typeof value === 'number' && (tag & 0xffff) !== 0x40,
    };
  });

/** The node of an object; `inner`: the node of a message in it. */
function object(
  to: Writer,
  id: number,
  values: PropertyValues,
  further: readonly Node[] = [],
  inner?: Node,
): Node {
  const heap = new Heap();
  const records = tagged(values).map(({ tag, bytes, isInline }) =>
    Buffer.concat([word(tag >>> 16), word(tag & 0xffff), isInline ? bytes : long(heap.value(to, bytes))]),
  );
  if (inner) {
    const place = heap.item(Buffer.concat([long(inner.id), long(0)]));
    records.push(Buffer.concat([word(0x3701), word(0x0d), long(place)]));
  }
  const tree = heap.item(Buffer.concat(records));
  const root = heap.item(Buffer.concat([Buffer.from([0xb5, 2, 6, 0]), long(tree)]));
  const data = to.data(heap.bytes(0xbc, root));
  return {
    id,
    data,
    children: to.children([...heap.nodes, ...further, ...(inner ? [inner] : [])]),
    parent: INBOX,
  };
}

function table(to: Writer, id: number, rows: readonly PropertyValues[]): Node {
  const heap = new Heap();
  const tags = [...new Set(rows.flatMap((row) => Object.keys(row)))].map((tag) => Number.parseInt(tag, 16));
  const bits = 4 + tags.length * 4;
  const width = bits + Math.ceil(tags.length / 8);
  const values = rows.map((row, index) => {
    const bytes = Buffer.alloc(width);
    bytes.writeUInt32LE(index);
    for (const { tag, bytes: value, isInline } of tagged(row)) {
      const column = tags.indexOf(tag);
      (isInline ? value : long(heap.value(to, value))).copy(bytes, 4 + column * 4);
      bytes[bits + (column >> 3)] = (bytes[bits + (column >> 3)] ?? 0) | (0x80 >> (column & 7));
    }
    return bytes;
  });
  const keys = heap.item(
    Buffer.concat(
      rows.map((_, index) => Buffer.concat([long(index), to.isAnsi ? word(index) : long(index)])),
    ),
  );
  const index = heap.item(Buffer.concat([Buffer.from([0xb5, 4, to.isAnsi ? 2 : 4, 0]), long(keys)]));
  const matrix = heap.item(Buffer.concat(values));
  const columns = tags.map((tag, index) =>
    Buffer.concat([
      long(((tag & 0xffff) | ((tag >>> 16) << 16)) >>> 0),
      word(4 + index * 4),
      Buffer.from([4, index]),
    ]),
  );
  const info = heap.item(
    Buffer.concat([
      Buffer.from([0x7c, tags.length]),
      ...[bits, bits, bits, width].map(word),
      long(index),
      long(matrix),
      long(0),
      ...columns,
    ]),
  );
  return { id, data: to.data(heap.bytes(0x7c, info)), children: to.children(heap.nodes), parent: 0 };
}

function message(
  to: Writer,
  id: number,
  { properties, recipients = [], attachments = [] }: MessageSpec,
): Node {
  const parts = attachments.map(({ properties, message: inner }, index) =>
    object(to, 0x8025 + index * 32, properties, [], inner && message(to, 0x200024, inner)),
  );
  return object(to, id, properties, [
    ...(recipients.length > 0 ? [table(to, 0x692, recipients)] : []),
    ...parts,
  ]);
}

interface MadePst {
  folder?: string;
  messages: readonly MessageSpec[];
  isAnsi?: boolean;
  /** The store's encoding: its number, with the function that applies it. */
  method?: number;
  encode?: (bytes: Buffer, id: number) => Buffer;
}

export function pstFile({
  folder = 'Inbox',
  messages,
  isAnsi = false,
  method = 0,
  encode = (bytes) => bytes,
}: MadePst): Buffer {
  const to = new Writer(isAnsi, encode);
  const [first] = messages;
  const { properties, sets, list } = numbered(first?.named ?? {});
  const named = { '00020102': sets, '00030102': list };
  const nodes = [
    ...(first?.named ? [{ ...object(to, 0x61, named), parent: 0 }] : []),
    { ...object(to, 0x122, { '3001001f': 'root' }), parent: 0x122 },
    { ...object(to, INBOX, { '3001001f': folder }), parent: 0x122 },
    ...messages.map((node, index) => {
      const values = node === first ? { ...node.properties, ...properties } : node.properties;
      return message(to, 0x200024 + index * 32, { ...node, properties: values });
    }),
  ].map(({ id, data, children, parent }) =>
    Buffer.concat([
      to.number(id),
      to.number(data),
      to.number(children),
      long(parent),
      Buffer.alloc(isAnsi ? 0 : 4),
    ]),
  );
  const nodePage = to.page(0x81, nodes);
  const blockPages = to.blocks.map(({ id, at, length }) =>
    Buffer.concat([to.number(id), to.number(at), word(length), word(1), Buffer.alloc(isAnsi ? 0 : 4)]),
  );
  const blockPage = to.page(0x80, blockPages);
  const header = Buffer.alloc(1024);
  header.write('!BDN', 'latin1');
  header.write('SM', 8, 'latin1');
  header.writeUInt16LE(isAnsi ? 14 : 23, 10);
  header.writeUInt32LE(nodePage, isAnsi ? 188 : 224);
  header.writeUInt32LE(blockPage, isAnsi ? 196 : 240);
  header[isAnsi ? 461 : 513] = method;
  header.writeUInt32LE(checksum(header.subarray(8, 479)), 4);
  if (!isAnsi) header.writeUInt32LE(checksum(header.subarray(8, 524)), 524);
  return Buffer.concat([header, ...to.pieces]);
}
