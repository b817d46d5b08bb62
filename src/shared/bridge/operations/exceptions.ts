/** Operations on exceptions: what a rule would match on this machine before it is saved, and exporting the list. */
import { z } from 'zod';
import { PASTE_MAX } from '../../exceptions/paste.ts';
import { conditionGroup } from '../../query/tree.ts';
import { call } from '../operation.ts';
import { epoch } from './common.ts';
import { job } from './jobs.ts';
import { SEARCH_MOST } from './results.ts';

const condition = z.object({
  /** A field of shared/exceptions/types.ts. */
  field: z.string().max(64),
  matching: z.enum(['exact', 'contains', 'ends_with', 'matching']),
  value: z.string().max(4096),
});

const blastRule = z.object({
  /** The specification's id of the tool, with `{product}` unexpanded. */
  tool: z.string().max(64),
  type: z.string().max(64),
  list: z.enum(['allow', 'block']),
  /** All must hold. */
  conditions: z.array(condition).min(1).max(8),
});

const blastSample = z.object({
  entityId: z.string(),
  /** ISO 8601, or null if not in the result. */
  received: z.string().nullable(),
  /** A verdict, or null if not in the result. */
  verdict: z.string().nullable(),
  subject: z.string().nullable(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  saas: z.string().nullable(),
});

const blastRadius = z.object({
  /** Distinct emails on this machine that the rule would match. */
  matches: z.number(),
  /** Their mailboxes, or null if no matching result names them, or there are too many (see blast-mailboxes). */
  mailboxes: z.number().nullable(),
  /** A lower bound: some results name only the first recipient of an email. */
  mailboxesAtLeast: z.boolean(),
  /** Matches by verdict, most frequent first, or null if the verdict is unknown. */
  verdicts: z.array(z.object({ verdict: z.string().nullable(), count: z.number() })),
  /** Distinct emails examined, and the results that contain them. */
  checked: z.object({ emails: z.number(), results: z.number() }),
  /** Parts of the rule that could not be checked, in words, with the number of rows concerned; 0 if there is no row. */
  unchecked: z.array(z.object({ reason: z.string(), rows: z.number() })),
  /** The first matches, as the results list them. */
  sample: z.array(blastSample),
  /** The same question for the service, as an editable query of domain email, or null if it has no field for it. */
  query: conditionGroup.nullable(),
  /** Received at or after this, epoch milliseconds, or null for any time. */
  since: epoch.nullable(),
  /** When the newest of the results was fetched, or null if there is none. */
  fetchedAt: epoch.nullable(),
  ms: z.number(),
});
export type BlastRadius = z.infer<typeof blastRadius>;

/** What the exceptions of a bulk request share: a rule of one condition without its value. */
const ruleOfMany = blastRule.omit({ conditions: true }).extend(condition.omit({ value: true }).shape);
const comment = z.string().max(10_000);

/** The search of the list as exception_search2 takes it, without paging. */
const exceptionSearch = z.object({
  sec_type: z.string().max(200).optional(),
  type: z.string().max(200).optional(),
  search: z.string().max(SEARCH_MOST).optional(),
  from: z.string().max(40).optional(),
});

export const exceptionsOperations = {
  'exceptions.create-many': call(
    'Creates an exception for each value on the service as a job; the journal has all values before anything is sent',
    z.object({
      connectionId: z.string(),
      rule: ruleOfMany,
      isExclusive: z.boolean(),
      /** For values without a comment of their own. */
      comment: comment.nullable(),
      rows: z
        .array(z.object({ value: condition.shape.value.min(1), comment: comment.optional() }))
        .min(1)
        .max(PASTE_MAX)
        .refine(
          (rows) => new Set(rows.map(({ value }) => value)).size === rows.length,
          'A value is there twice',
        ),
    }),
    z.object({ job, journalId: z.number() }),
  ),

  'exceptions.blast-radius': call(
    'What an exception would match among the emails on this machine',
    z.object({
      connectionId: z.string(),
      rule: blastRule,
      /** Epoch milliseconds; null or omitted: any time. */
      since: epoch.nullish(),
      /** Matches to list, at most 500; default 100. */
      sample: z.number().int().min(0).max(500).optional(),
    }),
    blastRadius,
  ),

  'exceptions.blast-mailboxes': call(
    'Mailboxes of the matches of an exception, if they were too many for its blast radius',
    z.object({ connectionId: z.string(), rule: blastRule, since: epoch.nullish() }),
    blastRadius.pick({ mailboxes: true, mailboxesAtLeast: true }),
  ),

  'exceptions.export': call(
    'Writes every entry that a search finds, or the given ones, to a granted file: as CSV, or as JSON in the form of the service',
    z.object({
      connectionId: z.string(),
      search: exceptionSearch,
      /** Ids of entries; omitted: all that the search finds. */
      ids: z.array(z.string()).max(100_000).optional(),
      format: z.enum(['csv', 'json']),
      grantId: z.string(),
    }),
    /** missing: why the file lacks entries, in words; it is named PARTIAL. Null if it lacks none. */
    z.object({ name: z.string(), count: z.number(), bytes: z.number(), missing: z.string().nullable() }),
  ),
} as const;
