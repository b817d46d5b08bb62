/**
 * Operations on actions (frozen targets, sent as a job, each with its outcome) and on the journal of all changes.
 */
import { z } from 'zod';
import { row } from '../../model/entities.ts';
import { call } from '../operation.ts';
import { epoch, reason } from './common.ts';
import { job } from './jobs.ts';
import { localFilter, SEARCH_MOST } from './results.ts';

/** The rows of a result set that an action applies to. */
const actionScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('selected'), entityIds: z.array(z.string()).min(1).max(100_000) }),
  /** A selection created by `results.matching`. */
  z.object({ kind: z.literal('selection'), selectionId: z.string() }),
  /** All rows currently loaded, or those of them that match the filter. */
  z.object({
    kind: z.literal('loaded'),
    filter: localFilter.optional(),
    /** Rows excluded from the selection of all, by entity id. */
    except: z.array(z.string()).max(100_000).optional(),
  }),
  /** All rows of the query, fetched first where necessary. */
  z.object({ kind: z.literal('matching'), filter: localFilter.optional() }),
]);
export type ActionScope = z.infer<typeof actionScope>;

/** Columns whose values help to decide for or against an action. */
export const MIX_COLUMNS: readonly string[] = ['verdict', 'state'];

/** Rows with one of these values in a column of MIX_COLUMNS. */
const leftOut = z.object({ column: z.enum(['verdict', 'state']), values: z.array(z.string()).min(1) });
export type LeftOut = z.infer<typeof leftOut>;

const preparedAction = z.object({
  id: z.string(),
  connectionId: z.string(),
  resultId: z.string(),
  /** The domain of the query, which is the kind of target. */
  domain: z.string(),
  queryLabel: z.string(),
  scope: z.enum(['selected', 'selection', 'loaded', 'matching']),
  /** Exact number of targets; none is added or dropped later. */
  count: z.number(),
  /** Rows without an entity id, which no action can address. */
  withoutId: z.number(),
  /**
   * True if the service is sent the targets' ids. False if it accepts only conditions, and is asked for the count again
   * before anything is sent.
   */
  exact: z.boolean(),
  /** The first targets, at most 100, as rows; `actions.preview` returns all. */
  preview: z.array(row),
  /** Values of the targets and their counts, for the columns of MIX_COLUMNS that the rows have. */
  mix: z.array(
    z.object({ column: z.string(), values: z.array(z.object({ value: z.string(), count: z.number() })) }),
  ),
  /** Rows left out as requested. */
  leftOut: z.number(),
  preparedAt: epoch,
});
export type PreparedAction = z.infer<typeof preparedAction>;

/**
 * pending: not sent yet. sending: in flight. not-sent: never reached the service. unknown: no answer came, it may be
 * done.
 */
export const TARGET_STATES = ['pending', 'sending', 'done', 'failed', 'not-sent', 'unknown'] as const;
const targetState = z.enum(TARGET_STATES);
export type TargetState = z.infer<typeof targetState>;

const journalAction = z.object({
  actionId: z.string(),
  actionLabel: z.string(),
  params: z.record(z.string(), z.json()),
  reason: z.string(),
  domain: z.string(),
  saas: z.string(),
  queryId: z.string().nullable(),
  queryLabel: z.string(),
  scope: z.string(),
  targets: z.number(),
  counts: z.record(targetState, z.number()),
  /** The journal entry whose failed targets this one retried. */
  retryOf: z.number().nullable(),
  /** The entry that this one undoes. */
  undoOf: z.number().nullable(),
  /** Name and recipient of the only target, or null if there are several, or its name is unknown. */
  only: z.object({ name: z.string().nullable(), recipient: z.string().nullable() }).nullable(),
});
export type JournalAction = z.infer<typeof journalAction>;

