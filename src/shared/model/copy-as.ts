/** Rows for the clipboard: for a spreadsheet, a script or a ticket. Pure. */
import { textOf } from './cell-text.ts';
import { type ClockSetting, exportTime } from './clock.ts';
import type { Cell } from './entities.ts';
import { jsonText } from './json-text.ts';
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

/** Text that GitHub turns into a link or a mention even if it is escaped. */
const LINKED = /@|:\/\/|www/i;

/** After these, an invisible space keeps the rest from being a host. */
const LINKS = /@|:\/|www/gi;

/** Text as code. A pipe is escaped in a table, also in code. */
function markdownCode(text: string): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  // One space at either end is not part of the code, if there is one at both.
  const room = /^[ `]|[ `]$/.test(text) ? ' ' : '';
  return fence + room + text.replaceAll('|', '\\|') + room + fence;
}

/**
 * A cell of a Markdown table, displayed literally: no link, image, tag or line break takes effect. An address or a host
 * is code, as GitHub would make it a link otherwise.
 */
export function markdownCell(text: string): string {
  const line = text.replace(/\r\n|[\r\n\t]/g, ' ');
  // In a table, code cannot contain a pipe after a backslash.
  if (LINKED.test(line) && !line.includes('\\|')) return markdownCode(line);
  return line.replace(/[\\`*_{}[\]()#+!|<>~&@$]/g, '\\$&').replace(LINKS, '$&\u{200b}');
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
      return jsonText(
        shown.map((row) => Object.fromEntries(columns.map(({ id }, index) => [id, row[index] ?? null]))),
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
