import { z } from 'zod';

/** Where a response comes from and how old it is (product.md: age is always visible). */
export const freshness = z.object({
  /** When the service responded, in epoch milliseconds, if it ever did. */
  fetchedAt: z.number().nullable(),
  source: z.enum(['network', 'cache']),
  /** The console could not or must not contact the service. */
  offline: z.boolean(),
});
export type Freshness = z.infer<typeof freshness>;
