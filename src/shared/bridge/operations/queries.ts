/** Operations on query files, and on files that the service produces for queries. */
import { z } from 'zod';
import { query } from '../../model/entities.ts';
import { POLICY_OPERATORS } from '../../model/query-status.ts';
import { call, stream } from '../operation.ts';
import { reason } from './common.ts';
import { job } from './jobs.ts';

const plannedQuery = z.object({
  /** Position in the file, from 0. */
  index: z.number(),
  label: z.string(),
  domain: z.string(),
  subType: z.string().nullable(),
  state: z.enum(['new', 'changed', 'same', 'invalid']),
  /** The saved query it is compared with. */
  match: z.object({ id: z.string(), name: z.string() }).nullable(),
  changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })),
  /** Why it is invalid. */
  reason: z.string().nullable(),
  /** Conditions that this service would not run; the query can be imported anyway. */
  warnings: z.array(z.string()),
  /**
   * What it does by itself: whether it runs in the file, and that with its schedule in words. Null if there is
   * nothing.
   */
  acts: z.object({ running: z.boolean(), words: z.string() }).nullable(),
});
export type PlannedQuery = z.infer<typeof plannedQuery>;

/** Saved queries as they were shown: what the journal keeps of each. */
const chosenQueries = z
  .array(
    query.pick({ status: true, scheduledExport: true }).extend({ id: z.string().min(1), name: z.string() }),
  )
  .min(1)
  .max(10_000);
const failures = z.array(z.object({ label: z.string(), reason: z.string() }));
const writtenFile = z.object({ name: z.string(), bytes: z.number() });

export const queriesOperations = {
  'queries.inspect': stream(
    'Reads a query file and compares it with the saved queries; nothing is sent. Its events count the saved queries that had to be read one by one, if they are many',
    z.object({ connectionId: z.string(), grantId: z.string() }),
    z.object({ read: z.number(), total: z.number() }),
    z.object({
      /** Single-use id for queries.import. */
      importId: z.string(),
      name: z.string(),
      queries: z.array(plannedQuery),
      notes: z.array(z.string()),
    }),
  ),

  'queries.import': call(
    'Sends the chosen queries of an inspected file: as new ones, or replacing the queries they were compared with',
    z.object({
      connectionId: z.string(),
      importId: z.string(),
      /** Running queries arrive stopped unless `running` is set. */
      choices: z
        .array(
          z.object({
            index: z.number(),
            as: z.enum(['new', 'replace']),
            running: z.boolean().optional(),
          }),
        )
        .min(1),
    }),
    z.object({
      imported: z.array(z.string()),
      replaced: z.array(z.string()),
      /** Labels that failed (specification section 8), with their reasons where known. */
      failed: failures,
      /** The journal entry of the replaced ones, by which they can be undone, or null if none was to be replaced. */
      journalId: z.number().nullable(),
    }),
  ),

  'queries.delete': call(
    'Deletes saved queries on the service as a job, noted in the journal at once with their schedules; if cancelled within `undoMs`, nothing is sent',
    z.object({
      connectionId: z.string(),
      queries: chosenQueries,
      /** Delay in milliseconds before it is sent. */
      undoMs: z.number().int().min(0).max(60_000),
    }),
    z.object({ job, journalId: z.number() }),
  ),

  'queries.operate': call(
    'Operates saved queries on the service as a job; the journal has each query as it was before anything is sent',
    z.object({
      connectionId: z.string(),
      operator: z.enum(POLICY_OPERATORS),
      /** Instead of policies.operation, which not everybody may use on their own queries: each query is saved. */
      call: z.literal('query.update').optional(),
      queries: chosenQueries,
      reason,
    }),
    z.object({ job, journalId: z.number() }),
  ),

  'queries.export': call(
    'Writes saved queries to a granted file',
    z.object({ connectionId: z.string(), ids: z.array(z.string()).min(1), grantId: z.string() }),
    /** missing: why the file lacks queries, in words; it is named PARTIAL. Null if it lacks none. */
    z.object({ name: z.string(), count: z.number(), bytes: z.number(), missing: z.string().nullable() }),
  ),

  'queries.export-results': call(
    'Writes the results file that the service makes for a saved query to a granted file',
    z.object({ connectionId: z.string(), id: z.string(), format: z.string(), grantId: z.string() }),
    writtenFile,
  ),

  'queries.export-active-users': call(
    'Writes the service’s list of active users of a SaaS to a granted file',
    z.object({ connectionId: z.string(), saas: z.string(), format: z.string(), grantId: z.string() }),
    writtenFile,
  ),
} as const;
