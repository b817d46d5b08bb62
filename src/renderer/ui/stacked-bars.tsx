import type { JSX } from 'react';
import { useEffect, useRef, useState } from 'react';
import { exact } from '#shared/model/format.ts';

export interface BarSeries {
  id: string;
  label: string;
  /** A `pp-c-*` class: found, suspicious, spam, clean, not-scanned, accent, neutral. */
  tone: string;
}

export interface Bar {
  /** The axis label, e.g. `09:00`. */
  label: string;
  /** The full instant for the tooltip, with its zone. */
  title: string;
  /** Values by series id. null: not known, drawn as a gap and said so. */
  values: Readonly<Record<string, number | null>>;
}

interface StackedBarsProps {
  label: string;
  series: readonly BarSeries[];
  bars: readonly Bar[];
  onBarClick?: (index: number) => void;
}

const LEFT = 32;
const BOTTOM = 18;
const TOP = 8;

/** A round step for about three grid lines: 1, 2 or 5 times a power of ten. */
export function axisStep(max: number): number {
  if (max <= 3) return 1;
  const rough = max / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
}

function useSize() {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const node = ref.current;
    if (!node) return undefined;
    const observer = new ResizeObserver(() =>
      setSize({ width: node.clientWidth, height: node.clientHeight }),
    );
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return [ref, size] as const;
}

const total = (bar: Bar, series: readonly BarSeries[]) =>
  series.reduce((sum, one) => sum + (bar.values[one.id] ?? 0), 0);

function Tip(props: { bar: Bar; series: readonly BarSeries[]; left: number; flip: boolean }): JSX.Element {
  const { bar, series, left, flip } = props;
  return (
    <div className="pp-bars-tip" style={flip ? { right: `calc(100% - ${left}px)` } : { left }}>
      <div className="pp-t2">{bar.title}</div>
      {series.map((one) => (
        <div key={one.id}>
          <span className={`pp-swatch pp-c-${one.tone}`} />
          {one.label}
          <b>{bar.values[one.id] === null ? 'not known' : exact(bar.values[one.id] ?? 0)}</b>
        </div>
      ))}
    </div>
  );
}

/** Stacked bars over time in plain SVG; exact values in the tooltip and, for readers, in a table. */
export function StackedBars({ label, series, bars, onBarClick }: StackedBarsProps): JSX.Element {
  const [ref, { width, height }] = useSize();
  const [active, setActive] = useState<number | null>(null);
  const max = Math.max(1, ...bars.map((bar) => total(bar, series)));
  const step = axisStep(max);
  const plotWidth = Math.max(0, width - LEFT);
  const plotHeight = Math.max(0, height - BOTTOM - TOP);
  const slot = bars.length ? plotWidth / bars.length : 0;
  const gap = slot > 20 ? Math.round(slot * 0.18) : 2;
  const y = (value: number) => Math.round(TOP + plotHeight - (value / max) * plotHeight);
  const every = Math.max(1, Math.ceil(44 / Math.max(1, slot)));
  const labelEvery = [1, 2, 3, 4, 6, 12, 24].find((n) => n >= every) ?? every;
  const bar = active === null ? undefined : bars[active];
  return (
    <div
      ref={ref}
      className="pp-bars"
      role="group"
      aria-label={`${label}; arrows move`}
      tabIndex={0}
      onKeyDown={(event) => {
        const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (move)
          setActive((now) =>
            Math.min(bars.length - 1, Math.max(0, (now ?? (move > 0 ? -1 : bars.length)) + move)),
          );
        else if (event.key === 'Enter' && active !== null) onBarClick?.(active);
        else return;
        event.preventDefault();
      }}
      onBlur={() => setActive(null)}
      onMouseLeave={() => setActive(null)}
    >
      {width > 0 ? (
        <svg aria-hidden="true" viewBox={`0 0 ${width} ${height}`}>
          {Array.from({ length: Math.floor(max / step) + 1 }, (_, index) => index * step).map((value) => (
            <g key={value}>
              <line className="pp-gridline" x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
              <text x={LEFT - 6} y={y(value) + 4} textAnchor="end">
                {exact(value)}
              </text>
            </g>
          ))}
          {bars.map((one, index) => {
            const x = Math.round(LEFT + index * slot + gap / 2);
            const barWidth = Math.max(1, Math.round(LEFT + (index + 1) * slot - gap / 2) - x);
            let below = 0;
            return (
              <g
                key={one.title}
                className={`pp-bar-group${index === active ? ' pp-active' : ''}`}
                onMouseEnter={() => setActive(index)}
                onClick={() => onBarClick?.(index)}
              >
                <rect
                  className="pp-bar-hit"
                  x={LEFT + index * slot}
                  y={TOP}
                  width={slot}
                  height={plotHeight}
                />
                {[...series].reverse().map((part) => {
                  const value = one.values[part.id] ?? 0;
                  const bottom = y(below);
                  below += value;
                  return (
                    <rect
                      key={part.id}
                      className={`pp-c-${part.tone}`}
                      x={x}
                      y={y(below)}
                      width={barWidth}
                      height={Math.max(0, bottom - y(below))}
                    />
                  );
                })}
                {index % labelEvery === 0 ? (
                  <text x={x + barWidth / 2} y={height - 4} textAnchor="middle">
                    {one.label}
                  </text>
                ) : null}
              </g>
            );
          })}
        </svg>
      ) : null}
      {bar && active !== null ? (
        <Tip bar={bar} series={series} left={LEFT + (active + 0.5) * slot} flip={active > bars.length / 2} />
      ) : null}
      <BarsTable label={label} series={series} bars={bars} />
    </div>
  );
}

function BarsTable({ label, series, bars }: StackedBarsProps): JSX.Element {
  return (
    <table className="pp-visually-hidden">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map((one) => (
            <th scope="col" key={one.id}>
              {one.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.map((bar) => (
          <tr key={bar.title}>
            <th scope="row">{bar.title}</th>
            {series.map((one) => (
              <td key={one.id}>{bar.values[one.id] ?? 'not known'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The legend of a chart: swatch and word. */
export function Legend({ series }: { series: readonly BarSeries[] }): JSX.Element {
  return (
    <span className="pp-legend">
      {series.map((one) => (
        <span key={one.id}>
          <span className={`pp-swatch pp-c-${one.tone}`} />
          {one.label}
        </span>
      ))}
    </span>
  );
}
