import type { JSX } from 'react';
import { useEffect, useState } from 'react';

/** True once `active` has lasted `delayMs`, so that fast answers do not flash a skeleton. */
export function useDelayed(active: boolean, delayMs = 150): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!active) return undefined;
    const timer = setTimeout(() => setLate(true), delayMs);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [active, delayMs]);
  return active && late;
}

/** A grey bar; width in px or as CSS value. */
export function Skeleton({ width, tall }: { width: number | string; tall?: boolean }): JSX.Element {
  return (
    <span className={`pp-skeleton${tall ? ' pp-skeleton-tall' : ''}`} style={{ width }} aria-hidden="true" />
  );
}

const WIDTHS = ['42%', '58%', '34%', '50%', '63%', '38%', '46%'];

/** Rows of label and value in the panel's final rhythm (28 px each). */
export function SkeletonRows({ rows, labelWidth = 88 }: { rows: number; labelWidth?: number }): JSX.Element {
  const shapes = Array.from({ length: rows }, (_, index) => ({
    id: `row-${index}`,
    label: labelWidth - (index % 3) * 14,
    value: WIDTHS[index % WIDTHS.length] ?? '50%',
  }));
  return (
    <div className="pp-skeleton-rows" aria-hidden="true">
      {shapes.map((shape) => (
        <div key={shape.id}>
          <Skeleton width={shape.label} />
          <Skeleton width={shape.value} />
        </div>
      ))}
    </div>
  );
}
