import type { FieldConfig, QueryConfig } from '../model/entities.ts';
import { isTooDeep } from '../model/json-depth.ts';
import {
  type Condition,
  type ConditionGroup,
  conditionGroup,
  depthOf,
  effective,
  isGroup,
  MAX_DEPTH,
  walkConditions,
} from '../query/tree.ts';
import type { Problem } from '../query/validate.ts';
import { ruleCheckId } from './rule.ts';

type Read =
  | { ok: true; condition: ConditionGroup }
  /** What is wrong, as a sentence. */
  | { ok: false; message: string };

/** JSON of one level of groups takes two of nesting, and values one more. */
const MAX_NESTING = 2 * MAX_DEPTH + 4;

/** Fields that rules themselves change: a rule on one would depend on the order of the rules. */
const CHANGED_BY_RULES: ReadonlySet<string> = new Set([
  ...['score', 'verdict', 'verdict_code', 'stack', 'finding', 'reasons', 'false_positives'],
]);

/** The field whose values are checks, and the rules of the analyst. */
const CHECKS = 'findings';
const isRuleCheck = (value: unknown): boolean => String(value).startsWith(ruleCheckId(''));

/**
 * The config of queries without what a rule cannot depend on: fields that rules change, unless these conditions have them
 * already, and hits of other rules.
 */
export function ruleConfig(config: QueryConfig, group: ConditionGroup): QueryConfig {
  const used = new Set([...walkConditions(group)].map(({ field }) => field));
  const isOffered = (id: string) => used.has(id) || !CHANGED_BY_RULES.has(id);
  return {
    ...config,
    fields: config.fields
      .filter(({ id }) => isOffered(id))
      .map((field) =>
        field.id === CHECKS && field.allowedValues
          ? { ...field, allowedValues: field.allowedValues.filter(({ value }) => !isRuleCheck(value)) }
          : field,
      ),
    conditions: config.conditions.filter(({ field }) => !CHANGED_BY_RULES.has(field)),
  };
}

/** Conditions that a rule cannot have, beside those that no query can have. */
export function ruleConditionProblems(
  group: ConditionGroup,
  fields: readonly Pick<FieldConfig, 'id' | 'label'>[],
): Problem[] {
  const problemOf = ({ field, values }: Condition): string | null => {
    const label = fields.find(({ id }) => id === field)?.label ?? field;
    if (CHANGED_BY_RULES.has(field))
      return `A rule can’t depend on “${label}”, which rules change. Use “Findings” instead`;
    return field === CHECKS && values.some(isRuleCheck)
      ? 'A rule can’t depend on the hits of another rule'
      : null;
  };
  const walk = (node: ConditionGroup, path: readonly number[]): Problem[] =>
    node.conditions.flatMap((child, index) => {
      if (child.disabled) return [];
      if (isGroup(child)) return walk(child, [...path, index]);
      const message = problemOf(child);
      return message === null ? [] : [{ path: [...path, index], field: child.field, message }];
    });
  return walk(group, []);
}

/** Whether its fields and operators exist is checked by the service that applies it. */
export function readConditions(text: string): Read {
  if (isTooDeep(text, MAX_NESTING))
    return { ok: false, message: `Groups can be nested ${MAX_DEPTH} deep at most.` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, message: 'Its conditions are not valid JSON.' };
  }
  const parsed = conditionGroup.safeParse(value);
  if (!parsed.success) return { ok: false, message: 'Its conditions are not a group of conditions.' };
  if (depthOf(parsed.data) > MAX_DEPTH)
    return { ok: false, message: `Groups can be nested ${MAX_DEPTH} deep at most.` };
  if (walkConditions(effective(parsed.data)).next().done)
    return { ok: false, message: 'It has no condition, and would match every email.' };
  return { ok: true, condition: parsed.data };
}
