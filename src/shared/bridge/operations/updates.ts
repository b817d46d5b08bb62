/** Operations on updates of the desktop window. A browser host has none. */
import { z } from 'zod';
import { UPDATE_KINDS, updateChannel } from '#shared/model/update.ts';
import { bridgeError } from '../error-shape.ts';
import { call } from '../operation.ts';
import { epoch, none } from './common.ts';

export const updateState = z.object({
  /** Why this Parapet does not look for updates, in words, or null if it can. */
  unavailable: z.string().nullable(),
  /** Whether it checks by itself. Off until the analyst or the fleet's policy turns it on. */
  on: z.boolean(),
  channel: updateChannel,
  /** Settings that the fleet's policy decides, and the policy's file. */
  managed: z.object({ on: z.boolean(), channel: z.boolean(), by: z.string().nullable() }),
  phase: z.enum(['idle', 'checking', 'fetching', 'ready']),
  /** When the feed last answered. */
  checkedAt: epoch.nullable(),
  /** Why the last check failed. */
  problem: bridgeError.nullable(),
  /** A newer version, or null if there is none. */
  newest: z
    .object({
      version: z.string(),
      date: z.string(),
      /** From the feed: untrusted plain text. */
      notes: z.string(),
      /** Size of the package for this machine, or null if it comes from a package manager or an administrator. */
      bytes: z.number().nullable(),
    })
    .nullable(),
  /** Bytes fetched of it. */
  done: z.number(),
  /** The kind of package, or null for one that does not update itself. */
  kind: z.enum(UPDATE_KINDS).nullable(),
});
export type UpdateState = z.infer<typeof updateState>;

export const updatesOperations = {
  'updates.state': call('Whether Parapet looks for updates, and what it found', none, updateState),

  'updates.choose': call(
    'Turns looking for updates on or off, and chooses the channel',
    z.object({ on: z.boolean(), channel: updateChannel }),
    updateState,
  ),

  'updates.check': call('Checks the feed now', none, updateState),

  'updates.fetch': call('Fetches the package that was found, and verifies it', none, updateState),

  'updates.install': call('Hands the fetched package to the system and restarts Parapet', none, none),
} as const;
