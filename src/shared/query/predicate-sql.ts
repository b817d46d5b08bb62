/** The SQL back end of predicates. Also used in the store's threads: loads no schema library. */

import { isWhole, numberKey } from '../model/exact-numbers.ts';
import { ROLL_UP_ORDER, verdictRank } from '../model/verdict.ts';
import type { Bound, Predicate, Test } from './predicate.ts';
import { foldText } from './text.ts';

/** How a field's values are accessed in SQL. Fragments come from code, never from a request. */
export interface FieldMapping {
  /** The value; for a field with several values, one value inside `some`. */
  value: string;
  /** The folded value (text.ts foldText), if stored. */
  folded?: string;
  /** The words of the value (text.ts wordsOf), if stored. */
  words?: string;
  /**
   * The value as an instant in ISO 8601, in UTC with milliseconds; NULL for any other text. By default `value` is in
   * milliseconds since the epoch.
   */
  instant?: string;
  /**
   * For numbers that a double may not hold: `key` is the value in the form of numberKey (a text in the form `t…`), and
   * `plain` compares as a number, or null if it does not. By default `value` does, and holds no such number.
   */
  number?: { plain: string | null; key: string };
  /** For several values: SQL that is true when some value fulfils the condition on `value`. */
  some?: (condition: string) => string;
  /**
   * An index over the values: SQL that is true for the rows that fulfil a test; null (binding nothing): the index cannot
   * answer it.
   */
  index?: (test: Test, bind: Bind) => string | null;
  /** Several values in one text between bars (`|a|b|`), compared exactly and in lower case. */
  packed?: string;
}

/** Binds a value and returns its placeholder. Called in the order of the SQL text. */
export type Bind = (value: string | number) => string;

/** Folds a text for comparing (text.ts). Only non-ASCII texts cost a function call. */
export const foldSql = (value: string): string =>
  `iif(octet_length(${value}) = length(${value}), lower(${value}), pp_fold(${value}))`;

/** The severity of a verdict (verdict.ts verdictRank) as a text of one digit; NULL for a missing one. */
export const verdictRankSql = (value: string): string =>
  `CASE WHEN ${value} IS NULL THEN NULL ELSE CASE ${foldSql(value)} ${ROLL_UP_ORDER.map(
    (verdict, rank) => `WHEN '${verdict}' THEN '${rank}'`,
  ).join(' ')} ELSE '${verdictRank('')}' END END`;

/** An expression that is true for the rows that fulfil the predicate, and false or NULL for the others. */
export function predicateSql(
  predicate: Predicate,
  mapping: (field: string) => FieldMapping | undefined,
  bind: Bind,
): string {
  if (predicate.kind === 'not') return `NOT coalesce(${predicateSql(predicate.part, mapping, bind)}, 0)`;
  if (predicate.kind !== 'test') {
    if (predicate.parts.length === 0) return predicate.kind === 'and' ? '1' : '0';
    const join = predicate.kind === 'and' ? ' AND ' : ' OR ';
    return `(${predicate.parts.map((part) => predicateSql(part, mapping, bind)).join(join)})`;
  }
  const where = mapping(predicate.field);
  if (where === undefined) throw new Error(`no mapping for the field ${predicate.field}`);
  if (where.packed !== undefined) return packedSql(where.packed, predicate.test, bind);
  const indexed = where.index?.(predicate.test, bind) ?? null;
  if (indexed !== null) return indexed;
  const sql = testSql(predicate.test, where, bind);
  return where.some?.(sql) ?? sql;
}

/** Exact membership in `|a|b|`, the only test that packed fields support. */
function packedSql(packed: string, test: Test, bind: Bind): string {
  if (test.kind === 'present') return `length(${packed}) > 2`;
  if (test.kind !== 'equals') return '0';
  const values = test.texts.map((text) => `|${text.toLowerCase()}|`);
  return `EXISTS (SELECT 1 FROM json_each(${bind(JSON.stringify(values))}) wanted WHERE instr(${packed}, wanted.value) > 0)`;
}

