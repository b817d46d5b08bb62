import { Button } from '@blueprintjs/core';
import type { JSX, ReactNode } from 'react';
import { GlyphCloudOff, GlyphSuspicious } from './glyphs.tsx';

/** The hatched bar above a page while the service is unreachable. */
export function OfflineBar(props: { text: string; onRetry?: () => void }): JSX.Element {
  return (
    <div className="pp-offline-bar" role="status">
      <GlyphCloudOff />
      <span className="pp-ellipsis">
        <b>Offline.</b> {props.text}
      </span>
      <span className="pp-spacer" />
      {props.onRetry ? <Button size="small" text="Retry now" onClick={props.onRetry} /> : null}
    </div>
  );
}

/** An amber banner: caution, with optional links or buttons inside. */
export function CautionBar({ children, action }: { children: ReactNode; action?: ReactNode }): JSX.Element {
  return (
    <div className="pp-caution-bar" role="note">
      <GlyphSuspicious size={14} />
      <span className="pp-bar-text">{children}</span>
      {action}
    </div>
  );
}
