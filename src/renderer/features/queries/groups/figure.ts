/** A chart as Plotly takes it. Names come from mail and are escaped, because Plotly interprets tags in texts. Pure. */

import type { Data, Layout } from 'plotly.js';
import { truncateEnd } from '#renderer/ui/truncate.ts';
import { xmlText } from '#renderer/ui/xml-text.ts';
import type { Groups } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import { exact } from '#shared/model/format.ts';
import { ROLL_UP_ORDER } from '#shared/model/verdict.ts';
import type { NamedAxis } from './group-rows.ts';

export type ChartShape = 'bars' | 'line' | 'heat';
type Token = `--${string}`;
type Axis = NonNullable<Layout['xaxis']>;

type Palette = (token: Token) => string;

export interface Figure {
  data: Data[];
  layout: Partial<Layout>;
  /** Space for all labels in pixels. */
  height: number;
}

/** Axis positions of a chart's groups. */
export type Place = readonly number[];

const VERDICTS: Readonly<Record<string, Token>> = dictionary({
  found: '--c-found',
  suspicious: '--c-susp',
  'found-no-click': '--sev4',
  spam: '--c-spam',
  unknown: '--ctl',
  'not-scanned': '--c-ns',
  'nothing-found': '--c-nf',
  clean: '--c-clean',
  hidden: '--line2',
});

const VERDICT_ORDER: readonly string[] = ROLL_UP_ORDER;
/** Never red, amber or green, which stand for verdicts. */
const SERIES: readonly Token[] = [
  '--acc',
  '--stone',
  '--c-spam',
  '--rar3',
  '--rar2',
  '--rar5',
  '--sev2',
  '--t3',
];
const OTHER: Token = '--ctl';
const SYMBOLS = ['circle', 'square', 'diamond', 'triangle-up', 'x', 'cross', 'star', 'hexagon'] as const;
const DASHES = ['solid', 'dash', 'dot', 'dashdot', 'longdash'] as const;

const ROW = 24;
const LABEL = 32;
/** Minimum number of bars to lay out, so that a single bar does not fill the chart. */
const FEWEST = 6;
/** If the sum of all other values exceeds the largest named one by this factor, its bar is cut at the end of the axis. */
const BEYOND = 1.5;
const HEADROOM = 1.08;

const tickText = (text: string): string => xmlText(truncateEnd(text, LABEL));

/** The colour of each axis position; verdicts have their own. */
function coloursOf({ axis, isTime, isVerdict, names }: NamedAxis): Token[] {
  if (isTime || !('values' in axis)) return names.map(() => '--acc');
  return names.map((_, index) => {
    if (index >= axis.values.length) return OTHER;
    const verdict = isVerdict ? VERDICTS[String(axis.values[index])] : undefined;
    return verdict ?? (isVerdict ? '--ctl' : (SERIES[index % SERIES.length] ?? '--acc'));
  });
}

/** Margin above an axis that lies above the bars. */
const LEGEND_ON_TOP = {
  margin: { l: 8, r: 16, t: 60, b: 8, pad: 4 },
  legend: {
    orientation: 'h',
    x: 0,
    xref: 'container',
    y: 1,
    yref: 'container',
    yanchor: 'top',
    traceorder: 'normal',
  },
} as const;

/** Approximate maximum of labels on a time axis. */
const TICKS = 10;

interface Drawn {
  groups: Groups;
  axes: readonly NamedAxis[];
  palette: Palette;
}

class Chart {
  readonly #drawn: Drawn;
  readonly #cells: ReadonlyMap<string, number>;

  constructor(drawn: Drawn) {
    this.#drawn = drawn;
    this.#cells = new Map(drawn.groups.cells.map(({ at, count }) => [at.join(' '), count]));
  }

