import { describe, expect, it } from 'vitest';
import type { FieldConfig } from '#shared/model/entities.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';
import * as edit from './tree-edit.ts';

const is = (field: string, ...values: string[]): Condition => ({ field, operator: 'is', values });
const all = (...conditions: ConditionGroup['conditions']): ConditionGroup => ({
  operator: 'and',
  conditions,
});
const any = (...conditions: ConditionGroup['conditions']): ConditionGroup => ({ operator: 'or', conditions });
const field = (id: string, operators: string[], type = 'text'): FieldConfig => ({
  id,
  dbId: id,
  label: id,
  type,
  operators,
});
const a = is('a', '1');
const b = is('b', '2');
const c = is('c', '3');
const d = is('d', '4');
const tree = all(a, any(b, c), d);

/** The tree as text: (a|(b|c)&d). */
const show = (node: Condition | ConditionGroup): string =>
  'conditions' in node
    ? `${node.negate ? '!' : ''}(${(node as ConditionGroup).conditions.map(show).join(node.operator === 'and' ? '&' : '|')})`
    : `${node.disabled ? '-' : ''}${(node as Condition).field}`;

describe('paths', () => {
  it.each([
    ['a condition', [0], 'a'],
    ['a nested one', [1, 1], 'c'],
    ['the root', [], '(a&(b|c)&d)'],
  ])('finds %s', (_, path, expected) => {
    const node = edit.nodeAt(tree, path);
    expect(node && show(node)).toBe(expected);
  });
  it.each([[[3]], [[0, 0]], [[1, 9]]])('returns null for %j', (path) =>
    expect(edit.nodeAt(tree, path)).toBeNull(),
  );
});

describe('adding, removing, copying', () => {
  it('inserts before a child and at the end', () => {
    expect(show(edit.insertAt(tree, [1], 0, d))).toBe('(a&(d|b|c)&d)');
    expect(show(edit.addTo(tree, [1], d))).toBe('(a&(b|c|d)&d)');
  });
  it('removes, but never the root', () => {
    expect(show(edit.removeAt(tree, [1, 0]))).toBe('(a&(c)&d)');
    expect(edit.removeAt(tree, [])).toBe(tree);
    expect(edit.removeAt(tree, [7])).toBe(tree);
  });
  it('inserts a copy after the node', () => {
    expect(show(edit.duplicateAt(tree, [1]))).toBe('(a&(b|c)&(b|c)&d)');
  });
  it('wraps and unwraps', () => {
    expect(show(edit.wrapAt(tree, [0]))).toBe('((a)&(b|c)&d)');
    expect(show(edit.unwrapAt(tree, [1]))).toBe('(a&b&c&d)');
  });
  it('does not change the tree passed in', () => {
    edit.removeAt(tree, [1, 0]);
    expect(show(tree)).toBe('(a&(b|c)&d)');
  });
});

describe('moving', () => {
  it.each([
    ['down its own group', [0], [], 3, '((b|c)&d&a)'],
    ['up its own group', [2], [], 0, '(d&a&(b|c))'],
    ['into a later group', [0], [1], 0, '((a|b|c)&d)'],
    ['out of a group', [1, 0], [], 0, '(b&a&(c)&d)'],
    ['onto its own place', [1], [], 2, '(a&(b|c)&d)'],
  ])('%s', (_, from, to, index, expected) => expect(show(edit.moveTo(tree, from, to, index))).toBe(expected));
  it('a group never moves into itself', () => {
    const nested = all(any(all(a)));
    expect(edit.moveTo(nested, [0], [0, 0], 0)).toBe(nested);
  });
  it.each([
    ['a condition enters the group below at its start', [0], 1, '((a|b|c)&d)'],
    ['and the group above at its end', [2], -1, '(a&(b|c|d))'],
    ['the last of a group leaves it downwards', [1, 1], 1, '(a&(b)&c&d)'],
    ['the first leaves it upwards', [1, 0], -1, '(a&b&(c)&d)'],
    ['inside a group they change places', [1, 0], 1, '(a&(c|b)&d)'],
    ['the top stays', [0], -1, '(a&(b|c)&d)'],
    ['the end stays', [2], 1, '(a&(b|c)&d)'],
  ] as const)('by a step: %s', (_, path, step, expected) =>
    expect(show(edit.moveStep(tree, path, step))).toBe(expected),
  );
});

