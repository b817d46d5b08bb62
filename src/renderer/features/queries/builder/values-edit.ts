/** How values change with a condition's field and operator, and parsing of pasted values. Pure. */

import type { FieldConfig, OperatorConfig } from '#shared/model/entities.ts';
import { LONG_NUMBERS } from '#shared/model/exact-numbers.ts';
import { pastedIndicator, splitRecipients } from '#shared/model/pasted.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import type { Condition, ConditionGroup, ConditionValue } from '#shared/query/tree.ts';
import {
  longNumbers,
  parseNumber,
  parseTimeUnit,
  TIME_UNITS,
  textOf,
  typedExactly,
  typedNumber,
} from '#shared/query/values.ts';

export type EditorKind =
  | 'none'
  | 'span'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'list'
  | 'custom-list'
  | 'number'
  | 'bytes'
  | 'date'
  | 'text';

/** An operator whose one value names a custom list of the service (specification section 5). */
export const isCustomList = ({ list, arity }: Pick<OperatorConfig, 'list' | 'arity'>): boolean =>
  list === true && arity === 1;

/** What a group with “not” asks for. */
export const negatedWords = ({ operator }: Pick<ConditionGroup, 'operator'>): string =>
  operator === 'and' ? 'Not all of these' : 'None of these';

/** The opposite operator, when the config names one that the field supports. */
export function negationOf(
  field: FieldConfig | undefined,
  operator: OperatorConfig | undefined,
): string | null {
  const negation = operator?.['negation'];
  return typeof negation === 'string' && field?.operators.includes(negation) === true ? negation : null;
}

export function editorKind(field: FieldConfig | undefined, operator: OperatorConfig | undefined): EditorKind {
  if (!operator) return 'list';
  if (operator.arity === 0) return 'none';
  if (operator.id === 'in_the_last') return 'span';
  if (isCustomList(operator)) return 'custom-list';
  const type = fieldTypeOf(field?.type ?? 'text');
  const closed = (field?.allowedValues?.length ?? 0) > 0;
  if (operator.arity < 0) return closed ? 'choices' : 'list';
  if (closed && (operator.id === 'is' || operator.id === 'is_not')) return 'choice';
  if (operator.analyzer || operator.regex) return 'text';
  return type === 'boolean' || type === 'number' || type === 'bytes' || type === 'date' ? type : 'text';
}

const DEFAULT_SPAN: ConditionValue[] = [7, 'days'];

/** Keeps the values that another operator accepts and drops the others. */
export function fitValues(
  values: readonly ConditionValue[],
  operator: OperatorConfig | undefined,
): ConditionValue[] {
  if (!operator) return [...values];
  if (operator.arity === 0) return [];
  if (operator.id === 'in_the_last') {
    const fits = parseNumber(values[0]) !== null && parseTimeUnit(values[1]) !== null;
    return fits ? values.slice(0, 2) : [...DEFAULT_SPAN];
  }
  const plain =
    parseTimeUnit(values[1]) !== null ? [] : values.filter((value) => value !== '' && value !== null);
  return operator.arity < 0 ? plain : plain.slice(0, operator.arity);
}

/** A new condition on a field, with the operator that the service suggests for it. */
export function newCondition(
  field: FieldConfig,
  operators: ReadonlyMap<string, OperatorConfig>,
  suggested?: string,
): Condition {
  const operator =
    suggested && field.operators.includes(suggested) ? suggested : (field.operators[0] ?? 'is');
  return { field: field.id, operator, values: fitValues([], operators.get(operator)) };
}

/** Moves the condition to another field; operator and values are kept if they fit. */
export function withField(
  condition: Condition,
  from: FieldConfig | undefined,
  to: FieldConfig,
  operators: ReadonlyMap<string, OperatorConfig>,
): Condition {
  const sameKind = from !== undefined && from.type === to.type && !to.allowedValues && !from.allowedValues;
  const keeps = to.operators.includes(condition.operator);
  const operator = keeps ? condition.operator : (to.operators[0] ?? condition.operator);
  const values = sameKind ? condition.values : [];
  return { ...condition, field: to.id, operator, values: fitValues(values, operators.get(operator)) };
}

/** What a list holds, which decides what separates its values. */
export type ListKind = 'values' | 'words' | 'numbers' | 'addresses';

export function listKindOf(field: FieldConfig | undefined, words: boolean): ListKind {
  const type = fieldTypeOf(field?.type ?? 'text');
  if (words) return 'words';
  if (type === 'email') return 'addresses';
  return type === 'number' || type === 'bytes' ? 'numbers' : 'values';
}

/** Separators as the inside of a character class. */
const ENDS = {
  values: '\\r\\n\\t,;',
  addresses: '\\r\\n\\t,;',
  words: '\\s,;',
  numbers: '\\r\\n\\t;',
} as const;

/** A cell in double quotes, as spreadsheets write one that contains a separator, a line break or a quote. */
const quotedCell = (ends: string) =>
  new RegExp(`[^\\S\\r\\n\\t]*"([^"]*(?:""[^"]*)*)"[^\\S\\r\\n\\t]*(?=[${ends}]|$)`, 'y');

