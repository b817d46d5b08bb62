/** Different trees have different descriptions. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FieldConfig, QueryConfig } from '../model/entities.ts';
import { describeCondition, describeQuery, plainWords } from './describe.ts';
import { operatorsForType, STANDARD_OPERATORS } from './operators.ts';
import { type Condition, type ConditionGroup, effective, isGroup } from './tree.ts';

const field = (id: string, label: string, type: string): FieldConfig => ({
  id,
  dbId: id,
  label,
  type,
  operators: operatorsForType(type),
});
const CONFIG: Pick<QueryConfig, 'fields' | 'operators'> = {
  // Two fields with the same label must be distinguished.
  fields: [
    field('name', 'Name', 'text'),
    field('name_2', 'Name', 'text'),
    field('read', 'Read', 'boolean'),
    field('received', 'Received', 'date'),
  ],
  operators: [
    ...STANDARD_OPERATORS,
    // An operator whose words are the same as another's.
    { id: 'equals', label: 'equals exactly', template: '{field} is {value}', arity: 1 },
  ],
};

// Few words, so that trees coincide; and words that imitate the sentence around them.
const word = fc.constantFrom('a', 'b', 'a and b', 'a" or name is "b', '1', 'x) or (y');
const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    field: fc.constantFrom('name', 'name_2'),
    operator: fc.constantFrom('is', 'equals', 'is_not', 'contains_text', 'matches'),
    values: fc.tuple(word),
  }),
  fc.record({
    field: fc.constantFrom('name', 'name_2'),
    operator: fc.constantFrom('contains_words', 'in_list', 'not_in_list', 'contains_all'),
    values: fc.array(word, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    field: fc.constant('read'),
    operator: fc.constantFrom('is_true', 'is_false'),
    values: fc.constant<Condition['values']>([]),
  }),
  fc.record({
    field: fc.constant('received'),
    operator: fc.constant('in_the_last'),
    values: fc.tuple(fc.constantFrom(1, 7), fc.constantFrom('days', 'weeks')),
  }),
);
const { tree } = fc.letrec<{ tree: ConditionGroup; node: Condition | ConditionGroup }>((tie) => ({
  node: fc.oneof({ maxDepth: 4 }, leaf, tie('tree')),
  tree: fc.record(
    {
      operator: fc.constantFrom('and' as const, 'or' as const),
      conditions: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      negate: fc.boolean(),
    },
    { requiredKeys: ['operator', 'conditions'] },
  ),
}));

interface Plain {
  operator: string;
  negate: boolean;
  parts: unknown[];
}

/** Normalises a tree: removes groups of one, and groups inside groups of the same operator. */
function plainly(group: ConditionGroup): unknown {
  const isPlain = (part: unknown): part is Plain =>
    typeof part === 'object' && part !== null && 'parts' in part;
  const walk = (node: Condition | ConditionGroup): unknown => {
    if (!isGroup(node)) return [node.field, node.operator, node.values];
    const negate = node.negate === true;
    const children = node.conditions.map(walk);
    const [only] = children;
    if (children.length === 1) {
      if (!negate) return only;
      // With a single part, both operators mean the same: the part's own is kept.
      return isPlain(only) && !only.negate
        ? { ...only, negate }
        : { operator: 'and', negate, parts: children };
    }
    const parts = children.flatMap((child) =>
      isPlain(child) && !child.negate && child.operator === node.operator ? child.parts : [child],
    );
    return { operator: node.operator, negate, parts };
  };
  return walk(effective(group));
}

const shown = new Map<string, string>();

it.each([
  [
    'a condition tree',
    (group: ConditionGroup) => plainWords(describeCondition(group, CONFIG, { exact: true })),
  ],
  [
    'a whole query',
    (group: ConditionGroup) =>
      plainWords(describeQuery({ condition: group, config: CONFIG, domain: 'email', exact: true })),
  ],
])('the exact words of %s are unique', (_, words) => {
  shown.clear();
  fc.assert(
    fc.property(tree, (group) => {
      const text = words(group);
      const meant = JSON.stringify(plainly(group));
      const before = shown.get(text);
      shown.set(text, meant);
      expect(before ?? meant).toBe(meant);
    }),
    { numRuns: 6000 },
  );
});

