/** The list of files at the end of a zip that is in memory, and their bytes, without promises: archive.ts reads any zip. */
import { inflateRawSync } from 'node:zlib';
import type { ListedFile } from './members.ts';

const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const MAX_ENTRIES = 10_000;

export interface ZippedFile extends ListedFile {
  /** Where its own header is. */
  start: number;
}

/** At most `MAX_ENTRIES` entries, folders included, or null if it is not a zip. */
export function zipList(bytes: Buffer): ZippedFile[] | null {
  if (bytes.length < END_BYTES || bytes.readUInt32LE(0) !== LOCAL) return null;
  const least = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT);
  let end = bytes.length - END_BYTES;
  while (end >= least && bytes.readUInt32LE(end) !== END) end -= 1;
  if (end < least) return null;
  const files: ZippedFile[] = [];
  // Bytes in front of an archive shift its list: readers find it before the end of the archive.
  const start = bytes.readUInt32LE(end + 16);
  const near = end - bytes.readUInt32LE(end + 12);
  const shift = near > start && bytes.readUInt32LE(near) === ENTRY ? near - start : 0;
  for (let offset = start + shift; files.length < MAX_ENTRIES; ) {
    if (offset + 46 > bytes.length || bytes.readUInt32LE(offset) !== ENTRY) break;
    const name = bytes.readUInt16LE(offset + 28);
    files.push({
      path: bytes.toString('utf8', offset + 46, offset + 46 + name),
      size: bytes.readUInt32LE(offset + 24),
      encrypted: (bytes.readUInt16LE(offset + 8) & 1) === 1,
      start: bytes.readUInt32LE(offset + 42) + shift,
    });
    offset += 46 + name + bytes.readUInt16LE(offset + 30) + bytes.readUInt16LE(offset + 32);
  }
  return files;
}

/** The bytes of a file in a zip, or null if it is damaged, encrypted, or larger than `most`. */
export function zippedBytes(
  bytes: Buffer,
  { start, size, encrypted }: ZippedFile,
  most: number,
): Buffer | null {
  if (encrypted || start + 30 > bytes.length) return null;
  const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
  try {
    return bytes.readUInt16LE(start + 8) === 0
      ? bytes.subarray(from, from + Math.min(most, size ?? most))
      : inflateRawSync(bytes.subarray(from), { maxOutputLength: most });
  } catch {
    return null;
  }
}
