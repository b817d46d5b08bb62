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

/** Failures after which a change may have been made at the service; after all others it was not. */
export const IN_DOUBT: readonly string[] = ['timeout', 'unreachable', 'truncated', 'cancelled'];

export const cancelled = () => new ParapetError('cancelled', 'Cancelled.');
