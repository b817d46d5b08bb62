/** Specification section 7, Queries and Policies. */
import { z } from 'zod';
import { DEFAULT_PAGE_SIZE } from '../../model/constants.ts';
import { callerRole, cursor, newQuery, query, queryConfig, queryResult, sort } from '../../model/entities.ts';
import { conditionGroup, emptyGroup } from '../../query/tree.ts';
import { ask, done, nothing, read, write } from './declare.ts';

const id = z.object({ id: z.string() });

/** Every app of the service, in saas_id. */
export const EVERY_SAAS = 'all';

/** What a run asks for: the payload of query/execute without paging. */
export const runPayload = z.object({
  query_domain: z.string(),
  saas_id: z.string().default(EVERY_SAAS),
  /** Empty: the domain's own. */
  query_entity_type: z.string().default(''),
  condition: conditionGroup.default(emptyGroup),
  columns: z.array(z.string()).default([]),
  sort_by: z.array(sort).default([]),
  include_copies: z.boolean().default(false),
});
export type RunPayload = z.infer<typeof runPayload>;

/**
 * The payload of query/execute, with the specification's field names. Only the domain is required; the defaults are
 * all apps, no condition, the columns and order of the service, and a first page of 25.
 */
const executePayload = runPayload.extend({
  search_after: cursor.nullish(),
  size: z.number().int().min(0).max(10_000).default(DEFAULT_PAGE_SIZE),
  count_only: z.boolean().default(false),
  /**
   * Only for evidence: the first page may come before its rows are counted, with `total_rows` 0. The next page has the
   * count.
   */
  count_later: z.boolean().optional(),
});
export type ExecutePayload = z.infer<typeof executePayload>;

/** A query to be saved: its name and domain are required. */
const savedQuery = newQuery.extend({
  type: newQuery.shape.type.default('query'),
  /** Empty: the domain's own. */
  entityType: newQuery.shape.entityType.default(''),
  columns: newQuery.shape.columns.default([]),
});

export const QUERY_FILE_VERSION = 1;

/** `id` of calls on a query that has not been saved. */
export const UNSAVED_QUERY = 'unsaved';

const outcomes = z.array(
  z.looseObject({ entity_id: z.string(), success: z.boolean(), error: z.string().nullish() }),
);

