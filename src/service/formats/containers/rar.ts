/** Lists the files of a RAR archive (versions 1.5 to 5) and whether a password protects them. */
import type { ListedFile } from './members.ts';

const OLD = Buffer.from('Rar!\x1a\x07\0', 'latin1');
const NEW = Buffer.from('Rar!\x1a\x07\x01\0', 'latin1');
const MOST_BLOCKS = 10_000;

export interface RarList {
  files: ListedFile[];
  /** The file names are encrypted as well. */
  isClosed: boolean;
}

const OLD_BLOCK = { main: 0x73, file: 0x74, end: 0x7b } as const;
const OLD_FLAG = { closed: 0x80, locked: 0x04, large: 0x100, more: 0x8000, isFolder: 0xe0 } as const;

function oldFile(bytes: Buffer, offset: number, flags: number, out: RarList): void {
  if ((flags & OLD_FLAG.isFolder) === OLD_FLAG.isFolder) return;
  const from = offset + ((flags & OLD_FLAG.large) === 0 ? 32 : 40);
  const name = bytes.subarray(from, from + bytes.readUInt16LE(offset + 26));
  const end = name.indexOf(0);
  const high = (flags & OLD_FLAG.large) === 0 ? 0 : bytes.readUInt32LE(offset + 36);
  out.files.push({
    // After a zero byte the name is repeated in compressed UTF-16.
    path: name.toString('utf8', 0, end < 0 ? name.length : end),
    size: bytes.readUInt32LE(offset + 11) + high * 2 ** 32,
    encrypted: (flags & OLD_FLAG.locked) !== 0,
  });
}

function readOld(bytes: Buffer, out: RarList, most: number): void {
  let offset = OLD.length;
  for (let count = 0; count < most; count++) {
    const type = bytes.readUInt8(offset + 2);
    const flags = bytes.readUInt16LE(offset + 3);
    const size = bytes.readUInt16LE(offset + 5);
    if (type === OLD_BLOCK.main && (flags & OLD_FLAG.closed) !== 0) out.isClosed = true;
    if (type === OLD_BLOCK.file) oldFile(bytes, offset, flags, out);
    if (out.isClosed || type === OLD_BLOCK.end || size < 7) return;
    const hasData = type === OLD_BLOCK.file || (flags & OLD_FLAG.more) !== 0;
    const isLarge = type === OLD_BLOCK.file && (flags & OLD_FLAG.large) !== 0;
    const data = hasData ? bytes.readUInt32LE(offset + 7) : 0;
    offset += size + data + (isLarge ? bytes.readUInt32LE(offset + 32) * 2 ** 32 : 0);
  }
}

const NEW_BLOCK = { file: 2, closed: 4, end: 5 } as const;
const NEW_FLAG = { extra: 1, data: 2 } as const;
const FILE_FLAG = { isFolder: 1, hasTime: 2, hasChecksum: 4, hasNoSize: 8 } as const;
/** Type of the extra record that describes a file's encryption. */
const ENCRYPTION = 1;

/** Variable-length integers with seven bits per byte. Throws RangeError at the end of the bytes. */
class Numbers {
  readonly #bytes: Buffer;
  offset: number;

  constructor(bytes: Buffer, position: number) {
    this.#bytes = bytes;
    this.offset = position;
  }

  next(): number {
    let value = 0;
    for (let place = 0; place < 10; place++) {
      const byte = this.#bytes.readUInt8(this.offset++);
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return value;
    }
    throw new RangeError('no number');
  }
}

function newFile(bytes: Buffer, fields: Numbers, end: number, extra: number, out: RarList): void {
  const flags = fields.next();
  const size = fields.next();
  fields.next();
  if ((flags & FILE_FLAG.hasTime) !== 0) fields.offset += 4;
  if ((flags & FILE_FLAG.hasChecksum) !== 0) fields.offset += 4;
  fields.next();
  fields.next();
  const length = fields.next();
  if ((flags & FILE_FLAG.isFolder) !== 0) return;
  const file: ListedFile = {
    path: bytes.toString('utf8', fields.offset, Math.min(end, fields.offset + length)),
    size: (flags & FILE_FLAG.hasNoSize) === 0 ? size : null,
    encrypted: false,
  };
  out.files.push(file);
  for (const record = new Numbers(bytes, end - extra); record.offset < end; ) {
    const next = record.next() + record.offset;
    if (record.next() === ENCRYPTION) {
      file.encrypted = true;
      return;
    }
    record.offset = next;
  }
}

function readNew(bytes: Buffer, out: RarList, most: number): void {
  const fields = new Numbers(bytes, NEW.length);
  for (let count = 0; count < most; count++) {
    fields.offset += 4;
    const size = fields.next();
    const end = fields.offset + size;
    const type = fields.next();
    const flags = fields.next();
    const extra = (flags & NEW_FLAG.extra) === 0 ? 0 : fields.next();
    const data = (flags & NEW_FLAG.data) === 0 ? 0 : fields.next();
    if (type === NEW_BLOCK.closed) out.isClosed = true;
    if (type === NEW_BLOCK.file) newFile(bytes, fields, end, extra, out);
    if (out.isClosed || type === NEW_BLOCK.end) return;
    fields.offset = end + data;
  }
}

/** Null if not a RAR archive. If it is truncated or damaged, the files before that point. */
export function rarList(bytes: Buffer, mostBlocks = MOST_BLOCKS): RarList | null {
  const startsWith = (mark: Buffer) => bytes.subarray(0, mark.length).equals(mark);
  const read = startsWith(OLD) ? readOld : startsWith(NEW) ? readNew : null;
  if (read === null) return null;
  const out: RarList = { files: [], isClosed: false };
  try {
    read(bytes, out, mostBlocks);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return out;
}
