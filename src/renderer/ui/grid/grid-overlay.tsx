import type { JSX, ReactNode } from 'react';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { type EmptyInfo, EmptyState } from '../empty-state.tsx';
import { ErrorState } from '../error-bar.tsx';
import { SkeletonRows, useDelayed } from '../skeleton.tsx';
import { scrollStop } from './scroll-stop.ts';

interface OverlayProps {
  loading?: boolean;
  error?: BridgeError | null;
  errorTitle?: string;
  onRetry?: () => void;
  empty?: EmptyInfo | null;
}

/** An overlay over the rows, below the header; scrollable by key if it does not fit. */
export const GridCover = ({ children }: { children: ReactNode }): JSX.Element => (
  <div ref={scrollStop} className="pp-grid-overlay">
    {children}
  </div>
);

/** Loading, error and empty states below the grid's header. Never covers existing rows. */
export function GridOverlay(props: OverlayProps): JSX.Element | null {
  const late = useDelayed(Boolean(props.loading));
  if (props.error) {
    return (
      <GridCover>
        <ErrorState
          title={props.errorTitle ?? 'Couldn’t load the rows'}
          error={props.error}
          onRetry={props.onRetry}
        />
      </GridCover>
    );
  }
  if (props.loading)
    return <GridCover>{late ? <SkeletonRows rows={14} labelWidth={120} /> : null}</GridCover>;
  if (props.empty) {
    return (
      <GridCover>
        <EmptyState {...props.empty} />
      </GridCover>
    );
  }
  return null;
}
