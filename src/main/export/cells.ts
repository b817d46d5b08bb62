/** Exact rendering of one row as a line of a file, in JavaScript. chunk-sql.ts renders the same lines inside SQLite. */
import { textOf } from '#shared/model/cell-text.ts';
import { exportTime } from '#shared/model/clock.ts';
import type { Cell } from '#shared/model/entities.ts';
import { digitsOf } from '#shared/model/exact-numbers.ts';
import { jsonText } from '#shared/model/json-text.ts';
import { csvText, neutraliseCell } from '#shared/model/spreadsheet-safe.ts';

/** RFC 4180, section 2: records end with CR LF. */
const CRLF = '\r\n';

/**
 * A CSV field. Texts are always quoted, to distinguish an empty text from a missing value; numbers and booleans never
 * are.
 */
function csvField(value: Cell, raw: boolean): string {
  if (value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const digits = digitsOf(value);
  if (digits !== null) return digits;
  const text = csvText(textOf(value));
  // An empty list becomes an empty field.
  if (text === '' && typeof value !== 'string') return '';
  return `"${(raw ? text : neutraliseCell(text)).replaceAll('"', '""')}"`;
}

/** A missing value in the only column is `""`: many readers skip an empty line, and the row with it. */
export function csvLine(values: readonly Cell[], raw: boolean): string {
  const line = values.map((value) => csvField(value, raw)).join(',');
  return `${line === '' ? '""' : line}${CRLF}`;
}

/** One JSON object with its keys in column order, for every reader: see jsonText. */
export const jsonObject = (ids: readonly string[], values: readonly Cell[]): string =>
  `{${ids.map((id, index) => `${jsonText(id)}:${jsonText(values[index] ?? null)}`).join(',')}}`;

/** An instant in the given time zone, or in UTC, as the service sent it, without one; any other value unchanged. */
export const inZone = (value: Cell, zone: string | null): Cell =>
  zone !== null && typeof value === 'string' ? exportTime(value, { tenant: zone }) || value : value;
