import type { JSX, ReactNode } from 'react';
import { GlyphSuspicious } from './glyphs.tsx';

export function CautionBar({ children, action }: { children: ReactNode; action?: ReactNode }): JSX.Element {
  return (
    <div className="pp-caution-bar" role="note">
      <GlyphSuspicious size={14} />
      <span className="pp-bar-text">{children}</span>
      {action}
    </div>
  );
}
