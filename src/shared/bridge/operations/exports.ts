/** Operations on exports. */
import { z } from 'zod';
import { sort } from '../../model/entities.ts';
import { call } from '../operation.ts';
import { job } from './jobs.ts';
import { localFilter } from './results.ts';

export const exportFormat = z.enum(['csv', 'ndjson', 'json', 'xlsx']);
export type ExportFormat = z.infer<typeof exportFormat>;

export const exportsOperations = {
  'exports.start': call(
    'Exports a result set to a granted file as a job: all of it, what a filter leaves, or a frozen selection',
    z.object({
      resultId: z.string(),
      grantId: z.string(),
      format: exportFormat,
      columns: z
        .array(z.object({ id: z.string(), label: z.string() }))
        .min(1)
        .max(500),
      sort: z.array(sort).optional(),
      filter: localFilter.optional(),
      /** Of `results.matching`: its rows in its order, whatever filter and sort say. */
      selectionId: z.string().optional(),
      /** The query in words, as the screen has them; left out: main says it with the ids of fields. */
      words: z.string().max(50_000).optional(),
      /** Cells as they are, without neutralising formulas. A workbook holds texts only: nothing is neutralised there. */
      raw: z.boolean(),
      /** A byte order mark in front of CSV. */
      bom: z.boolean(),
      /** The clock that instants are written on: IANA name. UTC: as the service wrote them. */
      zone: z.string().min(1).max(100).default('UTC'),
      /** Inside a zip; with a password its bytes are encrypted with AES-256. */
      zip: z.object({ password: z.string().min(1).max(256).nullable() }).optional(),
    }),
    job,
  ),
} as const;
