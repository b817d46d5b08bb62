/** Problems of a condition tree according to the query config. Shown while typing; a service refuses such trees. */
import type { FieldConfig, OperatorConfig, QueryConfig } from '../model/entities.ts';
import { plural } from '../model/format.ts';
import { parseNetwork } from './network.ts';
import { arityOf, fieldTypeOf, isOperatorId } from './operators.ts';
import { compilePattern, PatternError } from './pattern.ts';
import { foldText, isSign, wordsOf } from './text.ts';
import {
  type Condition,
  type ConditionGroup,
  type ConditionValue,
  effective,
  isGroup,
  MAX_DEPTH,
} from './tree.ts';
import { parseNumber, parseTime, parseTimeUnit, TIME_UNITS, timeAgo } from './values.ts';

export interface Problem {
  /** Index at each level, from the root: [1, 0] is the first condition of the root's second part. */
  path: number[];
  field?: string;
  message: string;
}

export const MAX_VALUES = 10_000;
const MAX_VALUE_LENGTH = 10_000;
/** Conditions per tree. */
export const MAX_CONDITIONS = 500;
// Each value of these operators becomes a separate term.
const MAX_TERMS = 200;
const BY_TERMS: readonly string[] = ['contains_words', 'contains_all'];

/** Such a service could ignore the “not” and match the opposite. */
export const NO_NEGATED_GROUPS =
  'This service doesn’t support “not” before a group. Remove it, and use operators that negate';

/** Why these conditions must not be sent to the service, or null if they may be. */
export const negationRefusal = (group: ConditionGroup, config: QueryConfig): string | null =>
  validate(group, config).some(({ message }) => message === NO_NEGATED_GROUPS) ? NO_NEGATED_GROUPS : null;

/** All problems of the enabled parts of the tree, in reading order. */
export function validate(group: ConditionGroup, config: QueryConfig): Problem[] {
  const fields = new Map(config.fields.map((field) => [field.id, field]));
  const operators = new Map(config.operators.map((operator) => [operator.id, operator]));
  const problems: Problem[] = [];
  let count = 0;
  const walk = (node: ConditionGroup, path: number[]): void => {
    if (node.negate && !config.negatedGroups && effective(node).conditions.length > 0)
      problems.push({ path, message: NO_NEGATED_GROUPS });
    if (path.length >= MAX_DEPTH) {
      problems.push({ path, message: `Groups can be nested ${MAX_DEPTH} deep at most` });
      return;
    }
    for (const [index, child] of node.conditions.entries()) {
      if (child.disabled) continue;
      const place = [...path, index];
      if (isGroup(child)) walk(child, place);
      else {
        count += 1;
        problems.push(...checkCondition(child, place, fields, operators));
      }
    }
  };
  walk(group, []);
  if (count > MAX_CONDITIONS)
    problems.push({ path: [], message: `A query can have at most ${MAX_CONDITIONS} conditions` });
  return problems;
}

/** Problems of one condition, according to a config's fields and operators. */
export function checkCondition(
  condition: Condition,
  path: number[],
  fields: ReadonlyMap<string, FieldConfig>,
  operators: ReadonlyMap<string, OperatorConfig>,
): Problem[] {
  const problem = (message: string): Problem[] => [{ path, field: condition.field, message }];
  const field = fields.get(condition.field);
  if (!field) return problem(`Unknown field: ${condition.field.slice(0, 100)}`);
  const operator = operators.get(condition.operator);
  if (!operator) return problem(`Unknown operator: ${condition.operator.slice(0, 100)}`);
  if (!field.operators.includes(condition.operator))
    return problem(`${field.label} doesn’t support “${operator.label}”`);
  const [least, most] = arityOf(operator);
  const count = condition.values.length;
  const limit = Math.min(most, BY_TERMS.includes(operator.id) ? MAX_TERMS : MAX_VALUES);
  if (count > limit)
    return problem(limit === 0 ? 'Takes no value' : `Takes at most ${plural(limit, 'value')}, has ${count}`);
  if (count < least) return problem(least === 1 ? 'Enter a value' : `Takes ${least} values, has ${count}`);
  // Only the service can check the values of its other operators.
  const message = isOperatorId(operator.id)
    ? valuesProblem(condition, field, operator)
    : emptyProblem(condition, operator);
  return message === null ? [] : problem(message);
}

