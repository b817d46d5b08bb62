/** The targets of an order, frozen: a new choice or something to leave out freezes anew. */
import { useEffect, useState } from 'react';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { ActionScope, LeftOut, PreparedAction } from '#shared/bridge/operations.ts';

export interface PrepareRequest {
  resultId: string;
  queryId: string | null;
  queryLabel: string;
  scope: ActionScope;
  leaveOut: LeftOut[];
}

export interface Preparing {
  prepared: PreparedAction | null;
  error: BridgeError | null;
  again: () => void;
}

export function usePrepared(request: PrepareRequest): Preparing {
  const asked = JSON.stringify(request);
  const [times, setTimes] = useState(0);
  const key = `${times} ${asked}`;
  const [answer, setAnswer] = useState<{
    key: string;
    prepared: PreparedAction | null;
    error: BridgeError | null;
  } | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const text = key.slice(key.indexOf(' ') + 1);
    windowBridge()
      .call('actions.prepare', JSON.parse(text) as PrepareRequest, { signal })
      .then(
        (prepared) => signal.aborted || setAnswer({ key, prepared, error: null }),
        (reason: unknown) =>
          signal.aborted || setAnswer({ key, prepared: null, error: toBridgeError(reason) }),
      );
    return () => controller.abort();
  }, [key]);
  const current = answer?.key === key ? answer : null;
  return {
    prepared: current?.prepared ?? null,
    error: current?.error ?? null,
    again: () => setTimes((before) => before + 1),
  };
}
