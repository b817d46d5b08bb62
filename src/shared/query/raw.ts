/** A condition tree as text, for the raw editor. */

import { parseShown, writeSent } from '../model/exact-numbers.ts';
import { isTooDeep } from '../model/json-depth.ts';
import { isRecord } from '../model/narrow.ts';
import { jsonErrorAt, placeOf } from './json-place.ts';
import { type ConditionGroup, conditionGroup, depthOf, MAX_DEPTH } from './tree.ts';

const MAX_RAW_LENGTH = 2_000_000;

export type RawTree =
  | { ok: true; tree: ConditionGroup }
  /** line and column from 1, or null if it is valid JSON, but no tree. */
  | { ok: false; message: string; line: number | null; column: number | null };

export const writeTree = (tree: ConditionGroup): string => writeSent(tree, 2);

const wrong = (message: string, line: number | null = null, column: number | null = null): RawTree => ({
  ok: false,
  message,
  line,
  column,
});

/** Parses a tree from JSON, with the position and reason of an error. Unknown fields are kept. */
export function parseTree(text: string): RawTree {
  if (text.length > MAX_RAW_LENGTH) return wrong('The text is too long for a condition tree.');
  if (isTooDeep(text, 2 * MAX_DEPTH + 2)) return wrong(`Groups can be nested ${MAX_DEPTH} deep at most.`);
  let parsed: unknown;
  try {
    parsed = parseShown(text);
  } catch {
    const { line, column } = placeOf(text, jsonErrorAt(text) ?? text.length);
    return wrong(`Not valid JSON: it breaks at line ${line}, column ${column}.`, line, column);
  }
  const checked = conditionGroup.safeParse(parsed);
  if (!checked.success) return wrong(treeProblem(parsed, ''));
  if (depthOf(checked.data) > MAX_DEPTH) return wrong(`Groups can be nested ${MAX_DEPTH} deep at most.`);
  return { ok: true, tree: checked.data };
}

const isValue = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Why JSON is not a tree, and where; the schema's own messages are about unions, not conditions. */
function treeProblem(value: unknown, position: string): string {
  const place = position === '' ? 'The whole' : `conditions${position}`;
  if (!isRecord(value)) return `${place} must be an object.`;
  const isGroup = position === '' || 'conditions' in value;
  const problems: [string, unknown][] = [
    [
      '"disabled" must be true or false',
      value['disabled'] === undefined || typeof value['disabled'] === 'boolean',
    ],
  ];
  if (isGroup) {
    problems.push(
      ['"operator" must be "and" or "or"', value['operator'] === 'and' || value['operator'] === 'or'],
      ['"conditions" must be a list', Array.isArray(value['conditions'])],
      [
        '"negate" must be true or false',
        value['negate'] === undefined || typeof value['negate'] === 'boolean',
      ],
      ['"label" must be text', value['label'] === undefined || typeof value['label'] === 'string'],
    );
  } else {
    problems.push(
      ['"field" must be text', typeof value['field'] === 'string'],
      ['"operator" must be text', typeof value['operator'] === 'string'],
      [
        '"values" must be a list of texts, numbers, true, false or null',
        Array.isArray(value['values']) && value['values'].every(isValue),
      ],
    );
  }
  const first = problems.find(([, holds]) => !holds);
  if (first) return `${place}: ${first[0]}.`;
  const children = isGroup && Array.isArray(value['conditions']) ? value['conditions'] : [];
  for (const [index, child] of children.entries()) {
    if (conditionGroup.safeParse({ operator: 'and', conditions: [child] }).success) continue;
    return treeProblem(child, `${position}[${index}]`);
  }
  return `${place} is not a condition tree.`;
}
