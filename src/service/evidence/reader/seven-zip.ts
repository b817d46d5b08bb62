/** Whether a 7z archive is encrypted, according to its directory, which 7z compresses if there are several files. */
import { unpackLzma } from './lzma.ts';

const SIGNATURE = Buffer.from('377abcaf271c', 'hex');
const START = 32;
const AES = Buffer.from('06f10701', 'hex');
const LZMA = Buffer.from('030101', 'hex');
/** Ids of properties in a directory. */
const PACKED_DIRECTORY = 0x17;
const PACK_INFO = 0x06;
const UNPACK_INFO = 0x07;
const FOLDER = 0x0b;
const SIZES = 0x09;
const UNPACKED_SIZES = 0x0c;
const END = 0x00;
/** Bytes of a directory that is unpacked; enough for some 100 000 files. */
const MOST_DIRECTORY = 16 * 1024 * 1024;

/** Throws RangeError at the end of the bytes. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  bytes(count: number): Buffer {
    const found = this.#bytes.subarray(this.#at, this.#at + count);
    if (found.length < count) throw new RangeError('cut off');
    this.#at += count;
    return found;
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

  expect(id: number): void {
    if (this.byte() !== id) throw new RangeError('another field');
  }
}

/** The directory if it is compressed with LZMA alone. Throws RangeError otherwise. */
function unpackedDirectory(archive: Buffer, directory: Buffer, most: number): Buffer {
  const fields = new Fields(directory);
  fields.expect(PACKED_DIRECTORY);
  fields.expect(PACK_INFO);
  const at = START + fields.number();
  fields.expect(1);
  fields.expect(SIZES);
  const packed = fields.number();
  let next = fields.byte();
  if (next === 0x0a) {
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
  return unpackLzma(archive.subarray(at, at + packed), properties, size);
}

export function isLockedSevenZip(bytes: Buffer, mostDirectory = MOST_DIRECTORY): boolean {
  if (bytes.length < START || !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return false;
  const at = START + Number(bytes.readBigUInt64LE(12));
  const directory = bytes.subarray(at, at + Number(bytes.readBigUInt64LE(20)));
  if (directory.includes(AES)) return true;
  try {
    return unpackedDirectory(bytes, directory, mostDirectory).includes(AES);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
