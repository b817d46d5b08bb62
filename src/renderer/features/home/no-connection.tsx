import { Button } from '@blueprintjs/core';
import { Cube, FolderOpen, Office } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useConnection } from '#renderer/state/connection.ts';
import { openDemo, openEvidence } from '#renderer/state/connection-actions.ts';
import { openConnectionForm } from '#renderer/state/overlays.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';

/** Home without a connection: the three sources. */
export function NoConnection(): JSX.Element {
  const bridge = useBridge();
  const { connections } = useConnection();
  const demo = connections.find(({ kind }) => kind === 'demo');
  return (
    <EmptyState
      title="No connection is open"
      reason="Connect to a service, open mail you have in hand, or look around in a made-up tenant."
      action={
        <>
          <Button
            intent="primary"
            icon={<Office size={14} />}
            text="Add a tenant"
            onClick={() => openConnectionForm({ id: null, kind: 'tenant' })}
          />
          <Button
            icon={<FolderOpen size={14} />}
            text="Open a folder of mail"
            onClick={() => void openEvidence(bridge, 'evidence-folder')}
          />
          <Button
            icon={<Cube size={14} />}
            text="Demo tenant"
            onClick={() => void openDemo(bridge, demo?.id)}
          />
        </>
      }
    />
  );
}
