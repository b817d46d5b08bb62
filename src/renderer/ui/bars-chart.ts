import { exact } from '#shared/model/format.ts';

/** A round step for about three grid lines: 1, 2 or 5 times a power of ten. Counts are whole, so at least 1. */
export function axisStep(max: number): number {
  if (max <= 3) return 1;
  const rough = max / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  return Math.max(1, ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power);
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
