import type { JSX, KeyboardEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import { formatGridCount } from '#shared/model/format.ts';
import { useSize } from '../use-size.ts';
import { axisLines, firstLabel, labelEvery, valueText } from './bars-chart.ts';

interface BarSeries {
  id: string;
  label: string;
  /** The `pp-c-*` fill: found, suspicious, spam, clean, not-scanned, accent, neutral. */
  tone: string;
}

export interface Bar {
  /** The axis label, e.g. `09:00`. */
  label: string;
  /** The full span for the tooltip, with its zone; unique. */
  title: string;
  /** Values by series id. Null if unknown, drawn and announced as a gap. */
  values: Readonly<Record<string, number | null>>;
}

interface StackedBarsProps {
  label: string;
  /** From top to bottom of the stack. */
  series: readonly BarSeries[];
  bars: readonly Bar[];
  /** Enables selecting bars by dragging or with Shift and arrows; called with both ends, also on Enter. */
  onRange?: (from: number, to: number) => void;
}

const LEFT = 36;
const RIGHT = 12;
const BOTTOM = 18;
const TOP = 8;
/** Height of the mark over a bar with unknown parts. */
const UNKNOWN = 5;

const barTotal = (bar: Bar, series: readonly BarSeries[]) =>
  series.reduce((sum, segment) => sum + (bar.values[segment.id] ?? 0), 0);

function Tip(props: { bar: Bar; series: readonly BarSeries[]; left: number; flip: boolean }): JSX.Element {
  const { bar, series, left, flip } = props;
  return (
    <div className="pp-bars-tip" style={flip ? { right: `calc(100% - ${left}px)` } : { left }}>
      <div className="pp-t2">{bar.title}</div>
      {series.map((segment) => (
        <div key={segment.id}>
          <span className={`pp-swatch pp-c-${segment.tone}`} />
          {segment.label}
          <b>{valueText(bar.values[segment.id])}</b>
        </div>
      ))}
    </div>
  );
}

interface DrawingProps extends StackedBarsProps {
  width: number;
  height: number;
  /** The highlighted bars: hovered or selected. */
  marked: Range | null;
}

type Range = readonly [from: number, to: number];
const isIn = (range: Range | null, index: number) => range !== null && index >= range[0] && index <= range[1];

function Drawing({ series, bars, width, height, marked }: DrawingProps): JSX.Element {
  const max = Math.max(1, ...bars.map((bar) => barTotal(bar, series)));
  const plotHeight = Math.max(0, height - BOTTOM - TOP);
  const slot = bars.length ? (width - LEFT - RIGHT) / bars.length : 0;
  const gap = slot > 20 ? Math.round(slot * 0.18) : 2;
  const every = labelEvery(slot);
  const first = firstLabel(
    bars.map(({ label }) => label),
    every,
  );
  const y = (value: number) => Math.round(TOP + plotHeight - (value / max) * plotHeight);
  const lines = axisLines(max, plotHeight);
  return (
    <svg aria-hidden="true" viewBox={`0 0 ${width} ${height}`}>
      {lines.map((value) => (
        <g key={value}>
          <line className="pp-gridline" x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 6} y={y(value) + 4} textAnchor="end">
            {formatGridCount(value)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => {
        const x = Math.round(LEFT + index * slot + gap / 2);
        const barWidth = Math.max(1, Math.round(LEFT + (index + 1) * slot - gap / 2) - x);
        let below = 0;
        return (
          <g key={bar.title}>
            {isIn(marked, index) ? (
              <rect className="pp-bar-hit" x={LEFT + index * slot} y={TOP} width={slot} height={plotHeight} />
            ) : null}
            {series.toReversed().map((part) => {
              const bottom = y(below);
              const value = bar.values[part.id] ?? 0;
              below += value;
              // Zero draws nothing; small values draw at least a sliver.
              const top = value > 0 ? Math.min(y(below), bottom - 1) : bottom;
              return (
                <rect
                  key={part.id}
                  className={`pp-c-${part.tone}`}
                  x={x}
                  y={top}
                  width={barWidth}
                  height={bottom - top}
                />
              );
            })}
            {series.some((part) => bar.values[part.id] === null) ? (
              <rect
                className="pp-bar-unknown"
                x={x}
                y={y(below) - UNKNOWN - 1}
                width={barWidth}
                height={UNKNOWN}
              />
            ) : null}
            {index % every === first ? (
              <text x={x + barWidth / 2} y={height - 4} textAnchor="middle">
                {bar.label}
              </text>
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}

/**
 * Selects bars by dragging, or from the focused one with Shift and arrows. The ends are kept by title, because the bars
 * may be recounted meanwhile; without one of them nothing is selected.
 */
function useRange(bars: readonly Bar[], onRange: StackedBarsProps['onRange']) {
  const [ends, setEnds] = useState<{ anchor: string; at: string; drags: boolean } | null>(null);
  const titleOf = (index: number) => bars[index]?.title ?? '';
  const placeOf = (end: string | undefined) => bars.findIndex(({ title }) => title === end);
  const places = [placeOf(ends?.anchor), placeOf(ends?.at)];
  const range: Range | null = places.includes(-1) ? null : [Math.min(...places), Math.max(...places)];
  const latest = useRef({ range, onRange });
  latest.current = { range, onRange };
  const drags = ends?.drags === true;
  useEffect(() => {
    if (!drags) return undefined;
    const finish = () => {
      const { range: now, onRange: tell } = latest.current;
      setEnds(null);
      if (now !== null) tell?.(...now);
    };
    window.addEventListener('pointerup', finish);
    return () => window.removeEventListener('pointerup', finish);
  }, [drags]);
  return {
    range,
    begin: (index: number) => {
      if (onRange) setEnds({ anchor: titleOf(index), at: titleOf(index), drags: true });
    },
    extend: (index: number) => setEnds((now) => (now?.drags ? { ...now, at: titleOf(index) } : now)),
    /** Whether the key changed the selection; `to` is the target bar of an arrow key. */
    onKey(event: KeyboardEvent<HTMLButtonElement>, index: number, to: number): boolean {
      if (!onRange) return false;
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        setEnds(null);
        onRange(...(range ?? ([index, index] as const)));
        return true;
      }
      if (event.key === 'Escape' && ends !== null) {
        event.stopPropagation();
        setEnds(null);
        return true;
      }
      if (to !== index)
        setEnds(
          event.shiftKey
            ? { anchor: (range && ends?.anchor) || titleOf(index), at: titleOf(to), drags: false }
            : null,
        );
      return false;
    },
  };
}

/** Stacked bars over time in plain SVG. Each bar is covered by a button: arrows navigate, exact values are announced. */
export function StackedBars(props: StackedBarsProps): JSX.Element {
  const { label, series, bars, onRange } = props;
  const [ref, { width, height }] = useSize();
  const [active, setActive] = useState<number | null>(null);
  const range = useRange(bars, onRange);
  const slot = bars.length ? Math.max(0, width - LEFT - RIGHT) / bars.length : 0;
  const bar = active === null ? undefined : bars[active];
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>, index: number) => {
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: bars.length - 1 }[event.key];
    if (range.onKey(event, index, Math.min(bars.length - 1, Math.max(0, to ?? index)))) return;
    if (to === undefined) return;
    event.preventDefault();
    event.currentTarget.parentElement?.querySelectorAll('button')[to]?.focus();
  };
  return (
    <div ref={ref} className="pp-bars">
      {width > 0 ? (
        <Drawing
          {...props}
          width={width}
          height={height}
          marked={range.range ?? (active === null ? null : [active, active])}
        />
      ) : null}
      <section className="pp-bars-keys" aria-label={label}>
        {bars.map((bar, index) => (
          <button
            key={bar.title}
            type="button"
            tabIndex={index === (active ?? bars.length - 1) ? 0 : -1}
            style={{ left: LEFT + index * slot, width: slot }}
            aria-label={`${bar.title}: ${series.map((part) => `${part.label} ${valueText(bar.values[part.id])}`).join(', ')}`}
            onPointerDown={({ button }) => {
              if (button === 0) range.begin(index);
            }}
            onMouseEnter={() => {
              setActive(index);
              range.extend(index);
            }}
            onMouseLeave={() => setActive(null)}
            onFocus={() => setActive(index)}
            onBlur={() => setActive(null)}
            onKeyDown={(event) => onKeyDown(event, index)}
          />
        ))}
      </section>
      {bar && active !== null ? (
        <Tip bar={bar} series={series} left={LEFT + (active + 0.5) * slot} flip={active > bars.length / 2} />
      ) : null}
    </div>
  );
}

/** The legend of a chart: swatch and word. Series of which `bars` have no values are marked. */
export function Legend({
  series,
  bars = [],
}: {
  series: readonly BarSeries[];
  bars?: readonly Bar[];
}): JSX.Element {
  const isUnknown = ({ id }: BarSeries) =>
    bars.length > 0 && bars.every((bar) => typeof bar.values[id] !== 'number');
  return (
    <span className="pp-legend">
      {series.map((segment) => (
        <span key={segment.id}>
          <span className={`pp-swatch pp-c-${segment.tone}`} />
          {isUnknown(segment) ? `${segment.label}: not reported` : segment.label}
        </span>
      ))}
    </span>
  );
}
