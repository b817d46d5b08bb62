import { describe, expect, it } from 'vitest';
import type { Groups } from '#shared/bridge/operations.ts';
import { figureOf } from './figure.ts';
import { namedAxis } from './group-rows.ts';

const LIE = '<a href="https://evil.example">bank.example</a>';
const verdict = {
  id: 'verdict',
  dbId: 'verdict',
  label: 'Verdict',
  type: 'enum',
  operators: [],
  allowedValues: ['clean', 'found'].map((value) => ({ value, label: value })),
};
const drawn = (groups: Groups) => ({
  groups,
  axes: groups.axes.map((axis) =>
    namedAxis(axis, axis.column, axis.column === 'verdict' ? verdict : undefined, 'utc'),
  ),
  palette: (token: string) => token,
});
const both: Groups = {
  rows: 9,
  loaded: 9,
  first: null,
  last: null,
  axes: [
    { column: 'from', values: [LIE, 'b.example'], distinct: 2, several: false },
    { column: 'verdict', values: ['clean', 'found'], distinct: 2, several: false },
  ],
  cells: [
    { at: [0, 0], count: 5, first: null, last: null },
    { at: [0, 1], count: 3, first: null, last: null },
    { at: [1, 0], count: 1, first: null, last: null },
  ],
};
const overTime: Groups = {
  ...both,
  axes: [
    { column: 'verdict', values: ['clean', 'found'], distinct: 2, several: false },
    { column: 'received', step: { ms: 3_600_000 }, edges: [0, 3_600_000, 7_200_000, 10_800_000], aside: 0 },
  ],
  cells: [
    { at: [0, 0], count: 5, first: null, last: null },
    { at: [0, 3], count: 2, first: null, last: null },
    { at: [1, 2], count: 1, first: null, last: null },
  ],
};

describe('a chart', () => {
  it('escapes names from mail, so that none becomes a link', () => {
    for (const shape of ['bars', 'heat', 'line'] as const) {
      const text = JSON.stringify(figureOf(shape, drawn(both)));
      expect(text).not.toContain('<a');
      expect(text).toContain('&lt;a href');
    }
  });

  it('[promise] stacks verdicts from the most severe, each in its own colour, and links each bar to its group', () => {
    const { data, layout } = figureOf('bars', drawn(both));
    expect(data).toMatchObject([
      {
        name: 'found',
        x: [3, 0],
        orientation: 'h',
        marker: { color: '--c-found' },
        customdata: ['[0,1]', '[1,1]'],
      },
      { name: 'clean', x: [5, 1], marker: { color: '--c-clean' } },
    ]);
    expect(layout.yaxis?.ticktext).toHaveLength(2);
  });

  it.each([
    // Exactly one and a half times the largest named value, and one more.
    [15, undefined, undefined],
    [16, [0, 10.8], '16, beyond the scale'],
    [4_000, [0, 10.8], '4,000, beyond the scale'],
  ])('with %d other values the axis is limited to %j', (other, range, text) => {
    const sum: Groups = {
      ...both,
      axes: [{ column: 'from', values: ['a.example', 'b.example'], distinct: 90, several: false }],
      cells: [
        { at: [0], count: 10, first: null, last: null },
        { at: [1], count: 2, first: null, last: null },
        { at: [2], count: other, first: null, last: null },
      ],
    };
    const { layout, data } = figureOf('bars', drawn(sum));
    expect(layout.xaxis?.range).toEqual(range);
    expect(layout.annotations?.[0]?.text).toBe(text);
    if (text !== undefined) expect(layout.annotations?.[0]).toMatchObject({ y: 2, x: 10.8 });
    // The tooltip and the filter use the full count.
    expect(data).toMatchObject([{ x: [10, 2, other] }]);
  });

  it('includes time spans without rows', () => {
    const { data, layout } = figureOf('line', drawn(overTime));
    expect(data).toMatchObject([
      { name: 'found', x: [0, 1, 2], y: [0, 0, 1], customdata: ['[1,0]', '[1,1]', '[1,2]'] },
      { name: 'clean', y: [5, 0, 0] },
    ]);
    expect(layout.xaxis?.ticktext).toEqual(['01-01', '01:00', '02:00']);
    expect(figureOf('bars', drawn(overTime)).data[0]).toMatchObject({ orientation: 'v', y: [0, 0, 1] });
  });

  it('[promise] leaves cells without rows uncoloured, and shows exact counts in the others', () => {
    const [heat] = figureOf('heat', drawn(both)).data;
    expect(heat).toMatchObject({
      z: [
        [3, 5],
        [null, 1],
      ],
      text: [
        ['3', '5'],
        ['', '1'],
      ],
    });
    const [time] = figureOf('heat', drawn(overTime)).data;
    expect(time).toMatchObject({
      z: [
        [null, null, 1],
        [5, null, null],
      ],
    });
  });
});