/** Tests the mapping's `value`; NULL when that is missing. */
function testSql(test: Test, mapping: FieldMapping, bind: Bind): string {
  const { value } = mapping;
  switch (test.kind) {
    case 'never':
      return '0';
    case 'present':
      return `(${value} IS NOT NULL AND ${value} <> '')`;
    case 'boolean':
      return test.value ? `${value} = 1` : `NOT coalesce(${value} = 1, 0)`;
    case 'above':
    case 'below':
    case 'between':
      return rangeSql(test, mapping, bind);
    case 'among':
      return amongSql(test.numbers, mapping, bind);
    case 'words': {
      const words = mapping.words ?? `pp_words(${value})`;
      const tests = test.words.map((word) => `instr(${words}, ${bind(word)}) > 0`);
      const folded = mapping.folded ?? foldSql(value);
      const signs = test.signs.map((sign) => textSql({ kind: 'contains', text: sign }, folded, bind));
      return `(${[...tests, ...signs].join(' AND ')})`;
    }
    case 'pattern':
      return `pp_match(${bind(test.pattern)}, ${value}) = 1`;
    case 'network':
      return `pp_in_network(${value}, ${bind(test.network)}) = 1`;
    default:
      return textSql(test, mapping.folded ?? foldSql(value), bind);
  }
}

/** What numbers are compared with, and how. */
interface Comparison {
  value: string;
  /** SQL of a bound. */
  bound: (bound: Bound) => string;
  /** Above every number, or null if the values are only texts. */
  most: string | null;
}

function comparisonOf(bounds: readonly Bound[], { value, number }: FieldMapping, bind: Bind): Comparison {
  const isHeld = bounds.every((bound) => typeof bound === 'number' || isWhole(bound));
  if (number !== undefined && (number.plain === null || !isHeld))
    return { value: number.key, bound: (bound) => bind(numberKey(String(bound))), most: "'t'" };
  return {
    value: number?.plain ?? value,
    bound: (bound) =>
      typeof bound === 'string' && isWhole(bound) ? `CAST(${bind(bound)} AS INTEGER)` : bind(Number(bound)),
    // To SQLite every text is above every number.
    most: "''",
  };
}

function amongSql(numbers: readonly Bound[], mapping: FieldMapping, bind: Bind): string {
  const { value, most } = comparisonOf(numbers, mapping, bind);
  const list = most === "'t'" ? numbers.map((number) => `"${numberKey(String(number))}"`) : numbers;
  return `${value} IN (SELECT value FROM json_each(${bind(`[${list.join(',')}]`)}))`;
}

function rangeSql(
  test: Extract<Test, { kind: 'above' | 'below' | 'between' }>,
  mapping: FieldMapping,
  bind: Bind,
): string {
  const bounds = test.kind === 'between' ? [test.low, test.high] : [test.bound];
  const { value, bound, most } =
    test.unit === 'instant' && mapping.instant !== undefined
      ? {
          value: mapping.instant,
          bound: (instant: Bound) => bind(new Date(instant).toISOString()),
          most: null,
        }
      : comparisonOf(bounds, mapping, bind);
  if (test.kind === 'between')
    return test.low === test.high
      ? `${value} = ${bound(test.low)}`
      : `${value} BETWEEN ${bound(test.low)} AND ${bound(test.high)}`;
  if (test.kind === 'below') return `${value} < ${bound(test.bound)}`;
  const above = `${value} > ${bound(test.bound)}`;
  return most === null ? above : `(${above} AND ${value} < ${most})`;
}

function textSql(
  test: Extract<Test, { kind: 'equals' | 'contains' | 'starts' | 'ends' }>,
  folded: string,
  bind: Bind,
): string {
  if (test.kind === 'equals') {
    const texts = test.texts.map(foldText);
    return texts.length === 1
      ? `${folded} = ${bind(texts[0] ?? '')}`
      : `${folded} IN (SELECT value FROM json_each(${bind(JSON.stringify(texts))}))`;
  }
  const text = foldText(test.text);
  const length = [...text].length;
  if (test.kind === 'contains') return `instr(${folded}, ${bind(text)}) > 0`;
  if (test.kind === 'starts') return `substr(${folded}, 1, ${bind(length)}) = ${bind(text)}`;
  // substr with a start of -0 would be the whole text, but no value that folds to nothing is allowed (validate.ts).
  return `substr(${folded}, ${bind(-length)}) = ${bind(text)}`;
}
