/** Operations on result sets. */
import { z } from 'zod';
import { executePayload } from '../../api/catalogue/queries.ts';
import { row, sort } from '../../model/entities.ts';
import { freshness } from '../freshness.ts';
import { call } from '../operation.ts';
import { epoch } from './common.ts';

export const resultColumn = z.object({
  id: z.string(),
  label: z.string(),
  type: z.string(),
  multiValues: z.boolean(),
});
export type ResultColumn = z.infer<typeof resultColumn>;

/** The state of a result set: one run of one query, its rows in the cache. */
export const resultSet = z.object({
  id: z.string(),
  connectionId: z.string(),
  columns: z.array(resultColumn),
  sort: z.array(sort),
  /** What the service counts. */
  total: z.number(),
  /** Rows on this machine. */
  loaded: z.number(),
  /** filling: pages are being fetched. partial: stopped short of the end, `reason` says why. */
  state: z.enum(['filling', 'paused', 'complete', 'partial']),
  reason: z.string().nullable(),
  startedAt: epoch,
  freshness,
  /** A cursor lapsed and rows were matched by id instead (product.md section 1). */
  resumed: z.number(),
});
export type ResultSet = z.infer<typeof resultSet>;

/** A filter on rows already loaded: words in any text column, and values wanted per column. */
export const localFilter = z.object({
  text: z.string().max(500),
  facets: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
});
export type LocalFilter = z.infer<typeof localFilter>;

export const resultsOperations = {
  'results.open': call(
    'Runs a query: answers with its first page stored, and goes on filling. Fresh enough results are not asked for again unless refresh',
    z.object({
      connectionId: z.string(),
      payload: executePayload.omit({ search_after: true, size: true, count_only: true }),
      columns: z.array(resultColumn),
      refresh: z.boolean(),
    }),
    resultSet,
  ),

  'results.get': call('The state of a result set', z.object({ resultId: z.string() }), resultSet.nullable()),

  'results.page': call(
    'Rows start to end (exclusive) in the set order, or in a local sort and filter over what is loaded',
    z.object({
      resultId: z.string(),
      start: z.number().int().nonnegative(),
      end: z.number().int().nonnegative(),
      sort: z.array(sort).optional(),
      filter: localFilter.optional(),
    }),
    z.object({
      /** Values by column order of the set, each row led by its entity id. */
      rows: z.array(z.array(z.json())),
      /** Rows that match: the total without a filter, matches among the loaded with one. */
      count: z.number(),
      loaded: z.number(),
    }),
  ),

  'results.facets': call(
    'Values and counts of columns among the loaded rows, most first',
    z.object({ resultId: z.string(), columns: z.array(z.string()), filter: localFilter.optional() }),
    z.object({
      facets: z.array(
        z.object({
          column: z.string(),
          values: z.array(
            z.object({ value: z.union([z.string(), z.number(), z.boolean(), z.null()]), count: z.number() }),
          ),
          distinct: z.number(),
        }),
      ),
    }),
  ),

  'results.fill': call(
    'Goes on, pauses or stops fetching the rest of a result set',
    z.object({ resultId: z.string(), action: z.enum(['resume', 'pause', 'all']) }),
    resultSet,
  ),

  'results.rows': call(
    'Rows by entity id, for copying and peeking',
    z.object({ resultId: z.string(), entityIds: z.array(z.string()).max(10_000) }),
    z.object({ rows: z.array(row) }),
  ),
} as const;
