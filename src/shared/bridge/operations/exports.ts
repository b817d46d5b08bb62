/** Operations on exports. */
import { z } from 'zod';
import { sort } from '../../model/entities.ts';
import { zipPassword } from '../../model/password-strength.ts';
import { call } from '../operation.ts';
import { job } from './jobs.ts';
import { localFilter } from './results.ts';

export const exportFormat = z.enum(['csv', 'ndjson', 'json', 'xlsx']);
export type ExportFormat = z.infer<typeof exportFormat>;

/** Labels of column values that are identifiers of tools and apps: `checkpoint_te:found` is "Sandbox: Found". */
const cellWords = z.record(z.string(), z.string());

export const exportsOperations = {
  'exports.start': call(
    'Exports a result set to a granted file as a job: all rows, the filtered ones, or a frozen selection',
    z.object({
      resultId: z.string(),
      grantId: z.string(),
      format: exportFormat,
      columns: z
        .array(z.object({ id: z.string(), label: z.string(), words: cellWords.optional() }))
        .min(1)
        .max(500),
      sort: z.array(sort).optional(),
      filter: localFilter.optional(),
      /** From `results.matching`: exports its rows in its order, ignoring filter and sort. */
      selectionId: z.string().optional(),
      /** The query in words as shown on screen; omitted: main describes it by field ids. */
      words: z.string().max(50_000).optional(),
      /** Cells as they are, without neutralising formulas. A workbook holds only texts and needs no neutralising. */
      raw: z.boolean(),
      /** A byte order mark in front of CSV. */
      bom: z.boolean(),
      /** Time zone of the instants, IANA name. UTC: as the service sent them. */
      zone: z.string().min(1).max(100).default('UTC'),
      /** Put into a zip; with a password it is encrypted with AES-256. */
      zip: z.object({ password: zipPassword.nullable() }).optional(),
    }),
    job,
  ),
} as const;
