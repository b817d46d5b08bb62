/** Operations on result sets. */
import { z } from 'zod';
import { runPayload } from '../../api/catalogue/queries.ts';
import { row, sort } from '../../model/entities.ts';
import { SPANS } from '../../model/time-buckets.ts';
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

/** Columns of a comparison of two runs, in addition to all columns of the later run. */
export const COMPARISON_COLUMNS = {
  /** new, gone or changed. */
  change: 'parapet_change',
  /** Ids of the columns in which a changed row differs. */
  changed: 'parapet_changed',
  /** The earlier run's values of those columns: an object by column id. */
  before: 'parapet_before',
} as const;

const comparison = z.object({
  baseId: z.string(),
  otherId: z.string(),
  /** When the two runs started. */
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

/** Why a set is no longer being fetched. The first three leave it paused, the others PARTIAL. */
const STOPS = [
  /** The requested number of rows was reached. */
  'enough',
  'paused',
  /** Superseded by a newer run of the query. */
  'replaced',
  /** The analyst stopped it. */
  'stopped',
  /** Parapet ended during the fetch. */
  'closed',
  'offline',
  'unreachable',
  /** The service kept refusing or failing. */
  'failed',
  /** The rows could not be stored. */
  'storage',
  /** The service's cursors expired faster than they could be used. */
  'forgot',
  /** The cursor does not advance. */
  'stuck',
  /** The service ended with fewer or more rows than it had announced. */
  'short',
  /** The announced total or the rows kept changing while they were read. */
  'moved',
  /** The service does not count its rows, so these cannot be proved to be all. */
  'uncounted',
  /** All rows of the service are here, but its evidence was not fully read. */
  'evidence',
  /** For a comparison: one of the runs is incomplete. */
  'sources',
] as const;

/** The state of a result set: one run of one query, its rows in the cache. */
export const resultSet = z.object({
  id: z.string(),
  connectionId: z.string(),
  columns: z.array(resultColumn),
  sort: z.array(sort),
  /** The service's count; a lower bound if `atLeast`, when it counts only up to a limit or not at all. */
  total: z.number(),
  atLeast: z.boolean(),
  /** Rows on this machine. */
  loaded: z.number(),
  /** filling: pages are being fetched. partial: stopped short of the end. */
  state: z.enum(['filling', 'paused', 'complete', 'partial']),
  stop: z.enum(STOPS).nullable(),
  /** `stop` in words, with numbers; or a remark on a complete set. */
  reason: z.string().nullable(),
  startedAt: epoch,
  freshness,
  /** Times that a cursor expired and rows were matched by id instead (product.md section 1). */
  resumed: z.number(),
  /** Times that all rows were read without proving complete, so that they were read again. */
  scans: z.number(),
  /** Identifies the question, regardless of columns and order: runs with the same key can be compared. */
  queryKey: z.string(),
  /** The name under which the run was opened, or null if none was given. */
  label: z.string().nullable(),
  pinned: z.boolean(),
  /** Rows per request, or null if Parapet chooses. */
  pageSize: z.number().nullable(),
  /**
   * Rows per second over the last seconds, and the estimated seconds left, or null if unknown, or not being fetched.
   */
  rate: z.number().nullable(),
  secondsLeft: z.number().nullable(),
  /**
   * Rows that appeared or vanished at the service while the run was read, noticed in a repeated scan; and duplicate
   * rows.
   */
  appeared: z.number(),
  vanished: z.number(),
  duplicates: z.number(),
  /** Until when the service asked for a pause, epoch milliseconds, or null if there is none. */
  waitingUntil: epoch.nullable(),
  /** Why it waits, in words. */
  waitingFor: z.string().nullable().optional(),
  /** Set for a comparison of two runs, which is never fetched from a service. */
  comparison: comparison.nullable(),
});
export type ResultSet = z.infer<typeof resultSet>;

/** A cell that can be counted and filtered by. */
const facetValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Characters of a search text; further input is cut off, visibly. */
export const SEARCH_MOST = 500;

/** A filter on loaded rows: words in any text column, selected values per column, and a condition tree. */
export const localFilter = z.object({
  text: z.string().max(SEARCH_MOST),
  facets: z.record(z.string(), z.array(facetValue)),
  /** On the columns of the set (field: column id), evaluated locally. */
  condition: conditionGroup.optional(),
});
export type LocalFilter = z.infer<typeof localFilter>;

/** Groups of one axis. */
export const GROUPS_MOST = 200;

const groups = z.object({
  /** Counted rows: the matching ones among those on this machine. */
  rows: z.number(),
  loaded: z.number(),
  /** Time of the first and the last row, or null if no row has a time. */
  first: epoch.nullable(),
  last: epoch.nullable(),
  axes: z.array(
    z.union([
      z.object({
        column: z.string(),
        /** Most frequent first, or null for rows without a value. */
        values: z.array(facetValue),
        /** Number of distinct values. */
        distinct: z.number(),
        /** A row may have several values; it counts once for each. */
        several: z.boolean(),
      }),
      z.object({
        column: z.string(),
        /** Length of each span: in wall-clock time, or in months. */
        step: z.object({ ms: z.number().optional(), months: z.number().optional() }),
        /** Starts of the spans, followed by the end of the last one; empty: no row has a time. */
        edges: z.array(epoch),
        /** Rows with a time that cannot be true, before or after all spans, which would flatten the axis: in no group. */
        aside: z.number(),
      }),
    ]),
  ),
  /** Groups that have rows, in the order of the axes. */
  cells: z.array(
    z.object({
      /** Index on each axis; one past the last: all other values, or no time. */
      at: z.array(z.number()),
      count: z.number(),
      first: epoch.nullable(),
      last: epoch.nullable(),
    }),
  ),
});
export type Groups = z.infer<typeof groups>;

export const resultsOperations = {
  'results.open': call(
    'Runs a query: answers when the first page is stored, and continues fetching. Fresh results are reused unless `refresh`',
    z.object({
      connectionId: z.string(),
      payload: runPayload,
      columns: z.array(resultColumn),
      refresh: z.boolean(),
      /** The query's name, for lists of cached results. */
      label: z.string().max(300).optional(),
    }),
    resultSet,
  ),

  'results.get': call('The state of a result set', z.object({ resultId: z.string() }), resultSet.nullable()),

  'results.page': call(
    'Rows start to end (exclusive) in the order of the set, or in a local sort and filter of the loaded rows. start = end: only the exact count',
    z.object({
      resultId: z.string(),
      start: z.number().int().nonnegative(),
      end: z.number().int().nonnegative(),
      sort: z.array(sort).optional(),
      filter: localFilter.optional(),
    }),
    z.object({
      /** Values in the set's column order, each row starting with its entity id. */
      rows: z.array(z.array(z.json())),
      /** Matching rows: the total without a filter, matches among the loaded rows with one. */
      count: z.number(),
      loaded: z.number(),
      /**
       * Set for the first hits of a search before all are counted: `count` is the number so far; ask again for the
       * final count.
       */
      counting: z.boolean().optional(),
    }),
  ),

  'results.facets': call(
    'Values and counts of columns among the loaded rows, most frequent first',
    z.object({ resultId: z.string(), columns: z.array(z.string()), filter: localFilter.optional() }),
    z.object({
      facets: z.array(
        z.object({
          column: z.string(),
          values: z.array(z.object({ value: facetValue, count: z.number() })),
          distinct: z.number(),
        }),
      ),
    }),
  ),

  'results.groups': call(
    'Counts the loaded rows by one or two columns: the most frequent values of each, or spans of time',
    z.object({
      resultId: z.string(),
      by: z
        .array(
          z.object({
            column: z.string(),
            /** Of values: the number of separate groups. Of time: the approximate number of spans. */
            most: z.number().int().min(1).max(GROUPS_MOST),
            /** Of time: the shortest span; omitted: as short as there is room for. */
            every: z.enum(SPANS).optional(),
          }),
        )
        .min(1)
        .max(2),
      /** A column of time, for the first and the last row of each group. */
      time: z.string().optional(),
      /** The clock whose days and hours the spans start at. */
      clock: z.union([z.enum(['utc', 'local']), z.object({ tenant: z.string() })]),
      filter: localFilter.optional(),
    }),
    groups,
  ),

  'results.fill': call(
    'Continues, pauses or stops fetching a result set. all: every row, as a job. cancel: stops and keeps the loaded rows as PARTIAL',
    z.object({
      resultId: z.string(),
      action: z.enum(['resume', 'pause', 'cancel', 'all']),
      /** Rows per request from now on, or null if Parapet chooses. */
      pageSize: z.number().int().min(25).max(10_000).nullable().optional(),
    }),
    resultSet,
  ),

  'results.history': call(
    'Runs of the same query on this machine, newest first, with any columns and order',
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
          /** The run shown when the query is opened. */
          current: z.boolean(),
        }),
      ),
    }),
  ),

  'results.compare': call(
    'Makes a result set of the differences between two runs: new, gone and changed rows (see COMPARISON_COLUMNS)',
    z.object({
      /** The earlier run. */
      baseId: z.string(),
      otherId: z.string(),
      /** Columns to compare; omitted: all that both runs have. */
      columns: z.array(z.string()).min(1).optional(),
    }),
    resultSet,
  ),

  'results.matching': call(
    'Freezes a selection: all loaded rows, those that match a filter, optionally without some, or those with given entity ids. Kept until released, at most 8',
    z.object({
      resultId: z.string(),
      filter: localFilter.optional(),
      sort: z.array(sort).optional(),
      entityIds: z.array(z.string()).max(100_000).optional(),
      /** Rows excluded from "all", by entity id. */
      except: z.array(z.string()).max(100_000).optional(),
    }),
    z.object({
      selectionId: z.string(),
      /** Exact number of rows. */
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

  'results.release': call('Releases a selection', z.object({ selectionId: z.string() }), none),

  'results.rows': call(
    'Rows by entity id, for copying and peeking',
    z.object({ resultId: z.string(), entityIds: z.array(z.string()).max(10_000) }),
    z.object({ rows: z.array(row) }),
  ),
} as const;
