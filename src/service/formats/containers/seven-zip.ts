/** The directory of a 7z archive, which 7z compresses if there are several files: its files, and whether it is encrypted. */
import { unpackLzma } from './lzma.ts';
import type { ListedFile } from './members.ts';

const SIGNATURE = Buffer.from('377abcaf271c', 'hex');
const START = 32;
const AES = Buffer.from('06f10701', 'hex');
const LZMA = Buffer.from('030101', 'hex');
/** Ids of properties in a directory. */
const DIRECTORY = 0x01;
const STREAMS = 0x04;
const FILES = 0x05;
const SUBSTREAMS = 0x08;
const CHECKSUMS = 0x0a;
const COUNTS = 0x0d;
const NO_STREAM = 0x0e;
const NO_FILE = 0x0f;
const NAMES = 0x11;
const PACKED_DIRECTORY = 0x17;
const PACK_INFO = 0x06;
const UNPACK_INFO = 0x07;
const FOLDER = 0x0b;
const SIZES = 0x09;
const UNPACKED_SIZES = 0x0c;
const END = 0x00;
/** Files of an archive that are listed, and streams that are counted. */
const MOST_FILES = 10_000;
/** Bytes of a directory that is unpacked; enough for some 100 000 files. */
const MOST_DIRECTORY = 16 * 1024 * 1024;

/** Throws RangeError at the end of the bytes. */
class Fields {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#offset++);
  }

  bytes(count: number): Buffer {
    const piece = this.#bytes.subarray(this.#offset, this.#offset + count);
    if (piece.length < count) throw new RangeError('cut off');
    this.#offset += count;
    return piece;
  }

  /** The leading one bits of the first byte give the number of bytes that follow; its other bits are the highest ones. */
  number(): number {
    const first = this.byte();
    let value = 0;
    for (let count = 0; count < 8; count++) {
      const mask = 0x80 >> count;
      if ((first & mask) === 0) return value + (first & (mask - 1)) * 2 ** (8 * count);
      value += this.byte() * 2 ** (8 * count);
    }
    return value;
  }

  /** A count that memory is taken for. */
  count(): number {
    const count = this.number();
    if (count > MOST_FILES) throw new RangeError('too many');
    return count;
  }

  /** One bit for each of `count` things. If it `hasAll`, a byte before them may say that all are set. */
  bits(count: number, hasAll: boolean): boolean[] {
    if (hasAll && this.byte() !== 0) return Array.from({ length: count }, () => true);
    const bytes = this.bytes((count + 7) >> 3);
    return Array.from({ length: count }, (_, index) => ((bytes[index >> 3]! >> (7 - (index & 7))) & 1) === 1);
  }

  checksums(count: number): void {
    this.bytes(4 * this.bits(count, true).filter(Boolean).length);
  }

  expect(id: number): void {
    if (this.byte() !== id) throw new RangeError('another field');
  }
}

/** The directory if it is compressed with LZMA alone. Throws RangeError otherwise. */
function unpackedDirectory(archive: Buffer, directory: Buffer, most: number): Buffer {
  const fields = new Fields(directory);
  fields.expect(PACKED_DIRECTORY);
  fields.expect(PACK_INFO);
  const offset = START + fields.number();
  fields.expect(1);
  fields.expect(SIZES);
  const packed = fields.number();
  let next = fields.byte();
  if (next === CHECKSUMS) {
    if (fields.byte() === 1) fields.bytes(4);
    next = fields.byte();
  }
  if (next !== END) throw new RangeError('another field');
  fields.expect(UNPACK_INFO);
  fields.expect(FOLDER);
  fields.expect(1);
  fields.expect(0);
  fields.expect(1);
  // The method has an id of three bytes, and properties.
  fields.expect(0x23);
  if (!fields.bytes(LZMA.length).equals(LZMA)) throw new RangeError('another method');
  const properties = fields.bytes(fields.number());
  fields.expect(UNPACKED_SIZES);
  const size = fields.number();
  if (size > most) throw new RangeError('too large');
  return unpackLzma(archive.subarray(offset, offset + packed), properties, size);
}

