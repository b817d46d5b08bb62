/*
 * Formula-safe cells for CSV and clipboard; docs/formulas.md has the rule, its inverse and the reasons. A text is
 * read in pieces: one begins at its start and one behind every comma, semicolon, tab and line break, since a reader
 * that goes by another separator than the writer begins a cell there, whatever the quotes say. A piece whose first
 * visible character is a sign of a formula gets a single quote in front.
 */

/** = + - @, and their full-width and small forms, which readers may fold into them. */
const SIGNS = '=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B';
/** Characters after which another piece begins. */
const ENDS = ',;\\t\\r\\n';
/**
 * Invisible or trimmed characters: controls except tab and line breaks, spaces, format and filler characters, and
 * double quotes.
 */
const UNSEEN =
  '"\\0-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F \\xA0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u2800\\u3000\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}';

/**
 * A piece that would be taken for a formula; leading single quotes do not count, so that they can be told from ours.
 */
const LIVE = `'*[${UNSEEN}]*[${SIGNS}]`;
/** A text that starts with a tab or line break counts too, as in OWASP's "CSV Injection". */
const LIVE_START = `'*[${UNSEEN}]*[${SIGNS}\\t\\r\\n]`;

const RISKY = new RegExp(`^${LIVE_START}|[${ENDS}]${LIVE}`, 'u');
const GUARD = new RegExp(`^(?=${LIVE_START})|(?<=[${ENDS}])(?=${LIVE})`, 'gu');
const GUARDED = new RegExp(`^'(?=${LIVE_START})|(?<=[${ENDS}])'(?=${LIVE})`, 'gu');

/** Whether `neutraliseCell` changes this text, which it does for everything a spreadsheet would take for a formula. */
export function isFormulaRisk(text: string): boolean {
  return RISKY.test(text);
}

/** Unchanged when harmless, otherwise with a single quote before each piece that is a formula. */
export function neutraliseCell(text: string): string {
  return isFormulaRisk(text) ? text.replace(GUARD, "'") : text;
}

/** Exactly reverses `neutraliseCell`. */
export const restoreCell = (neutralised: string): string => neutralised.replace(GUARDED, '');

/**
 * A text as CSV can hold it: U+FFFD stands for half of a surrogate pair, which UTF-8 cannot encode, and for NUL, which
 * databases refuse and at which other programs end the cell. Before it is neutralised, so that the rule restores the
 * cell in the file.
 */
export const csvText = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}');

export interface CellOptions {
  /** True to write values as they are, including formulas. */
  raw?: boolean;
  /** One character; by default a comma. */
  separator?: string;
}

/**
 * One CSV field, RFC 4180: quoted when it contains a separator, a quote, a line break, or spaces at an end. null and
 * undefined are empty; numbers and booleans are not quoted, so -5 stays a number.
 */
export function csvCell(
  value: string | number | boolean | null | undefined,
  options: CellOptions = {},
): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const plain = csvText(value);
  const text = options.raw === true ? plain : neutraliseCell(plain);
  const separator = options.separator ?? ',';
  const quote = /["\r\n]|^\s|\s$/.test(text) || text.includes(separator);
  return quote ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One CSV record with its CRLF, RFC 4180. */
export function csvRow(
  values: readonly (string | number | boolean | null | undefined)[],
  options: CellOptions = {},
): string {
  const row = values.map((value) => csvCell(value, options)).join(options.separator ?? ',');
  // Many readers skip an empty line, and the row with it.
  return `${row === '' ? '""' : row}\r\n`;
}
