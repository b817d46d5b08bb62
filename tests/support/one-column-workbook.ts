/** The writer of a workbook with one column of text, in the order of the rows unless `more` says otherwise. */
import { dirname, join } from 'node:path';
import { createWriter } from '#main/export/writer.ts';

type Options = Parameters<typeof createWriter>[0];

export const oneColumnWorkbook = (
  part: string,
  { rows, sheetRows, ...more }: Pick<Options, 'rows' | 'sheetRows'> & Partial<Options>,
): ReturnType<typeof createWriter> =>
  createWriter({
    part,
    format: 'xlsx',
    columns: [{ id: 'a', label: 'A', index: 0, storage: 'text' }],
    stored: [],
    raw: false,
    bom: false,
    zone: 'UTC',
    spans: null,
    rows,
    sheetRows,
    zip: null,
    id: null,
    partial: null,
    scratch: join(dirname(part), '..', 'scratch'),
    sort: null,
    ...more,
  });
