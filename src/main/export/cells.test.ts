import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { neutraliseCell, restoreCell } from '#shared/model/spreadsheet-safe.ts';
import { csvLine } from './cells.ts';

it('half of a surrogate pair or NUL before a formula: U+FFFD, and the cell in the file is restored', () => {
  for (const item of ['\ud800', '\udfff', '\0'])
    for (const text of [`${item}=1`, `${item}\r\n=1`, `=${item}`, `x,${item}=1`]) {
      const held = text.replace(item, '\u{fffd}');
      const cells = parse(Buffer.from(csvLine([text], false))) as string[][];
      expect(restoreCell(cells[0]?.[0] ?? '')).toBe(held);
      expect(cells[0]?.[0]).toBe(neutraliseCell(held));
      expect(csvLine([text], true)).toBe(`"${held}"\r\n`);
    }
});
