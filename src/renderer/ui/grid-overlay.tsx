import type { JSX } from 'react';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { type EmptyInfo, EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-bar.tsx';
import { SkeletonRows, useDelayed } from './skeleton.tsx';

interface OverlayProps {
  loading?: boolean;
  error?: BridgeError | null;
  errorTitle?: string;
  onRetry?: () => void;
  empty?: EmptyInfo | null;
}

/** Loading, error and empty, in our words, under the grid's header. Rows that are there are never covered by it. */
export function GridOverlay(props: OverlayProps): JSX.Element | null {
  const late = useDelayed(Boolean(props.loading));
  if (props.error) {
    return (
      <div className="pp-grid-overlay">
        <ErrorState
          title={props.errorTitle ?? 'Couldn’t load the rows'}
          error={props.error}
          onRetry={props.onRetry}
        />
      </div>
    );
  }
  if (props.loading) {
    return <div className="pp-grid-overlay">{late ? <SkeletonRows rows={14} labelWidth={120} /> : null}</div>;
  }
  if (props.empty) {
    return (
      <div className="pp-grid-overlay">
        <EmptyState {...props.empty} />
      </div>
    );
  }
  return null;
}
