/** Attachments that a password or a key protects: recognised by their directories and trailers, never opened. */
import type { AttachmentEncryption } from '#shared/model/enums.ts';
import { isCfb, readCfb } from './outlook/cfb.ts';
import { isLockedPdf } from './pdf.ts';
import { rarList } from './rar.ts';
import { isLockedSevenZip } from './seven-zip.ts';
import { readSmime } from './smime.ts';

const ENTRY = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const MAX_ENTRIES = 10_000;
const SHOWN = 5;
/** Maximum characters of a listed name. */
const NAMED = 100;
const OFFICE = Buffer.from('EncryptedPackage', 'utf16le');

/** The files listed in a zip, and how many of them are encrypted; null: not a zip. */
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

const ARMOR = /^-----BEGIN PGP MESSAGE-----\r?$/m;
/** Characters of a text in which its armor must begin. */
const ARMOR_WITHIN = 2_000;
/** The first packet of what was encrypted with a key or a password, by its old or its new tag (RFC 4880, 4.2). */
const PGP_PACKETS: ReadonlySet<number> = new Set([0x84, 0x85, 0x86, 0x8c, 0x8d, 0xc1, 0xc3]);

/** Whether a text is, or holds, a message that was encrypted with PGP. */
export const isArmored = (text: string): boolean => ARMOR.test(text.slice(0, ARMOR_WITHIN));

const isPgp = (bytes: Buffer, name: string | null): boolean =>
  isArmored(bytes.toString('latin1', 0, ARMOR_WITHIN)) ||
  (/\.(?:gpg|pgp)\s*$/i.test(name ?? '') && PGP_PACKETS.has(bytes[0] ?? 0));

export interface Lock {
  by: AttachmentEncryption;
  /** Follows the attachment's name; null: reported elsewhere. */
  words: string | null;
}

/** What encrypts an attachment; null: no sign of encryption. */
export function lockOf(bytes: Buffer, name: string | null, isSmime: boolean): Lock | null {
  if (isSmime && readSmime(bytes)?.kind === 'encrypted') return { by: 'smime', words: null };
  if (isPgp(bytes, name)) return { by: 'pgp', words: 'is encrypted with PGP' };
  const words = lockedWords(bytes);
  return words === null ? null : { by: 'password', words };
}

const filesOf = (names: readonly string[], locked: number): string => {
  const shown = names
    .slice(0, SHOWN)
    .map((name) => (name.length > NAMED ? `${name.slice(0, NAMED).toWellFormed()}…` : name));
  return `a password protects ${locked} of ${names.length} files in it (${shown.join(', ')}${names.length > SHOWN ? ', …' : ''})`;
};

/** Whether the file has the stream of an encrypted document (MS-OFFCRYPTO); its name may also occur in ordinary text. */
function isLockedOffice(bytes: Buffer): boolean {
  if (!isCfb(bytes) || !bytes.includes(OFFICE)) return false;
  try {
    return readCfb(bytes).root.streams.has('EncryptedPackage');
  } catch {
    return true;
  }
}

function lockedWords(bytes: Buffer): string | null {
  const zip = zipList(bytes);
  if (zip !== null) return zip.locked === 0 ? null : `is encrypted: ${filesOf(zip.names, zip.locked)}`;
  const rar = rarList(bytes);
  if (rar?.isClosed === true)
    return 'is encrypted: a RAR archive with a password, which also hides its file names';
  if (rar !== null) return rar.locked === 0 ? null : `is encrypted: ${filesOf(rar.names, rar.locked)}`;
  if (isLockedSevenZip(bytes)) return 'is encrypted: a 7z archive with a password';
  if (isLockedPdf(bytes))
    return 'is encrypted: a PDF with a password (it may open without one, with printing or copying restricted)';
  return isLockedOffice(bytes) ? 'is encrypted: an Office document with a password' : null;
}
