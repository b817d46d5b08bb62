/** Operations on the indicators of one profile or of any number of rows, collected outside the window. */
import { z } from 'zod';
import { INDICATOR_TYPES } from '../../model/indicators.ts';
import { conditionGroup } from '../../query/tree.ts';
import { call } from '../operation.ts';
import { localFilter } from './results.ts';

const indicator = z.object({ type: z.enum(INDICATOR_TYPES), value: z.string() });
const group = z.object({
  type: z.enum(INDICATOR_TYPES),
  count: z.number(),
  /** The first ones. */
  sample: z.array(z.string()),
});

/** Where the indicators come from. */
const indicatorSource = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('rows'),
    resultId: z.string(),
    filter: localFilter.optional(),
    /** These rows; omitted: all matching rows. */
    entityIds: z.array(z.string()).max(100_000).optional(),
    /** All matching rows except these. */
    except: z.array(z.string()).max(100_000).optional(),
  }),
  z.object({ kind: z.enum(['email', 'file']), saas: z.string(), entityId: z.string() }),
  /** All emails under a condition. */
  z.object({ kind: z.literal('condition'), condition: conditionGroup }),
]);
export type IndicatorSourceRef = z.infer<typeof indicatorSource>;

export const indicatorsOperations = {
  'indicators.collect': call(
    'Collects the distinct indicators of a profile or of rows; our own and allow-listed ones separately. The last few collections are kept',
    z.object({ connectionId: z.string(), source: indicatorSource }),
    z.object({
      collectionId: z.string(),
      /** Emails, files or other rows that were read. */
      read: z.number(),
      groups: z.array(group),
      own: z.array(indicator),
      ownCount: z.number(),
      allowed: z.array(indicator),
      allowedCount: z.number(),
      /** What could not be read, in words. */
      notes: z.array(z.string()),
    }),
  ),

  'indicators.text': call(
    'A collection as text: one indicator per line, or CSV',
    z.object({
      collectionId: z.string(),
      types: z.array(z.enum(INDICATOR_TYPES)),
      /** Also those that were left out. */
      own: z.boolean(),
      allowed: z.boolean(),
      form: z.enum(['defanged', 'raw']),
      /** csv: type, value and defanged value, regardless of `form`. */
      format: z.enum(['lines', 'typed', 'csv']),
    }),
    z.object({ text: z.string(), count: z.number() }),
  ),
} as const;
