import type { JSX, ReactNode } from 'react';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { type EmptyInfo, EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-bar.tsx';
import { scrollStop } from './scroll-stop.ts';
import { SkeletonRows, useDelayed } from './skeleton.tsx';

interface OverlayProps {
  loading?: boolean;
  error?: BridgeError | null;
  errorTitle?: string;
  onRetry?: () => void;
  empty?: EmptyInfo | null;
}

/** What lies over the rows, under the header; scrolled by key when it does not fit. */
export const GridCover = ({ children }: { children: ReactNode }): JSX.Element => (
  <div ref={scrollStop} className="pp-grid-overlay">
    {children}
  </div>
);

/** Loading, error and empty, in our words, under the grid's header. Rows that are there are never covered by it. */
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
