import type { JSX } from 'react';
import { parseSeverity, severityLabel } from '#shared/model/severity.ts';

interface BarsProps {
  /** Of each bar, in pixels, at most 12. */
  heights: readonly number[];
  filled: number;
  className?: string | undefined;
  /** Without one, the bars stand beside words that say the same. */
  label?: string | undefined;
}

/** Rising bars, of which the first ones are filled. */
export function RisingBars({ heights, filled, className, label }: BarsProps): JSX.Element {
  const width = heights.length * 4 - 1;
  return (
    <svg
      viewBox={`0 0 ${width} 12`}
      width={width}
      height={12}
      className={className}
      shapeRendering="crispEdges"
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      {heights.map((height, index) => (
        <rect
          key={height}
          x={index * 4}
          y={12 - height}
          width={3}
          height={height}
          fill="currentColor"
          className={index < filled ? undefined : 'pp-sev-bar-off'}
        />
      ))}
    </svg>
  );
}

const HEIGHTS = [3, 5, 7, 9, 12];

/** Five rising bars, n filled. Unknown severities fill none. */
function SeverityBars({ severity, label }: { severity: unknown; label?: string }): JSX.Element {
  const level = parseSeverity(severity) ?? 0;
  return (
    <RisingBars
      heights={HEIGHTS}
      filled={level}
      className={level ? `pp-sev${level}` : undefined}
      label={label}
    />
  );
}

/** A severity (1 to 5 or a server's word) as bars and word; `compact` keeps the bars, the word in a tooltip. */
export function SeverityMark({ severity, compact }: { severity: unknown; compact?: boolean }): JSX.Element {
  const word = severityLabel(severity);
  if (compact) {
    return (
      <span className="pp-word" title={word}>
        <SeverityBars severity={severity} label={word} />
      </span>
    );
  }
  return (
    <span className="pp-word">
      <SeverityBars severity={severity} />
      <span>{word}</span>
    </span>
  );
}
