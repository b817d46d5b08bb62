import type { JSX, ReactNode } from 'react';
import { Rampart } from './glyphs.tsx';

export interface EmptyInfo {
  title: string;
  reason?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ title, reason, action, small }: EmptyInfo & { small?: boolean }): JSX.Element {
  // The heading level depends on whether it is inside a panel.
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
