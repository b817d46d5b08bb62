/** An exception in words, the same before it is saved, in the list and in the journal. */
import { defang } from '../model/defang.ts';
import { visibleText } from '../model/format.ts';
import { hashType } from '../model/hashes.ts';
import type { ExceptionRule, RuleCondition } from './rule.ts';
import {
  allExceptionTypes,
  type ExceptionList,
  type ExceptionType,
  exceptionField,
  MATCHING_LABELS,
} from './types.ts';

const LIST_LABELS: Readonly<Record<ExceptionList, string>> = { allow: 'Allow', block: 'Block' };
const HASH_LABELS = { md5: 'MD5', sha1: 'SHA-1', sha256: 'SHA-256' } as const;

type Listed = Pick<ExceptionRule, 'tool' | 'type' | 'list'>;
const typeOf = ({ tool, type }: Pick<ExceptionRule, 'tool' | 'type'>): ExceptionType | undefined =>
  allExceptionTypes(tool).find(({ id }) => id === type);

/** A type that belongs to one list and has many fields is a list of its own: allow, block, allow as not spam. */
export const isOwnList = (type: Pick<ExceptionType, 'list' | 'fields'>): boolean =>
  type.list !== null && type.fields.length > 1;

/** "Allow", "Block", "Allow, not spam". */
export function listLabel(rule: Listed): string {
  const type = typeOf(rule);
  return type && isOwnList(type) ? type.label : LIST_LABELS[rule.list];
}

/** What a list of its own does less than its plain list: ", not spam". */
export const listLimit = (rule: Listed): string => /,.*$/.exec(listLabel(rule))?.[0] ?? '';

/** "From domain", "SHA-256": what a condition is about. */
export function conditionLabel({ field, value }: RuleCondition): string {
  const definition = exceptionField(field);
  const hash = definition?.kind === 'hash' && field !== 'macro_hash' ? hashType(value) : null;
  return hash === null ? (definition?.label ?? field) : HASH_LABELS[hash];
}

export const shownValue = ({ field, value }: RuleCondition): string =>
  exceptionField(field)?.kind === 'url' ? defang(value) : visibleText(value);

/** "From domain ends with “x.example”". */
export function conditionWords(condition: RuleCondition, label = conditionLabel(condition)): string {
  const how = condition.matching === 'exact' ? 'is' : MATCHING_LABELS[condition.matching];
  return `${label} ${how} “${shownValue(condition)}”`;
}

/** Its conditions. Types of one field may share it, with and without a link, so that their name says which it is. */
export function matchWords(rule: ExceptionRule): string {
  const type = typeOf(rule);
  const isNamed =
    type?.list === null && type.fields.length === 1 && exceptionField(type.fields[0] ?? '')?.kind !== 'hash';
  return rule.conditions
    .map((condition, index) => conditionWords(condition, isNamed && index === 0 ? type.label : undefined))
    .join(' and ');
}

/** A rule in one line: "Block: From domain ends with …". */
export const ruleWords = (rule: ExceptionRule): string => `${listLabel(rule)}: ${matchWords(rule)}`;
