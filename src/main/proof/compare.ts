/** What a file was meant to hold against what was found in it. */
import type { Found } from './read-back.ts';

export interface Meant {
  /** Records of the file, the header not counted. */
  records: number;
  /** null: the format has none, or there is nothing to have it. */
  header: readonly string[] | null;
  /** Entity ids of the first and the last row; undefined: the file has no column for it. */
  ids: { first: string | null; last: string | null } | undefined;
  /** Its last record says that it is not whole. */
  noted: boolean;
}

const NOTE = 'PARTIAL: ';
const count = (records: number) => (records === 1 ? '1 record' : `${records} records`);
const list = (labels: readonly string[] | null) => (labels === null ? 'none' : labels.join(', '));

/** Entity id of the last row, wherever the file says that it is not whole. */
export const lastIdOf = ({ scanned }: Found, noted: boolean): string | null =>
  (noted ? scanned?.beforeLastId : scanned?.lastId) ?? null;

/** What does not hold, each to complete "the file …"; none: everything holds. */
export function differences(meant: Meant, found: Found): string[] {
  const { scanned } = found;
  if (scanned === null) return ['was not looked into'];
  const wrong: string[] = [];
  if (scanned.records !== meant.records)
    wrong.push(`has ${count(scanned.records)} where ${meant.records} belong`);
  if (JSON.stringify(scanned.header) !== JSON.stringify(meant.header))
    wrong.push(`begins with another header (${list(scanned.header)} instead of ${list(meant.header)})`);
  if (meant.noted && scanned.last?.[0]?.startsWith(NOTE) !== true)
    wrong.push('does not say that it is PARTIAL');
  if (meant.ids !== undefined) {
    const last = lastIdOf(found, meant.noted);
    if (scanned.firstId !== meant.ids.first)
      wrong.push(`begins with row ${scanned.firstId ?? 'none'} instead of ${meant.ids.first ?? 'none'}`);
    if (last !== meant.ids.last)
      wrong.push(`ends with row ${last ?? 'none'} instead of ${meant.ids.last ?? 'none'}`);
  }
  return wrong;
}