describe('switches', () => {
  it('disables a condition and restores it exactly', () => {
    const off = edit.toggleDisabled(tree, [0]);
    expect(show(off)).toBe('(-a&(b|c)&d)');
    expect(edit.toggleDisabled(off, [0])).toEqual(tree);
  });
  it('negates groups only', () => {
    expect(show(edit.toggleNegate(tree, [1]))).toBe('(a&!(b|c)&d)');
    expect(show(edit.toggleNegate(tree, [0]))).toBe(show(tree));
  });
  it('switches between “all of” and “any of”', () =>
    expect(show(edit.setGroupOperator(tree, [1], 'and'))).toBe('(a&(b&c)&d)'));
});

describe('keys', () => {
  it('survive edits of the node, as do those of its parent groups', () => {
    const key = edit.keyOf(b);
    const group = edit.keyOf(tree.conditions[1]!);
    const next = edit.updateAt(tree, [1, 0], (node) => ({ ...node, values: ['9'] }));
    expect(edit.keyOf(edit.nodeAt(next, [1, 0])!)).toBe(key);
    expect(edit.keyOf(edit.nodeAt(next, [1])!)).toBe(group);
  });
  it('are new for a copy', () => {
    const next = edit.duplicateAt(tree, [0]);
    expect(edit.keyOf(next.conditions[1]!)).not.toBe(edit.keyOf(next.conditions[0]!));
  });
});

describe('filter for and filter out', () => {
  const text = field('a', ['is', 'is_not', 'in_list', 'not_in_list', 'is_empty', 'is_not_empty']);
  const flag = field('read', ['is_true', 'is_false'], 'boolean');
  const last = (root: ConditionGroup | null) => root?.conditions.at(-1);

  it('adds a condition', () => {
    expect(last(edit.filterFor(all(b), text, 'x'))).toEqual(is('a', 'x'));
    expect(last(edit.filterOut(all(b), text, 'x'))).toEqual({
      field: 'a',
      operator: 'is_not',
      values: ['x'],
    });
  });
  it('narrows a list that contains the value, and removes its exclusion', () => {
    const list = { field: 'a', operator: 'in_list', values: ['x', 'y'] };
    expect(edit.filterFor(all(list), text, 'X')?.conditions).toEqual([is('a', 'X')]);
    const out = { field: 'a', operator: 'is_not', values: ['x'] };
    expect(edit.filterFor(all(out, b), text, 'x')?.conditions).toEqual([b, is('a', 'x')]);
  });
  it('collects excluded values in one list', () => {
    const once = edit.filterOut(all(b), text, 'x');
    const twice = once && edit.filterOut(once, text, 'y');
    expect(last(twice)).toEqual({ field: 'a', operator: 'not_in_list', values: ['x', 'y'] });
    expect(twice && edit.filterOut(twice, text, 'y')).toBe(twice);
  });
  it('handles empty values and booleans', () => {
    expect(last(edit.filterFor(all(), text, null))).toEqual({ field: 'a', operator: 'is_empty', values: [] });
    expect(last(edit.filterOut(all(), text, null))).toEqual({
      field: 'a',
      operator: 'is_not_empty',
      values: [],
    });
    expect(last(edit.filterFor(all(), flag, false))).toEqual({
      field: 'read',
      operator: 'is_false',
      values: [],
    });
    expect(last(edit.filterOut(all(), flag, false))).toEqual({
      field: 'read',
      operator: 'is_true',
      values: [],
    });
  });
  it('wraps an “any of” root, so that the filter narrows all of it', () =>
    expect(show(edit.filterFor(any(b, c), text, 'x')!)).toBe('((b|c)&a)'));
  it('returns null if the field has no operator for it', () =>
    expect(edit.filterOut(all(), field('n', ['greater_than'], 'number'), 3)).toBeNull());
});
