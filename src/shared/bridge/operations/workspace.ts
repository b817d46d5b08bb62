/** Operations on the workspace and the cache. */
import { z } from 'zod';
import { call } from '../operation.ts';
import { epoch, none } from './common.ts';

export const workspaceOperations = {
  'workspace.get': call(
    'A value of the workspace',
    z.object({ key: z.string().max(300) }),
    z.object({ value: z.unknown() }),
  ),

  'workspace.put': call(
    'Replaces a value of the workspace; null removes it',
    z.object({ key: z.string().max(300), value: z.unknown() }),
    none,
  ),

  'workspace.list': call(
    'Values whose key has this prefix',
    z.object({ prefix: z.string().max(300) }),
    z.object({ values: z.array(z.object({ key: z.string(), value: z.unknown() })) }),
  ),

  'cache.stats': call(
    'The content of the cache',
    none,
    z.object({
      bytes: z.number(),
      budgetBytes: z.number(),
      resultSets: z.number(),
      answers: z.number(),
      oldestAt: epoch.nullable(),
    }),
  ),

  'cache.list': call(
    'The content of the cache: result sets, most recently used first, and answers per connection',
    none,
    z.object({
      results: z.array(
        z.object({
          resultId: z.string(),
          connectionId: z.string(),
          /** The name under which the run was opened, or null if none was given. */
          label: z.string().nullable(),
          domain: z.string(),
          kind: z.enum(['run', 'comparison']),
          /** False if a newer run of the same query is shown instead. */
          current: z.boolean(),
          state: z.enum(['filling', 'paused', 'complete', 'partial']),
          rows: z.number(),
          total: z.number(),
          /** On disk, estimated. */
          bytes: z.number(),
          fetchedAt: epoch,
          usedAt: epoch,
          pinned: z.boolean(),
          /** In use, so it cannot be removed now. */
          busy: z.boolean(),
        }),
      ),
      answers: z.array(
        z.object({
          connectionId: z.string(),
          count: z.number(),
          bytes: z.number(),
          oldestAt: epoch.nullable(),
        }),
      ),
    }),
  ),

  'cache.pin': call(
    'Pins a result set against eviction, or unpins it',
    z.object({ resultId: z.string(), pinned: z.boolean() }),
    none,
  ),

  'cache.evict': call(
    'Removes one result set. Rejects `conflict` while something reads it',
    z.object({ resultId: z.string() }),
    z.object({ freedBytes: z.number() }),
  ),

  'cache.budget': call(
    'Sets the disk budget of the cache; the least recently used entries are evicted at once, except pinned ones',
    z.object({
      bytes: z
        .number()
        .int()
        .min(512 * 1024 * 1024)
        .max(1024 * 1024 * 1024 * 1024),
    }),
    z.object({ bytes: z.number(), budgetBytes: z.number() }),
  ),

  'cache.wipe': call(
    'Removes all cached data, or that of one connection; the bytes are erased from the disk when it answers',
    z.object({ connectionId: z.string().nullable() }),
    none,
  ),
} as const;
