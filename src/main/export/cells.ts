/** One row as a line of a file: the exact form, in JavaScript. chunk-sql.ts writes the same lines inside SQLite. */
import { exportTime } from '#shared/model/clock.ts';
import type { Cell } from '#shared/model/entities.ts';
import { digitsOf } from '#shared/model/exact-numbers.ts';
import { neutraliseCell } from '#shared/model/spreadsheet-safe.ts';
import { textOf } from '../results/encode.ts';

/** RFC 4180, section 2: records end with CR LF. */
const CRLF = '\r\n';

/**
 * A CSV field. Text is always quoted, so that an empty text and a missing value stay apart; numbers and booleans
 * never are. A lone surrogate has no UTF-8: it is written as U+FFFD.
 */
function csvField(value: Cell, raw: boolean): string {
  if (value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const digits = digitsOf(value);
  if (digits !== null) return digits;
  const text = textOf(value);
  // A list without items shows as nothing.
  if (text === '' && typeof value !== 'string') return '';
  return `"${(raw ? text : neutraliseCell(text)).replaceAll('"', '""')}"`;
}

export const csvLine = (values: readonly Cell[], raw: boolean): string =>
  `${values.map((value) => csvField(value, raw)).join(',')}${CRLF}`;

/** One JSON object, keys in the order of the columns. */
export const jsonObject = (ids: readonly string[], values: readonly Cell[]): string =>
  `{${ids.map((id, index) => `${JSON.stringify(id)}:${JSON.stringify(values[index] ?? null)}`).join(',')}}`;

/** An instant on the clock of a zone; what is no instant, as it is. `zone` null: UTC, as the service wrote it. */
export const onZone = (value: Cell, zone: string | null): Cell =>
  zone !== null && typeof value === 'string' ? exportTime(value, { tenant: zone }) || value : value;
