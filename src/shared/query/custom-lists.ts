/** Conditions on custom lists for callers that know the lists' values but have no service. */
import { dictionary } from '#shared/dictionary.ts';
import type { QueryConfig } from '../model/entities.ts';
import { type Condition, type ConditionGroup, isGroup } from './tree.ts';

const PLAIN: Readonly<Record<string, string>> = dictionary({
  in_custom_list: 'in_list',
  not_in_custom_list: 'not_in_list',
});

/** The tree with each list id replaced by the list's values; lists with unknown values stay. */
export function withListValues(group: ConditionGroup, lists: QueryConfig['lists']): ConditionGroup {
  const values = new Map((lists ?? []).flatMap((list) => (list.values ? [[list.id, list.values]] : [])));
  const replace = (node: Condition | ConditionGroup): Condition | ConditionGroup => {
    if (isGroup(node)) return { ...node, conditions: node.conditions.map(replace) };
    const operator = PLAIN[node.operator];
    const list = operator === undefined ? undefined : values.get(String(node.values[0]));
    if (operator === undefined || list === undefined) return node;
    const names = list.filter((value) => value !== '');
    if (names.length > 0) return { ...node, operator, values: names };
    // An empty list contains nothing: the condition matches no row, or every one.
    return {
      operator: operator === 'in_list' ? 'and' : 'or',
      conditions: ['is_empty', 'is_not_empty'].map((id) => ({ field: node.field, operator: id, values: [] })),
      ...(node.disabled ? { disabled: true } : {}),
    };
  };
  return { ...group, conditions: group.conditions.map(replace) };
}
