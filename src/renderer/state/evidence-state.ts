import { useCallback, useEffect, useState } from 'react';
import type { EvidenceState } from '#shared/model/evidence.ts';
import { onAppEvent } from './app-events.ts';
import { useConnection } from './connection.ts';
import { windowBridge } from './window-bridge.ts';

interface CurrentEvidence {
  /** The connection, or null if it is not evidence. */
  id: string | null;
  /** Null if not known. */
  state: EvidenceState | null;
  setState: (state: EvidenceState) => void;
}

export function useEvidenceState(): CurrentEvidence {
  const { connection, reach } = useConnection();
  const [latest, setLatest] = useState<{ id: string; state: EvidenceState } | null>(null);
  const id = connection?.kind === 'evidence' ? connection.id : null;
  useEffect(() => {
    if (id === null) return;
    return onAppEvent('evidence', ({ connectionId, state }) => {
      if (connectionId === id) setLatest({ id, state });
    });
  }, [id]);
  // Events report changes only: the state before this window subscribed has to be fetched.
  useEffect(() => {
    if (id === null || reach !== 'online') return;
    windowBridge()
      .call('evidence.state', { connectionId: id })
      .then(({ state }) => state && setLatest({ id, state }))
      .catch(() => undefined);
  }, [id, reach]);
  const setState = useCallback(
    (state: EvidenceState) => {
      if (id !== null) setLatest({ id, state });
    },
    [id],
  );
  return { id, state: latest !== null && latest.id === id ? latest.state : null, setState };
}
