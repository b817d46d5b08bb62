/** Rows for the clipboard: what a spreadsheet, a script or a ticket takes. Pure; the words of cells are made here. */
import { type ClockSetting, exportTime } from './clock.ts';
import type { Cell } from './entities.ts';
import { type Ioc, iocText } from './ioc.ts';
import { csvRow, neutraliseCell } from './spreadsheet-safe.ts';

export const COPY_FORMATS = ['tsv', 'csv', 'json', 'markdown'] as const;
export type CopyFormat = (typeof COPY_FORMATS)[number];

export interface CopyColumn {
  id: string;
  label: string;
  /** Instants are written on the clock, as exports have them. */
  isDate: boolean;
}

/** One cell as text: a list as its items, anything nested as JSON, nothing as ''. */
function cellText(value: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value)) return JSON.stringify(value);
  const first = value[0];
  if (typeof first === 'object' && first !== null) return JSON.stringify(value);
  return value
    .map((item) => (item !== null && typeof item === 'object' ? JSON.stringify(item) : String(item)))
    .join('; ');
}

const onClock = (value: Cell, column: CopyColumn, clock: ClockSetting): Cell =>
  column.isDate && typeof value === 'string' && clock !== 'utc' ? exportTime(value, clock) || value : value;

/** A cell as spreadsheets put it on the clipboard: quoted when it holds a tab, a quote or a line break. */
function tsvCell(value: Cell): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = neutraliseCell(cellText(value));
  return /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A cell of a Markdown table that shows as the characters it has: no link, image, tag or line of its own. A cell that
 * named a host would be a link in a ticket, so what makes one is escaped as well (GitHub's autolinks).
 */
export function markdownCell(text: string): string {
  return text
    .replace(/[\\`*_{}[\]()#+!|<>~&@$]/g, '\\$&')
    .replace(/:\/\//g, '\\://')
    .replace(/\bwww\./gi, '$&\u{200b}')
    .replace(/\r\n|[\r\n]/g, ' ')
    .replace(/\t/g, ' ');
}

const markdownRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/**
 * Rows as text, columns in the order given; CSV, TSV and Markdown lead with their labels. Cells that a spreadsheet
 * would take for a formula are neutralised in CSV and TSV; JSON has the values as they are, instants on the clock.
 */
export function copyRows(
  format: CopyFormat,
  columns: readonly CopyColumn[],
  rows: readonly (readonly Cell[])[],
  clock: ClockSetting,
): string {
  const shown = rows.map((row) => columns.map((column, index) => onClock(row[index] ?? null, column, clock)));
  switch (format) {
    case 'tsv':
      return [columns.map(({ label }) => tsvCell(label)), ...shown.map((row) => row.map(tsvCell))]
        .map((cells) => cells.join('\t'))
        .join('\n');
    case 'csv':
      return [
        csvRow(columns.map(({ label }) => label)),
        ...shown.map((row) =>
          csvRow(
            row.map((value) =>
              typeof value === 'number' || typeof value === 'boolean' ? value : cellText(value),
            ),
          ),
        ),
      ].join('');
    case 'json':
      return JSON.stringify(
        shown.map((row) => Object.fromEntries(columns.map(({ id }, index) => [id, row[index] ?? null]))),
        null,
        2,
      );
    case 'markdown':
      return [
        markdownRow(columns.map(({ label }) => markdownCell(label))),
        markdownRow(columns.map(() => '---')),
        ...shown.map((row) => markdownRow(row.map((value) => markdownCell(cellText(value))))),
      ].join('\n');
  }
}

/** One indicator per line with its type in front, a tab between: for other tools to read. */
export const typedIocList = (iocs: readonly Ioc[], defanged: boolean): string =>
  iocs.map((ioc) => `${ioc.type}\t${iocText(ioc, defanged)}`).join('\n');
