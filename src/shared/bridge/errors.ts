/** Errors as they cross the bridge: what happened, why, and what to do next, in words an analyst can act on. */
import type { BridgeError, ErrorCode } from './error-shape.ts';

export type { BridgeError, ErrorCode };

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

/** Errors after which a service has certainly not accepted a change, unless an earlier attempt has arrived. */
export const NOT_ACCEPTED: ReadonlySet<ErrorCode> = new Set([
  'offline',
  'invalid-input',
  'no-connection',
  'tls',
  'proxy',
  'unauthorized',
  'forbidden',
  'bad-request',
  'not-found',
  'not-implemented',
  'rate-limited',
  'redirected',
  // Nothing leaves this machine after these.
  'not-allowed',
  'secrets-locked',
  'secrets-unavailable',
  'read-only-profile',
  'newer-schema',
  'damaged',
  'disk-full',
  'permission-denied',
]);

/** Whether a change that failed may have been made at the service. */
export function mayBeDone({ code, data }: Pick<BridgeError, 'code' | 'data'>): boolean {
  if (data?.['unsent'] === true) return false;
  if (data?.['repeated'] === true) return true;
  // A gateway's error says nothing of the service behind it.
  if (code === 'server-error') return Number(data?.['status'] ?? 0) >= 502;
  return code !== 'conflict' && !NOT_ACCEPTED.has(code);
}

/** The error of an attempt that followed one without an answer, which may have made the change. */
export const afterLost = ({ code, message, retryable, data, cause }: ParapetError): ParapetError =>
  new ParapetError(code, `${message} An earlier attempt got no answer, so it may have made the change.`, {
    ...{ retryable, cause },
    data: { ...data, repeated: true },
  });

export const cancelled = () => new ParapetError('cancelled', 'Cancelled.');
