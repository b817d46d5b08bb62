/** Files that Parapet takes from outside: dropped on its window, or opened with it. Pure. */

export type OfferKind = 'mail-file' | 'mail-folder' | 'query-file';

/** The kind by file name; the content is checked when it is opened. null: Parapet does not open it. */
export function offerKind(name: string, isFolder: boolean): OfferKind | null {
  if (isFolder) return 'mail-folder';
  if (/\.(?:eml|mbox|mbx)$/i.test(name)) return 'mail-file';
  return /\.json$/i.test(name) ? 'query-file' : null;
}

export const OFFER_WORDS = {
  notOurs: 'Parapet opens mail (.eml, .mbox), folders of mail and query files (.json). It was not opened.',
  several: 'Drop one file or one folder. To open several messages together, put them into a folder.',
  gone: 'It is not on this machine, or cannot be read.',
} as const;
