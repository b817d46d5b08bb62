import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { ChevronDown, Cog, Document, Endorsed, FolderOpen, Office, Pin, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { menuItems } from '#renderer/commands/command.tsx';
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
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
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
      {connections.map((other) => (
        <MenuItem
          key={other.id}
          icon={<ConnectionIcon kind={other.kind} />}
          text={other.name}
          label={other.id === connection?.id ? REACH_WORDS[reach] : CONNECTION_KINDS[other.kind]}
          className={other.id === connection?.id ? 'pp-switcher-current' : undefined}
          aria-current={other.id === connection?.id}
          onClick={() => switchTo(other.id)}
        />
      ))}
      {connections.length > 0 ? <MenuDivider /> : null}
      {menuItems(
        [
          connection &&
            reach !== 'starting' && {
              text: reach === 'offline' ? 'Go online' : 'Go offline',
              icon: GlyphCloudOff,
              run: () => goOffline(reach !== 'offline'),
            },
          connection &&
            connection.kind !== 'evidence' && {
              text: 'Saved for offline',
              icon: Pin,
              run: () => openScreen('kept'),
            },
          ...(connection?.kind === 'evidence' && reach === 'online'
            ? [
                {
                  text: 'Read again',
                  icon: Refresh,
                  title: 'Reads what is new, changed or not read yet',
                  run: () => readEvidence(connection.id, false),
                },
                {
                  text: 'Verify all',
                  icon: Endorsed,
                  title:
                    'Reads every file again and compares each email by SHA-256, regardless of file times',
                  run: () => readEvidence(connection.id, true),
                },
              ]
            : []),
          {
            text: 'Add a tenant…',
            icon: Office,
            run: () => openConnectionForm({ id: null, kind: 'tenant' }),
          },
          {
            text: 'Open a folder of mail…',
            icon: FolderOpen,
            run: () => openEvidence(bridge, 'evidence-folder'),
          },
          { text: 'Open a mail file…', icon: Document, run: () => openEvidence(bridge, 'evidence-file') },
          !demo && {
            text: 'Open the demo tenant',
            icon: <ConnectionIcon kind="demo" />,
            run: () => openDemo(bridge, undefined),
          },
        ],
        [{ text: 'Manage connections', icon: Cog, run: () => openScreen('settings') }],
      )}
    </Menu>
  );
}

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
