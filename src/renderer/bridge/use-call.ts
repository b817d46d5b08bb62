import { useCallback, useEffect, useRef, useState } from 'react';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { CallName, InputOf, OutputOf } from '#shared/bridge/operations.ts';
import { useBridge } from './bridge-context.tsx';

export interface Call<I, O> {
  /** Resolves with the output, or null when it failed (see `error`) or was cancelled by leaving. */
  run: (input: I) => Promise<O | null>;
  pending: boolean;
  error: BridgeError | null;
  reset: () => void;
}

/** Runs what a button does, with its busy and failed states. `act` may end after the view is gone: its signal says so. */
export function useAct<O, I = void>(act: (input: I, signal: AbortSignal) => Promise<O>): Call<I, O> {
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

export function useCall<N extends CallName>(operation: N): Call<InputOf<N>, OutputOf<N>> {
  const bridge = useBridge();
  const act = useCallback(
    (input: InputOf<N>, signal: AbortSignal) => bridge.call(operation, input, { signal }),
    [bridge, operation],
  );
  return useAct(act);
}
