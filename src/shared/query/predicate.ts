/**
 * Compiles a condition tree into a predicate: validated, without negated operators, ready for SQL or for columns in
 * memory.
 */
import { dictionary } from '#shared/dictionary.ts';
import type { FieldConfig, OperatorConfig } from '../model/entities.ts';
import { numberKey } from '../model/exact-numbers.ts';
import { fieldTypeOf, isOperatorId } from './operators.ts';
import { type FieldMapping, predicateSql } from './predicate-sql.ts';
import { isSign, wordsOf } from './text.ts';
import { type Condition, type ConditionGroup, depthOf, effective, isGroup, MAX_DEPTH } from './tree.ts';
import { checkCondition, MAX_CONDITIONS, type Problem } from './validate.ts';
import {
  inStoredForm,
  parseExactly,
  parseNumber,
  parseTime,
  parseTimeUnit,
  textOf,
  timeAgo,
} from './values.ts';

/** Unit of a range: plain numbers, or instants in milliseconds since the epoch. */
type Unit = 'number' | 'instant';

/** A number, or the digits of one that a double does not hold (exact-numbers.ts exactNumber). */
export type Bound = number | string;

/** A test of one value. A missing value fulfils none, except `boolean` with `value: false`. */
export type Test =
  | { kind: 'never' }
  /** Neither missing nor an empty text. */
  | { kind: 'present' }
  | { kind: 'boolean'; value: boolean }
  /** Exclusive. */
  | { kind: 'above' | 'below'; unit: Unit; bound: Bound }
  /** Inclusive, `low` not above `high`. */
  | { kind: 'between'; unit: Unit; low: Bound; high: Bound }
  | { kind: 'among'; numbers: readonly Bound[] }
  /** Texts as entered, compared by their folds. One of `texts` suffices. */
  | { kind: 'equals'; texts: readonly [string, ...string[]] }
  | { kind: 'contains' | 'starts' | 'ends'; text: string }
  /** In the form of `wordsOf`; all of them must occur. `signs` (text.ts `isSign`) are contained. */
  | { kind: 'words'; words: readonly string[]; signs: readonly string[] }
  | { kind: 'pattern'; pattern: string }
  | { kind: 'network'; network: string };

/** True or false for a row, never unknown: a test of a missing value is false. */
export type Predicate =
  /** `and` without parts is true. */
  | { kind: 'and' | 'or'; parts: readonly Predicate[] }
  | { kind: 'not'; part: Predicate }
  /** For a field with several values, one that fulfils the test suffices. */
  | { kind: 'test'; field: string; test: Test };

export interface PredicateOptions {
  fields: readonly FieldConfig[];
  operators: readonly OperatorConfig[];
  /** Milliseconds since the epoch, for relative time spans. */
  now: number;
  /** Whether a field of the config has values here; by default all have. */
  has?: (field: string) => boolean;
  /** The values of a custom list by id, or undefined if the list is unknown. */
  list?: (id: string) => readonly string[] | undefined;
}

type Result<T> = ({ ok: true } & T) | { ok: false; problems: Problem[] };

const TRUE: Predicate = { kind: 'and', parts: [] };

/**
 * The predicate of a tree. An empty tree is true. A missing value fulfils no condition, and therefore every negated
 * one. Problems have the condition's path in the tree, as in validate.
 */
