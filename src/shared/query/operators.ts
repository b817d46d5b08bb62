/** The operators that this project implements. A query config lists those that its service offers. */
import { dictionary } from '#shared/dictionary.ts';
import type { OperatorConfig } from '../model/entities.ts';

const operatorOf = (id: string, label: string, template: string, more: Partial<OperatorConfig> = {}) =>
  ({ id, label, template, arity: 1, ...more }) satisfies OperatorConfig;

export const STANDARD_OPERATORS = [
  operatorOf('is', 'is', '{field} is {value}', { negation: 'is_not' }),
  operatorOf('is_not', 'is not', '{field} is not {value}', { negation: 'is' }),
  operatorOf('contains_words', 'contains words', '{field} contains {value}', {
    arity: -1,
    analyzer: 'words',
    join: 'and',
  }),
  operatorOf('contains_phrase', 'contains phrase', '{field} contains the phrase {value}', {
    analyzer: 'phrase',
  }),
  operatorOf('contains_text', 'contains text', '{field} contains the text {value}', {
    negation: 'not_contains',
  }),
  operatorOf('not_contains', 'does not contain', '{field} does not contain the text {value}', {
    negation: 'contains_text',
  }),
  operatorOf('starts_with', 'starts with', '{field} starts with {value}'),
  operatorOf('ends_with', 'ends with', '{field} ends with {value}'),
  operatorOf('matches', 'matches pattern', '{field} matches {value}', { regex: true }),
  operatorOf('in_list', 'is one of', '{field} is one of {value}', {
    arity: -1,
    negation: 'not_in_list',
  }),
  operatorOf('not_in_list', 'is none of', '{field} is none of {value}', {
    arity: -1,
    negation: 'in_list',
  }),
  // Over a custom list of the service (specification section 5): the value is the id of one of the config's lists.
  operatorOf('in_custom_list', 'is in custom list', '{field} is in the list {value}', { list: true }),
  operatorOf('not_in_custom_list', 'is not in custom list', '{field} is not in the list {value}', {
    list: true,
  }),
  operatorOf('greater_than', 'is more than', '{field} is more than {value}'),
  operatorOf('less_than', 'is less than', '{field} is less than {value}'),
  operatorOf('between', 'is between', '{field} is between {value}', { arity: 2, join: 'and' }),
  operatorOf('before', 'before', '{field} before {value}'),
  operatorOf('after', 'after', '{field} after {value}'),
  operatorOf('in_the_last', 'in the last', '{field} in the last {value}', { arity: 2 }),
  operatorOf('is_empty', 'is empty', '{field} is empty', { arity: 0, negation: 'is_not_empty' }),
  operatorOf('is_not_empty', 'is not empty', '{field} is not empty', { arity: 0, negation: 'is_empty' }),
  operatorOf('contains_any', 'has any of', '{field} has any of {value}', { arity: -1 }),
  operatorOf('contains_all', 'has all of', '{field} has all of {value}', { arity: -1, join: 'and' }),
  operatorOf('is_true', 'is true', '{field}', { arity: 0, negation: 'is_false' }),
  operatorOf('is_false', 'is false', 'not {field}', { arity: 0, negation: 'is_true' }),
  operatorOf('in_network', 'in network', '{field} is in {value}'),
] as const satisfies readonly OperatorConfig[];

export type OperatorId = (typeof STANDARD_OPERATORS)[number]['id'];

const IDS: ReadonlySet<string> = new Set(STANDARD_OPERATORS.map(({ id }) => id));
export const isOperatorId = (id: string): id is OperatorId => IDS.has(id);

/** Field types that a query config may name; anything else is treated as text. */
const FIELD_TYPES = [
  'text',
  'email',
  'domain',
  'url',
  'ip',
  'hash',
  'enum',
  'number',
  'bytes',
  'date',
  'boolean',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];
/** Other words that services have for them. */
const TYPE_ALIASES: Readonly<Record<string, FieldType>> = dictionary<FieldType>({
  int: 'number',
  integer: 'number',
  long: 'number',
  short: 'number',
  float: 'number',
  double: 'number',
  decimal: 'number',
  datetime: 'date',
  timestamp: 'date',
  bool: 'boolean',
});
export function fieldTypeOf(type: string): FieldType {
  const word = type.toLowerCase();
  return FIELD_TYPES.find((type) => type === word) ?? TYPE_ALIASES[word] ?? 'text';
}

const EMPTY = ['is_empty', 'is_not_empty'] as const;
const EXACT = ['is', 'is_not', 'in_list', 'not_in_list'] as const;
const TEXT = [
  'contains_words',
  'contains_phrase',
  'contains_text',
  'not_contains',
  ...EXACT,
  'starts_with',
  'ends_with',
  'matches',
  ...EMPTY,
] as const;
const PARTS = [
  ...EXACT,
  'contains_text',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  ...EMPTY,
] as const;
const NUMBER = ['is', 'is_not', 'greater_than', 'less_than', 'between', 'in_list', ...EMPTY] as const;

const BY_TYPE: Readonly<Record<FieldType, readonly OperatorId[]>> = {
  text: TEXT,
  email: PARTS,
  domain: PARTS,
  url: PARTS,
  ip: [...EXACT, 'in_network', 'starts_with', ...EMPTY],
  hash: [...EXACT, 'starts_with', ...EMPTY],
  enum: [...EXACT, ...EMPTY],
  number: NUMBER,
  bytes: NUMBER,
  date: ['in_the_last', 'before', 'after', 'between', 'is', ...EMPTY],
  boolean: ['is_true', 'is_false'],
};

/** Operators suitable for a type, the usual one first. For fields with several values, conditions can require any or all. */
export function operatorsForType(type: string, multiValues = false): OperatorId[] {
  const operators = BY_TYPE[fieldTypeOf(type)];
  return multiValues
    ? [...operators.slice(0, -2), 'contains_any', 'contains_all', ...operators.slice(-2)]
    : [...operators];
}

/** How many values an operator takes, as [min, max]. */
export function arityOf(operator: { arity: number }): [number, number] {
  return operator.arity < 0 ? [1, Number.POSITIVE_INFINITY] : [operator.arity, operator.arity];
}
