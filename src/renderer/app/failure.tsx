import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { useClockSetting } from '#renderer/state/preferences.ts';
import { GlyphError, ParapetMark } from '#renderer/ui/glyphs.tsx';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { timeOfDay, zoneAt } from '#shared/model/clock.ts';
import { lostWords } from './labels.ts';

const reload = () => window.location.reload();

/** Covers everything: the main process is gone, so nothing on screen can be trusted to be current. */
export function LostWire({ error }: { error: BridgeError }): JSX.Element {
  return (
    <div className="pp-lost" role="alertdialog" aria-label="Connection to Parapet lost">
      <div className="pp-lost-box">
        <GlyphError size={24} />
        <h1 className="pp-title">Connection to Parapet lost</h1>
        <p className="pp-t2">{error.message} Saved queries and tabs will reopen as they were.</p>
        <Button intent="primary" text="Reload" onClick={reload} autoFocus />
      </div>
    </div>
  );
}

/** The same in a browser, where the window waits for the next run and reconnects to it. */
export function WaitingForHost({ since, restarted }: { since: number; restarted: boolean }): JSX.Element {
  const clock = useClockSetting();
  const { mode } = useAppInfo()?.secrets ?? {};
  const words = lostWords(restarted, mode === 'keychain' || mode === 'passphrase');
  return (
    <div className="pp-lost" role="alertdialog" aria-label={words.title}>
      <div className="pp-lost-box">
        <GlyphError size={24} />
        <h1 className="pp-title">{words.title}</h1>
        <p className="pp-t2" role="status">
          {words.todo}
        </p>
        <p className="pp-t3 pp-small">
          Stopped at {timeOfDay(since, clock)} {zoneAt(since, clock)}. {words.kept}
        </p>
      </div>
    </div>
  );
}

export function StartFailed({ error }: { error: BridgeError }): JSX.Element {
  return (
    <div className="pp-lost" role="alert">
      <div className="pp-lost-box">
        <ParapetMark size={32} />
        <h1 className="pp-title">Parapet could not open here</h1>
        <p className="pp-t2">{error.message}</p>
        <Button text="Try again" onClick={reload} />
      </div>
    </div>
  );
}
