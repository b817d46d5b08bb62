import { Button } from '@blueprintjs/core';
import { StepBackward, StepForward } from '@blueprintjs/icons';
import {
  type JSX,
  type KeyboardEvent,
  memo,
  type PointerEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useTab } from '#renderer/state/tab-context.ts';
import { axisLines } from '#renderer/ui/charts/bars-chart.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { GlyphPause, GlyphPlay } from '#renderer/ui/glyphs.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useSize } from '#renderer/ui/use-size.ts';
import { type ClockSetting, profileTime, zoneLabel } from '#shared/model/clock.ts';
import { formatGridCount } from '#shared/model/format.ts';
import { spanOf } from '#shared/model/time-buckets.ts';
import type { MapSummary } from './engine.ts';
import {
  axisMarks,
  type BarEdges,
  edgeBeside,
  firstWindow,
  markLabel,
  stepWindow,
  type TimeWindow,
} from './time-window.ts';

/** Slow enough to follow. */
const STEP_MS = 500;

const wantsStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

interface PlayControlsProps {
  edges: BarEdges;
  window: TimeWindow | undefined;
  onWindow: (window: TimeWindow | undefined) => void;
}

/** Moves the time range through the logins, continuously or in steps; only in steps with reduced motion. */
function PlayControls({ edges, window: shown, onWindow }: PlayControlsProps): JSX.Element {
  const { isShown } = useTab();
  const [playing, setPlaying] = useState(false);
  const latest = useRef({ edges, shown, onWindow });
  latest.current = { edges, shown, onWindow };
  const range = useRef<TimeWindow | undefined>(undefined);
  const move = useCallback((by: 1 | -1): boolean => {
    const next = stepWindow(latest.current.shown, latest.current.edges, by);
    if (next === null) return false;
    range.current = next;
    latest.current.onWindow(next);
    return true;
  }, []);
  const runs = playing && isShown;
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setInterval(() => {
      // Playback ends when the user sets or clears the range.
      if (latest.current.shown !== range.current || !move(1)) setPlaying(false);
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [runs, move]);
  const still = wantsStill();
  const play = () => {
    if (!playing && !move(1)) {
      // Starts over at the end.
      range.current = firstWindow(edges);
      onWindow(range.current);
    }
    setPlaying(!playing);
  };
  const byHand = (by: 1 | -1) => () => {
    setPlaying(false);
    move(by);
  };
  return (
    <span className="pp-map-play">
      <IconButton small icon={<StepBackward size={14} />} label="Previous step" onClick={byHand(-1)} />
      {still ? null : (
        <IconButton
          small
          icon={playing ? <GlyphPause size={12} /> : <GlyphPlay size={12} />}
          label={playing ? 'Pause' : 'Play through the time range'}
          active={playing}
          onClick={play}
        />
      )}
      <IconButton small icon={<StepForward size={14} />} label="Next step" onClick={byHand(1)} />
    </span>
  );
}

interface TimePanelProps {
  histogram: MapSummary['histogram'] | null;
  window: TimeWindow | undefined;
  onWindow: (window: TimeWindow | undefined) => void;
  /** Why there are no logins, or null if there are some. */
  none: EmptyInfo | null;
}

const LEFT = 40;
const RIGHT = 12;
const BOTTOM = 18;
const TOP = 8;

const short = (time: number, clock: ClockSetting) => profileTime(time, clock).slice(0, 16);
type Histogram = MapSummary['histogram'];

/** The time axis of the chart in `width` px. */
function axisOf(histogram: Histogram | null, width: number) {
  const edges = histogram?.edges ?? [];
  const start = edges[0] ?? 0;
  const end = edges.at(-1) ?? 0;
  const inner = Math.max(1, width - LEFT - RIGHT);
  const xOf = (time: number) => LEFT + ((time - start) / Math.max(1, end - start)) * inner;
  const timeAt = (x: number) => start + ((x - LEFT) / inner) * (end - start);
  return { edges, count: Math.max(0, edges.length - 1), start, end, inner, xOf, timeAt };
}

function Bars(props: {
  histogram: Histogram;
  width: number;
  height: number;
  shown: TimeWindow | undefined;
}): JSX.Element {
  const { histogram, width, height, shown } = props;
  const clock = useClock();
  const { edges, start, end, inner, xOf } = axisOf(histogram, width);
  const most = histogram.logins.reduce((a, b) => Math.max(a, b), 1);
  const yOf = (value: number) => TOP + (1 - value / most) * Math.max(1, height - TOP - BOTTOM);
  const lines = axisLines(most, height - TOP - BOTTOM).slice(1);
  return (
    <>
      {lines.map((value) => (
        <g key={value}>
          <line className="pp-gridline" x1={LEFT} x2={width - RIGHT} y1={yOf(value)} y2={yOf(value)} />
          <text x={LEFT - 6} y={yOf(value) + 4} textAnchor="end">
            {formatGridCount(value)}
          </text>
        </g>
      ))}
      {shown ? (
        <rect
          className="pp-map-window"
          x={xOf(shown.from)}
          width={Math.max(1, xOf(shown.to) - xOf(shown.from))}
          y={TOP}
          height={Math.max(0, height - TOP - BOTTOM)}
        />
      ) : null}
      {Array.from(histogram.logins, (value, index) => {
        const time = edges[index] ?? start;
        const inside = !shown || (time >= shown.from && time < shown.to);
        return (
          <rect
            key={time}
            className={inside && shown ? 'pp-c-accent' : 'pp-map-bar'}
            x={xOf(time)}
            width={Math.max(1, xOf(edges[index + 1] ?? end) - xOf(time) - 1)}
            y={value > 0 ? Math.min(yOf(value), height - BOTTOM - 1) : height - BOTTOM}
            height={value > 0 ? Math.max(1, height - BOTTOM - yOf(value)) : 0}
          />
        );
      })}
      {axisMarks(start, end, inner, clock).map((time) => (
        <text key={time} x={xOf(time)} y={height - 4} textAnchor="middle">
          {markLabel(time, start, end, clock)}
        </text>
      ))}
    </>
  );
}

/** Both ends of the range, moved by the arrow keys. `shown` is the range as it is being drawn. */
function RangeEdges(props: {
  axis: ReturnType<typeof axisOf>;
  window: TimeWindow | undefined;
  shown: TimeWindow | undefined;
  onWindow: (window: TimeWindow | undefined) => void;
}): JSX.Element {
  const { window, shown, onWindow } = props;
  const { edges, start, end, xOf } = props.axis;
  const clock = useClock();
  const onEdge = (edge: 'from' | 'to') => (event: KeyboardEvent) => {
    const now = window ?? { from: start, to: end };
    const by = { ArrowLeft: -1, ArrowRight: 1, PageDown: -12, PageUp: 12 }[event.key];
    if (event.key === 'Home' || event.key === 'End') onWindow(undefined);
    else if (by !== undefined) {
      const low = edge === 'from' ? start : edgeBeside(edges, now.from, 1);
      const high = edge === 'from' ? edgeBeside(edges, now.to, -1) : end;
      onWindow({ ...now, [edge]: Math.min(high, Math.max(low, edgeBeside(edges, now[edge], by))) });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      {(['from', 'to'] as const).map((edge) => {
        const instant = (shown ?? { from: start, to: end })[edge];
        return (
          <div
            key={edge}
            className={`pp-map-edge${shown ? '' : ' pp-map-edge-idle'}`}
            style={{ left: xOf(instant) - 4 }}
            role="slider"
            tabIndex={0}
            aria-label={edge === 'from' ? 'Range start' : 'Range end'}
            aria-orientation="horizontal"
            aria-valuemin={start}
            aria-valuemax={end}
            aria-valuenow={instant}
            aria-valuetext={profileTime(instant, clock)}
            onKeyDown={onEdge(edge)}
          />
        );
      })}
    </>
  );
}

/** Logins over time, with the range that filters every other view: drag, or the arrow keys on either edge. */
export const TimePanel = memo(function TimePanel(props: TimePanelProps): JSX.Element {
  const { none, histogram, window, onWindow } = props;
  const clock = useClock();
  const [ref, { width, height }] = useSize();
  const [drawn, setDrawn] = useState<TimeWindow | null>(null);
  const from = useRef<number | null>(null);
  const axis = axisOf(histogram, width);
  const { edges, count, start, end } = axis;
  const shown = drawn ?? window;
  const barAt = (event: PointerEvent) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return spanOf(edges.slice(0, -1), axis.timeAt(x));
  };
  const windowOf = (a: number, b: number): TimeWindow => ({
    from: edges[Math.min(a, b)] ?? start,
    to: edges[Math.max(a, b) + 1] ?? end,
  });
  const onPointerDown = (event: PointerEvent<SVGSVGElement>) => {
    if (event.button !== 0 || count === 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = barAt(event);
    setDrawn(windowOf(from.current, from.current));
  };
  const onPointerMove = (event: PointerEvent) => {
    if (from.current === null) return;
    const next = windowOf(from.current, barAt(event));
    setDrawn(next);
    onWindow(next);
  };
  const onPointerUp = () => {
    if (from.current !== null && drawn) onWindow(drawn);
    from.current = null;
    setDrawn(null);
  };
  const words =
    count === 0 ? zoneLabel(clock) : `${short(start, clock)} to ${short(end, clock)}, ${zoneLabel(clock)}`;
  const windowWords = shown ? ` · selected ${short(shown.from, clock)} to ${short(shown.to, clock)}` : '';
  return (
    <Panel
      title="Time"
      count={`${words}${windowWords}`}
      noScroll
      className="pp-map-time"
      actions={
        <>
          {shown ? (
            <Button variant="minimal" size="small" text="Clear range" onClick={() => onWindow(undefined)} />
          ) : (
            <span className="pp-t3 pp-small">Drag to select a time range</span>
          )}
          {count > 1 ? <PlayControls edges={edges} window={window} onWindow={onWindow} /> : null}
        </>
      }
      empty={
        histogram && count === 0
          ? (none ?? { title: 'No timestamps', reason: 'None of these logins has a time.' })
          : null
      }
    >
      <div ref={ref} className="pp-map-chart">
        {histogram && width > 0 ? (
          <svg
            width={width}
            height={height}
            role="img"
            aria-label={`Logins over time, ${words}${windowWords}`}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
          >
            <title>Drag to select a time range</title>
            <Bars histogram={histogram} width={width} height={height} shown={shown} />
          </svg>
        ) : null}
        {count > 0 ? <RangeEdges axis={axis} window={window} shown={shown} onWindow={onWindow} /> : null}
      </div>
    </Panel>
  );
});
