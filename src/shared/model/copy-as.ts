/** Rows for the clipboard: for a spreadsheet, a script or a ticket. Pure. */
import { textOf } from './cell-text.ts';
import { type ClockSetting, exportTime } from './clock.ts';
import type { Cell } from './entities.ts';
import { csvRow, neutraliseCell } from './spreadsheet-safe.ts';

export const COPY_FORMATS = ['tsv', 'csv', 'json', 'markdown'] as const;
export type CopyFormat = (typeof COPY_FORMATS)[number];

export interface CopyColumn {
  id: string;
  label: string;
  /** Instants are written in the chosen time zone, as in exports. */
  isDate: boolean;
}

const onClock = (value: Cell, column: CopyColumn, clock: ClockSetting): Cell =>
  column.isDate && typeof value === 'string' && clock !== 'utc' ? exportTime(value, clock) || value : value;

/** A cell as spreadsheets copy it: quoted when it contains a tab, a quote or a line break. */
function tsvCell(value: Cell): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = neutraliseCell(textOf(value));
  return /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A cell of a Markdown table, displayed literally: no link, image, tag or line break takes effect. Hosts are escaped
 * as well, since GitHub turns them into links.
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
 * Rows as text, with columns in the given order; CSV, TSV and Markdown start with the labels. CSV and TSV neutralise
 * cells that a spreadsheet would take for formulas; JSON keeps values as they are, with instants in the chosen zone.
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
              typeof value === 'number' || typeof value === 'boolean' ? value : textOf(value),
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
        ...shown.map((row) => markdownRow(row.map((value) => markdownCell(textOf(value))))),
      ].join('\n');
  }
}