export function predicateOf(
  group: ConditionGroup,
  options: PredicateOptions,
): Result<{ predicate: Predicate }> {
  if (depthOf(group) > MAX_DEPTH)
    return { ok: false, problems: [{ path: [], message: `Groups can be nested ${MAX_DEPTH} deep at most` }] };
  const problems: Problem[] = [];
  const fields = new Map(options.fields.map((field) => [field.id, field]));
  const operators = new Map(options.operators.map((operator) => [operator.id, operator]));

  let leaves = 0;
  const leaf = (node: Condition, path: number[]): Predicate => {
    leaves += 1;
    // SQLite refuses expressions deeper than 1000.
    if (leaves === MAX_CONDITIONS + 1)
      problems.push({ path: [], message: `A query can have at most ${MAX_CONDITIONS} conditions` });
    if (leaves > MAX_CONDITIONS) return TRUE;
    const result = checkCondition(node, path, fields, operators);
    const field = fields.get(node.field);
    if (result.length === 0 && (!field || options.has?.(node.field) === false))
      result.push({ path, field: node.field, message: 'This field can’t be used here' });
    if (result.length === 0 && !isOperatorId(node.operator))
      result.push({
        path,
        field: node.field,
        message: 'Only the service knows this operator: add the condition to the query and run it again',
      });
    if (result.length > 0 || !field) {
      problems.push(...result);
      return TRUE;
    }
    const plain = withListValues(node, options);
    if (plain !== null) return conditionPredicate(asStored(plain, field), field, options.now);
    const message = options.list
      ? 'Unknown custom list'
      : 'The values of this list are not on this machine: add the condition to the query and run it again';
    problems.push({ path, field: node.field, message });
    return TRUE;
  };

  const descend = (node: ConditionGroup, path: number[]): Predicate => {
    const parts: Predicate[] = [];
    for (const [index, child] of node.conditions.entries()) {
      if (child.disabled) continue;
      if (!isGroup(child)) parts.push(leaf(child, [...path, index]));
      else if (effective(child).conditions.length > 0) parts.push(descend(child, [...path, index]));
    }
    if (parts.length === 0) return TRUE;
    const joined: Predicate = { kind: node.operator, parts };
    return node.negate ? { kind: 'not', part: joined } : joined;
  };

  const predicate = descend(group, []);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, predicate };
}

export interface CompileOptions extends Omit<PredicateOptions, 'has'> {
  mapping: (field: string) => FieldMapping | undefined;
}

/** The WHERE expression of a tree, with `?` for its parameters: values never become part of the SQL text. */
export function compileCondition(
  group: ConditionGroup,
  { mapping, ...options }: CompileOptions,
): Result<{ sql: string; params: (string | number)[]; predicate: Predicate }> {
  const result = predicateOf(group, { ...options, has: (field) => mapping(field) !== undefined });
  if (!result.ok) return result;
  const params: (string | number)[] = [];
  const bind = (value: string | number) => {
    params.push(value);
    return '?';
  };
  const { predicate } = result;
  return { ok: true, sql: predicateSql(predicate, mapping, bind), params, predicate };
}

const LIST_OPERATORS: Readonly<Record<string, string>> = dictionary({
  in_custom_list: 'in_list',
  not_in_custom_list: 'not_in_list',
});

/** Replaces a condition on a custom list by one on the list's values. */
function withListValues(node: Condition, { list }: PredicateOptions): Condition | null {
  const operator = LIST_OPERATORS[node.operator];
  if (operator === undefined) return node;
  const values = list?.(String(node.values[0]));
  return values === undefined ? null : { ...node, operator, values: [...values] };
}

const WHOLE: ReadonlySet<string> = new Set(['is', 'is_not', 'in_list', 'not_in_list', 'ends_with']);

/** A pattern stays as written: its spaces and brackets have a meaning of their own. */
const asStored = (node: Condition, { stored }: FieldConfig): Condition =>
  stored && node.operator !== 'matches'
    ? {
        ...node,
        values: node.values.map((value) =>
          typeof value === 'string' ? inStoredForm(value, stored, WHOLE.has(node.operator)) : value,
        ),
      }
    : node;

const NEGATIVES: Readonly<Record<string, string>> = dictionary({
  is_not: 'is',
  not_contains: 'contains_text',
  not_in_list: 'in_list',
  is_empty: 'is_not_empty',
  is_false: 'is_true',
});

