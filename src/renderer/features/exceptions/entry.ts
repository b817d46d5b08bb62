/** A listed exception as the list shows it. Pure. */

import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { dictionary } from '#shared/dictionary.ts';
import { type ExceptionRule, listOf, ruleOf } from '#shared/exceptions/rule.ts';
import {
  allExceptionTypes,
  type ExceptionList,
  exceptionField,
  MATCHING_LABELS,
} from '#shared/exceptions/types.ts';
import { conditionLabel, shownValue } from '#shared/exceptions/words.ts';
import type { Exception } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import { canonicalTool } from '#shared/model/white-label.ts';

export interface EntryRow {
  /** The service's id, else the index in the list. */
  id: string;
  entry: Exception;
  /** The specification's id. */
  tool: string;
  /** Null if the service does not say. */
  list: ExceptionList | null;
  /** "From domain"; the service's id for an unsupported type. */
  type: string;
  /** Null if not known here. */
  rule: ExceptionRule | null;
  matching: string | null;
  value: string;
}

function typeLabel(tool: string, rule: ExceptionRule): string {
  const type = allExceptionTypes(tool).find(({ id }) => id === rule.type);
  const [first] = rule.conditions;
  if (type && type.fields.length === 1 && exceptionField(type.fields[0] ?? '')?.kind !== 'hash')
    return type.label;
  return first ? conditionLabel(first) : rule.type;
}

/** `index` in the list names entries without an id. `ownTool` is the tool whose list was requested. */
export function entryRow(entry: Exception, index: number, product: string, ownTool: string): EntryRow {
  const tool = canonicalTool(entry.sec_type ?? ownTool, product);
  const rule = ruleOf(tool, entry);
  const first = rule?.conditions[0];
  const more = (rule?.conditions.length ?? 1) - 1;
  const value = first ? shownValue(first) : visibleText(entry.string);
  return {
    id: entry.id ?? `place ${index}`,
    entry,
    tool,
    list: listOf(tool, entry),
    type: rule ? typeLabel(tool, rule) : entry.type,
    rule,
    matching: first ? MATCHING_LABELS[first.matching] : null,
    value: more > 0 ? `${value} and ${more} more` : value,
  };
}

const KINDS: Readonly<Record<string, string>> = dictionary({
  hash: 'hash',
  email: 'email',
  domain: 'domain',
  network: 'ip',
  url: 'url',
});

/** The value with its menu: filter for, copy, open. */
export function entityOf({ rule, entry }: EntryRow): EntityRef {
  const first = rule?.conditions[0];
  const kind = first ? KINDS[exceptionField(first.field)?.kind ?? ''] : undefined;
  return { kind: kind ?? 'text', value: entry.string };
}
