/** `.msg`: a message saved by Outlook (MS-OXMSG). */
import { isCfb, readCfb, type Storage } from './cfb.ts';
import { compoundFile } from './cfb-file.ts';
import { composeMail, type OutlookAttachment, type OutlookMessage } from './compose.ts';
import { namedKeys, numberOf, type Properties, TYPE } from './properties.ts';

const FIXED = '__properties_version1.0';
const FIXED_NAME = Buffer.from(FIXED, 'utf16le');
const STREAM = /^__substg1\.0_([0-9A-F]{4})([0-9A-F]{4})$/i;
const EMBEDDED = '__substg1.0_3701000D';
const MAX_DEPTH = 10;
const NAMES = {
  storage: '__nameid_version1.0',
  sets: '__substg1.0_00020102',
  list: '__substg1.0_00030102',
} as const;

/** The keys of named properties, listed once per file for all messages in it. */
function namesOf(root: Storage): ReadonlyMap<number, number> {
  const streams = root.storages.get(NAMES.storage)?.streams;
  const [sets, list] = [NAMES.sets, NAMES.list].map((name) => streams?.get(name)?.() ?? Buffer.alloc(0));
  return sets && list ? namedKeys(sets, list) : new Map();
}

const ID = { data: 0x3701, method: 0x3705 } as const;
/** Methods that attach a message or an object of another program. */
const OBJECTS: ReadonlySet<number | null> = new Set([5, 6]);
/** By type: the bytes of a terminator that the listed size of a stream includes. */
const TERMINATORS: ReadonlyMap<number, number> = new Map([
  [TYPE.text8, 1],
  [TYPE.text16, 2],
  [TYPE.bytes, 0],
]);

class MsgReader {
  readonly #names: ReadonlyMap<number, number>;
  /** Messages nested deeper than the limit are missing, or streams do not match their list. */
  isDamaged = false;

  constructor(root: Storage) {
    this.#names = namesOf(root);
  }

  /** `header` counts the bytes before the first fixed property. */
  #properties(storage: Storage, header: number, names?: ReadonlyMap<number, number>): Properties {
    const out: Properties = new Map();
    const keyOf = (id: number) => names?.get(id) ?? id;
    const fixed = storage.streams.get(FIXED)?.() ?? Buffer.alloc(0);
    if (fixed.length < header) this.isDamaged = true;
    /** Listed sizes, by number and type. */
    const sizes = new Map<number, number>();
    for (let offset = header; offset + 16 <= fixed.length; offset += 16) {
      const [type, id] = [fixed.readUInt16LE(offset), fixed.readUInt16LE(offset + 2)];
      if (TERMINATORS.has(type)) sizes.set(id * 0x10000 + type, fixed.readUInt32LE(offset + 8));
      else if (type !== TYPE.object)
        out.set(keyOf(id), { type, bytes: fixed.subarray(offset + 8, offset + 16) });
    }
    for (const [name, read] of storage.streams) {
      const [, id = '', kind = ''] = STREAM.exec(name) ?? [];
      if (id === '') continue;
      const [type, bytes] = [Number.parseInt(kind, 16), read()];
      out.set(keyOf(Number.parseInt(id, 16)), { type, bytes });
      const end = TERMINATORS.get(type);
      if (end === undefined) continue;
      const key = Number.parseInt(id, 16) * 0x10000 + type;
      const size = sizes.get(key);
      // Some programs do not count the terminator, or do not list a property.
      if (size !== undefined && size !== bytes.length && size !== bytes.length + end) this.isDamaged = true;
      sizes.delete(key);
    }
    // An empty value needs no stream.
    if ([...sizes.values()].some((size) => size > 2)) this.isDamaged = true;
    return out;
  }

  #attachment(storage: Storage, depth: number): OutlookAttachment {
    const properties = this.#properties(storage, 8);
    const inner = [...storage.storages].find(([name]) => name.toUpperCase() === EMBEDDED.toUpperCase())?.[1];
    if (inner === undefined) {
      const isObject = OBJECTS.has(numberOf(properties, ID.method));
      if (isObject && !properties.has(ID.data)) this.isDamaged = true;
      return { properties, message: null };
    }
    if (!inner.streams.has(FIXED)) {
      // An object of another program, which an Outlook store has as a separate file.
      properties.set(ID.data, { type: TYPE.bytes, bytes: compoundFile(inner) });
      return { properties, message: null };
    }
    if (depth < MAX_DEPTH) return { properties, message: this.message(inner, 24, depth + 1) };
    this.isDamaged = true;
    return { properties, message: null };
  }

  message(storage: Storage, header: number, depth: number): OutlookMessage {
    const named = (prefix: string) =>
      [...storage.storages]
        .filter(([name]) => name.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, entry]) => entry);
    const recipients = named('__recip_version1.0_#').map((recipient) => this.#properties(recipient, 8));
    const attachments = named('__attach_version1.0_#').map((attachment) =>
      this.#attachment(attachment, depth),
    );
    // Their numbers precede the properties.
    const counts = storage.streams.get(FIXED)?.().subarray(16, 24) ?? Buffer.alloc(0);
    if (counts.length === 8)
      this.isDamaged ||=
        recipients.length < counts.readUInt32LE(0) || attachments.length < counts.readUInt32LE(4);
    return { properties: this.#properties(storage, header, this.#names), recipients, attachments };
  }
}

/** The message as mail. Throws, in words, if it is not an Outlook message. */
export function mailOfMsg(bytes: Buffer): { mail: Buffer; isDamaged: boolean } {
  const { root, isDamaged } = readCfb(bytes);
  if (!root.streams.has(FIXED)) throw new Error('it is a compound file, but no Outlook message');
  const reader = new MsgReader(root);
  const mail = composeMail(reader.message(root, 32, 0));
  return { mail: mail.mail, isDamaged: mail.isDamaged || reader.isDamaged || isDamaged() };
}

/** The mail in an attached `.msg`, or why it cannot be read, or null if not an Outlook message. */
export function attachedMsg(
  part: { filename: string | null; contentType: string },
  bytes: Buffer,
): { mail: Buffer; isDamaged: boolean } | { mail: null; reason: string } | null {
  if (!isCfb(bytes)) return null;
  const isNamed = /\.msg\s*$/i.test(part.filename ?? '') || part.contentType === 'application/vnd.ms-outlook';
  // Office documents are compound files, too.
  if (!isNamed && !bytes.includes(FIXED_NAME)) return null;
  try {
    return mailOfMsg(bytes);
  } catch (error) {
    if (!isNamed) return null;
    return { mail: null, reason: error instanceof Error ? error.message : 'it is damaged' };
  }
}
