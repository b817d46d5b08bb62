/** Groups in words: the labels of axis positions, and the rows of the table. Pure. */
import type { Groups } from '#shared/bridge/operations.ts';
import { type ClockSetting, exportTime } from '#shared/model/clock.ts';
import type { FieldConfig } from '#shared/model/entities.ts';
import { csvRow } from '#shared/model/spreadsheet-safe.ts';
import { isVerdictField } from '../query-run.ts';
import { countedLabel } from '../results/result-columns.tsx';
import { filterOf, type GroupFilter } from './group-view.ts';
import { NO_TIME, otherText, spanText, spanTick } from './labels.ts';

type Axis = Groups['axes'][number];

/** A displayed axis: the column's label and a label per position, the last one for all other values. */
export interface NamedAxis {
  axis: Axis;
  label: string;
  /** Full labels. */
  names: string[];
  /** Short labels for a chart's ticks. */
  ticks: string[];
  isTime: boolean;
  /** Its values are verdicts. */
  isVerdict: boolean;
}

export function namedAxis(
  axis: Axis,
  label: string,
  field: FieldConfig | undefined,
  clock: ClockSetting,
): NamedAxis {
  if ('edges' in axis) {
    const { edges, step } = axis;
    const spans = edges.slice(0, -1).map((from, index) => ({ from, to: edges[index + 1] ?? from }));
    return {
      axis,
      label,
      isTime: true,
      isVerdict: false,
      names: [...spans.map(({ from, to }) => spanText(from, to, clock)), NO_TIME],
      ticks: [
        ...spans.map(({ from }) => spanTick(from, step, clock, (edges.at(-1) ?? 0) - (edges[0] ?? 0))),
        NO_TIME,
      ],
    };
  }
  const names = axis.values.map((value) => countedLabel(field, value));
  const other = otherText(axis.distinct - axis.values.length);
  return {
    axis,
    label,
    isTime: false,
    isVerdict: field !== undefined && isVerdictField(field),
    names: [...names, other],
    ticks: [...names, other],
  };
}

export interface GroupRow {
  id: string;
  at: readonly number[];
  names: readonly string[];
  count: number;
  /** Share of all counted rows, 0 to 1. */
  share: number;
  first: number | null;
  last: number | null;
  /** The filter for the group's rows, or null for the group of all other values. */
  filters: GroupFilter[] | null;
}

export function groupRows(groups: Groups, axes: readonly NamedAxis[]): GroupRow[] {
  return groups.cells.map(({ at, count, first, last }) => {
    const filters = at.map((place, index) => filterOf(groups.axes[index]!, place));
    return {
      id: at.join(' '),
      at,
      names: at.map((place, index) => axes[index]?.names[place] ?? ''),
      count,
      share: groups.rows === 0 ? 0 : count / groups.rows,
      first,
      last,
      filters: filters.every((filter) => filter !== null) ? filters : null,
    };
  });
}

/** Rows with several values count once for each, so shares can add up to more than 100%. */
export const severalOf = (groups: Groups): boolean =>
  groups.axes.some((axis) => 'values' in axis && axis.several);

export const shareText = (share: number): string =>
  share > 0 && share < 0.001 ? '< 0.1%' : `${(100 * share).toFixed(1)}%`;

/** The table as a file: formula-safe, with times as exports write them. */
export function groupsCsv(
  rows: readonly GroupRow[],
  axes: readonly NamedAxis[],
  clock: ClockSetting,
): string {
  const header = [...axes.map(({ label }) => label), 'Rows', 'Share', 'First seen', 'Last seen'];
  const lines = rows.map(({ names, count, share, first, last }) =>
    csvRow([...names, count, share.toFixed(6), exportTime(first, clock), exportTime(last, clock)]),
  );
  return `${csvRow(header)}${lines.join('')}`;
}
