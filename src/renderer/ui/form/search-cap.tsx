import type { JSX } from 'react';
import { exact } from '#shared/model/format.ts';

export function SearchCap({ text, most }: { text: string; most: number }): JSX.Element | null {
  if (text.length <= most) return null;
  return (
    <span className="pp-small pp-caution" role="status">
      Only the first {exact(most)} characters are searched for
    </span>
  );
}