/** Whether it is a 7z archive, and its directory as stored. */
function storedDirectory(bytes: Buffer): Buffer | null {
  if (bytes.length < START || !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return null;
  const offset = START + Number(bytes.readBigUInt64LE(12));
  return bytes.subarray(offset, offset + Number(bytes.readBigUInt64LE(20)));
}

export function isLockedSevenZip(bytes: Buffer, mostDirectory = MOST_DIRECTORY): boolean {
  const directory = storedDirectory(bytes);
  if (directory === null) return false;
  if (directory.includes(AES)) return true;
  try {
    return unpackedDirectory(bytes, directory, mostDirectory).includes(AES);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

interface Folder {
  /** Of the whole folder, in bytes. */
  size: number;
  encrypted: boolean;
  streams: number;
  hasChecksum: boolean;
}

/** How the streams of a folder are packed; only whether AES is among it matters, and how many sizes follow. */
function readFolder(fields: Fields): { outputs: number; main: number; encrypted: boolean } {
  let [inputs, outputs, encrypted] = [0, 0, false];
  for (let coders = fields.count(); coders > 0; coders--) {
    const flags = fields.byte();
    if (fields.bytes(flags & 0x0f).equals(AES)) encrypted = true;
    const isComplex = (flags & 0x10) !== 0;
    inputs += isComplex ? fields.count() : 1;
    outputs += isComplex ? fields.count() : 1;
    if ((flags & 0x20) !== 0) fields.bytes(fields.number());
    if (inputs > MOST_FILES || outputs > MOST_FILES) throw new RangeError('too many');
  }
  const bound = new Set<number>();
  for (let pair = 1; pair < outputs; pair++) {
    fields.number();
    bound.add(fields.number());
  }
  const packed = inputs - (outputs - 1);
  if (packed > 1) for (let stream = 0; stream < packed; stream++) fields.number();
  // The output that feeds no other coder is the content.
  const main = Array.from({ length: outputs }, (_, index) => index).find((index) => !bound.has(index)) ?? 0;
  return { outputs, main, encrypted };
}

function readFolders(fields: Fields): Folder[] {
  fields.expect(FOLDER);
  const count = fields.count();
  fields.expect(0);
  const folders = Array.from({ length: count }, () => readFolder(fields));
  fields.expect(UNPACKED_SIZES);
  const out = folders.map(({ outputs, main, encrypted }): Folder => {
    const sizes = Array.from({ length: outputs }, () => fields.number());
    return { size: sizes[main] ?? 0, encrypted, streams: 1, hasChecksum: false };
  });
  for (let id = fields.byte(); id !== END; id = fields.byte()) {
    if (id !== CHECKSUMS) throw new RangeError('another field');
    const flags = fields.bits(count, true);
    fields.bytes(4 * flags.filter(Boolean).length);
    for (const [index, folder] of out.entries()) folder.hasChecksum = flags[index] ?? false;
  }
  return out;
}

const streamsOf = (folders: readonly Folder[]): number =>
  folders.reduce((sum, { streams }) => sum + streams, 0);

/** The size and lock of each file with content, in order. */
function readStreams(fields: Fields): Pick<ListedFile, 'size' | 'encrypted'>[] {
  let folders: Folder[] = [];
  let sizes: number[] | null = null;
  for (let id = fields.byte(); id !== END; id = fields.byte()) {
    if (id === PACK_INFO) {
      fields.number();
      const count = fields.count();
      for (let next = fields.byte(); next !== END; next = fields.byte())
        if (next === SIZES) for (let index = 0; index < count; index++) fields.number();
        else if (next === CHECKSUMS) fields.checksums(count);
        else throw new RangeError('another field');
    } else if (id === UNPACK_INFO) folders = readFolders(fields);
    else if (id === SUBSTREAMS) {
      let next = fields.byte();
      if (next === COUNTS) {
        for (const folder of folders) folder.streams = fields.count();
        if (streamsOf(folders) > MOST_FILES) throw new RangeError('too many');
        next = fields.byte();
      }
      sizes = folders.flatMap(({ size, streams }) => {
        let rest = size;
        return Array.from({ length: streams }, (_, index) => {
          const size = index === streams - 1 || next !== SIZES ? rest : fields.number();
          rest -= size;
          return size;
        });
      });
      if (next === SIZES) next = fields.byte();
      if (next === CHECKSUMS) {
        fields.checksums(
          streamsOf(folders.filter(({ streams, hasChecksum }) => streams !== 1 || !hasChecksum)),
        );
        next = fields.byte();
      }
      if (next !== END) throw new RangeError('another field');
    } else throw new RangeError('another field');
  }
  const all = folders.flatMap(({ encrypted, streams }) => Array.from({ length: streams }, () => encrypted));
  return all.map((encrypted, index) => ({ encrypted, size: sizes?.[index] ?? folders[index]?.size ?? null }));
}

/** The files of a directory that is not packed. Throws RangeError if it is damaged, or has too many. */
function readFiles(directory: Buffer): ListedFile[] {
  const fields = new Fields(directory);
  fields.expect(DIRECTORY);
  let id = fields.byte();
  const streams = id === STREAMS ? readStreams(fields) : [];
  if (id === STREAMS) id = fields.byte();
  if (id !== FILES) throw new RangeError('another field');
  const count = fields.count();
  let names: string[] = [];
  let isEmpty: boolean[] = [];
  let isFile: boolean[] = [];
  for (let property = fields.number(); property !== END; property = fields.number()) {
    const content = fields.bytes(fields.number());
    if (property === NO_STREAM) isEmpty = new Fields(content).bits(count, false);
    else if (property === NO_FILE) isFile = new Fields(content).bits(isEmpty.filter(Boolean).length, false);
    // A first byte other than zero says that the names are in another stream.
    else if (property === NAMES && content[0] === 0)
      names = content.toString('utf16le', 1).split('\0', count);
  }
  let [stream, empty] = [0, 0];
  return names.flatMap((path, index) => {
    if (isEmpty[index] !== true) return { path, ...(streams[stream++] ?? { size: null, encrypted: false }) };
    return isFile[empty++] === true ? { path, size: 0, encrypted: false } : [];
  });
}

/** Closed if its names are encrypted or its directory is packed in another way; null if it is damaged or no 7z archive. */
export function sevenZipList(bytes: Buffer): { files: ListedFile[]; isClosed: boolean } | null {
  const stored = storedDirectory(bytes);
  if (stored === null) return null;
  try {
    const directory =
      stored[0] === PACKED_DIRECTORY ? unpackedDirectory(bytes, stored, MOST_DIRECTORY) : stored;
    return { files: readFiles(directory), isClosed: false };
  } catch (error) {
    if (error instanceof RangeError) return { files: [], isClosed: true };
    throw error;
  }
}
