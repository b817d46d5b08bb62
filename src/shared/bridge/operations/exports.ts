/** Operations on exports. */
import { z } from 'zod';
import { sort } from '../../model/entities.ts';
import { call } from '../operation.ts';
import { job } from './jobs.ts';
import { localFilter } from './results.ts';

export const exportsOperations = {
  'exports.start': call(
    'Exports a whole result set to a granted file as a job',
    z.object({
      resultId: z.string(),
      grantId: z.string(),
      format: z.enum(['csv', 'ndjson']),
      columns: z.array(z.object({ id: z.string(), label: z.string() })).min(1),
      sort: z.array(sort).optional(),
      filter: localFilter.optional(),
      /** Cells as they are, without neutralising formulas. */
      raw: z.boolean(),
      bom: z.boolean(),
    }),
    job,
  ),
} as const;
