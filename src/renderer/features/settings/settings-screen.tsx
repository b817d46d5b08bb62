import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useState } from 'react';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { showDiagnostics, showSecrets } from '#renderer/state/overlays.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { Facts } from '#renderer/ui/facts.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { dictionary } from '#shared/dictionary.ts';
import { AppearancePanel } from './appearance-panel.tsx';
import { CachePanel } from './cache-panel.tsx';
import { ConnectionsPanel } from './connections-panel.tsx';
import { DIAGNOSTICS, SECRETS_LABELS } from './labels.ts';
import { ManagedPanel } from './managed-panel.tsx';
import { NoticesDialog } from './notices-dialog.tsx';
import './settings.css';
import { UpdatesPanel } from './updates-panel.tsx';

const SYSTEMS: Readonly<Record<string, string>> = dictionary({
  linux: 'Linux',
  darwin: 'macOS',
  win32: 'Windows',
});

function SecretsPanel(): JSX.Element {
  const info = useAppInfo();
  const secrets = info?.secrets;
  return (
    <Panel
      title="Secrets"
      actions={
        secrets && (secrets.mode !== 'keychain' || secrets.locked) ? (
          <Button size="small" text={secrets.locked ? 'Open' : 'Choose'} onClick={() => showSecrets(true)} />
        ) : null
      }
    >
      {secrets ? (
        <Facts
          facts={[
            { label: 'Stored in', value: SECRETS_LABELS[secrets.mode], note: secrets.reason },
            { label: 'State', value: secrets.locked ? 'Locked' : 'Unlocked' },
          ]}
        />
      ) : null}
    </Panel>
  );
}

/** The feature flags of the current connection, as saved with it. */
function FlagsPanel(): JSX.Element {
  const { connection } = useConnection();
  const flags = Object.entries(connection?.flags ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <Panel
      title="Feature flags"
      count={connection ? `${connection.name} · ${flags.length} overridden` : ''}
      empty={
        flags.length === 0
          ? {
              title: 'No overrides',
              reason:
                'This connection uses the defaults of this version. Edit the connection to override them.',
            }
          : null
      }
    >
      {flags.map(([name, on]) => (
        <div key={name} className="pp-panel-row">
          <span className="pp-mono pp-ellipsis pp-spacer">{name}</span>
          <span className={on ? '' : 'pp-t3'}>{on ? 'On' : 'Off'}</span>
        </div>
      ))}
    </Panel>
  );
}

function AboutPanel(): JSX.Element {
  const info = useAppInfo();
  const [notices, setNotices] = useState(false);
  return (
    <Panel
      title="About"
      actions={
        <>
          <Button size="small" text={DIAGNOSTICS.open} onClick={() => showDiagnostics(true)} />
          <Button size="small" text="Third-party notices" onClick={() => setNotices(true)} />
        </>
      }
    >
      {notices ? <NoticesDialog onClose={() => setNotices(false)} /> : null}
      {info ? (
        <Facts
          facts={[
            { label: 'Version', value: `${info.branding.productName} ${info.version}` },
            {
              label: 'Runs in',
              value: info.host === 'electron' ? 'Desktop window' : 'Browser on this machine',
            },
            { label: 'System', value: SYSTEMS[info.platform] ?? info.platform },
            {
              label: 'Profile',
              value: info.profileFolder,
              note: info.readOnly ? 'Read-only: nothing is saved' : undefined,
            },
          ]}
        />
      ) : null}
    </Panel>
  );
}

export default function SettingsScreen(_: ScreenProps<'settings'>): JSX.Element {
  return (
    <>
      <PageHeader title="Settings" />
      <div className="pp-settings">
        <div className="pp-settings-column">
          <ManagedPanel />
          <ConnectionsPanel />
          <CachePanel />
          <FlagsPanel />
        </div>
        <div className="pp-settings-column">
          <AppearancePanel />
          <SecretsPanel />
          <UpdatesPanel />
          <AboutPanel />
        </div>
      </div>
    </>
  );
}
