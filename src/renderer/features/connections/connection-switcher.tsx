import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { ChevronDown, Cog, Endorsed, Pin, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { menuItems } from '#renderer/commands/command.tsx';
import { offlineCommand, sourceCommands } from '#renderer/commands/window-commands.ts';
import { type Reach, useConnection } from '#renderer/state/connection.ts';
import { readEvidence, switchTo } from '#renderer/state/connection-actions.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { SCREEN_TITLES } from '#renderer/state/tabs.ts';
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
  const sources = sourceCommands(useBridge());
  const { connections, connection, reach } = useConnection();
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
          connection && reach !== 'starting' && offlineCommand(reach === 'offline'),
          connection &&
            connection.kind !== 'evidence' && {
              text: SCREEN_TITLES.kept,
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
          sources.tenant,
          sources.folder,
          sources.file,
          connections.every(({ kind }) => kind !== 'demo') && sources.demo,
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
