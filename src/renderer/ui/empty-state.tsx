import type { JSX, ReactNode } from 'react';
import { Rampart } from './glyphs.tsx';

export interface EmptyInfo {
  title: string;
  /** Why it is empty and the count that was asked. */
  reason?: ReactNode;
  /** The next step: one or two buttons. */
  action?: ReactNode;
}

/** Nothing to show, and why, and what next. `small` for panels of a few rows. */
export function EmptyState({ title, reason, action, small }: EmptyInfo & { small?: boolean }): JSX.Element {
  // In a panel below its title, elsewhere below the screen's.
  const Title = small ? 'h3' : 'h2';
  return (
    <div className={`pp-empty${small ? ' pp-empty-small' : ''}`}>
      {small ? null : <Rampart />}
      <Title>{title}</Title>
      {reason ? <p>{reason}</p> : null}
      {action ? <div className="pp-empty-actions">{action}</div> : null}
    </div>
  );
}
