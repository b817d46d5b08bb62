/** Operations on connections. */
import { z } from 'zod';
import { bridgeError } from '../error-shape.ts';
import { call } from '../operation.ts';
import { epoch, none } from './common.ts';

const connectionKind = z.enum(['tenant', 'demo', 'evidence']);
export type ConnectionKind = z.infer<typeof connectionKind>;

export const CONNECTION_NAME_MAX = 120;

export const connectionSettings = z.object({
  name: z.string().min(1).max(CONNECTION_NAME_MAX),
  kind: connectionKind,
  /** Tenant: the service's address, https (http only for loopback). */
  url: z.string().nullable(),
  /** PEM of an extra certificate authority to trust for this connection. */
  authorityPem: z.string().nullable(),
  /** Authserv-ids whose Authentication-Results are trusted besides those of the last receiving server. */
  authServers: z.array(z.string().max(1_000)).max(1_000).default([]),
  /** Feature flags, roles and modes that differ from the defaults in resources/ (product.md section 1). */
  flags: z.record(z.string(), z.boolean()),
  /** White-label product id that replaces `{product}`, and the SaaS that screens start with. */
  product: z.string(),
  timezone: z.string().nullable(),
  /** The name shown instead of the product's brand; none: that of this build. */
  whiteLabel: z.string().max(60).optional(),
});
export type ConnectionSettings = z.infer<typeof connectionSettings>;

const connection = connectionSettings.extend({
  id: z.string(),
  hasCredential: z.boolean(),
  /** Evidence: the folder's name for display; the path itself stays in main. */
  sourceLabel: z.string().nullable(),
  createdAt: epoch,
});
export type Connection = z.infer<typeof connection>;

export const connectionState = z.object({
  connectionId: z.string().nullable(),
  /** starting: an embedded service is starting. offline-auto: the service does not respond. */
  phase: z.enum(['none', 'starting', 'online', 'offline-user', 'offline-auto', 'failed']),
  since: epoch,
  latencyMs: z.number().nullable(),
  error: bridgeError.nullable(),
  /** Host and port of the proxy that the last answer came through; left out: none. */
  proxy: z.string().optional(),
});
export type ConnectionState = z.infer<typeof connectionState>;

export const connectionsOperations = {
  'connections.list': call(
    'All connections and the state of the active one',
    none,
    z.object({ connections: z.array(connection), state: connectionState }),
  ),

  'connections.save': call(
    'Adds or changes a connection; the credential goes to the keychain and is never returned',
    z.object({
      id: z.string().nullable(),
      settings: connectionSettings,
      credential: z.string().max(16_384).nullable(),
      /** Evidence: the folder or file. */
      grantId: z.string().nullable(),
      /**
       * The new credential belongs to the same tenant and account, so the cache is kept. Otherwise it is cleared, as
       * with another address.
       */
      sameAccount: z.boolean().default(false),
    }),
    connection,
  ),

  'connections.remove': call(
    'Removes a connection with its credential and cached data',
    z.object({ id: z.string() }),
    none,
  ),

  'connections.activate': call(
    'Makes a connection the current one',
    z.object({ id: z.string() }),
    connectionState,
  ),

  'connections.test': call(
    'Checks, before saving, that a service answers and accepts the credential',
    z.object({
      id: z.string().nullable(),
      settings: connectionSettings,
      credential: z.string().max(16_384).nullable(),
    }),
    z.object({
      ok: z.boolean(),
      latencyMs: z.number().nullable(),
      error: bridgeError.nullable(),
      /** Host and port of the proxy that the answer came through; left out: none. */
      proxy: z.string().optional(),
    }),
  ),

  'connections.offline': call(
    'Switches to offline, or online again',
    z.object({ offline: z.boolean() }),
    connectionState,
  ),
} as const;
