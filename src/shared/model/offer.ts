/** Files that Parapet takes from outside: dropped on its window, or opened with it. Pure. */

export type OfferKind = 'mail-file' | 'mail-folder' | 'query-file';

/** Names of files that hold mail, by their ends. Others are recognised by their content, in a folder or when chosen. */
export const MAIL_EXTENSIONS = [
  ...['eml', 'emlx', 'msg', 'mbox', 'mbx', 'pst', 'ost', 'p7m'],
  ...['zip', 'tar', 'tgz', 'gz', 'bz2', 'xz', 'zst', 'lz4'],
];
const MAIL_FILE = new RegExp(`\\.(?:${MAIL_EXTENSIONS.join('|')})$|(?:^|[\\\\/])winmail\\.dat$`, 'i');

/** The kind by file name; the content is checked when it is opened. Null if Parapet does not open it. */
export function offerKind(name: string, isFolder: boolean): OfferKind | null {
  if (isFolder) return 'mail-folder';
  if (MAIL_FILE.test(name)) return 'mail-file';
  return /\.json$/i.test(name) ? 'query-file' : null;
}

export const OFFER_WORDS = {
  notOurs:
    'Parapet opens mail (.eml, .msg, .mbox, .pst and others, also in archives such as .zip), folders of mail and query files (.json). It was not opened.',
  several: 'Drop one file or one folder. To open several messages together, put them into a folder.',
  gone: 'It is not on this machine, or cannot be read.',
} as const;
