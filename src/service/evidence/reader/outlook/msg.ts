/** `.msg`: a message saved by Outlook (MS-OXMSG). */
import { isCfb, readCfb, type Storage } from './cfb.ts';
import { compoundFile } from './cfb-file.ts';
import { composeMail, type OutlookAttachment, type OutlookMessage } from './compose.ts';
import { namedKeys, type Properties, TYPE } from './properties.ts';

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

/** `header`: bytes before the first fixed property. */
function propertiesOf(storage: Storage, header: number, names?: ReadonlyMap<number, number>): Properties {
  const out: Properties = new Map();
  const keyOf = (id: number) => names?.get(id) ?? id;
  const fixed = storage.streams.get(FIXED)?.() ?? Buffer.alloc(0);
  for (let at = header; at + 16 <= fixed.length; at += 16) {
    const type = fixed.readUInt16LE(at);
    if (type !== TYPE.text8 && type !== TYPE.text16 && type !== TYPE.bytes && type !== TYPE.object)
      out.set(keyOf(fixed.readUInt16LE(at + 2)), { type, bytes: fixed.subarray(at + 8, at + 16) });
  }
  for (const [name, read] of storage.streams) {
    const [, id = '', type = ''] = STREAM.exec(name) ?? [];
    if (id !== '')
      out.set(keyOf(Number.parseInt(id, 16)), { type: Number.parseInt(type, 16), bytes: read() });
  }
  return out;
}

class MsgReader {
  readonly #names: ReadonlyMap<number, number>;
  /** Messages nested deeper than the limit are missing. */
  isDamaged = false;

  constructor(root: Storage) {
    this.#names = namesOf(root);
  }

  #attachment(storage: Storage, depth: number): OutlookAttachment {
    const properties = propertiesOf(storage, 8);
    const inner = [...storage.storages].find(([name]) => name.toUpperCase() === EMBEDDED.toUpperCase())?.[1];
    if (inner === undefined) return { properties, message: null };
    if (!inner.streams.has(FIXED)) {
      // An object of another program, which an Outlook store has as a separate file.
      properties.set(0x3701, { type: TYPE.bytes, bytes: compoundFile(inner) });
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
        .map(([, one]) => one);
    return {
      properties: propertiesOf(storage, header, this.#names),
      recipients: named('__recip_version1.0_#').map((one) => propertiesOf(one, 8)),
      attachments: named('__attach_version1.0_#').map((one) => this.#attachment(one, depth)),
    };
  }
}

/** The message as mail. Throws, in words, if it is not an Outlook message. */
export function mailOfMsg(bytes: Buffer): { mail: Buffer; isDamaged: boolean } {
  const { root, isDamaged } = readCfb(bytes);
  if (!root.streams.has(FIXED)) throw new Error('it is a compound file, but no Outlook message');
  const reader = new MsgReader(root);
  const made = composeMail(reader.message(root, 32, 0));
  return { mail: made.mail, isDamaged: made.isDamaged || reader.isDamaged || isDamaged() };
}

/** The mail in an attached `.msg`, or why it cannot be read; null: not an Outlook message. */
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