function conditionPredicate(node: Condition, field: FieldConfig, now: number): Predicate {
  const positive = NEGATIVES[node.operator];
  if (positive !== undefined)
    return { kind: 'not', part: conditionPredicate({ ...node, operator: positive }, field, now) };
  if (node.operator === 'contains_all')
    return {
      kind: 'and',
      parts: node.values.map((value) =>
        conditionPredicate({ ...node, operator: 'is', values: [value] }, field, now),
      ),
    };
  const operator = node.operator === 'contains_any' ? 'in_list' : node.operator;
  return { kind: 'test', field: node.field, test: testOf(operator, node.values, field.type, now) };
}

type Values = Condition['values'];
const NEVER: Test = { kind: 'never' };

function testOf(operator: string, values: Values, type: string, now: number): Test {
  if (operator === 'is_not_empty') return { kind: 'present' };
  if (operator === 'in_network') return { kind: 'network', network: textOf(values[0]) ?? '' };
  switch (fieldTypeOf(type)) {
    case 'boolean':
      return {
        kind: 'boolean',
        value: operator === 'is' ? values[0] === true || values[0] === 'true' : true,
      };
    case 'number':
    case 'bytes':
      return numberTest(operator, values);
    case 'date':
      return dateTest(operator, values, now);
    default:
      return textTest(operator, values);
  }
}

const isBelow = (a: Bound, b: Bound): boolean => numberKey(String(a)) < numberKey(String(b));

function numberTest(operator: string, values: Values): Test {
  const numbers = values.map(parseExactly).filter((number) => number !== null);
  const [first = 0, second = 0] = numbers;
  const unit = 'number';
  switch (operator) {
    case 'greater_than':
      return { kind: 'above', unit, bound: first };
    case 'less_than':
      return { kind: 'below', unit, bound: first };
    case 'between':
      return isBelow(second, first)
        ? { kind: 'between', unit, low: second, high: first }
        : { kind: 'between', unit, low: first, high: second };
    case 'in_list':
      return { kind: 'among', numbers };
    default:
      return { kind: 'between', unit, low: first, high: first };
  }
}

function dateTest(operator: string, values: Values, now: number): Test {
  const unit = 'instant';
  if (operator === 'in_the_last') {
    const span = parseTimeUnit(values[1]);
    const from = span === null ? null : timeAgo(now, parseNumber(values[0]) ?? 0, span);
    return from === null ? NEVER : { kind: 'between', unit, low: from, high: now };
  }
  const first = parseTime(values[0]);
  if (first === null) return NEVER;
  switch (operator) {
    case 'before':
      return { kind: 'below', unit, bound: first.from };
    case 'after':
      return { kind: 'above', unit, bound: first.to };
    case 'between': {
      const second = parseTime(values[1]);
      if (second === null) return NEVER;
      const [from, to] = first.from <= second.from ? [first, second] : [second, first];
      return { kind: 'between', unit, low: from.from, high: to.to };
    }
    default:
      return { kind: 'between', unit, low: first.from, high: first.to };
  }
}

function wordsTest(parts: readonly string[]): Test {
  const words = parts.map(wordsOf).filter((word) => word !== '');
  const signs = parts.filter(isSign);
  return words.length + signs.length === 0 ? NEVER : { kind: 'words', words, signs };
}

function textTest(operator: string, values: Values): Test {
  const [first = '', ...others] = values.map((value) => textOf(value) ?? '');
  switch (operator) {
    case 'contains_words':
      return wordsTest([first, ...others].flatMap((text) => text.split(/\s+/)));
    case 'contains_phrase':
      return wordsTest([first]);
    case 'contains_text':
      return { kind: 'contains', text: first };
    case 'starts_with':
      return { kind: 'starts', text: first };
    case 'ends_with':
      return { kind: 'ends', text: first };
    case 'matches':
      return { kind: 'pattern', pattern: first };
    case 'in_list':
      return values.length === 0 ? NEVER : { kind: 'equals', texts: [first, ...others] };
    default:
      return { kind: 'equals', texts: [first] };
  }
}
