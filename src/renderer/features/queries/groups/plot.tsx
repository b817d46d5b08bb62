/** Plotly with the three kinds of traces that groups need, in a chunk of its own: imported lazily, never directly. */

import bar from 'plotly.js/lib/bar';
import Plotly from 'plotly.js/lib/core';
import heatmap from 'plotly.js/lib/heatmap';
import { type JSX, useEffect, useRef, useState } from 'react';
import type { Figure, Place } from './figure.ts';

Plotly.register([bar, heatmap]);

const CONFIG = { displayModeBar: false, showTips: false, doubleClick: false } as const;

interface Tip {
  place: Place;
  x: number;
  y: number;
}

export interface PlotProps {
  figure: Figure;
  /** Description for screen readers. */
  label: string;
  /** Tooltip of a group: its name and exact count. */
  tipOf: (place: Place) => { title: string; text: string };
  onPick: (place: Place) => void;
}

const placeOf = (points: readonly { customdata?: unknown }[] | undefined): Place | null => {
  const raw = points?.[0]?.customdata;
  return typeof raw === 'string' ? (JSON.parse(raw) as Place) : null;
};

/** A chart; clicking a part picks its group. */
export default function Plot({ figure, label, tipOf, onPick }: PlotProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const pick = useRef(onPick);
  pick.current = onPick;
  const [tip, setTip] = useState<Tip | null>(null);
  useEffect(() => {
    const node = box.current;
    if (node === null) return undefined;
    let live = true;
    let size: ResizeObserver | null = null;
    let drawn = '';
    const sizeOf = () => `${node.clientWidth} ${node.clientHeight}`;
    const draw = async () => {
      drawn = sizeOf();
      const plot = await Plotly.newPlot(node, figure.data, figure.layout, CONFIG);
      if (!live) return;
      plot.on('plotly_hover', ({ points, event }) => {
        const place = placeOf(points);
        const box = node.getBoundingClientRect();
        if (place !== null) setTip({ place, x: event.clientX - box.left, y: event.clientY - box.top });
      });
      plot.on('plotly_unhover', () => setTip(null));
      plot.on('plotly_click', ({ points }) => {
        const place = placeOf(points);
        if (place !== null) pick.current(place);
      });
    };
    void draw().then(() => {
      if (!live) return;
      size = new ResizeObserver(() => {
        // Redrawn instead of resized, because a resized chart keeps the margins of its previous size.
        if (node.clientWidth > 0 && sizeOf() !== drawn) void draw();
      });
      size.observe(node);
    });
    return () => {
      live = false;
      size?.disconnect();
      setTip(null);
      Plotly.purge(node);
    };
  }, [figure]);
  const words = tip === null ? null : tipOf(tip.place);
  const flip = tip !== null && tip.x > (box.current?.clientWidth ?? 0) / 2;
  return (
    <div className="pp-plot" style={{ minHeight: figure.height }}>
      <div ref={box} className="pp-plot-box" role="img" aria-label={label} />
      {tip !== null && words !== null ? (
        <div
          className="pp-bars-tip"
          style={{ top: tip.y, ...(flip ? { right: `calc(100% - ${tip.x - 12}px)` } : { left: tip.x + 12 }) }}
        >
          <div className="pp-t2">{words.title}</div>
          <b>{words.text}</b>
        </div>
      ) : null}
    </div>
  );
}

/** The chart as a self-contained picture with title and background. */
export async function picture(
  figure: Figure,
  kind: 'png' | 'svg',
  { title, background, width, height }: { title: string; background: string; width: number; height: number },
): Promise<string> {
  const layout = {
    ...figure.layout,
    paper_bgcolor: background,
    plot_bgcolor: background,
    title: { text: title, font: { size: 13 }, x: 0, xref: 'paper' as const, xanchor: 'left' as const },
    margin: { l: 16, r: 24, t: 72, b: 24, pad: 4 },
  };
  return Plotly.toImage(
    { data: figure.data, layout },
    { format: kind, width, height: Math.max(height, figure.height), scale: kind === 'png' ? 2 : 1 },
  );
}
