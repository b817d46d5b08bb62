/** The files of a disk image with an ISO 9660 directory, by their Joliet names if it has some. */
import type { ListedFile } from './members.ts';

const SECTOR = 2_048;
const FIRST = 16;
/** Volume descriptors, directories and files that are read. */
const MOST_DESCRIPTORS = 32;
const MOST_FILES = 10_000;
const MOST_DIRECTORY = 1024 * 1024;
const IS_FOLDER = 2;
/** Escape sequences of Joliet's three levels. */
const JOLIET = ['%/@', '%/C', '%/E'];

interface Extent {
  from: number;
  size: number;
  path: string;
}

const bigEndian = (bytes: Buffer): string =>
  Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le');

/** The root directory of the volume whose names are best, if there is one. */
function rootOf(image: Buffer): (Extent & { isJoliet: boolean }) | null {
  let root: (Extent & { isJoliet: boolean }) | null = null;
  for (let sector = FIRST; sector < FIRST + MOST_DESCRIPTORS; sector++) {
    const volume = image.subarray(sector * SECTOR, (sector + 1) * SECTOR);
    if (volume.length < SECTOR || volume.toString('latin1', 1, 6) !== 'CD001') break;
    const isJoliet = volume[0] === 2 && JOLIET.includes(volume.toString('latin1', 88, 91));
    if (volume[0] === 1 || isJoliet)
      root = { from: volume.readUInt32LE(158) * SECTOR, size: volume.readUInt32LE(166), path: '', isJoliet };
    if (isJoliet) break;
  }
  return root;
}

/** Null if it is no ISO 9660 image. Each directory is read once, so none loops. */
export function isoList(image: Buffer): ListedFile[] | null {
  const root = rootOf(image);
  if (root === null) return null;
  const nameOf = (bytes: Buffer) => (root.isJoliet ? bigEndian(bytes) : bytes.toString('latin1'));
  const files: ListedFile[] = [];
  const visited = new Set<number>();
  const waiting: Extent[] = [root];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (visited.has(folder.from) || visited.size >= MOST_FILES) continue;
    visited.add(folder.from);
    const records = image.subarray(folder.from, folder.from + Math.min(folder.size, MOST_DIRECTORY));
    for (let offset = 0; offset < records.length && files.length < MOST_FILES; ) {
      const length = records[offset]!;
      // Records do not cross sectors; the rest of one is zeros.
      if (length < 34) {
        offset = (Math.floor(offset / SECTOR) + 1) * SECTOR;
        continue;
      }
      const record = records.subarray(offset, offset + length);
      offset += length;
      const name = record.subarray(33, 33 + (record[32] ?? 0));
      // The folder itself, and the one above it.
      if (record.length < 34 || (name.length === 1 && name[0]! < 2)) continue;
      const path = `${folder.path}${nameOf(name).replace(/;\d+$/, '')}`;
      const size = record.readUInt32LE(10);
      if ((record[25]! & IS_FOLDER) === 0) files.push({ path, size, encrypted: false });
      else waiting.push({ from: record.readUInt32LE(2) * SECTOR, size, path: `${path}/` });
    }
  }
  return files;
}
