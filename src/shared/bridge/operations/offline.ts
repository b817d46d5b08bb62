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
  /** When the oldest part of this profile was fetched, or null if it is not pinned. */
  since: z.number().nullable(),
});
export type KeptProfiles = z.infer<typeof keptProfiles>;

/** The searched fields of a profile. Of a file: name, owner, path and hashes, the last as `attachments`. */
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
/** Maximum number of profiles listed by one response. */
export const KEPT_LISTED = 1000;

/** What Parapet's own checks find in a tenant's email. */
const ownVerdict = z.object({
  /** Null if too little was found, which does not make it clean. */
  verdict: z.enum(['found', 'suspicious']).nullable(),
  /** The strongest reason. */
  reason: z.string().nullable(),
});
export type OwnVerdict = z.infer<typeof ownVerdict>;

const keptProfile = z.object({
  ...profileRef.shape,
  /** Subject or name, or null if that part is not kept, or not indexed yet. */
  title: z.string().nullable(),
  from: z.string().nullable(),
  /** When it was received, in epoch ms. */
  received: z.number().nullable(),
  verdict: z.string().nullable(),
  verdictCode: z.string().nullable(),
  /** Null if it is no email, or nothing of it is here to check. */
  own: ownVerdict.nullable(),
  /** When the oldest of its parts was fetched, in epoch ms. */
  savedAt: z.number().nullable(),
  /** Its texts cannot be searched yet. */
  isWaiting: z.boolean(),
  /** Searched parts that are not available; `profile` is the profile itself. */
  lacks: z.array(z.enum(['profile', 'body', 'headers', 'recipients', 'attachments'])),
  /** Its body is longer than the part that is kept. */
  isCut: z.boolean(),
  /** The line of text around the found words, as written. */
  hits: z.array(z.object({ field: keptField, line: z.string() })),
});
export type KeptProfile = z.infer<typeof keptProfile>;

const keptSearch = z.object({
  /** Number of kept profiles of the connection, and of those that match. */
  profiles: z.number(),
  matching: z.number(),
  /** Of all: emails in which Parapet's own checks find something although the service calls them clean. */
  apart: z.number(),
  /** The newest matching profiles, at most as many as requested. */
  rows: z.array(keptProfile),
  /** Matching profiles per field, regardless of the requested fields. */
  fields: z.partialRecord(keptField, z.number()),
  /** Among all kept profiles: not searched yet, without a body, or with only the beginning of the body searched. */
  waiting: z.number(),
  withoutBody: z.number(),
  cut: z.number(),
  /** Why pending profiles cannot be indexed, or null if the next request finds fewer of them. */
  indexError: z.string().nullable(),
});
export type KeptSearch = z.infer<typeof keptSearch>;

export const offlineOperations = {
  'offline.keep': call(
    'Fetches profiles part by part as a job, and pins them, so that they are never evicted',
    z.object({
      connectionId: z.string(),
      label: z.string().max(500),
      profiles: z.array(profileRef).min(1).max(KEEP_MOST),
    }),
    z.object({ jobId: z.string() }),
  ),

  'offline.kept': call(
    'The pinned profiles of a connection, and whether one profile is pinned',
    z.object({ connectionId: z.string(), profile: profileRef.nullable() }),
    keptProfiles,
  ),

  'offline.search': call(
    'Profiles pinned for offline that contain each word of a text, newest first; unsearched ones are counted. Works without the service',
    z.object({
      connectionId: z.string(),
      /** Words, each anywhere in the profile; a quoted phrase is one. Empty: every profile. */
      text: z.string().max(SEARCH_MOST),
      /** Only whole words. */
      whole: z.boolean(),
      /** Only in these fields; omitted: in all. */
      fields: z.array(keptField).max(KEPT_FIELDS.length),
      /** Only emails on which the service and Parapet's own checks disagree. */
      apart: z.boolean(),
      most: z.number().int().min(0).max(KEPT_LISTED),
    }),
    keptSearch,
  ),

  'offline.release': call(
    'Unpins all profiles of a connection, so that they can be evicted',
    z.object({ connectionId: z.string() }),
    z.object({ profiles: z.number() }),
  ),
} as const;
