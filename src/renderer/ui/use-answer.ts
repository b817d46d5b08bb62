import { useCallback, useEffect, useRef, useState } from 'react';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import { afterPause } from './after-pause.ts';

interface Answer<T> {
  /** The answer to this question. */
  data: T | null;
  /** The last answer to any question, for what stays on screen meanwhile. */
  last: T | null;
  error: BridgeError | null;
  isAsking: boolean;
  again: () => void;
}

/**
 * What `ask` answers to a question. Another question, compared as JSON, cancels it; null asks nothing. `show` shows a
 * part of the answer until the rest arrives.
 */
export function useAnswer<T>(
  question: unknown,
  ask: (signal: AbortSignal, show: (part: T) => void) => Promise<T>,
  pauseMs = 0,
): Answer<T> {
  const [turn, setTurn] = useState(0);
  const [answer, setAnswer] = useState<{ of: string | null; data: T | null; error: BridgeError | null }>({
    of: null,
    data: null,
    error: null,
  });
  const key = question === null ? null : JSON.stringify([turn, question]);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (key === null) return undefined;
    return afterPause(pauseMs, (signal) => {
      const show = (data: T) => signal.aborted || setAnswer({ of: key, data, error: null });
      latest
        .current(signal, show)
        .then(
          show,
          (reason: unknown) =>
            signal.aborted || setAnswer(({ data }) => ({ of: key, data, error: toBridgeError(reason) })),
        );
    });
  }, [key, pauseMs]);
  const isCurrent = key !== null && answer.of === key;
  return {
    data: isCurrent && answer.error === null ? answer.data : null,
    last: answer.data,
    error: isCurrent ? answer.error : null,
    isAsking: key !== null && !isCurrent,
    again: useCallback(() => setTurn((before) => before + 1), []),
  };
}
