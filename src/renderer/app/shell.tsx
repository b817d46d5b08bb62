import { type JSX, useLayoutEffect } from 'react';
import { ActionsLayer } from '../features/actions/actions-layer.tsx';
import { ConnectionForm } from '../features/connections/connection-form.tsx';
import { Palette } from '../features/palette/palette.tsx';
import { ConflictDialog } from '../features/queries/conflict-dialog.tsx';
import { SecretsDialog } from '../features/settings/secrets-dialog.tsx';
import { guardHeldKeys } from '../state/held-keys.ts';
import { listenForKeys } from '../state/hotkeys.ts';
import { Banners } from './banners.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { Rail, useSections } from './rail.tsx';
import { ScreenHost } from './screen-host.tsx';
import { StatusBar } from './status-bar.tsx';
import { TabBar } from './tab-bar.tsx';
import { TitleBar } from './title-bar.tsx';
import { useGlobalKeys } from './use-global-keys.ts';

/** The frame around every screen (design.md, Layout), and the layers over it. */
export function Shell(): JSX.Element {
  const sections = useSections();
  useGlobalKeys(sections);
  // Held keys first: what they may not do, nothing else hears of.
  useLayoutEffect(guardHeldKeys, []);
  useLayoutEffect(listenForKeys, []);
  return (
    <>
      <div className="pp-shell">
        <TitleBar />
        <Rail sections={sections} />
        <div className="pp-stage">
          <TabBar />
          <Banners />
          <ScreenHost />
        </div>
        <StatusBar />
      </div>
      <Palette />
      <KeysDialog />
      <ActionsLayer />
      <ConflictDialog />
      <ConnectionForm />
      <SecretsDialog />
    </>
  );
}
