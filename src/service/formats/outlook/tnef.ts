/** TNEF (MS-OXTNEF): the `winmail.dat` with content that Exchange does not write as MIME. */
import { composeMail, type OutlookMessage } from './compose.ts';
import { namedKey, type Properties, TYPE } from './properties.ts';

const SIGNATURE = 0x223e9f78;
const MAX_DEPTH = 10;
const ATTRIBUTE = {
  subject: 0x8004,
  body: 0x800c,
  attachmentStart: 0x9002,
  attachmentData: 0x800f,
  attachmentName: 0x8010,
  properties: 0x9003,
  recipients: 0x9004,
  attachmentProperties: 0x9005,
  version: 0x9006,
  codePage: 0x9007,
} as const;
/** Further attributes of MS-OXTNEF 2.1.3.3: dates, states, and what the properties repeat. */
const OTHERS = [
  0, 1, 2, 6, 7, 8, 9, 0x8000, 0x8005, 0x8006, 0x8007, 0x8008, 0x8009, 0x800a, 0x800b, 0x800d, 0x8011, 0x8012,
  0x8013, 0x8020, 0x9001, 0x9008,
];
const KNOWN: ReadonlySet<number> = new Set([...Object.values(ATTRIBUTE), ...OTHERS]);
const VARIABLE: ReadonlySet<number> = new Set([TYPE.text8, TYPE.text16, TYPE.bytes, TYPE.object]);
const MULTIPLE = 0x1000;

export const isTnef = (bytes: Buffer): boolean => bytes.length >= 6 && bytes.readUInt32LE() === SIGNATURE;

