/** The form of a rule: from a stored rule, back to its text, and what is wrong with it. */
import { expect, it } from 'vitest';
import { type ConditionGroup, emptyGroup } from '#shared/query/tree.ts';
import type { RuleHead, RuleKind } from '#shared/rules/rule.ts';
import { exceptFor, formOf, formOfRule, lineProblem, textOf } from './rule-form.ts';

const head = (kind: RuleKind): RuleHead => ({
  id: 'r1',
  kind,
  name: 'Mine',
  severity: 4,
  sentence: 'Says so',
  isEnabled: false,
  digest: 'd',
  size: 10,
  indicators: null,
  changedAt: 1,
});
const TREE: ConditionGroup = {
  operator: 'or',
  conditions: [{ field: 'subject', operator: 'is', values: ['x'] }],
};

it.each<[RuleKind, string, string]>([
  ['conditions', JSON.stringify(TREE), ''],
  ['indicators', 'domain evil.test\nurl http://a.test/ b', 'evil.test\nhttp://a.test/ b'],
  ['yara', 'rule a { condition: true }', 'rule a { condition: true }'],
])('a rule of the kind %s is edited as it is written', (kind, stored, text) => {
  const form = formOfRule(head(kind), stored);
  expect(form).toMatchObject({ kind, name: 'Mine', severity: 4, isEnabled: false, text });
  expect(form.condition).toEqual(kind === 'conditions' ? TREE : emptyGroup());
});

it('a text that was not touched stays, as it may be longer than what is shown', () => {
  const began = formOfRule(head('indicators'), 'domain evil.test');
  expect(textOf({ ...began, name: 'Other' }, began)).toBeNull();
  expect(textOf({ ...began, text: 'good.test' }, began)).toBe('good.test');
  expect(textOf(formOf({ condition: TREE }), null)).toBe(JSON.stringify(TREE));
});

it('a prefill longer than a rule may be is cut, and its lines are refused before they are saved', () => {
  const form = formOf({ name: 'n'.repeat(200), sentence: 's'.repeat(400) });
  expect([form.name.length, form.sentence.length]).toEqual([120, 300]);
  expect([lineProblem(form, 'name'), lineProblem(form, 'sentence')]).toEqual([null, null]);
  expect(lineProblem({ ...form, name: ' ' }, 'name')).toBe('Enter a name');
  expect(lineProblem({ ...form, sentence: 'a\nb' }, 'sentence')).toContain('control characters');
});

it('the difference of two conditions also turns a negated one around', () => {
  expect(exceptFor(TREE, TREE).conditions).toEqual([TREE, { ...TREE, negate: true }]);
  expect(exceptFor(TREE, { ...TREE, negate: true }).conditions[1]).toEqual({ ...TREE, negate: false });
});
