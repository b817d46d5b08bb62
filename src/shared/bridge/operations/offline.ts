/** Operations on profiles pinned for offline use. */
import { z } from 'zod';
import { PROFILE_KINDS } from '../../api/profile-pages.ts';
import { call } from '../operation.ts';

/** Profiles per request. */
export const KEEP_MOST = 200;

const profileRef = z.object({
  kind: z.enum(PROFILE_KINDS),
  saas: z.string().max(200),
  entityId: z.string().min(1).max(2000),
});

const keptProfiles = z.object({
  /** Pinned profiles of the connection, complete or not, and their size. */
  profiles: z.number(),
  bytes: z.number(),
  /** When the oldest part of this profile was fetched; null: it is not pinned. */
  since: z.number().nullable(),
});
export type KeptProfiles = z.infer<typeof keptProfiles>;

export const offlineOperations = {
  'offline.keep': call(
    'Fetches profiles part by part as a job, and pins them: what is kept never gives way to other things',
    z.object({
      connectionId: z.string(),
      label: z.string().max(500),
      profiles: z.array(profileRef).min(1).max(KEEP_MOST),
    }),
    z.object({ jobId: z.string() }),
  ),

  'offline.kept': call(
    'What is kept of a connection, and whether one profile is',
    z.object({ connectionId: z.string(), profile: profileRef.nullable() }),
    keptProfiles,
  ),

  'offline.release': call(
    'Lets go of everything that is kept of a connection: it may give way to other things from now on',
    z.object({ connectionId: z.string() }),
    z.object({ profiles: z.number() }),
  ),
} as const;
