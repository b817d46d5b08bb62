/** The condition tree of a query: nested and/or groups of field, operator and values (specification section 3). */
import { z } from 'zod';

const conditionValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type ConditionValue = z.infer<typeof conditionValue>;

export interface Condition {
  field: string;
  operator: string;
  values: ConditionValue[];
  /** Kept in the tree, but neither sent nor counted. */
  disabled?: boolean | undefined;
  [extra: string]: unknown;
}

export interface ConditionGroup {
  operator: 'and' | 'or';
  conditions: (Condition | ConditionGroup)[];
  /** The author's note, shown beside the group. */
  label?: string | undefined;
  negate?: boolean | undefined;
  disabled?: boolean | undefined;
  [extra: string]: unknown;
}

const condition: z.ZodType<Condition> = z.looseObject({
  field: z.string(),
  operator: z.string(),
  values: z.array(conditionValue),
  disabled: z.boolean().optional(),
});

export const conditionGroup: z.ZodType<ConditionGroup> = z.looseObject({
  operator: z.enum(['and', 'or']),
  get conditions() {
    return z.array(z.union([conditionGroup, condition]));
  },
  label: z.string().optional(),
  negate: z.boolean().optional(),
  disabled: z.boolean().optional(),
});

export const isGroup = (node: Condition | ConditionGroup): node is ConditionGroup => 'conditions' in node;

/** The empty tree, which matches everything. */
export const emptyGroup = (): ConditionGroup => ({ operator: 'and', conditions: [] });

/** Maximum nesting that services and editors accept; deeper trees are refused without being traversed. */
export const MAX_DEPTH = 32;

/** The tree without disabled parts and the groups they leave empty: what is sent and counted. */
export function effective(group: ConditionGroup): ConditionGroup {
  const conditions: ConditionGroup['conditions'] = [];
  for (const node of group.conditions) {
    if (node.disabled) continue;
    if (!isGroup(node)) conditions.push(node);
    else {
      const inner = effective(node);
      if (inner.conditions.length > 0) conditions.push(inner);
    }
  }
  return { ...group, conditions };
}

/** Every condition of the tree, in reading order. */
export function* walkConditions(group: ConditionGroup): Generator<Condition> {
  for (const node of group.conditions) {
    if (isGroup(node)) yield* walkConditions(node);
    else yield node;
  }
}

/** Nesting depth, computed without recursion: a hostile tree must not exhaust the stack. */
export function depthOf(group: ConditionGroup): number {
  let depth = 0;
  let level: ConditionGroup[] = [group];
  while (level.length > 0 && depth <= MAX_DEPTH) {
    depth += 1;
    level = level.flatMap((node) => node.conditions.filter(isGroup));
  }
  return depth;
}
