/** Operations on the service's answers. */
import { z } from 'zod';
import type { EndpointName } from '../../api/catalogue.ts';
import type { EvidenceState } from '../../model/evidence.ts';
import { bridgeError } from '../error-shape.ts';
import { freshness } from '../freshness.ts';
import { call, stream } from '../operation.ts';
import { none } from './common.ts';

const runtimeEndpoint = z.string() as unknown as z.ZodType<EndpointName>;

const readSnapshot = z.object({
  data: z.unknown(),
  freshness,
  /** This answer is older than its time to live, and a newer one has been requested. */
  revalidating: z.boolean(),
  /** The repeated request failed; data is the cached answer. */
  error: bridgeError.nullable(),
});

/** Progress of reading a connection's evidence (model/evidence.ts). */
export const evidenceState: z.ZodType<EvidenceState> = z.object({
  phase: z.enum(['reading', 'read', 'cancelled', 'failed']),
  files: z.number(),
  totalFiles: z.number().nullable(),
  unreadable: z.number(),
  known: z.number(),
  gone: z.number(),
  unreachable: z.number(),
  reason: z.string().nullable(),
});

export const serviceOperations = {
  'service.read': stream(
    'One read of the catalogue: the cached answer at once, then the service’s',
    z.object({
      connectionId: z.string(),
      endpoint: runtimeEndpoint,
      params: z.record(z.string(), z.unknown()).optional(),
      query: z.record(z.string(), z.unknown()).optional(),
      body: z.unknown().optional(),
      /** refresh: ask the service whatever the cache's age. */
      refresh: z.boolean().optional(),
    }),
    readSnapshot,
    none,
  ),

  'service.send': call(
    'One change of the catalogue; never queued, never repeated',
    z.object({
      connectionId: z.string(),
      endpoint: runtimeEndpoint,
      params: z.record(z.string(), z.unknown()).optional(),
      query: z.record(z.string(), z.unknown()).optional(),
      body: z.unknown().optional(),
      /** The name of the changed thing, for the journal only; not sent. */
      about: z.string().max(300).optional(),
    }),
    z.object({
      data: z.unknown(),
      /** Its journal entry. */
      journalId: z.number().nullable(),
    }),
  ),

  'evidence.problems': call(
    'Files of an evidence connection that could not be read, with the reason',
    z.object({ connectionId: z.string() }),
    z.object({
      imported: z.number(),
      notMail: z.number(),
      problems: z.array(z.object({ file: z.string(), offset: z.number().nullable(), reason: z.string() })),
    }),
  ),

  'evidence.state': call(
    'How much of an evidence connection has been read; null: its service is not running, or it is not evidence',
    z.object({ connectionId: z.string() }),
    z.object({ state: evidenceState.nullable() }),
  ),

  'evidence.read': call(
    'Reads new, changed and unread evidence; joins a reading in progress. verify: reads everything after that and compares each mail with its hash',
    z.object({ connectionId: z.string(), verify: z.boolean().default(false) }),
    z.object({ state: evidenceState }),
  ),

  'evidence.resolve': call(
    'Keeps or removes emails and sign-ins that are no longer in the evidence',
    z.object({ connectionId: z.string(), answer: z.enum(['keep', 'remove']) }),
    z.object({ state: evidenceState }),
  ),

  'remote.images': call(
    'Loads remote images of one email on request: by the main process, without cookies or referrer, never from the local network',
    z.object({ connectionId: z.string(), urls: z.array(z.string().max(4096)).min(1).max(100) }),
    z.object({
      images: z.array(z.object({ url: z.string(), dataUrl: z.string() })),
      failed: z.array(z.object({ url: z.string(), reason: z.string() })),
    }),
  ),
} as const;
