import { expect, it } from 'vitest';
import type { SetRecord } from './record.ts';
import { evictableRuns } from './runs.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 1);

/** Seven replaced runs of one question. */
const runs = (supersededAt: number): SetRecord[] =>
  Array.from({ length: 7 }, (_, born) => ({
    id: `r${born}`,
    born,
    supersededAt,
    usedAt: supersededAt,
    origin: null,
    pinned: false,
    state: 'complete',
    queryKey: 'q',
  })) as unknown as SetRecord[];

it.each([
  ['long ago', NOW - HOUR, ['r0', 'r1']],
  ['just now', NOW, []],
  ['while the clock was years ahead', Date.UTC(2050, 0, 1), ['r0', 'r1']],
])('the oldest of too many runs can go if they were replaced %s', (_, index, expected) => {
  expect([...evictableRuns(runs(index), NOW, HOUR)].toSorted()).toEqual(expected);
});
