/** Files and links opened with Parapet from outside: by the file manager, a link, another start. */
import { z } from 'zod';
import { link } from '../link.ts';
import { call } from '../operation.ts';
import { offer } from './app.ts';
import { none } from './common.ts';

const arrival = z.discriminatedUnion('kind', [
  /** `folder` is its location, only for display. */
  z.object({ kind: z.literal('offer'), offer, folder: z.string() }),
  z.object({ kind: z.literal('link'), link }),
  z.object({ kind: z.literal('refused'), reason: z.string() }),
]);

export const arrivalsOperations = {
  'arrivals.next': call(
    'The next file or link that was opened with Parapet, returned once; null: none is waiting',
    none,
    z.object({
      arrival: arrival.nullable(),
      /** The number that exceeded the limit and were dropped. */
      leftOut: z.number(),
    }),
  ),
} as const;
