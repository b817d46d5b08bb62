/** Attachments that a password or a key protects: recognised by their directories, headers and trailers, never decrypted. */
import type { AttachmentEncryption } from '#shared/model/enums.ts';
import type { ListedFile } from '../containers/members.ts';
import { rarList } from '../containers/rar.ts';
import { isLockedSevenZip } from '../containers/seven-zip.ts';
import { type ZippedFile, zipList, zippedBytes } from '../containers/zip-list.ts';
import { isLockedPdf } from '../documents/pdf.ts';
import { isCfb, readCfb } from '../outlook/cfb.ts';
import { pgpInFile, pgpInText } from './pgp.ts';
import { readSmime } from './smime.ts';
import type { Unpacking } from './unpacking.ts';

const SHOWN = 5;
/** Maximum characters of a listed name. */
const NAMED = 100;
const OFFICE = Buffer.from('EncryptedPackage', 'utf16le');

/** Whether a text is, or contains, a message encrypted with PGP. */
export const isArmored = (text: string, unpacking: Unpacking): boolean =>
  pgpInText(text, unpacking)?.kind === 'encrypted';

export interface Lock {
  by: AttachmentEncryption;
  /** Follows the attachment's name, or null if reported elsewhere. */
  words: string | null;
}

/** Whether bytes may be S/MIME under a name and type of their own: a SEQUENCE of more than 127 bytes. */
const isSequence = (bytes: Buffer): boolean => bytes[0] === 0x30 && ((bytes[1] ?? 0) & 0x80) !== 0;

/** What encrypts an attachment, whose name or type may say what it is, or null if there is no sign of encryption. */
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

/** What a password protects of the files listed in an archive, or null if it protects nothing. */
function lockedFiles(files: readonly ListedFile[]): string | null {
  const locked = files.filter(({ encrypted }) => encrypted).length;
  if (locked === 0) return null;
  const shown = files
    .slice(0, SHOWN)
    .map(({ path }) => (path.length > NAMED ? `${path.slice(0, NAMED).toWellFormed()}…` : path));
  return `is encrypted: a password protects ${locked} of ${files.length} files in it (${shown.join(', ')}${files.length > SHOWN ? ', …' : ''})`;
}

/** Records of a workbook before its sheets (MS-XLS 2.1.7.20.3) are searched for FilePass, which is among the first. */
const MOST_RECORDS = 100;
const FILE_PASS = 0x2f;

function isLockedWorkbook(book: Buffer): boolean {
  for (let offset = 0, count = 0; offset + 4 <= book.length && count < MOST_RECORDS; count++) {
    if (book.readUInt16LE(offset) === FILE_PASS) return true;
    offset += 4 + book.readUInt16LE(offset + 2);
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
const isLockedOpenDocument = (bytes: Buffer, files: readonly ZippedFile[]): boolean => {
  const list = files.findLast(({ path }) => path === 'META-INF/manifest.xml');
  return (list && zippedBytes(bytes, list, MOST_MANIFEST))?.includes(':encryption-data') ?? false;
};

const LOCKED_DOCUMENT = 'is encrypted: an Office document with a password';

function lockedWords(bytes: Buffer): string | null {
  const zip = zipList(bytes);
  if (zip !== null) return lockedFiles(zip) ?? (isLockedOpenDocument(bytes, zip) ? LOCKED_DOCUMENT : null);
  const rar = rarList(bytes);
  if (rar?.isClosed === true)
    return 'is encrypted: a RAR archive with a password, which also hides its file names';
  if (rar !== null) return lockedFiles(rar.files);
  if (isLockedSevenZip(bytes)) return 'is encrypted: a 7z archive with a password';
  if (isLockedPdf(bytes))
    return 'is encrypted: a PDF with a password (it may open without one, with printing or copying restricted)';
  return isLockedOffice(bytes) ? LOCKED_DOCUMENT : null;
}
