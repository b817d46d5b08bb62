import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { ChevronDown, Cog, Document, Endorsed, FolderOpen, Office, Pin, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { type Reach, useConnection } from '#renderer/state/connection.ts';
import {
  goOffline,
  openDemo,
  openEvidence,
  readEvidence,
  switchTo,
} from '#renderer/state/connection-actions.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { openConnectionForm } from '#renderer/state/overlays.ts';
import { CONNECTION_KINDS, ConnectionIcon } from '#renderer/ui/connection-kind.tsx';
import { GlyphArc, GlyphCloudOff, GlyphError } from '#renderer/ui/glyphs.tsx';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import type { Connection } from '#shared/bridge/operations.ts';

const REACH_WORDS: Readonly<Record<Reach, string>> = {
  online: 'connected',
  offline: 'offline',
  starting: 'starting',
  failed: 'not connected',
  none: '',
};

function ReachIcon({ connection, reach }: { connection: Connection; reach: Reach }): JSX.Element {
  if (reach === 'offline') return <GlyphCloudOff size={14} />;
  if (reach === 'starting') return <GlyphArc size={14} />;
  if (reach === 'failed') {
    return (
      <span className="pp-danger pp-stack-cell">
        <GlyphError size={14} />
      </span>
    );
  }
  return (
    <span className="pp-switcher-icon pp-stack-cell">
      <ConnectionIcon kind={connection.kind} />
    </span>
  );
}

function SwitcherMenu(): JSX.Element {
  const bridge = useBridge();
  const { connections, connection, reach } = useConnection();
  const demo = connections.find(({ kind }) => kind === 'demo');
  return (
    <Menu aria-label="Connections" className="pp-switcher-menu">
      {connections.map((one) => (
        <MenuItem
          key={one.id}
          icon={<ConnectionIcon kind={one.kind} />}
          text={one.name}
          label={one.id === connection?.id ? REACH_WORDS[reach] : CONNECTION_KINDS[one.kind]}
          className={one.id === connection?.id ? 'pp-switcher-current' : undefined}
          aria-current={one.id === connection?.id}
          onClick={() => switchTo(one.id)}
        />
      ))}
      {connections.length > 0 ? <MenuDivider /> : null}
      {connection && reach !== 'starting' ? (
        <MenuItem
          icon={<GlyphCloudOff size={14} />}
          text={reach === 'offline' ? 'Go online' : 'Go offline'}
          onClick={() => goOffline(reach !== 'offline')}
        />
      ) : null}
      {connection && connection.kind !== 'evidence' ? (
        <MenuItem icon={<Pin size={14} />} text="Saved for offline" onClick={() => openScreen('kept')} />
      ) : null}
      {connection?.kind === 'evidence' && reach === 'online' ? (
        <>
          <MenuItem
            icon={<Refresh size={14} />}
            text="Read again"
            title="Reads what is new, changed or not read yet"
            onClick={() => readEvidence(connection.id, false)}
          />
          <MenuItem
            icon={<Endorsed size={14} />}
            text="Verify all"
            title="Reads every file again and compares each email by SHA-256, regardless of file times"
            onClick={() => readEvidence(connection.id, true)}
          />
        </>
      ) : null}
      <MenuItem
        icon={<Office size={14} />}
        text="Add a tenant…"
        onClick={() => openConnectionForm({ id: null, kind: 'tenant' })}
      />
      <MenuItem
        icon={<FolderOpen size={14} />}
        text="Open a folder of mail…"
        onClick={() => void openEvidence(bridge, 'evidence-folder')}
      />
      <MenuItem
        icon={<Document size={14} />}
        text="Open a mail file…"
        onClick={() => void openEvidence(bridge, 'evidence-file')}
      />
      {demo ? null : (
        <MenuItem
          icon={<ConnectionIcon kind="demo" />}
          text="Open the demo tenant"
          onClick={() => void openDemo(bridge, undefined)}
        />
      )}
      <MenuDivider />
      <MenuItem icon={<Cog size={14} />} text="Manage connections" onClick={() => openScreen('settings')} />
    </Menu>
  );
}

/** The current connection with its state, and a menu to switch. */
export function ConnectionSwitcher(): JSX.Element {
  const { connection, reach } = useConnection();
  return (
    <MenuPopover content={<SwitcherMenu />} placement="bottom-start">
      <button
        type="button"
        className="pp-switcher"
        aria-label={
          connection
            ? `Connection ${connection.name} ${CONNECTION_KINDS[connection.kind]}, ${REACH_WORDS[reach]}`
            : 'No connection: choose one'
        }
      >
        {connection ? (
          <>
            <ReachIcon connection={connection} reach={reach} />
            <b className="pp-ellipsis">{connection.name}</b>{' '}
            <span className="pp-t3">{CONNECTION_KINDS[connection.kind]}</span>
          </>
        ) : (
          <b>No connection</b>
        )}
        <ChevronDown size={12} />
      </button>
    </MenuPopover>
  );
}
