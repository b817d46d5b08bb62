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
    'Values whose key starts so',
    z.object({ prefix: z.string().max(300) }),
    z.object({ values: z.array(z.object({ key: z.string(), value: z.unknown() })) }),
  ),

  'cache.stats': call(
    'What the cache holds',
    none,
    z.object({
      bytes: z.number(),
      budgetBytes: z.number(),
      resultSets: z.number(),
      answers: z.number(),
      oldestAt: epoch.nullable(),
    }),
  ),

  'cache.wipe': call(
    'Removes everything cached, or of one connection',
    z.object({ connectionId: z.string().nullable() }),
    none,
  ),
} as const;
