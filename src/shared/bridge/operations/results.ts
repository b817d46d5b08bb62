/** Operations on result sets. */
import { z } from 'zod';
import { executePayload } from '../../api/catalogue/queries.ts';
import { row, sort } from '../../model/entities.ts';
import { conditionGroup } from '../../query/tree.ts';
import { freshness } from '../freshness.ts';
import { call } from '../operation.ts';
import { epoch, none } from './common.ts';

const resultColumn = z.object({
  id: z.string(),
  label: z.string(),
  type: z.string(),
  multiValues: z.boolean(),
});
export type ResultColumn = z.infer<typeof resultColumn>;

/** What two runs of a query differ in. Rows of the comparison have all columns of the later run, and these three. */
export const COMPARISON_COLUMNS = {
  /** new, gone or changed. */
  change: 'parapet_change',
  /** Ids of the columns that differ, of a changed row. */
  changed: 'parapet_changed',
  /** What those columns held in the earlier run: an object by column id. */
  before: 'parapet_before',
} as const;

const comparison = z.object({
  baseId: z.string(),
  otherId: z.string(),
  /** When the two runs began. */
  baseAt: epoch,
  otherAt: epoch,
  /** Columns that were compared. */
  columns: z.array(z.string()),
  new: z.number(),
  gone: z.number(),
  changed: z.number(),
  same: z.number(),
});
export type Comparison = z.infer<typeof comparison>;

/** Why a set is not being fetched any more. The first three leave it paused, the others PARTIAL. */
const STOPS = [
  /** As many rows as were wanted are here. */
  'enough',
  'paused',
  /** A newer run of the query took its place. */
  'replaced',
  /** The analyst stopped it. */
  'stopped',
  /** Parapet ended in the middle. */
  'closed',
  'offline',
  'unreachable',
  /** The service refused or failed, time and again. */
  'failed',
  /** What came could not be stored. */
  'storage',
  /** The service forgot its cursors faster than they could be used. */
  'forgot',
  /** The cursor does not move. */
  'stuck',
  /** The end came before, or after, as many rows as were announced. */
  'short',
  /** What the service announced, or has, changed while it was read, time and again. */
  'moved',
  /** The service does not count its rows, and nothing proves that these are all. */
  'uncounted',
  /** All that the service has is here; what it reads from was not read to its end. */
  'evidence',
  /** Of a comparison: a run that was compared is not whole. */
  'sources',
] as const;

/** The state of a result set: one run of one query, its rows in the cache. */
export const resultSet = z.object({
  id: z.string(),
  connectionId: z.string(),
  columns: z.array(resultColumn),
  sort: z.array(sort),
  /** What the service counts; at least so many, if `atLeast`: it counts only to a limit, or not at all. */
  total: z.number(),
  atLeast: z.boolean(),
  /** Rows on this machine. */
  loaded: z.number(),
  /** filling: pages are being fetched. partial: stopped short of the end. */
  state: z.enum(['filling', 'paused', 'complete', 'partial']),
  stop: z.enum(STOPS).nullable(),
  /** `stop` in words, with the numbers; or what is to be said of a complete set. */
  reason: z.string().nullable(),
  startedAt: epoch,
  freshness,
  /** A cursor lapsed and rows were matched by id instead (product.md section 1). */
  resumed: z.number(),
  /** Times that all rows were read without proving to be whole, so that they were read again. */
  scans: z.number(),
  /** Names the question whatever its columns and order: runs with the same key can be compared. */
  queryKey: z.string(),
  /** What the run was opened as; null: nobody said. */
  label: z.string().nullable(),
  pinned: z.boolean(),
  /** Rows asked for at once; null: chosen by Parapet. */
  pageSize: z.number().nullable(),
  /** Rows per second over the last seconds, and seconds to the end at that rate; null: not known, or not filling. */
  rate: z.number().nullable(),
  secondsLeft: z.number().nullable(),
  /** Rows that came or went at the service while the run was read, seen when it began anew; rows that came twice. */
  appeared: z.number(),
  vanished: z.number(),
  duplicates: z.number(),
  /** Epoch milliseconds until which the service asked to be left alone; null: it is being asked. */
  waitingUntil: epoch.nullable(),
  /** Set: the rows are the differences of two runs. Such a set is never fetched from a service. */
  comparison: comparison.nullable(),
});
export type ResultSet = z.infer<typeof resultSet>;