export const queries = {
  'query.execute': ask({
    path: '/query/execute',
    body: executePayload,
    response: queryResult,
    provides: ['results'],
    paging: { cursor: 'search_after' },
    summary: 'Runs a query: a page of rows after the cursor, or the count alone',
  }),
  'query.list': read({
    path: '/query',
    query: z.object({ subtype: z.string().optional(), entity: z.string().optional() }),
    response: z.looseObject({
      queries: z.array(query),
      /** The caller as the service knows them, and their permissions, or null if the service does not say. */
      caller: z.looseObject({ id: z.string().nullish(), ...callerRole.shape }).nullish(),
    }),
    provides: ['queries'],
    onError: 'empty-list',
    summary: 'Saved queries of a subtype and an entity type; without them, all',
  }),
  'query.get': read({
    path: '/query/:id',
    params: id,
    response: query,
    provides: ['queries'],
    namedBy: 'id',
    summary: 'One saved query',
  }),
  'query.save': write({
    method: 'POST',
    path: '/query',
    body: savedQuery,
    response: query,
    invalidates: ['queries'],
    summary: 'Saves a new query; the service assigns its id',
  }),
  'query.update': write({
    method: 'PUT',
    path: '/query/:id',
    params: id,
    body: savedQuery,
    response: query,
    invalidates: ['queries'],
    retry: 'idempotent',
    summary: 'Replaces a saved query',
  }),
  'query.delete': write({
    method: 'DELETE',
    path: '/query/:id',
    params: id,
    bodyKind: 'none',
    body: nothing,
    response: done,
    invalidates: ['queries'],
    retry: 'idempotent',
    summary: 'Deletes a saved query',
  }),
  'query.config': read({
    path: '/query/config',
    query: z.object({ saas_id: z.string(), query_domain: z.string() }),
    response: queryConfig,
    provides: ['query-config'],
    summary: 'Fields, operators, columns, conditions and actions of a domain',
  }),
  'query.export': ask({
    path: '/query/export',
    /** Without ids: every query that the caller may export. */
    body: z.object({ ids: z.array(z.string()).nullish() }),
    answer: 'blob',
    response: z.any(),
    provides: [],
    cache: { mode: 'none' },
    summary: 'Saved queries as a file (blob)',
  }),
  'query.import': write({
    method: 'POST',
    path: '/query/import',
    bodyKind: 'multipart',
    body: nothing,
    response: z.looseObject({
      imported: z.array(z.string()),
      /** Set by services that count the imported queries instead of listing them. */
      imported_count: z.number().int().nonnegative().nullish(),
      /** Labels of the queries that failed (specification section 8). */
      error: z.array(z.string()),
      /** The same labels with reasons, from services that give them. */
      failed: z.array(z.looseObject({ label: z.string(), reason: z.string() })).nullish(),
    }),
    invalidates: ['queries'],
    summary: 'Imports a query file (form file `file`); answers imported and failed labels',
  }),
  'query.export-results': ask({
    path: '/query/:id/export-results',
    params: id,
    body: z.object({
      /** json, csv (default) or xlsx. */
      format: z.string().optional(),
      /** If set, the file is delivered in a zip encrypted with it (AES-256). */
      password: z.string().optional(),
    }),
    answer: 'blob',
    response: z.any(),
    provides: [],
    cache: { mode: 'none' },
    summary: "A saved query's results as a file made by the service (blob)",
  }),
  'query.export-active-users': ask({
    path: '/query/export/active-users',
    body: z.object({
      saas: z.string().default(EVERY_SAAS),
      /** json, csv (default) or xlsx. */
      format: z.string().optional(),
      password: z.string().optional(),
    }),
    answer: 'blob',
    response: z.any(),
    provides: [],
    cache: { mode: 'none' },
    summary: 'Active users of a SaaS as a file (blob)',
  }),
  'query.action': write({
    method: 'POST',
    path: '/query/:id/action',
    params: id,
    body: z.object({
      query_domain: z.string(),
      saas_id: z.string().default(EVERY_SAAS),
      /** The condition is required: an action without one must not apply to everything. */
      condition: conditionGroup,
      query_label: z.string().default(''),
      columns: z.array(z.string()).default([]),
      action_id: z.string(),
      action_params: z.record(z.string(), z.json()).default({}),
      /** The condition names delivered copies, not emails. */
      include_copies: z.boolean().optional(),
    }),
    response: z.looseObject({
      success: z.boolean(),
      affected: z.number().int().nullish(),
      outcomes: outcomes.nullish(),
    }),
    invalidates: ['results', 'email', 'file', 'scan', 'statistics'],
    summary: 'Runs an action of the config on everything that the condition matches',
  }),
};

export const policies = {
  'policies.operation': write({
    method: 'PUT',
    path: '/policies/policy_catalog/operation',
    body: z.object({ operator: z.string(), policies_ids: z.array(z.string()) }),
    response: done.extend({
      outcomes: z
        .array(z.looseObject({ id: z.string(), success: z.boolean(), error: z.string().nullish() }))
        .nullish(),
    }),
    invalidates: ['queries', 'policies'],
    summary: 'Enables, disables or otherwise operates several policies',
  }),
  'policies.send-result': write({
    method: 'POST',
    // The double slash is the specification's own.
    path: '/policies/policies_catalog//:id/send_result',
    params: id,
    body: nothing,
    response: done.extend({
      sent_at: z.string().nullish(),
      rows: z.number().int().nullish(),
      recipients: z.array(z.string()).nullish(),
    }),
    invalidates: ['queries'],
    summary: 'Sends the scheduled result now',
  }),
};

export const manualActions = {
  'manual-actions.create': write({
    method: 'POST',
    path: '/manual_actions',
    body: z.object({
      entity_ids: z.array(z.string()),
      entity_type: z.string(),
      data: z.looseObject({ action: z.string() }),
      /** ISO 8601; null or omitted: now. */
      date_trigger: z.string().nullable().default(null),
    }),
    response: z.looseObject({
      success: z.boolean(),
      outcomes: outcomes.nullish(),
    }),
    invalidates: ['results', 'email', 'file', 'scan', 'statistics'],
    summary: 'Takes an action on entities, now or at a date',
  }),
};
