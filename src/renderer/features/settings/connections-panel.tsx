import { Button } from '@blueprintjs/core';
import { type JSX, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { CommandButton, menuItems } from '#renderer/commands/command.tsx';
import { sourceCommands } from '#renderer/commands/window-commands.ts';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { removeConnection, useConnection } from '#renderer/state/connection.ts';
import { switchTo } from '#renderer/state/connection-actions.ts';
import { openConnectionForm } from '#renderer/state/overlays.ts';
import { showFailure } from '#renderer/state/show-failure.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { CONNECTION_KINDS, ConnectionIcon } from '#renderer/ui/connection-kind.tsx';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { Connection } from '#shared/bridge/operations.ts';
import { profileTime } from '#shared/model/clock.ts';
import { connectionReason } from '#shared/model/policy.ts';
import { MANAGED } from './labels.ts';

function whereOf(connection: Connection, proxy: string | undefined): string {
  if (connection.kind === 'tenant')
    return [connection.url ?? '', ...(proxy === undefined ? [] : [`via proxy ${proxy}`])].join(' · ');
  return connection.kind === 'evidence' ? (connection.sourceLabel ?? '') : 'Sample data';
}

interface RowProps {
  connection: Connection;
  isActive: boolean;
  /** Host and port of the proxy that it goes through. */
  proxy: string | undefined;
  onRemove: () => void;
}

function Row({ connection, isActive, proxy, onRemove }: RowProps): JSX.Element {
  const clock = useClock();
  const managed = useAppInfo()?.managed ?? null;
  const reason = managed?.connections.includes(connection.id) ? connectionReason(managed) : null;
  return (
    <div className="pp-connection-row">
      <span className="pp-stack-cell pp-t3">
        <ConnectionIcon kind={connection.kind} />
      </span>
      <div className="pp-spacer">
        <div className="pp-row">
          <b className="pp-ellipsis">{connection.name}</b>
          <span className="pp-t3">{CONNECTION_KINDS[connection.kind]}</span>
          {isActive ? <span className="pp-current">current</span> : null}
          {reason === null ? null : <span className="pp-current">{MANAGED.mark}</span>}
        </div>
        <div
          className="pp-small pp-t3 pp-ellipsis"
          title={`Added ${profileTime(connection.createdAt, clock)}`}
        >
          {whereOf(connection, proxy)}
          {connection.kind === 'tenant' && !connection.hasCredential ? ' · no credential saved' : ''}
        </div>
        {reason === null ? null : <small className="pp-t3 pp-wrap-anywhere">{reason}</small>}
      </div>
      {isActive ? null : <Button size="small" text="Open" onClick={() => switchTo(connection.id)} />}
      <Button
        size="small"
        text="Edit"
        onClick={() => openConnectionForm({ id: connection.id, kind: connection.kind })}
      />
      <Button size="small" variant="minimal" text="Remove" disabled={reason !== null} onClick={onRemove} />
    </div>
  );
}

function RemoveDialog({ connection, onClose }: { connection: Connection; onClose: () => void }): JSX.Element {
  const remove = () => {
    onClose();
    removeConnection(connection.id).then(
      () => showToast({ intent: 'success', title: `Removed ${connection.name}` }),
      (error: unknown) => showFailure(`Couldn’t remove ${connection.name}`, error),
    );
  };
  return (
    <ConfirmDialog
      size="narrow"
      title={`Remove ${connection.name}`}
      onClose={onClose}
      onConfirm={remove}
      confirm={{ intent: 'danger', text: 'Remove 1 connection' }}
    >
      <p className="pp-flat">
        Its credential and cached data are removed from this machine.
        {connection.kind === 'evidence'
          ? ' The mail itself is not touched.'
          : ' Nothing changes on the service.'}
      </p>
    </ConfirmDialog>
  );
}

export function ConnectionsPanel(): JSX.Element {
  const { connections, connection: current, state } = useConnection();
  const [removing, setRemoving] = useState<Connection | null>(null);
  const { tenant, folder, file, demo } = sourceCommands(useBridge());
  return (
    <Panel
      title="Connections"
      count={connections.length}
      actions={<CommandButton small command={tenant} />}
      menu={menuItems([folder, file, demo])}
      empty={
        connections.length === 0
          ? {
              title: 'No connections',
              reason: 'Add a tenant, open a mail folder, or explore the demo tenant.',
            }
          : null
      }
    >
      {connections.map((connection) => (
        <Row
          key={connection.id}
          connection={connection}
          isActive={connection.id === current?.id}
          proxy={connection.id === current?.id ? state.proxy : undefined}
          onRemove={() => setRemoving(connection)}
        />
      ))}
      {removing ? <RemoveDialog connection={removing} onClose={() => setRemoving(null)} /> : null}
    </Panel>
  );
}
