/** The note for a finished workbook: facts that its rows do not show. */
import { plural } from '#shared/model/format.ts';
import type { Written } from './protocol.ts';
import { SHEET_DATA_ROWS } from './xlsx-parts.ts';
import { CELL_MAX } from './xlsx-rows.ts';

/** Null if there is nothing. */
export function workbookNote({ sheets, cut }: Pick<Written, 'sheets' | 'cut'>): string | null {
  const notes = [
    sheets > 1
      ? `The rows are in ${plural(sheets, 'sheet')}, as one holds ${SHEET_DATA_ROWS.toLocaleString('en-GB')}.`
      : '',
    cut > 0
      ? `${plural(cut, 'cell was', 'cells were')} longer than a workbook can hold, and cut after ${CELL_MAX.toLocaleString('en-GB')} characters.`
      : '',
  ];
  return notes.filter(Boolean).join(' ') || null;
}
