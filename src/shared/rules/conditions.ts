/** The text of a rule of conditions. */
import { isTooDeep } from '../model/json-depth.ts';
import {
  type Condition,
  type ConditionGroup,
  conditionGroup,
  depthOf,
  effective,
  MAX_DEPTH,
  walkConditions,
} from '../query/tree.ts';

type Read =
  | { ok: true; condition: ConditionGroup; all: Condition[] }
  /** What is wrong, as a sentence. */
  | { ok: false; message: string };

/** JSON of one level of groups takes two of nesting, and values one more. */
const MAX_NESTING = 2 * MAX_DEPTH + 4;

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
  const all = [...walkConditions(effective(parsed.data))];
  if (all.length === 0) return { ok: false, message: 'It has no condition, and would match every email.' };
  return { ok: true, condition: parsed.data, all };
}
