import type { JSX } from 'react';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { AboutPanel } from './about-panel.tsx';
import { AppearancePanel } from './appearance-panel.tsx';
import { CachePanel } from './cache-panel.tsx';
import { ConnectionsPanel } from './connections-panel.tsx';
import { FlagsPanel } from './flags-panel.tsx';
import { SecretsPanel } from './secrets-panel.tsx';
import './settings.css';

/** Connections, clock, appearance, secrets, cache, flags and what this Parapet is. */
export default function SettingsScreen(_: ScreenProps<'settings'>): JSX.Element {
  return (
    <>
      <PageHeader title="Settings" />
      <div className="pp-settings">
        <div className="pp-settings-column">
          <ConnectionsPanel />
          <CachePanel />
          <FlagsPanel />
        </div>
        <div className="pp-settings-column">
          <AppearancePanel />
          <SecretsPanel />
          <AboutPanel />
        </div>
      </div>
    </>
  );
}