it('the short form distinguishes them as well if values are few and short', () => {
  const meanings = new Map<string, string>();
  fc.assert(
    fc.property(tree, (group) => {
      const text = plainWords(describeCondition(group, CONFIG));
      const meant = JSON.stringify(plainly(group));
      const before = meanings.get(text);
      meanings.set(text, meant);
      expect([text, before ?? meant]).toEqual([text, meant]);
    }),
    { numRuns: process.env['PARAPET_LONG'] ? 200_000 : 6000 },
  );
});

it.each([
  ['a', 'name is a'],
  ['a b', 'name is "a b"'],
  ['a, b', 'name is "a, b"'],
  ['a" or name is "b', 'name is "a\\" or name is \\"b"'],
  ['x) or (y', 'name is "x) or (y"'],
  ['or', 'name is "or"'],
  ['nothing', 'name is "nothing"'],
  ['', 'name is (empty)'],
])('a value %j is quoted if it could be read as a part of the sentence', (value, sentence) => {
  const condition = { field: 'name', operator: 'is', values: [value] };
  const words = plainWords(describeCondition({ operator: 'and', conditions: [condition] }, CONFIG));
  expect(words.replace(' [name]', '').replace(' (is)', '')).toBe(sentence);
});

it('[spec 3] distinguishes trees that differ in one place', () => {
  const changed = (group: ConditionGroup): ConditionGroup => {
    const [first, ...rest] = group.conditions;
    if (first === undefined) return group;
    if (isGroup(first)) return { ...group, conditions: [changed(first), ...rest] };
    return { ...group, conditions: [{ ...first, field: 'read', operator: 'is_empty', values: [] }, ...rest] };
  };
  const words = (group: ConditionGroup) => plainWords(describeCondition(group, CONFIG, { exact: true }));
  fc.assert(
    fc.property(tree, (group) => {
      expect(words(changed(group))).not.toBe(words(group));
    }),
    { numRuns: 1000 },
  );
});

it('shows where a group ends in the short form', () => {
  const is = (value: string): Condition => ({ field: 'name_2', operator: 'starts_with', values: [value] });
  const or = (...conditions: ConditionGroup['conditions']): ConditionGroup => ({
    operator: 'or',
    conditions,
  });
  const and = (...conditions: ConditionGroup['conditions']): ConditionGroup => ({
    operator: 'and',
    conditions,
  });
  const sentence = (group: ConditionGroup) =>
    plainWords(describeCondition(group, CONFIG)).replaceAll(' [name_2]', '');
  expect(sentence(and(or(is('a'), is('b')), is('c')))).toBe(
    'either name starts with a or name starts with b and name starts with c',
  );
  expect(sentence(or(and(is('a'), or(is('b'), is('c'), is('d'))), is('e')))).toBe(
    'all of (name starts with a and any of (name starts with b or name starts with c or name starts with d)), or name starts with e',
  );
  expect(sentence({ ...and(is('a')), negate: true })).toBe('not (name starts with a)');
});

it.each([
  [['2026-11-14T18:15:00Z'], 'before', 'received before 2026-11-15 00:00:00 UTC+05:45'],
  [['2026-11-15T18:14:59.999Z'], 'after', 'received after 2026-11-15 23:59:59.999 UTC+05:45'],
  [['2026-11-15'], 'is', 'received is 2026-11-15 UTC'],
  [['yesterday'], 'before', 'received before yesterday'],
])('times %j are told on the chosen clock', (values, operator, words) => {
  const group: ConditionGroup = { operator: 'and', conditions: [{ field: 'received', operator, values }] };
  expect(plainWords(describeCondition(group, CONFIG, { clock: { tenant: 'Asia/Kathmandu' } }))).toContain(
    words,
  );
});

it.each([
  ['UTC', { clock: 'utc' }, 'received is 2026-11-15 UTC'],
  ['exact words', { exact: true }, 'received is "2026-11-15" UTC'],
] as const)('a day names its zone: %s', (_, options, words) => {
  const group: ConditionGroup = {
    operator: 'and',
    conditions: [{ field: 'received', operator: 'is', values: ['2026-11-15'] }],
  };
  expect(plainWords(describeCondition(group, CONFIG, options))).toContain(words);
});
