import { expect, it } from 'vitest';
import type { OperatorConfig, QueryConfig } from '../model/entities.ts';
import { entityCondition, entityTest } from './entity-condition.ts';
import { operatorsForType, STANDARD_OPERATORS } from './operators.ts';

const operator = (id: string, more: Partial<OperatorConfig> = {}): OperatorConfig => ({
  id,
  label: id,
  template: '',
  arity: 1,
  ...more,
});
const configOf = (operators: readonly OperatorConfig[], ids: string[], more: Partial<QueryConfig> = {}) => ({
  operators: [...operators],
  fields: [{ id: 'entity_id', dbId: 'id', label: 'Id', type: 'text', operators: ids }],
  columns: [],
  conditions: [],
  actions: [],
  ...more,
});

it("the embedded service's operators name all ids at once", () => {
  const test = entityTest(configOf(STANDARD_OPERATORS, operatorsForType('text')));
  expect(test && entityCondition(test, ['a', 'b'])).toEqual({
    operator: 'and',
    conditions: [{ field: 'entity_id', operator: 'in_list', values: ['a', 'b'] }],
  });
});

it('an operator for custom lists never names ids, whatever its name', () => {
  const list = operator('in_list', { list: true, arity: -1 });
  expect(entityTest(configOf([list], ['in_list']))).toBeNull();
  const test = entityTest(configOf([list, operator('17', { label: 'Equals' })], ['in_list', '17']));
  expect(test && entityCondition(test, ['a', 'b'])).toEqual({
    operator: 'or',
    conditions: [
      { field: 'entity_id', operator: '17', values: ['a'] },
      { field: 'entity_id', operator: '17', values: ['b'] },
    ],
  });
});

it.each([
  ['a field that does not offer it', configOf([operator('is')], ['contains'])],
  [
    'another meaning',
    configOf([operator('is_not'), operator('contains', { arity: -1 })], ['is_not', 'contains']),
  ],
  ['a pattern', configOf([operator('is', { regex: true })], ['is'])],
  ['no such field', configOf([operator('is')], ['is'], { entityField: 'other' })],
])('%s: rows cannot be named', (_, config) => {
  expect(entityTest(config)).toBeNull();
});
