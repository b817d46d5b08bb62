/** A parsed exception: the wire's `string` and `payload` as conditions that can be validated and compared. */

import type { Exception } from '../model/entities.ts';
import { isOneOf, isRecord } from '../model/narrow.ts';
import {
  allExceptionTypes,
  type ExceptionList,
  type ExceptionType,
  exceptionField,
  type Matching,
} from './types.ts';

export interface RuleCondition {
  /** A field of types.ts. */
  field: string;
  matching: Matching;
  value: string;
}

export interface ExceptionRule {
  /** The specification's id of the tool, with `{product}` unexpanded. */
  tool: string;
  type: string;
  list: ExceptionList;
  /** All must match; the first is the entry's `string`. */
  conditions: readonly RuleCondition[];
}

type Payload = Readonly<Record<string, unknown>>;
const objectOf = (value: unknown): Payload | null => (isRecord(value) ? value : null);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const MATCHINGS: readonly Matching[] = ['exact', 'contains', 'ends_with', 'matching'];
const matchingOf = (value: unknown, field: string): Matching =>
  typeof value === 'string' && isOneOf(MATCHINGS, value)
    ? value
    : (exceptionField(field)?.matchings[0] ?? 'exact');

const typeOf = (tool: string, id: string): ExceptionType | null =>
  allExceptionTypes(tool).find((type) => type.id === id) ?? null;

const LIST_WORDS: readonly (readonly [RegExp, ExceptionList])[] = [
  [/black|block|deny|disallow/i, 'block'],
  [/white|allow/i, 'allow'],
];
const listIn = (word: unknown): ExceptionList | null =>
  (typeof word === 'string' && LIST_WORDS.find(([pattern]) => pattern.test(word))?.[1]) || null;

type Listed = Pick<Exception, 'type' | 'list'> & { payload?: unknown };

/** The list of an entry: the one that the service names, else by its type or payload. Null if nothing says which. */
export const listOf = (tool: string, entry: Listed): ExceptionList | null =>
  listIn(entry.list) ??
  typeOf(tool, entry.type)?.list ??
  listIn(objectOf(entry.payload)?.['list']) ??
  listIn(entry.type);

/** Null if the entry has an unknown type, field or list; it is shown, but cannot be checked. */
export function ruleOf(tool: string, entry: Listed & Pick<Exception, 'string'>): ExceptionRule | null {
  const payload = objectOf(entry.payload) ?? {};
  const type = typeOf(tool, entry.type);
  const field = textOf(payload['field']) ?? type?.fields[0] ?? null;
  const list = listOf(tool, entry);
  if (type === null || list === null || field === null || !type.fields.includes(field)) return null;
  const and = Array.isArray(payload['and']) ? payload['and'] : [];
  const more: RuleCondition[] = [];
  for (const part of and.map(objectOf)) {
    const name = textOf(part?.['field']);
    const value = textOf(part?.['value']);
    if (name === null || value === null || !type.fields.includes(name)) return null;
    more.push({ field: name, matching: matchingOf(part?.['matching'], name), value });
  }
  return {
    tool,
    type: entry.type,
    list,
    conditions: [{ field, matching: matchingOf(payload['matching'], field), value: entry.string }, ...more],
  };
}

/** The wire's form of a rule. A type with a single list and field needs no payload for them. */
export function exceptionOf(
  rule: ExceptionRule,
  more: { comment?: string | null; isExclusive?: boolean } = {},
): Pick<Exception, 'type' | 'string' | 'payload' | 'comment' | 'is_exclusive'> {
  const [first, ...and] = rule.conditions;
  const type = typeOf(rule.tool, rule.type);
  return {
    type: rule.type,
    string: first?.value ?? '',
    payload: {
      field: first?.field ?? null,
      matching: first?.matching ?? null,
      ...(type?.list === null ? { list: rule.list } : {}),
      ...(and.length === 0 ? {} : { and: and.map((part) => ({ ...part })) }),
    },
    comment: more.comment ?? null,
    is_exclusive: more.isExclusive ?? false,
  };
}
