import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { GlyphError, ParapetMark } from '#renderer/ui/glyphs.tsx';
import type { BridgeError } from '#shared/bridge/errors.ts';

const reload = () => window.location.reload();

/** Over everything: the main side is gone, nothing here can be trusted to be current. */
export function LostWire({ error }: { error: BridgeError }): JSX.Element {
  return (
    <div className="pp-lost" role="alertdialog" aria-label="Connection to Parapet lost">
      <div className="pp-lost-box">
        <GlyphError size={24} />
        <h1 className="pp-title">Connection to Parapet lost</h1>
        <p className="pp-t2">{error.message} Your edits are saved.</p>
        <Button intent="primary" text="Reload" onClick={reload} autoFocus />
      </div>
    </div>
  );
}

/** The window could not start at all. */
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
