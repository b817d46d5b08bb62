import { Shield } from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { exact } from '#shared/model/format.ts';
import { type BlockedContent, blockedRemote, removedActive } from './body-blocked.ts';

interface BlockedBarProps {
  blocked: BlockedContent;
  /** Remote pictures that are drawn now because the analyst asked. */
  shown: number;
  /** Why asking did not work, or how many pictures did not come. */
  problem: string | null;
  action: ReactNode;
  wide: boolean;
}

/** The amber bar: what was kept from loading and what was taken out. */
export function BlockedBar({ blocked, shown, problem, action, wide }: BlockedBarProps): JSX.Element | null {
  const remote = blockedRemote(blocked);
  const active = removedActive(blocked);
  const { undrawn } = blocked;
  if (remote === '' && active === '' && undrawn.length === 0 && shown === 0 && problem === null) return null;
  const words = [
    remote === '' ? null : `${wide ? 'Remote content blocked' : 'Blocked'}: ${remote}`,
    active === '' ? null : `Removed: ${active}`,
    undrawn.length > 0
      ? `${exact(undrawn.length)} ${undrawn.length === 1 ? 'picture' : 'pictures'} not drawn: ${undrawn.slice(0, 3).join('; ')}${undrawn.length > 3 ? ` and ${exact(undrawn.length - 3)} more` : ''}`
      : null,
    shown > 0 ? `${shown} remote ${shown === 1 ? 'image' : 'images'} shown this once` : null,
    problem,
  ].filter((part) => part !== null);
  return (
    <div className="em-blocked" role="status">
      <Shield size={14} />
      <span className="em-blocked-text">
        {words.map((part) => (
          <span key={part}>{part}</span>
        ))}
      </span>
      {action}
    </div>
  );
}