/** Reads the next bytes; throws a RangeError at the end. */
class Cursor {
  readonly #bytes: Buffer;
  offset = 0;
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  get rest(): number {
    return this.#bytes.length - this.offset;
  }
  word(): number {
    this.offset += 2;
    return this.#bytes.readUInt16LE(this.offset - 2);
  }
  long(): number {
    this.offset += 4;
    return this.#bytes.readUInt32LE(this.offset - 4);
  }
  take(length: number): Buffer {
    if (length > this.rest) throw new RangeError('cut off');
    this.offset += length;
    return this.#bytes.subarray(this.offset - length, this.offset);
  }
  /** Whether only line ends, spaces or NULs remain, with which no attribute begins: mail programs add them. */
  isPadding(): boolean {
    for (let offset = this.offset; offset < this.#bytes.length; offset++)
      if (![0, 0x0a, 0x0d, 0x20].includes(this.#bytes[offset] ?? 0)) return false;
    return true;
  }
  padded(length: number): Buffer {
    const bytes = this.take(length);
    this.offset = Math.min(this.#bytes.length, this.offset + (-length & 3));
    return bytes;
  }
}

function sumOf(data: Buffer): number {
  let sum = 0;
  for (const byte of data) sum = (sum + byte) & 0xffff;
  return sum;
}

const widthOf = (type: number): number =>
  type === 0x0048 ? 16 : [0x0005, 0x0006, 0x0007, 0x0014, TYPE.time].includes(type) ? 8 : 4;

function property(from: Cursor, into: Properties): void {
  const type = from.word();
  let id = from.word();
  if (id >= 0x8000) {
    const set = from.take(16);
    if (from.long() === 0) id = namedKey(set, from.long()) ?? id;
    else from.padded(from.long());
  }
  const base = type & ~MULTIPLE;
  const count = type !== base || VARIABLE.has(base) ? from.long() : 1;
  for (let row = 0; row < count; row++) {
    const bytes = VARIABLE.has(base) ? from.padded(from.long()) : from.take(widthOf(base));
    if (type === base && (base === TYPE.object || !into.has(id))) into.set(id, { type: base, bytes });
  }
}

function properties(from: Cursor, into: Properties): void {
  for (let remaining = from.long(); remaining > 0; remaining--) property(from, into);
}

class TnefReader {
  readonly message: OutlookMessage = { properties: new Map(), recipients: [], attachments: [] };
  readonly #depth: number;
  #isVersioned = false;
  isDamaged = false;

  constructor(depth: number) {
    this.#depth = depth;
  }

  #set(into: Properties, id: number, type: number, bytes: Buffer): void {
    if (!into.has(id)) into.set(id, { type, bytes });
  }

  #embedded(properties: Properties): OutlookMessage | null {
    const data = properties.get(0x3701);
    if (data?.type !== TYPE.object) return null;
    // A 16-byte identifier precedes the attached object.
    const bytes = data.bytes.subarray(16);
    properties.set(0x3701, { type: TYPE.bytes, bytes });
    if (!isTnef(bytes) || this.#depth >= MAX_DEPTH) return null;
    const inner = new TnefReader(this.#depth + 1);
    inner.read(bytes);
    this.isDamaged ||= inner.isDamaged;
    return inner.message;
  }

  /** Attributes since the beginning, or since the last attachment began. */
  readonly #attributes = new Set<number>();

  /** Programs that write a version end a message, and each attachment, with its properties. */
  #checkEnd(): void {
    const end = this.message.attachments.length > 0 ? ATTRIBUTE.attachmentProperties : ATTRIBUTE.properties;
    if (this.#isVersioned && !this.#attributes.has(end)) this.isDamaged = true;
    this.#attributes.clear();
  }

  #attribute(id: number, data: Buffer): void {
    const { message } = this;
    const ownProperties = message.properties;
    const attachment = message.attachments.at(-1);
    switch (id) {
      case ATTRIBUTE.subject:
        this.#set(ownProperties, 0x0037, TYPE.text8, data);
        break;
      case ATTRIBUTE.body:
        this.#set(ownProperties, 0x1000, TYPE.text8, data);
        break;
      case ATTRIBUTE.codePage:
        this.#set(ownProperties, 0x3ffd, TYPE.int, data);
        break;
      case ATTRIBUTE.properties:
        properties(new Cursor(data), ownProperties);
        break;
      case ATTRIBUTE.recipients: {
        const from = new Cursor(data);
        for (let remaining = from.long(); remaining > 0; remaining--) {
          const item: Properties = new Map();
          properties(from, item);
          message.recipients.push(item);
        }
        break;
      }
      case ATTRIBUTE.version:
        this.#isVersioned = true;
        break;
      case ATTRIBUTE.attachmentStart:
        this.#checkEnd();
        message.attachments.push({ properties: new Map(), message: null });
        break;
      case ATTRIBUTE.attachmentName:
        if (attachment) this.#set(attachment.properties, 0x3704, TYPE.text8, data);
        break;
      case ATTRIBUTE.attachmentData:
        if (attachment) this.#set(attachment.properties, 0x3701, TYPE.bytes, data);
        break;
      case ATTRIBUTE.attachmentProperties:
        if (attachment === undefined) break;
        properties(new Cursor(data), attachment.properties);
        attachment.message = this.#embedded(attachment.properties);
    }
  }

  read(bytes: Buffer): void {
    const from = new Cursor(bytes);
    from.take(6);
    // Truncated just after its start.
    if (from.isPadding()) this.isDamaged = true;
    while (!from.isPadding())
      try {
        from.take(1);
        const id = from.word();
        from.word();
        // Checksums do not cover the number.
        if (!KNOWN.has(id)) this.isDamaged = true;
        const data = from.take(from.long());
        if (from.rest < 2 || from.word() !== sumOf(data)) this.isDamaged = true;
        this.#attribute(id, data);
        this.#attributes.add(id);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.isDamaged = true;
        if (from.rest < 9) break;
      }
    this.#checkEnd();
  }
}

/** The message in it as mail. Throws, in words, if it is not TNEF. */
export function mailOfTnef(bytes: Buffer): { mail: Buffer; isDamaged: boolean } {
  if (!isTnef(bytes)) throw new Error('it is not TNEF (winmail.dat)');
  const reader = new TnefReader(0);
  reader.read(bytes);
  const { mail, isDamaged } = composeMail(reader.message);
  return { mail, isDamaged: isDamaged || reader.isDamaged };
}
