import { Button } from '@blueprintjs/core';
import { Clipboard, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { GlyphError } from './glyphs.tsx';
import { IconButton } from './icon-button.tsx';

interface ErrorProps {
  error: BridgeError;
  /** What is shown meanwhile, e.g. "Showing the copy of 08:31 UTC." */
  shownInstead?: string;
  /** What remains unknown, e.g. "this does not mean nobody clicked". */
  notKnown?: string;
  onRetry?: () => void;
}

/** Copies an error for a ticket: code, message and details; the bridge keeps secrets out of all three. */
function copyDetails({ code, message, data }: BridgeError): void {
  const details = data === undefined ? '' : `\n${JSON.stringify(data, null, 2)}`;
  void navigator.clipboard?.writeText(`${code}: ${message}${details}`);
}

/** The red tint bar inside a panel, over data that is still shown. */
export function ErrorBar(props: ErrorProps): JSX.Element {
  const text = [props.error.message, props.shownInstead, props.notKnown].filter(Boolean).join(' ');
  return (
    <div className="pp-error-bar" role="alert">
      <GlyphError size={14} />
      <span className="pp-error-text" title={text}>
        {text}
      </span>
      <IconButton
        small
        icon={<Clipboard size={12} />}
        label="Copy details"
        onClick={() => copyDetails(props.error)}
      />
      {props.onRetry ? (
        <Button size="small" icon={<Refresh size={12} />} text="Retry" onClick={props.onRetry} />
      ) : null}
    </div>
  );
}

/** A panel that never loaded: what failed, and what that does not mean. */
export function ErrorState(props: ErrorProps & { title: string; small?: boolean }): JSX.Element {
  const Title = props.small ? 'h3' : 'h2';
  const text = [props.error.message, props.notKnown].filter(Boolean).join(' ');
  return (
    <div className="pp-empty pp-empty-error" role="alert">
      <GlyphError size={24} />
      <Title>{props.title}</Title>
      <p>{text}</p>
      <div className="pp-empty-actions">
        {props.onRetry ? <Button icon={<Refresh size={14} />} text="Retry" onClick={props.onRetry} /> : null}
        <Button
          variant="minimal"
          icon={<Clipboard size={14} />}
          text="Copy details"
          onClick={() => copyDetails(props.error)}
        />
      </div>
    </div>
  );
}
