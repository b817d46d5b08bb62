import { expect, it } from 'vitest';
import { workbookNote } from './notes.ts';

it.each([
  [{ sheets: 0, cut: 0 }, null],
  [{ sheets: 1, cut: 0 }, null],
  [{ sheets: 2, cut: 0 }, 'The rows are in 2 sheets, as one holds 1,048,575.'],
  [{ sheets: 1, cut: 1 }, '1 cell was longer than a workbook can hold, and cut after 32,767 characters.'],
  [
    { sheets: 3, cut: 1200 },
    'The rows are in 3 sheets, as one holds 1,048,575. 1,200 cells were longer than a workbook can hold, and cut after 32,767 characters.',
  ],
])('%j', (written, note) => {
  expect(workbookNote(written)).toBe(note);
});
