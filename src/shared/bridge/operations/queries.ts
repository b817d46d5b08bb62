/** Operations on query files. */
import { z } from 'zod';
import { call } from '../operation.ts';

export const queriesOperations = {
  'queries.import': call(
    'Imports a query file: read and checked here, then sent to the service',
    z.object({ connectionId: z.string(), grantId: z.string() }),
    z.object({
      imported: z.array(z.string()),
      /** Labels that failed (specification section 8), with what is known of the reason. */
      failed: z.array(z.object({ label: z.string(), reason: z.string() })),
      notes: z.array(z.string()),
    }),
  ),

  'queries.export': call(
    'Writes saved queries to a granted file',
    z.object({ connectionId: z.string(), ids: z.array(z.string()).min(1), grantId: z.string() }),
    z.object({ name: z.string(), count: z.number(), bytes: z.number() }),
  ),
} as const;
