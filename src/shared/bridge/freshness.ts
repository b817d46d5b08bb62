import { z } from 'zod';

/** Where an answer comes from and how old it is (product.md: age is always visible). */
export const freshness = z.object({
  /** When the service gave the answer, epoch milliseconds; null: never. */
  fetchedAt: z.number().nullable(),
  source: z.enum(['network', 'cache']),
  /** The console could not or must not ask the service. */
  offline: z.boolean(),
});
export type Freshness = z.infer<typeof freshness>;
