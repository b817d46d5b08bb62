/** One condition on one value as SQL. The condition has been checked (validate.ts). */
import { fieldTypeOf } from './operators.ts';
import { foldText, wordsOf } from './text.ts';
import type { ConditionValue } from './tree.ts';
import { parseNumber, parseTime, parseTimeUnit, textOf, timeAgo } from './values.ts';

/** Where the values of a field are in SQL. Fragments come from code, never from a request. */
export interface FieldMapping {
  /** The value. Of a field with several values: one value inside `some`. */
  value: string;
  /** The value already folded (text.ts foldText), when that is stored. */
  folded?: string;
  /** The words of the value (text.ts wordsOf), when they are stored. */
  words?: string;
  /** How instants are stored: milliseconds since the epoch (default), or ISO 8601 text in UTC. */
  instants?: 'ms' | 'iso';
  /** Several values: SQL that is true when some value fulfils the condition on `value`. */
  some?: (condition: string) => string;
  /** Several values in one text, each between bars (`|a|b|`), compared exactly and in lower case. */
  packed?: string;
}

export interface SqlPart {
  sql: string;
  params: (string | number)[];
}

/** A text as it is compared (text.ts). Only what is not all ASCII costs a call. */
export const foldSql = (value: string): string =>
  `iif(octet_length(${value}) = length(${value}), lower(${value}), pp_fold(${value}))`;

const NEVER: SqlPart = { sql: '0', params: [] };

export function inNetworkSql(value: string, values: readonly ConditionValue[]): SqlPart {
  return { sql: `pp_in_network(${value}, ?) = 1`, params: [textOf(values[0]) ?? ''] };
}

/** Positive operators only: negations are the caller's. */
export function plainSql(
  operator: string,
  values: readonly ConditionValue[],
  type: string,
  mapping: FieldMapping,
  now: number,
): SqlPart {
  if (operator === 'is_not_empty')
    return { sql: `(${mapping.value} IS NOT NULL AND ${mapping.value} <> '')`, params: [] };
  switch (fieldTypeOf(type)) {
    case 'boolean':
      return booleanSql(operator, values, mapping.value);
    case 'number':
    case 'bytes':
      return numberSql(operator, values, mapping.value);
    case 'date':
      return dateSql(operator, values, mapping, now);
    default:
      return textSql(operator, values, mapping);
  }
}

function booleanSql(operator: string, values: readonly ConditionValue[], value: string): SqlPart {
  const wanted = operator === 'is' ? values[0] === true || values[0] === 'true' : true;
  return wanted ? { sql: `${value} = 1`, params: [] } : { sql: `NOT coalesce(${value} = 1, 0)`, params: [] };
}

function numberSql(operator: string, values: readonly ConditionValue[], value: string): SqlPart {
  const numbers = values.map(parseNumber).filter((number) => number !== null);
  const [first = 0, second = 0] = numbers;
  switch (operator) {
    case 'greater_than':
      return { sql: `${value} > ?`, params: [first] };
    case 'less_than':
      return { sql: `${value} < ?`, params: [first] };
    case 'between':
      return {
        sql: `${value} BETWEEN ? AND ?`,
        params: [Math.min(first, second), Math.max(first, second)],
      };
    case 'in_list':
      return { sql: `${value} IN (SELECT value FROM json_each(?))`, params: [JSON.stringify(numbers)] };
    default:
      return { sql: `${value} = ?`, params: [first] };
  }
}

function dateSql(
  operator: string,
  values: readonly ConditionValue[],
  mapping: FieldMapping,
  now: number,
): SqlPart {
  const stored = (ms: number) => (mapping.instants === 'iso' ? new Date(ms).toISOString() : ms);
  const { value } = mapping;
  if (operator === 'in_the_last') {
    const unit = parseTimeUnit(values[1]);
    const from = unit === null ? null : timeAgo(now, parseNumber(values[0]) ?? 0, unit);
    if (from === null) return NEVER;
    return { sql: `(${value} >= ? AND ${value} <= ?)`, params: [stored(from), stored(now)] };
  }
  const first = parseTime(values[0]);
  if (first === null) return NEVER;
  switch (operator) {
    case 'before':
      return { sql: `${value} < ?`, params: [stored(first.from)] };
    case 'after':
      return { sql: `${value} > ?`, params: [stored(first.to)] };
    case 'between': {
      const second = parseTime(values[1]);
      if (second === null) return NEVER;
      const [from, to] = first.from <= second.from ? [first, second] : [second, first];
      return { sql: `${value} BETWEEN ? AND ?`, params: [stored(from.from), stored(to.to)] };
    }
    default:
      return { sql: `${value} BETWEEN ? AND ?`, params: [stored(first.from), stored(first.to)] };
  }
}

function textSql(operator: string, values: readonly ConditionValue[], mapping: FieldMapping): SqlPart {
  const folded = mapping.folded ?? foldSql(mapping.value);
  const first = foldText(textOf(values[0]) ?? '');
  switch (operator) {
    case 'contains_words': {
      const words = mapping.words ?? `pp_words(${mapping.value})`;
      const wanted = values
        .flatMap((value) => (textOf(value) ?? '').split(/\s+/))
        .map(wordsOf)
        .filter((word) => word !== '');
      if (wanted.length === 0) return NEVER;
      return { sql: `(${wanted.map(() => `instr(${words}, ?) > 0`).join(' AND ')})`, params: wanted };
    }
    case 'contains_phrase':
      return {
        sql: `instr(${mapping.words ?? `pp_words(${mapping.value})`}, ?) > 0`,
        params: [wordsOf(textOf(values[0]) ?? '')],
      };
    case 'contains_text':
      return { sql: `instr(${folded}, ?) > 0`, params: [first] };
    case 'starts_with':
      return { sql: `substr(${folded}, 1, ?) = ?`, params: [[...first].length, first] };
    case 'ends_with':
      // substr with a negative start of 0 would be the whole text; an empty end never gets here.
      return { sql: `substr(${folded}, ?) = ?`, params: [-[...first].length, first] };
    case 'matches':
      return { sql: `pp_match(?, ${mapping.value}) = 1`, params: [textOf(values[0]) ?? ''] };
    case 'in_list': {
      const list = values.map((value) => foldText(textOf(value) ?? ''));
      return { sql: `${folded} IN (SELECT value FROM json_each(?))`, params: [JSON.stringify(list)] };
    }
    default:
      return { sql: `${folded} = ?`, params: [first] };
  }
}
