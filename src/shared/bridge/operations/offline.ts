/** Operations on profiles pinned for offline use. */
import { z } from 'zod';
import { PROFILE_KINDS } from '../../api/profile-pages.ts';
import { call } from '../operation.ts';
import { SEARCH_MOST } from './results.ts';

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

/** What is searched of a profile; of a file: its name, its owner, its path and hashes, the last as `attachments`. */
export const KEPT_FIELDS = [
  'subject',
  'sender',
  'recipients',
  'body',
  'headers',
  'links',
  'attachments',
] as const;
const keptField = z.enum(KEPT_FIELDS);
export type KeptField = z.infer<typeof keptField>;
/** Profiles that one answer lists. */
export const KEPT_LISTED = 1000;

const keptProfile = z.object({
  ...profileRef.shape,
  /** Subject or name; null: its own part is not kept, or nothing of it is indexed yet. */
  title: z.string().nullable(),
  from: z.string().nullable(),
  /** When it was received, in epoch ms. */
  received: z.number().nullable(),
  verdict: z.string().nullable(),
  verdictCode: z.string().nullable(),
  /** When the oldest of its parts was fetched, in epoch ms. */
  savedAt: z.number().nullable(),
  /** Its texts cannot be searched yet. */
  isWaiting: z.boolean(),
  /** What is searched and could not be had; `profile`: its own part. */
  lacks: z.array(z.enum(['profile', 'body', 'headers', 'recipients', 'attachments'])),
  /** Its body is longer than what is kept of it. */
  isCut: z.boolean(),
  /** Where what is asked for was found: a line of the text around it, as written. */
  hits: z.array(z.object({ field: keptField, line: z.string() })),
});
export type KeptProfile = z.infer<typeof keptProfile>;

const keptSearch = z.object({
  /** All that the connection keeps, and how many of them match. */
  profiles: z.number(),
  matching: z.number(),
  /** The newest that match, at most as many as were asked for. */
  rows: z.array(keptProfile),
  /** How many match with their text in each field, whichever fields were asked for. */
  fields: z.partialRecord(keptField, z.number()),
  /** Of all that are kept: not searched yet; without a body; with a body that is searched in its beginning only. */
  waiting: z.number(),
  withoutBody: z.number(),
  cut: z.number(),
  /** Kept bodies of profiles that cannot be named any more, and are not searched. */
  unnamed: z.number(),
  /** Why those that wait cannot be indexed; null: asked again, fewer wait. */
  indexError: z.string().nullable(),
});
export type KeptSearch = z.infer<typeof keptSearch>;

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

  'offline.search': call(
    'Profiles kept for offline that contain each word of a text, newest first; what is not searched is counted. Needs no service',
    z.object({
      connectionId: z.string(),
      /** Words, each anywhere in the profile; a quoted phrase is one. Empty: every profile. */
      text: z.string().max(SEARCH_MOST),
      /** Only whole words. */
      whole: z.boolean(),
      /** Only in these; none: in all. */
      fields: z.array(keptField).max(KEPT_FIELDS.length),
      most: z.number().int().min(0).max(KEPT_LISTED),
    }),
    keptSearch,
  ),

  'offline.release': call(
    'Lets go of everything that is kept of a connection: it may give way to other things from now on',
    z.object({ connectionId: z.string() }),
    z.object({ profiles: z.number() }),
  ),
} as const;
