import { Button } from '@blueprintjs/core';
import { type JSX, useCallback, useEffect, useState } from 'react';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { type EvidenceState, whyIncomplete } from '#shared/model/evidence.ts';
import { onAppEvent } from '../state/app-events.ts';
import { useConnection } from '../state/connection.ts';
import { windowBridge } from '../state/window-bridge.ts';
import { CautionBar } from '../ui/bars.tsx';
import { showToast } from '../ui/toaster.ts';

/** Why the current evidence is not all here, and the question what becomes of mail that is no longer in it. */
export function EvidenceBanner(): JSX.Element | null {
  const { connection, reach } = useConnection();
  const [told, setTold] = useState<{ id: string; state: EvidenceState } | null>(null);
  const [answering, setAnswering] = useState(false);
  const id = connection?.kind === 'evidence' ? connection.id : null;
  useEffect(() => {
    if (id === null) return;
    return onAppEvent('evidence', ({ connectionId, state }) => {
      if (connectionId === id) setTold({ id, state });
    });
  }, [id]);
  // Events tell of changes only: what was so before this window looked is asked for.
  useEffect(() => {
    if (id === null || reach !== 'online') return;
    windowBridge()
      .call('evidence.state', { connectionId: id })
      .then(({ state }) => state && setTold({ id, state }))
      .catch(() => undefined);
  }, [id, reach]);
  const answer = useCallback(
    (choice: 'keep' | 'remove') => {
      if (id === null) return;
      setAnswering(true);
      windowBridge()
        .call('evidence.resolve', { connectionId: id, answer: choice })
        .then(({ state }) => setTold({ id, state }))
        .catch((error: unknown) =>
          showToast({
            intent: 'error',
            title: choice === 'keep' ? 'Not kept' : 'Not removed',
            detail: toBridgeError(error).message,
          }),
        )
        .finally(() => setAnswering(false));
    },
    [id],
  );
  const state = told !== null && told.id === id ? told.state : null;
  const why = state === null ? null : whyIncomplete(state);
  if (state === null || why === null) return null;
  const asks = state.phase === 'read' && state.gone > 0;
  return (
    <CautionBar
      action={
        asks ? (
          <span className="pp-row">
            <Button
              size="small"
              text="Keep what was read"
              disabled={answering}
              onClick={() => answer('keep')}
            />
            <Button
              size="small"
              intent="danger"
              text="Remove it"
              disabled={answering}
              onClick={() => answer('remove')}
            />
          </span>
        ) : null
      }
    >
      <b>{state.phase === 'reading' ? 'Reading evidence.' : 'Evidence incomplete.'}</b> {why}
    </CautionBar>
  );
}
