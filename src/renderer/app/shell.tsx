import { type JSX, useLayoutEffect } from 'react';
import { capOf, workingKeys } from '#renderer/commands/keys.ts';
import { ActionsLayer } from '#renderer/features/actions/action-dialog.tsx';
import { ConnectionForm } from '#renderer/features/connections/connection-form.tsx';
import { IndicatorsLayer } from '#renderer/features/indicators/indicators-dialog.tsx';
import { Palette } from '#renderer/features/palette/palette.tsx';
import { ConflictDialog } from '#renderer/features/queries/conflict-dialog.tsx';
import { DiagnosticsDialog } from '#renderer/features/settings/diagnostics-dialog.tsx';
import { SecretsDialog } from '#renderer/features/settings/secrets-dialog.tsx';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { guardHeldKeys } from '#renderer/state/held-keys.ts';
import { listenForKeys, useHotkeyList } from '#renderer/state/hotkeys.ts';
import { showKeys, useOverlays } from '#renderer/state/overlays.ts';
import { currentClock } from '#renderer/state/preferences.ts';
import { guardSecondClicks } from '#renderer/state/second-clicks.ts';
import { activeTab } from '#renderer/state/tabs.ts';
import { tellCutTexts } from '#renderer/ui/cut-text.ts';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { keepFocus } from '#renderer/ui/focus.ts';
import { tellCutPastes } from '#renderer/ui/form/paste-limit.ts';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { watchPrinting } from '#renderer/ui/printing.ts';
import { showTips } from '#renderer/ui/tips.ts';
import { Banners, ToldByBanners } from './banners.tsx';
import { OfferLayer } from './dropped-files.tsx';
import { printedWords, TOO_SMALL } from './labels.ts';
import { Rail, useSections } from './rail.tsx';
import { ScreenHost } from './screen-host.tsx';
import { StatusBar } from './status-bar.tsx';
import { TabBar } from './tab-bar.tsx';
import { TitleBar } from './title-bar.tsx';
import { useGlobalKeys } from './use-global-keys.ts';

/** Header of a printed page: its content, its source, and the time of printing. */
const pageMarksNow = () =>
  printedWords({
    title: activeTab()?.title ?? '',
    connection: currentConnection(),
    at: Date.now(),
    clock: currentClock(),
  });

/** Rendered only while open, because the list changes whenever a screen is mounted or unmounted. */
function KeyList(): JSX.Element {
  const groups = useHotkeyList();
  const host = useAppInfo()?.host;
  return (
    <div className="pp-keys">
      {[...groups].map(([group, hotkeys]) => (
        <section key={group} aria-label={group}>
          <h3 className="pp-caption pp-t3">{group}</h3>
          <dl>
            {hotkeys.map(({ keys, text }) => (
              <div key={`${keys.join()} ${text}`}>
                <dt>{text}</dt>
                <dd>
                  {workingKeys(keys, host).map((chord) => (
                    <Kbd key={chord} keys={capOf(chord)} />
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

function KeysDialog(): JSX.Element {
  const isOpen = useOverlays((store) => store.keys);
  return (
    <Dialog isOpen={isOpen} title="Keyboard shortcuts" size="wide" onClose={() => showKeys(false)}>
      <KeyList />
    </Dialog>
  );
}

/** The frame around every screen (design.md, Layout), and the layers over it. */
export function Shell(): JSX.Element {
  const sections = useSections();
  useGlobalKeys(sections);
  // Registered before all other listeners, so that a refused key repeat or click reaches none of them.
  useLayoutEffect(guardHeldKeys, []);
  useLayoutEffect(guardSecondClicks, []);
  useLayoutEffect(tellCutPastes, []);
  useLayoutEffect(keepFocus, []);
  useLayoutEffect(tellCutTexts, []);
  useLayoutEffect(showTips, []);
  useLayoutEffect(() => watchPrinting(pageMarksNow), []);
  useLayoutEffect(listenForKeys, []);
  return (
    <>
      <div className="pp-shell">
        <TitleBar />
        <Rail sections={sections} />
        <div className="pp-stage">
          <TabBar />
          <Banners />
          <ToldByBanners>
            <ScreenHost />
          </ToldByBanners>
        </div>
        <StatusBar />
      </div>
      <p className="pp-too-small pp-heading">{TOO_SMALL}</p>
      <Palette />
      <KeysDialog />
      <ActionsLayer />
      <IndicatorsLayer />
      <ConflictDialog />
      <ConnectionForm />
      <SecretsDialog />
      <OfferLayer />
      <DiagnosticsDialog />
    </>
  );
}
