import { dictionary } from '../dictionary.ts';

const REMOVED = 'its disk was removed';
const CUT_OFF = 'the connection to its disk or share was lost';
const READ_ERROR = 'the disk reports an error';
const DAMAGED = 'the file system of its disk is damaged';

const BY_CODE: Record<string, string> = dictionary({
  EIO: READ_ERROR,
  EREMOTEIO: READ_ERROR,
  EBADMSG: DAMAGED,
  ENODEV: REMOVED,
  ENXIO: REMOVED,
  ENOTCONN: CUT_OFF,
  ETIMEDOUT: CUT_OFF,
  EHOSTDOWN: CUT_OFF,
  EHOSTUNREACH: CUT_OFF,
  ENETDOWN: CUT_OFF,
  ENETUNREACH: CUT_OFF,
  ECONNABORTED: CUT_OFF,
  ECONNREFUSED: CUT_OFF,
  ECONNRESET: CUT_OFF,
});

/** Temporary reasons. Most of Windows' reasons have no code in Node. */
const WITHHELD: Record<string, string> = dictionary({
  EBUSY: 'another program has it open',
  EMFILE: 'Parapet has too many files open',
  ENFILE: 'too many files are open on this machine',
  UNKNOWN:
    'Windows refuses access to it, perhaps because a virus scanner blocks it, because it is only in the cloud, or because its disk or share is gone',
});

/** Numbers of Linux and macOS for which Node has no name. */
const BY_NUMBER = new Map([
  [-70, CUT_OFF], // ESTALE of macOS
  [-108, CUT_OFF], // ESHUTDOWN
  [-112, CUT_OFF], // EHOSTDOWN
  [-116, CUT_OFF], // ESTALE
  [-117, DAMAGED], // EUCLEAN
  [-121, READ_ERROR], // EREMOTEIO
  [-123, REMOVED], // ENOMEDIUM
]);

/** The system's, Node's or SQLite's code of an error; '' if it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** Also EDQUOT (Linux, macOS), for which Node has no name: the analyst's share of the disk is used up. */
export const isDiskFull = (error: unknown): boolean =>
  codeOf(error) === 'ENOSPC' ||
  (error instanceof Error && 'errno' in error && (error.errno === -122 || error.errno === -69));

/** The user may not read or write it. Windows says EPERM. */
export const isDenied = (error: unknown): boolean => ['EACCES', 'EPERM'].includes(codeOf(error));

/**
 * Why a disk, stick or share can no longer be read or written, as the rest of a sentence, or null for another kind of
 * error.
 */
export function diskFailure(error: unknown): string | null {
  const byNumber =
    error instanceof Error && 'errno' in error ? BY_NUMBER.get(Number(error.errno)) : undefined;
  return BY_CODE[codeOf(error)] ?? byNumber ?? null;
}

/**
 * Why a file cannot be read or written for now, though nothing is wrong with it, as the rest of a sentence, or null
 * for another kind of error.
 */
export function withheld(error: unknown): string | null {
  if (diskFailure(error) !== null) return null;
  const code = codeOf(error);
  // A share without locks reports the same as another program that has locked the file.
  if (/^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(code))
    return 'another program has locked it, or its disk keeps no locks';
  return WITHHELD[code] ?? null;
}