/** A filter on rows already loaded: words in any text column, values wanted per column, and a condition tree. */
export const localFilter = z.object({
  text: z.string().max(500),
  facets: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  /** Over the columns of the set (field: column id), evaluated on this machine. */
  condition: conditionGroup.optional(),
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
      /** The query's name, for lists of what the cache holds. */
      label: z.string().max(300).optional(),
    }),
    resultSet,
  ),

  'results.get': call('The state of a result set', z.object({ resultId: z.string() }), resultSet.nullable()),

  'results.page': call(
    'Rows start to end (exclusive) in the set order, or in a local sort and filter over what is loaded. start = end: only the exact count',
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
      /** The first hits of a search, before all are counted: `count` is those found so far; ask again for the count alone. */
      counting: z.boolean().optional(),
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
    'Goes on, pauses or stops fetching the rest of a result set. all: every row, as a job. cancel: stops, keeps what is here as PARTIAL',
    z.object({
      resultId: z.string(),
      action: z.enum(['resume', 'pause', 'cancel', 'all']),
      /** Rows to ask for at once from now on; null: as Parapet sees fit. */
      pageSize: z.number().int().min(25).max(10_000).nullable().optional(),
    }),
    resultSet,
  ),

  'results.history': call(
    'Runs of the same query that are on this machine, newest first, whatever their columns and order',
    z.object({ connectionId: z.string(), queryKey: z.string() }),
    z.object({
      runs: z.array(
        z.object({
          resultId: z.string(),
          startedAt: epoch,
          fetchedAt: epoch,
          loaded: z.number(),
          total: z.number(),
          state: resultSet.shape.state,
          reason: z.string().nullable(),
          pinned: z.boolean(),
          /** The run that opening the query shows. */
          current: z.boolean(),
        }),
      ),
    }),
  ),

  'results.compare': call(
    'Makes a result set of what differs between two runs: new, gone and changed rows (see COMPARISON_COLUMNS)',
    z.object({
      /** The earlier run. */
      baseId: z.string(),
      otherId: z.string(),
      /** Columns whose values are compared; left out: all that both runs have. */
      columns: z.array(z.string()).min(1).optional(),
    }),
    resultSet,
  ),

  'results.matching': call(
    'Freezes a selection: all rows loaded now, those that match a filter, those but some, or those with these entity ids. Kept until released, at most 8',
    z.object({
      resultId: z.string(),
      filter: localFilter.optional(),
      sort: z.array(sort).optional(),
      entityIds: z.array(z.string()).max(100_000).optional(),
      /** Rows that were taken out of "all", by entity id. */
      except: z.array(z.string()).max(100_000).optional(),
    }),
    z.object({
      selectionId: z.string(),
      /** Rows, exactly. */
      count: z.number(),
    }),
  ),

  'results.selection': call(
    'Entity ids of a selection, start to end (exclusive), in its order; null: a row without an id',
    z.object({
      selectionId: z.string(),
      start: z.number().int().nonnegative(),
      end: z.number().int().nonnegative(),
    }),
    z.object({ entityIds: z.array(z.string().nullable()), count: z.number() }),
  ),

  'results.release': call('Forgets a selection', z.object({ selectionId: z.string() }), none),

  'results.rows': call(
    'Rows by entity id, for copying and peeking',
    z.object({ resultId: z.string(), entityIds: z.array(z.string()).max(10_000) }),
    z.object({ rows: z.array(row) }),
  ),
} as const;
