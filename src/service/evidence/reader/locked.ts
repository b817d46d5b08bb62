/** Attachments that a password or a key protects: recognised by their directories, headers and trailers, never decrypted. */
import { inflateRawSync } from 'node:zlib';
import type { AttachmentEncryption } from '#shared/model/enums.ts';
import { isCfb, readCfb } from './outlook/cfb.ts';
import { isLockedPdf } from './pdf.ts';
import { pgpInFile, pgpInText } from './pgp.ts';
import { rarList } from './rar.ts';
import { isLockedSevenZip } from './seven-zip.ts';
import { readSmime } from './smime.ts';
import type { Unpacking } from './unpacking.ts';

const ENTRY = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const MAX_ENTRIES = 10_000;
const SHOWN = 5;
/** Maximum characters of a listed name. */
const NAMED = 100;
const OFFICE = Buffer.from('EncryptedPackage', 'utf16le');

interface ZipList {
  names: string[];
  /** How many of them are encrypted. */
  locked: number;
  /** The start of each file. */
  places: ReadonlyMap<string, number>;
}

/** The files listed in a zip; null: not a zip. */
function zipList(bytes: Buffer): ZipList | null {
  if (bytes.length < END_BYTES || bytes.readUInt32LE(0) !== 0x04034b50) return null;
  const least = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT);
  let end = bytes.length - END_BYTES;
  while (end >= least && bytes.readUInt32LE(end) !== END) end -= 1;
  if (end < least) return null;
  const names: string[] = [];
  const places = new Map<string, number>();
  let locked = 0;
  // Bytes in front of an archive shift its list: readers find it before the end of the archive.
  const said = bytes.readUInt32LE(end + 16);
  const near = end - bytes.readUInt32LE(end + 12);
  const shift = near > said && bytes.readUInt32LE(near) === ENTRY ? near - said : 0;
  for (let at = said + shift; names.length < MAX_ENTRIES; ) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== ENTRY) break;
    const name = bytes.readUInt16LE(at + 28);
    const path = bytes.toString('utf8', at + 46, at + 46 + name);
    names.push(path);
    places.set(path, bytes.readUInt32LE(at + 42) + shift);
    locked += bytes.readUInt16LE(at + 8) & 1;
    at += 46 + name + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return { names, locked, places };
}

/** Whether a text is, or contains, a message encrypted with PGP. */
export const isArmored = (text: string, unpacking: Unpacking): boolean =>
  pgpInText(text, unpacking)?.kind === 'encrypted';

export interface Lock {
  by: AttachmentEncryption;
  /** Follows the attachment's name; null: reported elsewhere. */
  words: string | null;
}

/** Whether bytes may be S/MIME under a name and type of their own: a SEQUENCE of more than 127 bytes. */
const isSequence = (bytes: Buffer): boolean => bytes[0] === 0x30 && ((bytes[1] ?? 0) & 0x80) !== 0;

/** What encrypts an attachment, whose name or type may say what it is; null: no sign of encryption. */
export function lockOf(
  bytes: Buffer,
  { isSmime, isPgp }: { isSmime: boolean; isPgp: boolean },
  unpacking: Unpacking,
): Lock | null {
  if ((isSmime || isSequence(bytes)) && readSmime(bytes, unpacking).kind === 'encrypted')
    return { by: 'smime', words: isSmime ? null : 'is encrypted with S/MIME' };
  if (pgpInFile(bytes, isPgp, unpacking)?.kind === 'encrypted')
    return { by: 'pgp', words: 'is encrypted with PGP' };
  const words = lockedWords(bytes);
  return words === null ? null : { by: 'password', words };
}

const filesOf = (names: readonly string[], locked: number): string => {
  const shown = names
    .slice(0, SHOWN)
    .map((name) => (name.length > NAMED ? `${name.slice(0, NAMED).toWellFormed()}…` : name));
  return `a password protects ${locked} of ${names.length} files in it (${shown.join(', ')}${names.length > SHOWN ? ', …' : ''})`;
};