const NO_WORDS = 'The value contains no words';
const isWordless = (value: ConditionValue | undefined): boolean =>
  wordsOf(String(value)) === '' && !isSign(String(value));

const emptyProblem = ({ values }: Condition, { arity }: OperatorConfig): string | null =>
  arity !== 0 && values.some((value) => value === null || value === '') ? 'Enter a value' : null;

function valuesProblem(condition: Condition, field: FieldConfig, operator: OperatorConfig): string | null {
  const { values } = condition;
  if (operator.arity === 0) return null;
  const empty = emptyProblem(condition, operator);
  if (empty !== null) return empty;
  if (values.some((value) => typeof value === 'string' && value.length > MAX_VALUE_LENGTH))
    return `A value can have at most ${MAX_VALUE_LENGTH} characters`;
  switch (condition.operator) {
    case 'matches':
      return patternProblem(String(values[0]));
    case 'in_network':
      return parseNetwork(String(values[0])) ? null : 'Not an address or a network such as 192.0.2.0/24';
    case 'in_the_last':
      return spanProblem(values);
    case 'contains_phrase':
      return isWordless(values[0]) ? NO_WORDS : null;
    case 'in_custom_list':
    case 'not_in_custom_list':
      return null;
    case 'contains_words':
      if (values.some(isWordless)) return NO_WORDS;
      return values.join(' ').split(/\s+/).length > MAX_TERMS ? `Takes at most ${MAX_TERMS} words` : null;
    default:
      return typeProblem(values, field);
  }
}

function patternProblem(pattern: string): string | null {
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    if (error instanceof PatternError) return `${error.message} (at character ${error.position + 1})`;
    throw error;
  }
}

function spanProblem(values: Condition['values']): string | null {
  const count = parseNumber(values[0]);
  if (count === null || count <= 0) return 'Enter a number above zero';
  const unit = parseTimeUnit(values[1]);
  if (unit === null) return `The unit must be one of ${TIME_UNITS.join(', ')}`;
  if (unit === 'months' && !Number.isInteger(count)) return 'Enter whole months, or use days or weeks';
  return timeAgo(Date.UTC(2026, 0, 1), count, unit) === null ? 'The time span is too long' : null;
}

function numberProblem(values: Condition['values']): string | null {
  const numbers = values.map(parseNumber);
  if (numbers.includes(null)) return 'Needs a number such as 1000 or 2.5';
  return numbers.some((number) => number !== null && number < 0)
    ? 'Needs a number of 0 or more, such as 1000 or 2.5'
    : null;
}

function typeProblem(values: Condition['values'], field: FieldConfig): string | null {
  const wrong = (fits: (value: Condition['values'][number]) => boolean) =>
    values.find((value) => !fits(value));
  switch (fieldTypeOf(field.type)) {
    case 'number':
    case 'bytes':
      return numberProblem(values);
    case 'date':
      return wrong((value) => parseTime(value) !== null) === undefined
        ? null
        : 'Needs a date such as 2026-11-19 or 2026-11-19T08:00Z';
    case 'boolean':
      return wrong((value) => typeof value === 'boolean' || value === 'true' || value === 'false') ===
        undefined
        ? null
        : 'Needs true or false';
    default: {
      // Accents alone fold to nothing, which every text contains and an empty text equals.
      if (wrong((value) => foldText(String(value)) !== '') !== undefined)
        return 'The value is only accents, which a search ignores';
      if (!field.allowedValues || field.allowedValues.length === 0) return null;
      const allowed = new Set(field.allowedValues.map(({ value }) => String(value).toLowerCase()));
      const unknown = wrong((value) => allowed.has(String(value).toLowerCase()));
      return unknown === undefined ? null : `Not a value of ${field.label}: ${String(unknown).slice(0, 100)}`;
    }
  }
}
