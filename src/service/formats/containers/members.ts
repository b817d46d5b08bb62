/** The files in an attached archive or disk image, as its directory lists them; nothing is unpacked but the start of some. */

import { typeByContent } from '../files/magic.ts';
import { isoList } from './iso.ts';
import { rarList } from './rar.ts';
import { sevenZipList } from './seven-zip.ts';

export interface ListedFile {
  path: string;
  /** The unpacked size in bytes, if it is declared. */
  size: number | null;
  encrypted: boolean;
}

export interface ArchiveMember extends ListedFile {
  /** The last part of its path. */
  name: string;
  /** By its first bytes (magic.ts), unless they are encrypted or were not read. */
  contentType: string | null;
}

const MOST_MEMBERS = 1_000;
const MAX_PATH = 1_000;

/** `start` has its first bytes, unpacked, if they were read. */
export function memberOf({ path, size, encrypted }: ListedFile, start: Buffer | null): ArchiveMember {
  const short = path.slice(-MAX_PATH);
  const name = short.slice(short.lastIndexOf('/') + 1);
  return { path: short, name, size, encrypted, contentType: start && typeByContent(start) };
}

const HIDDEN = 'its names are encrypted or packed in a way that is not read here';

/** The files of an archive that is listed, but not opened for mail, and why some or all are not listed. */
export function listedMembers(
  type: string | null,
  bytes: Buffer,
): { members: ArchiveMember[]; unread: string | null } {
  const rar = type === 'application/vnd.rar' ? rarList(bytes) : null;
  const list = rar ?? (type === 'application/x-7z-compressed' ? sevenZipList(bytes) : null);
  const files = list?.files ?? (type === 'application/x-iso9660-image' ? isoList(bytes) : null) ?? [];
  const unread = list?.isClosed
    ? HIDDEN
    : files.length > MOST_MEMBERS
      ? `only its first ${MOST_MEMBERS} files are listed`
      : null;
  return {
    members: files
      .slice(0, MOST_MEMBERS)
      .map((file) => memberOf({ ...file, path: file.path.replaceAll('\\', '/') }, null)),
    unread,
  };
}
