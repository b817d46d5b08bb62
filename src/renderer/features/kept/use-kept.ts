/** The profiles saved for offline that a search finds; asked again while some of them are not indexed yet. */
import { useCallback, useEffect, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { usePinChanges } from '#renderer/state/offline-pins.ts';
import { useTab } from '#renderer/state/tab-context.ts';
import { afterPause } from '#renderer/ui/after-pause.ts';
import { useStable } from '#renderer/ui/use-stable.ts';
import type { BridgeError } from '#shared/bridge/error-shape.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { KEPT_LISTED, type KeptField, type KeptSearch } from '#shared/bridge/operations.ts';

const ASK_AFTER_MS = 120;

export interface KeptFilter {
  text: string;
  whole: boolean;
  fields: readonly KeptField[];
  /** Only emails on which the service and Parapet's own checks disagree. */
  apart: boolean;
}

export interface Kept {
  answer: KeptSearch | null;
  /** The filter they belong to. */
  answered: KeptFilter | null;
  error: BridgeError | null;
  busy: boolean;
  refresh: () => void;
}

export function useKept(connectionId: string | null, { text, whole, fields, apart }: KeptFilter): Kept {
  const bridge = useBridge();
  const { isShown } = useTab();
  const [state, setState] = useState<Pick<Kept, 'answer' | 'answered' | 'error'>>({
    answer: null,
    answered: null,
    error: null,
  });
  const [busy, setBusy] = useState(false);
  const [round, setRound] = useState(0);
  const changes = usePinChanges(true);
  const refresh = useCallback(() => setRound((before) => before + 1), []);
  const chosen = useStable(fields);
  useEffect(() => {
    if (connectionId === null || !isShown || changes === '') return undefined;
    const request = { text, whole, apart, fields: [...chosen] };
    const ask = async (signal: AbortSignal): Promise<void> => {
      const answer = await bridge.call(
        'offline.search',
        { connectionId, ...request, most: KEPT_LISTED },
        { signal },
      );
      if (signal.aborted) return;
      setState({ answer, answered: request, error: null });
      // Each search indexes some of the profiles that are not indexed yet.
      if (answer.waiting > 0 && answer.indexError === null) await ask(signal);
    };
    return afterPause(round === 0 && text === '' ? 0 : ASK_AFTER_MS, (signal) => {
      setBusy(true);
      ask(signal)
        .catch((reason: unknown) => {
          if (!signal.aborted) setState((before) => ({ ...before, error: toBridgeError(reason) }));
        })
        .finally(() => {
          if (!signal.aborted) setBusy(false);
        });
    });
  }, [bridge, connectionId, isShown, text, whole, apart, chosen, changes, round]);
  return { ...state, busy, refresh };
}