const journalEntry = z.object({
  id: z.number(),
  at: epoch,
  connectionId: z.string(),
  /** The user of this machine. */
  who: z.string().nullable(),
  /** Name of the call; see docs/api.md. */
  endpoint: z.string(),
  /** The name of the changed thing, or null if it has none, or the entry's action contains it. */
  about: z.string().nullable(),
  /** What was sent, as JSON without secrets. */
  request: z.string(),
  /** partial: some targets. unknown: there was no response, it may be done. */
  outcome: z.enum(['running', 'done', 'partial', 'failed', 'unknown']),
  /** Why it failed or how it ended, in words. */
  message: z.string().nullable(),
  action: journalAction.nullable(),
  /** The action that would undo it, or null if nothing does, nothing of it was done, or it is undone. */
  inverse: z.string().nullable(),
});
export type JournalEntry = z.infer<typeof journalEntry>;

export const actionsOperations = {
  'actions.prepare': call(
    'Freezes the targets of an action: exact count and a preview. Nothing is sent',
    z.object({
      resultId: z.string(),
      /** Null if the query has not been saved. */
      queryId: z.string().nullable(),
      queryLabel: z.string().max(300),
      scope: actionScope,
      /** Rows to leave out; the service must accept target ids. */
      leaveOut: z.array(leftOut).max(10).optional(),
    }),
    preparedAction,
  ),

  'actions.preview': call(
    'Prepared targets as rows, start to end (exclusive)',
    z.object({
      preparedId: z.string(),
      start: z.number().int().nonnegative(),
      end: z.number().int().nonnegative(),
    }),
    z.object({ rows: z.array(row) }),
  ),

  'actions.send': call(
    'Sends an action on prepared targets, once, as a job. Offline it is refused and not kept',
    z.object({
      preparedId: z.string(),
      actionId: z.string().max(200),
      /** Instead of an action of the config: `SERVICE_EXCEPTIONS`. */
      call: z.literal('exceptions.create').optional(),
      params: z.record(z.string(), z.json()),
      reason,
    }),
    z.object({ job, journalId: z.number() }),
  ),

  'actions.retry': call(
    'Sends an action again to targets that failed or were not sent, as a new journal entry',
    z.object({
      journalId: z.number(),
      /** Also targets without a response, which may be affected twice. */
      unknown: z.boolean().default(false),
    }),
    z.object({ job, journalId: z.number() }),
  ),

  'actions.undo': call(
    'Undoes an action on the targets it succeeded for, or a response to one entity, by its inverse, once, as a new journal entry',
    z.object({ journalId: z.number() }),
    z.object({ job, journalId: z.number() }),
  ),

  'actions.targets': call(
    'Targets of an action with their outcomes, start to end (exclusive)',
    z.object({
      journalId: z.number(),
      states: z.array(targetState).optional(),
      start: z.number().int().nonnegative(),
      end: z.number().int().nonnegative(),
    }),
    z.object({
      targets: z.array(
        z.object({
          entityId: z.string(),
          /** Its name and recipient when it was chosen, or null if unknown. */
          name: z.string().nullable(),
          recipient: z.string().nullable(),
          /** What it was before, in words, or null if the action keeps none. */
          before: z.string().nullable(),
          state: targetState,
          error: z.string().nullable(),
        }),
      ),
      count: z.number(),
    }),
  ),

  'journal.list': call(
    'Changes that were sent to services, newest first',
    z.object({
      /** Null for all connections. */
      connectionId: z.string().nullable(),
      /** Words in who, what, request or outcome. */
      text: z.string().max(SEARCH_MOST).optional(),
      outcome: journalEntry.shape.outcome.optional(),
      /** Only actions on targets, or only other changes. */
      kind: z.enum(['action', 'change']).optional(),
      /** `next` of the previous page. */
      before: z.number().nullable().default(null),
      limit: z.number().int().min(1).max(500).default(100),
    }),
    z.object({
      entries: z.array(journalEntry),
      /** Matching entries on all pages. */
      count: z.number(),
      next: z.number().nullable(),
    }),
  ),
} as const;
