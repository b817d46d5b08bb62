/** Composes Outlook and Exchange files from properties: compound files (MS-CFB, MS-OXMSG) and TNEF. */

/** Number and type of a property, eight hexadecimal digits (`0037001f`), to its value. */
export type PropertyValues = Record<string, string | Buffer | number>;
export interface MessageSpec {
  properties: PropertyValues;
  /** Named properties, of the outermost message: set (32 hexadecimal digits), number (8) and type (4) to the value. */
  named?: PropertyValues;
  recipients?: PropertyValues[];
  /** `object`: streams that another program stores in an attachment (OLE). */
  attachments?: { properties: PropertyValues; message?: MessageSpec; object?: Record<string, Buffer> }[];
}

interface Node {
  name: string;
  bytes?: Buffer;
  children?: Node[];
}

const SECTOR = 512;
const END = 0xfffffffe;
const FREE = 0xffffffff;
const hex = (value: number) => value.toString(16).toUpperCase().padStart(8, '0');
const encoded = (id: number, value: string | Buffer | number): Buffer => {
  if (typeof value === 'string') return Buffer.from(value, (id & 0xffff) === 0x1f ? 'utf16le' : 'latin1');
  if (typeof value !== 'number') return value;
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(
    (id & 0xffff) === 0x40 ? (BigInt(value) + 11_644_473_600_000n) * 10_000n : BigInt(value),
  );
  return bytes;
};

const TERMINATORS: Record<number, number> = { 30: 1, 31: 2 };

/** `counts`: of a message, its recipients and attachments. */
function propertyNodes(values: PropertyValues, header: number, counts: readonly number[] = []): Node[] {
  const entries = Object.entries(values).map(([id, value]) => [Number.parseInt(id, 16), value] as const);
  const listed = entries.map(([id, value]) => {
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(id);
    const bytes = encoded(id, value);
    if (typeof value === 'number') bytes.copy(entry, 8);
    // The size includes a terminator.
    else entry.writeUInt32LE(bytes.length + (TERMINATORS[id & 0xffff] ?? 0), 8);
    return entry;
  });
  const head = Buffer.alloc(header);
  for (const [index, count] of counts.entries()) head.writeUInt32LE(count, 16 + index * 4);
  return [
    { name: '__properties_version1.0', bytes: Buffer.concat([head, ...listed]) },
    ...entries
      .filter(([, value]) => typeof value !== 'number')
      .map(([id, value]) => ({ name: `__substg1.0_${hex(id)}`, bytes: encoded(id, value) })),
  ];
}

const FIRST_NAMED = 0x8000;
const pieces = (name: string) => ({
  set: Buffer.from(name.slice(0, 32), 'hex'),
  number: Number.parseInt(name.slice(32, 40), 16),
  type: name.slice(40),
});

/** Named properties with the numbers that a file assigns to them, and the streams that map numbers to names. */
export function numbered(named: PropertyValues): { properties: PropertyValues; sets: Buffer; list: Buffer } {
  const all = Object.entries(named).map(([name, value]) => ({ ...pieces(name), value }));
  return {
    properties: Object.fromEntries(
      all.map(({ type, value }, index) => [`${(FIRST_NAMED + index).toString(16)}${type}`, value]),
    ),
    sets: Buffer.concat(all.map(({ set }) => set)),
    list: Buffer.concat(
      all.map(({ number }, index) => {
        const entry = Buffer.alloc(8);
        entry.writeUInt32LE(number);
        entry.writeUInt16LE((index + 3) * 2, 4);
        entry.writeUInt16LE(index, 6);
        return entry;
      }),
    ),
  };
}

const streamNodes = (streams: Record<string, Buffer>): Node[] =>
  Object.entries(streams).map(([name, bytes]) => ({ name, bytes }));

const messageNodes = (
  { properties, recipients = [], attachments = [] }: MessageSpec,
  header: number,
): Node[] => [
  ...propertyNodes(properties, header, [recipients.length, attachments.length]),
  ...recipients.map((recipient, index) => ({
    name: `__recip_version1.0_#${hex(index)}`,
    children: propertyNodes(recipient, 8),
  })),
  ...attachments.map(({ properties, message, object }, index) => ({
    name: `__attach_version1.0_#${hex(index)}`,
    children: [
      ...propertyNodes(properties, 8),
      ...(message ? [{ name: '__substg1.0_3701000D', children: messageNodes(message, 24) }] : []),
      ...(object ? [{ name: '__substg1.0_3701000D', children: streamNodes(object) }] : []),
    ],
  })),
];

