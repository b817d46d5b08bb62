import { useCallback, useEffect, useRef, useState } from 'react';
import type { AnswerOf, WriteEndpoint } from '#shared/api/catalogue.ts';
import { type BridgeError, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { CallName, InputOf, OutputOf } from '#shared/bridge/operations.ts';
import { activeConnectionId } from './active-connection.ts';
import { useBridge } from './bridge-context.tsx';

export interface Call<I, O> {
  /** Resolves with the output, or null when it failed (see `error`) or was cancelled by leaving. */
  run: (input: I) => Promise<O | null>;
  pending: boolean;
  error: BridgeError | null;
  reset: () => void;
}

function useAsync<I, O>(act: (input: I, signal: AbortSignal) => Promise<O>): Call<I, O> {
  const [state, setState] = useState<{ pending: boolean; error: BridgeError | null }>({
    pending: false,
    error: null,
  });
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const run = useCallback(
    async (input: I) => {
      const mine = new AbortController();
      controller.current = mine;
      setState({ pending: true, error: null });
      try {
        const output = await act(input, mine.signal);
        if (!mine.signal.aborted) setState({ pending: false, error: null });
        return output;
      } catch (reason) {
        const error = toBridgeError(reason);
        if (!mine.signal.aborted)
          setState({ pending: false, error: error.code === 'cancelled' ? null : error });
        return null;
      }
    },
    [act],
  );
  const reset = useCallback(() => setState({ pending: false, error: null }), []);
  return { run, ...state, reset };
}

/** One-shot operation of the bridge with its pending and error state. */
export function useCall<N extends CallName>(operation: N): Call<InputOf<N>, OutputOf<N>> {
  const bridge = useBridge();
  const act = useCallback(
    (input: InputOf<N>, signal: AbortSignal) => bridge.call(operation, input, { signal }),
    [bridge, operation],
  );
  return useAsync(act);
}

export interface SendInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** One change of the catalogue on the active connection. */
export function useSend<N extends WriteEndpoint>(endpoint: N): Call<SendInput, AnswerOf<N>> {
  const bridge = useBridge();
  const act = useCallback(
    async (input: SendInput, signal: AbortSignal) => {
      const connectionId = activeConnectionId();
      if (connectionId === null) throw new ParapetError('no-connection', 'No connection is open.');
      // A change that has left cannot be called back: leaving the view does not cancel it.
      signal.throwIfAborted();
      const { data } = await bridge.call('service.send', { connectionId, endpoint, ...input });
      return data as AnswerOf<N>;
    },
    [bridge, endpoint],
  );
  return useAsync(act);
}
