/** The schema of an error on the bridge. Separate from the class, which threads without schemas use as well. */
import { z } from 'zod';

const ERROR_CODES = [
  // the service and the connection to it
  'unreachable',
  'timeout',
  'tls',
  // the proxy refused, so the service was not reached
  'proxy',
  'unauthorized',
  'forbidden',
  'not-found',
  'rate-limited',
  'server-error',
  'not-implemented',
  'bad-request',
  'conflict',
  'not-json',
  'truncated',
  'wrong-shape',
  'too-large',
  'redirected',
  // this machine
  'offline',
  'not-cached',
  'cancelled',
  'invalid-input',
  'no-connection',
  'secrets-locked',
  'secrets-unavailable',
  'read-only-profile',
  'newer-schema',
  'damaged',
  'disk-full',
  'permission-denied',
  'path-missing',
  'file-exists',
  'bad-file',
  'not-allowed',
  'disconnected',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export const bridgeError = z.object({
  code: z.enum(ERROR_CODES),
  /** One or two sentences: what happened, why, what to do. Never a secret, never markup. */
  message: z.string(),
  retryable: z.boolean(),
  /** Machine-readable details: endpoint, field, status, retryAfterMs. */
  data: z.record(z.string(), z.json()).optional(),
});
export type BridgeError = z.infer<typeof bridgeError>;
