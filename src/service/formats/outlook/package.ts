/** The file in an OLE package: a file dragged into a message, or inserted as an object (MS-OLEDS 2.3.6). */
import { readCfb } from './cfb.ts';

const NATIVE = '\u0001Ole10Native';
const MAX_NAME = 1024;
/** The type of a package, and of one that contains its file instead of a link; other objects have formats of their own. */
const PACKAGE = 2;
const EMBEDDED = 0x30000;

/** Bytes up to a NUL, and the start of the next field, or null if there is no NUL within the limit. */
function terminated(bytes: Buffer, offset: number): { text: Buffer; next: number } | null {
  const end = bytes.subarray(0, offset + MAX_NAME).indexOf(0, offset);
  return end < 0 ? null : { text: bytes.subarray(offset, end), next: end + 1 };
}

interface PackagedFile {
  name: Buffer;
  bytes: Buffer;
  isCut: boolean;
}

function fileIn(bytes: Buffer): PackagedFile | null {
  // Length, a two-byte number, a name, the original path, four bytes, the length of another path, that path.
  if (bytes.readUInt16LE(4) !== PACKAGE) return null;
  const name = terminated(bytes, 6);
  const path = name && terminated(bytes, name.next);
  if (name === null || path === null || path.next + 8 > bytes.length) return null;
  if (bytes.readUInt32LE(path.next) !== EMBEDDED) return null;
  const start = path.next + 8 + bytes.readUInt32LE(path.next + 4);
  if (start + 4 > bytes.length) return null;
  const length = bytes.readUInt32LE(start);
  const file = bytes.subarray(start + 4, start + 4 + length);
  return file.length === 0 ? null : { name: name.text, bytes: file, isCut: file.length < length };
}

/** The file in a compound file that is such a package, or null if not a package. */
export function packagedFile(bytes: Buffer): PackagedFile | null {
  try {
    const native = readCfb(bytes).root.streams.get(NATIVE)?.();
    return native === undefined || native.length < 6 ? null : fileIn(native);
  } catch {
    return null;
  }
}
