import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { neutraliseCell, restoreCell } from '#shared/model/spreadsheet-safe.ts';
import { csvLine } from './cells.ts';

it('half of a surrogate pair before a formula: the cell in the file is restored', () => {
  for (const text of ['\ud800=1', '\ud800\r\n=1', '=\ud800', 'x,\udfff=1']) {
    const cells = parse(Buffer.from(csvLine([text], false))) as string[][];
    expect(restoreCell(cells[0]?.[0] ?? '')).toBe(text.toWellFormed());
    expect(cells[0]?.[0]).toBe(neutraliseCell(text.toWellFormed()));
  }
});
