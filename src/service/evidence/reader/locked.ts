/** Attachments that a password protects: told by how they begin and end, never opened. */
import { isCfb } from './outlook/cfb.ts';

const ENTRY = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const MAX_ENTRIES = 10_000;
const SHOWN = 5;
/** Characters of a name that is told. */
const NAMED = 100;
const OFFICE = Buffer.from('EncryptedPackage', 'utf16le');

/** The files listed in a zip, and how many of them are encrypted; null: it is none. */
function zipList(bytes: Buffer): { names: string[]; locked: number } | null {
  if (bytes.length < END_BYTES || bytes.readUInt32LE(0) !== 0x04034b50) return null;
  const least = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT);
  let end = bytes.length - END_BYTES;
  while (end >= least && bytes.readUInt32LE(end) !== END) end -= 1;
  if (end < least) return null;
  const names: string[] = [];
  let locked = 0;
  for (let at = bytes.readUInt32LE(end + 16); names.length < MAX_ENTRIES; ) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== ENTRY) break;
    const name = bytes.readUInt16LE(at + 28);
    names.push(bytes.toString('utf8', at + 46, at + 46 + name));
    locked += bytes.readUInt16LE(at + 8) & 1;
    at += 46 + name + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return { names, locked };
}

/** In words, after the attachment's name; null: nothing says that it is encrypted. */
export function lockedWords(bytes: Buffer): string | null {
  const zip = zipList(bytes);
  if (zip !== null && zip.locked > 0) {
    const { names, locked } = zip;
    const more = names.length > SHOWN ? ', …' : '';
    const told = names
      .slice(0, SHOWN)
      .map((name) => (name.length > NAMED ? `${name.slice(0, NAMED).toWellFormed()}…` : name));
    return `is encrypted: a password protects ${locked} of ${names.length} files in it (${told.join(', ')}${more})`;
  }
  return isCfb(bytes) && bytes.includes(OFFICE) ? 'is encrypted: an Office document with a password' : null;
}
