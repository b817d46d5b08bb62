import type { JSX, ReactNode } from 'react';
import { useRef } from 'react';
import { useConfirmKey } from './use-listeners.ts';

/**
 * Runs `onConfirm` on Ctrl Enter inside a drawer or an editor beside a list (a dialog handles it wherever the focus is).
 * Adds no box to the layout.
 */
export function Confirming({
  onConfirm,
  children,
}: {
  onConfirm?: () => void;
  children: ReactNode;
}): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  useConfirmKey(root, onConfirm);
  return (
    <div ref={root} style={{ display: 'contents' }}>
      {children}
    </div>
  );
}