/** Records of a workbook before its sheets (MS-XLS 2.1.7.20.3) are searched for FilePass, which is among the first. */
const MOST_RECORDS = 100;
const FILE_PASS = 0x2f;

function isLockedWorkbook(book: Buffer): boolean {
  for (let at = 0, count = 0; at + 4 <= book.length && count < MOST_RECORDS; count++) {
    if (book.readUInt16LE(at) === FILE_PASS) return true;
    at += 4 + book.readUInt16LE(at + 2);
  }
  return false;
}

/** `fEncrypted` in the header of a Word file (MS-DOC 2.5.2). */
const isLockedWord = (document: Buffer): boolean =>
  document.length > 12 && (document.readUInt16LE(10) & 0x100) !== 0;

/** The token in PowerPoint's record of who saved it (MS-PPT 2.3.2). */
const isLockedSlides = (user: Buffer): boolean => user.length >= 16 && user.readUInt32LE(12) === 0xf3d1c4df;

/** Streams of the formats before 2007, which encrypt themselves. */
const OLD_OFFICE: readonly (readonly [stream: string, isLocked: (bytes: Buffer) => boolean])[] = [
  ['workbook', isLockedWorkbook],
  ['book', isLockedWorkbook],
  ['worddocument', isLockedWord],
  ['current user', isLockedSlides],
];

/**
 * Whether a compound file is an encrypted document: the stream of MS-OFFCRYPTO, whose name may also occur in ordinary
 * text, or a format before 2007.
 */
function isLockedOffice(bytes: Buffer): boolean {
  if (!isCfb(bytes)) return false;
  try {
    // Names are compared without case (MS-CFB 2.6.4).
    const streams = new Map(
      [...readCfb(bytes).root.streams].map(([name, open]) => [name.toLowerCase(), open]),
    );
    if (streams.has('encryptedpackage')) return true;
    return OLD_OFFICE.some(([name, isLocked]) => isLocked(streams.get(name)?.() ?? Buffer.alloc(0)));
  } catch {
    return bytes.includes(OFFICE);
  }
}

/** Bytes of the list of files in OpenDocument. */
const MOST_MANIFEST = 1024 * 1024;

/** Whether a zip is OpenDocument whose list of files says that they are encrypted (OpenDocument 1.3, part 2, 4.8.3). */
function isLockedOpenDocument(bytes: Buffer, { places }: ZipList): boolean {
  const at = places.get('META-INF/manifest.xml');
  if (at === undefined || at + 30 > bytes.length) return false;
  const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  try {
    const list =
      bytes.readUInt16LE(at + 8) === 0
        ? bytes.subarray(from, from + MOST_MANIFEST)
        : inflateRawSync(bytes.subarray(from), { maxOutputLength: MOST_MANIFEST });
    return list.includes(':encryption-data');
  } catch {
    return false;
  }
}

const LOCKED_DOCUMENT = 'is encrypted: an Office document with a password';

function lockedWords(bytes: Buffer): string | null {
  const zip = zipList(bytes);
  if (zip !== null && zip.locked > 0) return `is encrypted: ${filesOf(zip.names, zip.locked)}`;
  if (zip !== null) return isLockedOpenDocument(bytes, zip) ? LOCKED_DOCUMENT : null;
  const rar = rarList(bytes);
  if (rar?.isClosed === true)
    return 'is encrypted: a RAR archive with a password, which also hides its file names';
  if (rar !== null) return rar.locked === 0 ? null : `is encrypted: ${filesOf(rar.names, rar.locked)}`;
  if (isLockedSevenZip(bytes)) return 'is encrypted: a 7z archive with a password';
  if (isLockedPdf(bytes))
    return 'is encrypted: a PDF with a password (it may open without one, with printing or copying restricted)';
  return isLockedOffice(bytes) ? LOCKED_DOCUMENT : null;
}
