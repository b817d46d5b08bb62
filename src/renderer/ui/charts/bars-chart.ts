import { exact } from '#shared/model/format.ts';

/** Room for one label of the counts, which are written below each other. */
const LABEL_PX = 16;

/**
 * Counts with a grid line, from 0 up to `max`: round numbers, 1, 2 or 5 times a power of ten, about four of them, and no
 * more than have room for their labels in `height` px.
 */
export function axisLines(max: number, height: number): number[] {
  if (max < 1) return [0];
  const most = Math.min(4, Math.max(1, Math.floor(height / LABEL_PX)));
  const rough = max / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power);
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, index) => index * step);
}

/** How many bars share one label of about 44 px, in steps people count hours by. */
export function labelEvery(slotWidth: number): number {
  const least = Math.max(1, Math.ceil(44 / Math.max(1, slotWidth)));
  return [1, 2, 3, 4, 6, 12, 24].find((step) => step >= least) ?? least;
}

/** The first bar that has a label: of those that one in `every` has, dates take precedence over times of day. */
export function firstLabel(labels: readonly string[], every: number): number {
  const date = labels.findIndex((label) => !label.includes(':'));
  return date === -1 || labels.every((label) => !label.includes(':')) ? 0 : date % every;
}

/** A bar's value in words; a gap is announced as unknown. */
export const valueText = (value: number | null | undefined): string =>
  typeof value === 'number' ? exact(value) : 'unknown';