/**
 * Splits at lines, tabs, commas and semicolons, as in spreadsheet columns and ticket lists, except within quoted cells.
 * Words are also split at spaces, and also within quotes. In a column of numbers a comma is a decimal point.
 */
export function splitPaste(text: string, kind: ListKind): string[] {
  if (kind === 'addresses' && text.includes('<'))
    return [...new Set(splitRecipients(text).map((recipient) => recipient.trim()))];
  const isColumn = new RegExp(`[${ENDS.numbers}]`).test(text.trim());
  const ends = kind === 'numbers' && !isColumn ? ENDS.values : ENDS[kind];
  const quoted = quotedCell(ends);
  const plain = new RegExp(`[^${ends}]*`, 'y');
  const matches = new Set<string>();
  for (let position = 0; position < text.length; position += 1) {
    quoted.lastIndex = position;
    plain.lastIndex = position;
    const cell = kind === 'words' ? null : quoted.exec(text);
    const value = cell
      ? (cell[1] ?? '').replaceAll('""', '"')
      : (plain.exec(text)?.[0] ?? '').trim().replace(/^(["'])(.*)\1$/, '$2');
    // The separator behind it is skipped.
    position = cell ? quoted.lastIndex : plain.lastIndex;
    const clean = kind === 'words' ? value.replace(/^"+|(?<!")"+$/g, '') : value;
    if (clean.trim() !== '') matches.add(clean);
  }
  return [...matches];
}

/** Values as text, one per line, that `splitPaste` reads as the same values. */
export const pasteOf = (values: readonly string[]): string =>
  values
    .map((value) => (/[\r\n\t,;]|^["'\s]|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join('\n');

/** Appends values, skipping duplicates. */
export function withValues(
  values: readonly ConditionValue[],
  more: readonly ConditionValue[],
): ConditionValue[] {
  const texts = new Set(values.map(String));
  const out = [...values];
  for (const value of more) {
    if (texts.has(String(value))) continue;
    texts.add(String(value));
    out.push(value);
  }
  return out;
}

/** Types whose values are indicators: often pasted defanged, and with surrounding characters. */
const INDICATORS = ['email', 'domain', 'url', 'ip', 'hash'];

/** The condition with other values. Of a field of numbers, those that a double does not hold are sent as numbers. */
export function conditionWith(
  condition: Condition,
  values: ConditionValue[],
  field: FieldConfig | undefined,
): Condition {
  const type = fieldTypeOf(field?.type ?? 'text');
  if (type !== 'number' && type !== 'bytes') return { ...condition, values };
  const { [LONG_NUMBERS]: _, ...rest } = { [LONG_NUMBERS]: null, ...condition, values };
  const long = longNumbers(values);
  return long.length === 0 ? rest : { ...rest, [LONG_NUMBERS]: long };
}

/** Converts a value for its field: numeric text to numbers, indicators to live ones. */
export function typedValue(text: string, field: FieldConfig | undefined): ConditionValue {
  const type = fieldTypeOf(field?.type ?? 'text');
  if (type === 'bytes') return typedBytes(text) ?? text;
  if (type === 'number') return typedExactly(text) ?? text;
  return INDICATORS.includes(type) ? pastedIndicator(text, type) : text;
}

export const BYTE_UNITS = [
  { label: 'bytes', size: 1 },
  { label: 'KB', size: 1024 },
  { label: 'MB', size: 1024 ** 2 },
  { label: 'GB', size: 1024 ** 3 },
] as const;

const WITH_UNIT = /^(.*?)\s*(?:([kmg])(?:i?b)?|b|bytes?)$/i;

/** A size as people type it: `10 MB`, `1,5 GB`, `2048`. Null if there is no size. */
function typedBytes(text: string): ConditionValue {
  const [, digits, unit = ''] = WITH_UNIT.exec(text.trim()) ?? [];
  if (digits === undefined) return typedExactly(text);
  const number = typedNumber(digits);
  const { size } = BYTE_UNITS.find(({ label }) => label[0] === unit.toUpperCase()) ?? BYTE_UNITS[0];
  return number === null ? null : Math.round(number * size);
}

/** A size in the unit that shows it in whole numbers: "10 MB"; other values as they are. */
export function bytesText(value: ConditionValue): string {
  const bytes = parseNumber(value);
  if (bytes === null) return textOf(value) ?? '';
  const size = byteUnitOf(value);
  return `${bytes / size} ${BYTE_UNITS.find((unit) => unit.size === size)?.label ?? ''}`;
}

/** The largest unit that shows a size in whole numbers. */
export function byteUnitOf(value: ConditionValue | undefined): number {
  const bytes = parseNumber(value);
  if (bytes === null || bytes === 0) return 1024 ** 2;
  return [...BYTE_UNITS].reverse().find(({ size }) => bytes % size === 0)?.size ?? 1;
}

export const SPAN_UNITS = TIME_UNITS;
