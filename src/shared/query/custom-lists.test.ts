import { expect, it } from 'vitest';
import { withListValues } from './custom-lists.ts';
import type { ConditionGroup } from './tree.ts';

const LISTS = [
  { id: 'partners', label: 'Partners', values: ['a.example', 'b.example'] },
  { id: 'empty', label: 'Empty', values: [] },
  { id: 'told', label: 'Told by its name alone', count: 7 },
];
const on = (operator: string, list: string) => ({ field: 'from_domain', operator, values: [list] });

it('replaces lists by their values, at any depth; an empty list matches nothing', () => {
  const tree: ConditionGroup = {
    operator: 'or',
    conditions: [
      on('in_custom_list', 'partners'),
      {
        operator: 'and',
        negate: true,
        conditions: [on('not_in_custom_list', 'partners'), on('is', 'partners')],
      },
      on('in_custom_list', 'told'),
    ],
  };
  expect(withListValues(tree, LISTS)).toEqual({
    operator: 'or',
    conditions: [
      { field: 'from_domain', operator: 'in_list', values: ['a.example', 'b.example'] },
      {
        operator: 'and',
        negate: true,
        conditions: [
          { field: 'from_domain', operator: 'not_in_list', values: ['a.example', 'b.example'] },
          on('is', 'partners'),
        ],
      },
      on('in_custom_list', 'told'),
    ],
  });
  const empty = (operator: string) =>
    withListValues({ operator: 'and', conditions: [on(operator, 'empty')] }, LISTS).conditions[0];
  const either = ['is_empty', 'is_not_empty'].map((operator) => ({
    field: 'from_domain',
    operator,
    values: [],
  }));
  expect(empty('in_custom_list')).toEqual({ operator: 'and', conditions: either });
  expect(empty('not_in_custom_list')).toEqual({ operator: 'or', conditions: either });
});