/** Stores everything in full sectors, without a mini stream. */
function compound(root: Node[]): Buffer {
  const entries: Buffer[] = [];
  const sectors: Buffer[] = [];
  const fat: number[] = [];
  const put = (bytes: Buffer): number => {
    const first = sectors.length;
    const count = Math.max(1, Math.ceil(bytes.length / SECTOR));
    for (let index = 0; index < count; index++) {
      const sector = Buffer.alloc(SECTOR);
      bytes.copy(sector, 0, index * SECTOR, (index + 1) * SECTOR);
      sectors.push(sector);
      fat.push(index + 1 < count ? first + index + 1 : END);
    }
    return first;
  };
  const add = (node: Node, type: number): number => {
    const entry = Buffer.alloc(128);
    const index = entries.push(entry) - 1;
    const name = Buffer.from(node.name, 'utf16le');
    name.copy(entry);
    entry.writeUInt16LE(name.length + 2, 64);
    entry[66] = type;
    entry.fill(0xff, 68, 80);
    if (node.bytes) {
      entry.writeUInt32LE(put(node.bytes), 116);
      entry.writeUInt32LE(node.bytes.length, 120);
    }
    let before = -1;
    for (const child of node.children ?? []) {
      const slot = add(child, child.children ? 1 : 2);
      if (before < 0) entry.writeUInt32LE(slot, 76);
      else entries[before]?.writeUInt32LE(slot, 72);
      before = slot;
    }
    return index;
  };
  add({ name: 'Root Entry', children: root }, 5);
  entries[0]?.writeUInt32LE(END, 116);
  const directory = put(Buffer.concat(entries));
  const fatCount = Math.ceil((fat.length + 32) / 126);
  const fatStart = sectors.length;
  for (let index = 0; index < fatCount; index++) fat.push(0xfffffffd);
  const table = Buffer.alloc(fatCount * SECTOR, 0xff);
  for (const [index, value] of fat.entries()) table.writeUInt32LE(value, index * 4);
  const header = Buffer.alloc(SECTOR);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  for (const [offset, value] of [
    [24, 0x3e],
    [26, 3],
    [28, 0xfffe],
    [30, 9],
    [32, 6],
  ] as const)
    header.writeUInt16LE(value, offset);
  for (const [offset, value] of [
    [44, fatCount],
    [48, directory],
    // No stream is small enough for the mini stream.
    [56, 0],
    [60, END],
    [68, END],
  ] as const)
    header.writeUInt32LE(value, offset);
  for (let index = 0; index < 109; index++)
    header.writeUInt32LE(index < fatCount ? fatStart + index : FREE, 76 + index * 4);
  return Buffer.concat([header, ...sectors, table]);
}

/** A compound file with arbitrary streams. */
export const compoundFile = (streams: Record<string, Buffer>): Buffer => compound(streamNodes(streams));

export function msgFile(message: MessageSpec): Buffer {
  const { properties, sets, list } = numbered(message.named ?? {});
  const names = { '__substg1.0_00020102': sets, '__substg1.0_00030102': list };
  return compound([
    ...messageNodes({ ...message, properties: { ...message.properties, ...properties } }, 32),
    ...(message.named ? [{ name: '__nameid_version1.0', children: streamNodes(names) }] : []),
  ]);
}

const long = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const padded = (bytes: Buffer) => Buffer.concat([long(bytes.length), bytes, Buffer.alloc(-bytes.length & 3)]);

function tnefProperties(values: PropertyValues, named: PropertyValues = {}): Buffer {
  const none = Buffer.alloc(0);
  const entries = [
    ...Object.entries(values).map(([id, value]) => [Number.parseInt(id, 16), value, none] as const),
    ...Object.entries(named).map(([name, value]) => {
      const { set, number, type } = pieces(name);
      const id = Number.parseInt(`8000${type}`, 16);
      return [id, value, Buffer.concat([set, long(0), long(number)])] as const;
    }),
  ];
  return Buffer.concat([
    long(entries.length),
    ...entries.map(([id, value, name]) => {
      const bytes = encoded(id, value);
      const isFixed = typeof value === 'number';
      const width = (id & 0xffff) === 0x40 ? 8 : 4;
      return Buffer.concat([
        long(id),
        name,
        isFixed ? bytes.subarray(0, width) : Buffer.concat([long(1), padded(bytes)]),
      ]);
    }),
  ]);
}

export function tnefFile({ properties, named, recipients = [], attachments = [] }: MessageSpec): Buffer {
  const attribute = (level: number, id: number, data: Buffer) => {
    const sum = data.reduce((all, byte) => (all + byte) & 0xffff, 0);
    const end = Buffer.from([sum & 0xff, sum >> 8]);
    return Buffer.concat([Buffer.from([level]), long(id), long(data.length), data, end]);
  };
  return Buffer.concat([
    long(0x223e9f78),
    Buffer.from([1, 0]),
    attribute(1, 0x00089006, Buffer.from([0, 0, 1, 0])),
    ...(recipients.length === 0
      ? []
      : [
          attribute(
            1,
            0x00069004,
            Buffer.concat([
              long(recipients.length),
              ...recipients.map((recipient) => tnefProperties(recipient)),
            ]),
          ),
        ]),
    attribute(1, 0x00069003, tnefProperties(properties, named)),
    ...attachments.flatMap(({ properties, message, object }) => {
      const inner = message ? tnefFile(message) : object ? compoundFile(object) : null;
      const data = inner && { '3701000d': Buffer.concat([Buffer.alloc(16), inner]) };
      return [
        attribute(2, 0x00069002, Buffer.alloc(14)),
        attribute(2, 0x00069005, tnefProperties({ ...properties, ...data })),
      ];
    }),
  ]);
}
