/** What a rule of conditions may depend on. */
import { expect, it } from 'vitest';
import type { FieldConfig, QueryConfig } from '#shared/model/entities.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';
import { ruleConditionProblems, ruleConfig } from './conditions.ts';

const field = (id: string, values?: string[]): FieldConfig => ({
  id,
  label: id.toUpperCase(),
  type: 'text',
  dbId: id,
  operators: ['is'],
  ...(values && { allowedValues: values.map((value) => ({ value, label: value })) }),
});
const CONFIG: QueryConfig = {
  fields: [field('subject'), field('score'), field('findings', ['links.text', 'rule.other'])],
  operators: [],
  columns: [],
  conditions: [
    { field: 'score', operator: 'is', label: 'is' },
    { field: 'subject', operator: 'is', label: 'is' },
  ],
  actions: [],
};
const is = (name: string, value: string): Condition => ({ field: name, operator: 'is', values: [value] });
const all = (...conditions: ConditionGroup['conditions']): ConditionGroup => ({
  operator: 'and',
  conditions,
});
const problems = (group: ConditionGroup) =>
  ruleConditionProblems(group, CONFIG.fields).map(({ path, message }) => [path.join('.'), message]);

it('a field that rules change and the hit of another rule are refused at their place, however deep', () => {
  expect(problems(all(is('subject', 'x'), all(is('score', '3'), is('findings', 'rule.other'))))).toEqual([
    ['1.0', expect.stringContaining('“SCORE”')],
    ['1.1', expect.stringContaining('another rule')],
  ]);
});

it('other values that look like a rule, and disabled conditions, are no problem', () => {
  expect(problems(all(is('subject', 'rule.of.thumb'), { ...is('score', '3'), disabled: true }))).toEqual([]);
});

it('the builder offers neither, except a field that the conditions have already', () => {
  const ids = (group: ConditionGroup) => ruleConfig(CONFIG, group).fields.map(({ id }) => id);
  expect(ids(all())).toEqual(['subject', 'findings']);
  expect(ids(all(is('score', '3')))).toEqual(['subject', 'score', 'findings']);
  expect(ruleConfig(CONFIG, all()).fields[1]?.allowedValues?.map(({ value }) => value)).toEqual([
    'links.text',
  ]);
  expect(ruleConfig(CONFIG, all()).conditions.map((condition) => condition.field)).toEqual(['subject']);
});
