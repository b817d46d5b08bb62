/** Compares what a file was meant to hold with what was found in it. */
import type { Found } from './read-back.ts';

export interface Expected {
  /** Records in the file, without the header. */
  records: number;
  /** null when the format has no header, or there is no record to take it from. */
  header: readonly string[] | null;
  /** Entity ids of the first and last row; undefined when the file has no column for them. */
  ids: { first: string | null; last: string | null } | undefined;
  /** The last record says that the file is incomplete. */
  noted: boolean;
}

const NOTE = 'PARTIAL: ';
const count = (records: number) => (records === 1 ? '1 record' : `${records} records`);
const list = (labels: readonly string[] | null) => (labels === null ? 'none' : labels.join(', '));

/** Entity id of the last row, skipping a record that says PARTIAL. */
export const lastIdOf = ({ scanned }: Found, noted: boolean): string | null =>
  (noted ? scanned?.beforeLastId : scanned?.lastId) ?? null;

/** Each difference as the end of "the file …"; empty when everything matches. */
export function differences(expected: Expected, actual: Found): string[] {
  const { scanned } = actual;
  if (scanned === null) return ['was not examined'];
  const wrong: string[] = [];
  if (scanned.records !== expected.records)
    wrong.push(`has ${count(scanned.records)} where ${expected.records} belong`);
  if (JSON.stringify(scanned.header) !== JSON.stringify(expected.header))
    wrong.push(`has a different header (${list(scanned.header)} instead of ${list(expected.header)})`);
  if (expected.noted && scanned.last?.[0]?.startsWith(NOTE) !== true)
    wrong.push('does not say that it is PARTIAL');
  if (expected.ids !== undefined) {
    const last = lastIdOf(actual, expected.noted);
    if (scanned.firstId !== expected.ids.first)
      wrong.push(`begins with row ${scanned.firstId ?? 'none'} instead of ${expected.ids.first ?? 'none'}`);
    if (last !== expected.ids.last)
      wrong.push(`ends with row ${last ?? 'none'} instead of ${expected.ids.last ?? 'none'}`);
  }
  return wrong;
}