  #axis(index: number): NamedAxis {
    const axis = this.#drawn.axes[index];
    if (axis === undefined) throw new RangeError(`The chart has no axis ${index}`);
    return axis;
  }

  /** Axis positions to draw: those with rows; on a time axis all of them, except the one for rows without a time. */
  #places(index: number): number[] {
    const axis = this.#drawn.axes[index];
    if (axis === undefined) return [];
    if (axis.isTime) return axis.names.slice(0, -1).map((_, index) => index);
    const has = new Set(this.#drawn.groups.cells.map(({ at }) => at[index]));
    return axis.names.flatMap((_, index) => (has.has(index) ? [index] : []));
  }

  #count(index: number, place: number, other: number | null): number {
    return this.#cells.get(this.#place(index, place, other).join(' ')) ?? 0;
  }

  #place(index: number, place: number, other: number | null): Place {
    return other === null ? [place] : index === 0 ? [place, other] : [other, place];
  }

  /** The axis of the points, and the one that splits them into series. */
  #roles(): { along: number; series: number | null } {
    const { axes } = this.#drawn;
    const time = axes.findIndex(({ isTime }) => isTime);
    const along = time < 0 ? 0 : time;
    return { along, series: axes.length < 2 ? null : 1 - along };
  }

  /** Series ordered by severity, or by number of rows. */
  #series(index: number): number[] {
    const { axis, isVerdict } = this.#axis(index);
    const places = this.#places(index);
    if (!isVerdict || !('values' in axis)) return places;
    const rank = (index: number) => {
      const position = VERDICT_ORDER.indexOf(String(axis.values[index]));
      return position < 0 ? VERDICT_ORDER.length : position;
    };
    return places.toSorted((a, b) => rank(a) - rank(b));
  }

  #base(): Partial<Layout> {
    const { palette } = this.#drawn;
    return {
      paper_bgcolor: 'transparent',
      plot_bgcolor: 'transparent',
      font: { family: palette('--font'), size: 11, color: palette('--t2') },
      margin: { l: 8, r: 16, t: 8, b: 8, pad: 4 },
      barmode: 'stack',
      bargap: 0.25,
      hovermode: 'closest',
      dragmode: false,
      legend: { orientation: 'h', x: 0, y: 1.02, yanchor: 'bottom', traceorder: 'normal' },
    };
  }

  #line(): { gridcolor: string; zerolinecolor: string; linecolor: string } {
    const line = this.#drawn.palette('--line');
    return { gridcolor: line, zerolinecolor: line, linecolor: line };
  }

  /** An axis of counts: whole numbers from zero. */
  #counts(): Axis {
    const most = Math.max(0, ...this.#cells.values());
    return {
      ...this.#line(),
      rangemode: 'tozero' as const,
      fixedrange: true,
      ticks: '' as const,
      automargin: true,
      tickformat: ',d',
      ...(most < 5 ? { dtick: 1 } : {}),
    };
  }

  /**
   * Horizontal bars. The axis ends at the largest named value if the sum of the others would reduce all bars to thin
   * lines.
   */
  #beyond(
    along: number,
    places: readonly number[],
  ): Pick<Partial<Layout>, 'annotations'> & { end: number | null } {
    const { axis } = this.#axis(along);
    const rest = 'values' in axis ? axis.values.length : -1;
    const totals = new Map<number, number>();
    for (const { at, count } of this.#drawn.groups.cells)
      totals.set(at[along] ?? 0, (totals.get(at[along] ?? 0) ?? 0) + count);
    const named = Math.max(0, ...[...totals].filter(([place]) => place !== rest).map(([, total]) => total));
    const other = totals.get(rest) ?? 0;
    if (named === 0 || other <= named * BEYOND) return { end: null };
    const end = named * HEADROOM;
    return {
      end,
      annotations: [
        {
          x: end,
          y: places.indexOf(rest),
          xanchor: 'right',
          showarrow: false,
          text: `${exact(other)}, beyond the scale`,
          bgcolor: this.#drawn.palette('--bg2'),
          font: { color: this.#drawn.palette('--t1') },
        },
      ],
    };
  }

  /** A category axis by position; a time axis labels only some positions. */
  #along(index: number, places: readonly number[], turned: boolean, fewest = 0): Axis {
    const { ticks, isTime } = this.#axis(index);
    const all = places.map((place, position) => ({ place, position }));
    // For spans shorter than a day, day boundaries are labelled.
    const days = all.filter(({ place }) => ticks[place]?.includes('-'));
    const from = isTime && days.length > 2 ? days : all;
    const every = isTime ? Math.max(1, Math.ceil(from.length / TICKS)) : 1;
    const shown = from.filter((_, index) => index % every === 0);
    return {
      ...this.#line(),
      showgrid: false,
      zeroline: false,
      fixedrange: true,
      ticks: '' as const,
      automargin: true,
      range: turned ? [Math.max(fewest, places.length) - 0.5, -0.5] : [-0.5, places.length - 0.5],
      tickvals: shown.map(({ position }) => position),
      ticktext: shown.map(({ place }) => tickText(ticks[place] ?? '')),
    };
  }

  xy(shape: 'bars' | 'line'): Figure {
    const { palette } = this.#drawn;
    const { along, series } = this.#roles();
    const { isTime, isVerdict } = this.#axis(along);
    const places = this.#places(along);
    const lying = shape === 'bars' && !isTime;
    const colours = coloursOf(this.#axis(along));
    const others = series === null ? [null] : this.#series(series);
    const split = series === null ? null : this.#axis(series);
    const seriesColours = split === null ? [] : coloursOf(split);
    const data = others.map((other, index): Data => {
      const counts = places.map((place) => this.#count(along, place, other));
      const positions = places.map((_, position) => position);
      const colour =
        other === null
          ? places.map((place) => palette((isVerdict ? colours[place] : null) ?? '--acc'))
          : palette(seriesColours[other] ?? '--acc');
      const common = {
        name: other === null ? '' : tickText(split?.names[other] ?? ''),
        x: lying ? counts : positions,
        y: lying ? positions : counts,
        customdata: places.map((place) => JSON.stringify(this.#place(along, place, other))),
        hoverinfo: 'none' as const,
        showlegend: other !== null,
      };
      if (shape === 'bars')
        return { ...common, type: 'bar', orientation: lying ? 'h' : 'v', marker: { color: colour } };
      const single = Array.isArray(colour) ? palette('--acc') : colour;
      return {
        ...common,
        type: 'scatter',
        mode: 'lines+markers',
        line: { color: single, width: 2, dash: DASHES[index % DASHES.length] },
        marker: { color: single, size: 5, symbol: SYMBOLS[index % SYMBOLS.length] },
      };
    });
    // The axis lies above a long list of bars, whose end must be scrolled to.
    const { end, ...style } = lying ? this.#beyond(along, places) : { end: null };
    const values: Axis = {
      ...this.#counts(),
      ...(lying ? { side: 'top' } : {}),
      ...(end === null ? {} : { range: [0, end], autorange: false }),
    };
    const positions = this.#along(along, places, lying, FEWEST);
    return {
      data,
      layout: {
        ...this.#base(),
        ...(lying && series !== null ? LEGEND_ON_TOP : {}),
        ...style,
        xaxis: lying ? values : positions,
        yaxis: lying ? positions : values,
      },
      height: lying ? places.length * ROW + 4 * ROW : 0,
    };
  }

  heat(): Figure {
    const { palette } = this.#drawn;
    const { along, series } = this.#roles();
    // Time runs to the right; otherwise the first column runs downwards.
    const right = this.#axis(along).isTime ? along : 1;
    const down = right === along ? (series ?? 0) : 0;
    const columns = this.#series(right);
    const rows = down === right ? [] : this.#series(down);
    const counts = rows.map((row) => columns.map((column) => this.#count(right, column, row)));
    const few = columns.length <= 16;
    const data: Data = {
      type: 'heatmap',
      // Cells without rows have no colour.
      z: counts.map((line) => line.map((count) => (count === 0 ? null : count))),
      x: columns.map((_, position) => position),
      y: rows.map((_, position) => position),
      customdata: rows.map((row) => columns.map((column) => JSON.stringify(this.#place(right, column, row)))),
      colorscale: [
        [0, palette('--acct')],
        [1, palette('--accf')],
      ],
      showscale: !few,
      xgap: 2,
      ygap: 2,
      hoverinfo: 'none',
      ...(few
        ? {
            text: counts.map((line) => line.map((count) => (count === 0 ? '' : exact(count)))),
            texttemplate: '%{text}',
          }
        : {}),
    };
    return {
      data: [data],
      layout: {
        ...this.#base(),
        xaxis: { ...this.#along(right, columns, false), side: 'top' },
        yaxis: this.#along(down, rows, true),
      },
      height: rows.length * ROW + 2 * ROW,
    };
  }
}

export function figureOf(shape: ChartShape, drawn: Drawn): Figure {
  const chart = new Chart(drawn);
  return shape === 'heat' ? chart.heat() : chart.xy(shape);
}
