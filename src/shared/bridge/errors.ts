/** Errors as they cross the bridge: what happened, why, and what to do next, in words an analyst can act on. */
import { z } from 'zod';

const ERROR_CODES = [
  // the service and the way to it
  'unreachable',
  'timeout',
  'tls',
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
  /** One or two sentences: what, why, what next. Never a secret, never markup. */
  message: z.string(),
  retryable: z.boolean(),
  /** Machine-readable particulars: endpoint, field, status, retryAfterMs. */
  data: z.record(z.string(), z.json()).optional(),
});
export type BridgeError = z.infer<typeof bridgeError>;

/** The only error class that operations throw; any other error becomes `internal`. */
export class ParapetError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly data: BridgeError['data'];

  constructor(
    code: ErrorCode,
    message: string,
    options: { retryable?: boolean; data?: BridgeError['data']; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ParapetError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.data = options.data;
  }
}

export function toBridgeError(error: unknown): BridgeError {
  if (error instanceof ParapetError) {
    return {
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      ...(error.data === undefined ? {} : { data: error.data }),
    };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { code: 'internal', message: `Something in Parapet failed: ${reason}`, retryable: false };
}

export const fromBridgeError = (error: BridgeError): ParapetError =>
  new ParapetError(error.code, error.message, {
    retryable: error.retryable,
    ...(error.data === undefined ? {} : { data: error.data }),
  });

export const cancelled = () => new ParapetError('cancelled', 'Cancelled.');
