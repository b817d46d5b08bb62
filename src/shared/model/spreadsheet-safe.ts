/*
 * Formula-safe cells for CSV and clipboard. The rule is OWASP's "CSV Injection": a cell must not begin with
 * = + - @, tab or carriage return (line feed and the full-width forms as well); the remedy is a single quote in
 * front and RFC 4180 quoting around. Importers that trim or strip quotes make a space or a double quote before
 * the sign as good as none, so these count too. Minus signs and bullets in text do get the quote: raw is the choice.
 */

const RISKY = /^(?:[\t\r\n]|[\s\u{feff}\u{200b}"]*[=+\-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}\t\r\n])/u;

/** Would a spreadsheet take this text for a formula? */
export function isFormulaRisk(text: string): boolean {
  return RISKY.test(text);
}

/** The text as it is when harmless, else with a single quote in front. Doing it twice changes nothing more. */
export function neutraliseCell(text: string): string {
  return isFormulaRisk(text) ? `'${text}` : text;
}

export interface CellOptions {
  /** true: write what the evidence says, formulas and all. */
  raw?: boolean;
  /** One character; a comma unless told. */
  separator?: string;
}

/**
 * One CSV field, RFC 4180: quoted when it holds the separator, a quote, a line break, or spaces at an end.
 * null and undefined are empty; numbers and booleans are written as they are, so -5 stays a number.
 */
export function csvCell(
  value: string | number | boolean | null | undefined,
  options: CellOptions = {},
): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = options.raw === true ? value : neutraliseCell(value);
  const separator = options.separator ?? ',';
  const quote = /["\r\n]|^\s|\s$/.test(text) || text.includes(separator);
  return quote ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One CSV record with its CRLF, RFC 4180. */
export function csvRow(
  values: readonly (string | number | boolean | null | undefined)[],
  options: CellOptions = {},
): string {
  return `${values.map((value) => csvCell(value, options)).join(options.separator ?? ',')}\r\n`;
}
