import type { JSX } from 'react';
import { exact } from '#shared/model/format.ts';
import { valueText } from './bars-chart.ts';

interface SparkBarsProps {
  /** Oldest first. Null if unknown, drawn as a gap. */
  values: readonly (number | null)[];
  label: string;
  /** The time of each value in words; the tooltip of a bar shows it with the exact value. */
  times?: readonly string[];
  tone?: 'found' | 'found-no-click' | 'suspicious' | 'spam' | 'neutral' | 'accent';
  width?: number;
  height?: number;
}

/** Small bars without axes, the newest one emphasised; the range is in the tooltip. */
export function SparkBars({
  values,
  label,
  times = [],
  tone = 'neutral',
  width = 96,
  height = 24,
}: SparkBarsProps): JSX.Element {
  const numbers = values.filter((value) => value !== null);
  const max = Math.max(1, ...numbers);
  const slot = values.length ? Math.max(2, Math.floor(width / values.length)) : 0;
  const last = values.at(-1);
  const gaps = numbers.length < values.length ? `, ${exact(values.length - numbers.length)} unknown` : '';
  const text = numbers.length
    ? `${label}: now ${valueText(last)}, lowest ${exact(Math.min(...numbers))}, highest ${exact(Math.max(...numbers))}${gaps}`
    : `${label}: no figures`;
  const bars = values.map((value, index) => {
    const tall = value === null ? 0 : value === 0 ? 1 : Math.max(2, Math.round((value / max) * height));
    const when = times[index];
    const words = when === undefined ? null : `${when}: ${valueText(value)}`;
    return {
      id: `bar-${index}`,
      x: index * slot,
      tall,
      newest: index === values.length - 1,
      none: value === 0,
      words,
    };
  });
  return (
    <svg
      className="pp-spark"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      {bars.map((bar) => (
        <rect
          key={bar.id}
          className={`pp-c-${bar.none ? 'neutral' : tone}${bar.newest ? ' pp-spark-last' : ''}`}
          fillOpacity={bar.newest || tone === 'neutral' ? 1 : 0.7}
          x={bar.x}
          y={height - bar.tall}
          width={Math.max(1, slot - 1)}
          height={bar.tall}
        />
      ))}
      {bars.map(({ id, x, words }) =>
        words === null ? null : (
          <rect key={`${id}-words`} fill="transparent" x={x} y={0} width={slot} height={height}>
            <title>{words}</title>
          </rect>
        ),
      )}
    </svg>
  );
}

/** A thin bar of shares, e.g. the cache budget or a verdict mix, next to its text. */
export function Meter(props: {
  label: string;
  parts: readonly { tone: string; value: number }[];
  whole?: number;
}): JSX.Element {
  const sum = props.parts.reduce((all, part) => all + part.value, 0);
  const whole = Math.max(props.whole ?? sum, sum, 1);
  return (
    <div className="pp-meter" role="img" aria-label={props.label}>
      {props.parts
        .filter((part) => part.value > 0)
        .map((part) => (
          <span
            key={part.tone}
            className={`pp-c-${part.tone}`}
            style={{ width: `${(part.value / whole) * 100}%` }}
          />
        ))}
    </div>
  );
}
