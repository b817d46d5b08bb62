import { describe, expect, it } from 'vitest';
import { queriesWithDisabled, withDisabled, withoutDisabled } from './switched-off.ts';
import type { Condition, ConditionGroup } from './tree.ts';

const is = (field: string, more: Partial<Condition> = {}): Condition => ({
  field,
  operator: 'is',
  values: ['x'],
  ...more,
});
const and = (...conditions: ConditionGroup['conditions']): ConditionGroup => ({
  operator: 'and',
  conditions,
});
const QUERY = {
  name: 'Q',
  filter: and(is('a'), is('b', { disabled: true }), { ...and(is('c')), disabled: true }),
  reportCondition: and(is('d')),
};

describe('disabled conditions of a saved query', () => {
  it('are not sent as conditions, and are restored from the response', () => {
    const sent = withoutDisabled(QUERY);
    expect(sent).toMatchObject({ filter: and(is('a')), reportCondition: QUERY.reportCondition });
    expect(JSON.stringify(sent['filter'])).not.toContain('disabled');
    expect(withDisabled(sent)).toEqual(QUERY);
    const turned = { conditions: [{ values: ['x'], operator: 'is', field: 'a' }], operator: 'AND' };
    expect(withDisabled({ ...sent, filter: turned })).toEqual(QUERY);
  });

  it('may be all conditions, and conditions of a report', () => {
    const none = { filter: and(is('a', { disabled: true })), reportCondition: QUERY.filter };
    const sent = withoutDisabled(none);
    expect(sent).toMatchObject({ filter: and(), reportCondition: and(is('a')) });
    expect(withDisabled(sent)).toEqual(none);
    expect(withDisabled({ ...sent, filter: null })).toEqual(none);
  });

  it('are dropped if the conditions were changed elsewhere', () => {
    const changed = { ...withoutDisabled(QUERY), filter: and(is('z')) };
    expect(withDisabled(changed)).toEqual({ ...QUERY, filter: and(is('z')) });
    expect(withDisabled({ name: 'Q', filter: and(is('z')), filterAsEdited: 'x' })).toEqual({
      name: 'Q',
      filter: and(is('z')),
    });
  });

  it('leave a query without disabled conditions unchanged', () => {
    const plain = { name: 'Q', filter: and(is('a', { disabled: false })), reportCondition: null };
    expect(withoutDisabled(plain)).toEqual(plain);
    expect(withDisabled(plain)).toBe(plain);
  });

  it.each([
    ['a bare list', (item: object) => [item]],
    ['queries', (item: object) => ({ queries: [item], caller: null })],
    ['rows', (item: object) => ({ rows: [item] })],
    ['one query', (item: object) => item],
  ])('are restored in every form of response: %s', (_, form) => {
    expect(queriesWithDisabled(form(withoutDisabled(QUERY)))).toEqual(form(QUERY));
  });
});
