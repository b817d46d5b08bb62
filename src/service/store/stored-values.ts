/** Values as the store keeps them, and rows of them. */
import { unicodeDomain } from '#shared/mail/domains.ts';
import { foldText } from '#shared/query/text.ts';

export type SqlValue = string | number | null | Uint8Array;

/** SQLite has no booleans. */
export const flag = (value: boolean | null | undefined): number | null =>
  value == null ? null : value ? 1 : 0;
/**
 * The stored form of addresses and hosts, so that each is one value: NFC, lower case, domains in Unicode, and without the
 * dot of the root, as in `a@x.example.`.
 */
export function lower(value: string | null | undefined): string | null {
  if (value == null) return null;
  const small = unicodeDomain(value.normalize('NFC').toLowerCase());
  return small.endsWith('.') ? small.replace(/(?<!\.)\.+$/, '') : small;
}
/** The written form, for display, or null if it is the stored one. */
export const asWritten = (value: string | null | undefined): string | null =>
  value == null || value === lower(value) ? null : value;
/** The form for comparing, if different. `spelled` is the value in its one spelling. */
export function foldedOf(value: string | null | undefined, spelled = value): string | null {
  const folded = value == null ? null : foldText(spelled ?? value);
  return folded === value ? null : folded;
}

/** Values by column. */
export type Row = Readonly<Record<string, SqlValue>>;

/** Rows of one table with the column names stated once, which makes them cheap to send to another thread. */
export interface Rows {
  columns: readonly string[];
  values: SqlValue[][];
}
