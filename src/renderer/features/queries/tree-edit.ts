/** Changes of a condition tree. Every function answers a new tree and leaves the old one as it was. */
import type { FieldConfig } from '#shared/model/entities.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import {
  type Condition,
  type ConditionGroup,
  type ConditionValue,
  isGroup,
  MAX_DEPTH,
} from '#shared/query/tree.ts';
import { conditionWith } from './builder/values-edit.ts';

export type Node = Condition | ConditionGroup;
/** The index at each level from the root; [] is the root. */
export type Path = readonly number[];

const keys = new WeakMap<Node, string>();
let nextKey = 1;

/** A key for a node that survives its edits, so that an input keeps the focus while typing. */
export function keyOf(node: Node): string {
  let key = keys.get(node);
  if (key === undefined) {
    key = `n${nextKey++}`;
    keys.set(node, key);
  }
  return key;
}

function carryKey<T extends Node>(from: Node, to: T): T {
  const key = keyOf(from);
  if (to !== from) keys.set(to, key);
  return to;
}

export function nodeAt(root: ConditionGroup, path: Path): Node | null {
  let node: Node = root;
  for (const index of path) {
    const next: Node | undefined = isGroup(node) ? node.conditions[index] : undefined;
    if (next === undefined) return null;
    node = next;
  }
  return node;
}

const withChildren = (group: ConditionGroup, conditions: Node[]): ConditionGroup =>
  carryKey(group, { ...group, conditions });

function changeGroup(
  root: ConditionGroup,
  path: Path,
  change: (group: ConditionGroup) => ConditionGroup,
): ConditionGroup {
  const [index, ...rest] = path;
  if (index === undefined) return change(root);
  const child = root.conditions[index];
  if (child === undefined || !isGroup(child)) return root;
  const changed = changeGroup(child, rest, change);
  return changed === child ? root : withChildren(root, root.conditions.with(index, changed));
}

const parentOf = (path: Path): [Path, number] => [path.slice(0, -1), path.at(-1) ?? 0];

/** Replaces the node by what `change` returns; its key stays. */
export function updateAt(root: ConditionGroup, path: Path, change: (node: Node) => Node): ConditionGroup {
  if (path.length === 0) {
    const next = change(root);
    return isGroup(next) ? carryKey(root, next) : root;
  }
  const [parent, index] = parentOf(path);
  return changeGroup(root, parent, (group) => {
    const child = group.conditions[index];
    if (child === undefined) return group;
    return withChildren(group, group.conditions.with(index, carryKey(child, change(child))));
  });
}

/** Inserts a node before the child at that index, or at the end. */
export function insertAt(root: ConditionGroup, parent: Path, index: number, node: Node): ConditionGroup {
  return changeGroup(root, parent, (group) =>
    withChildren(group, group.conditions.toSpliced(Math.max(0, index), 0, node)),
  );
}

export const addTo = (root: ConditionGroup, parent: Path, node: Node): ConditionGroup =>
  insertAt(root, parent, Number.POSITIVE_INFINITY, node);

/** The root cannot be removed. */
export function removeAt(root: ConditionGroup, path: Path): ConditionGroup {
  if (path.length === 0) return root;
  const [parent, index] = parentOf(path);
  return changeGroup(root, parent, (group) =>
    index < group.conditions.length ? withChildren(group, group.conditions.toSpliced(index, 1)) : group,
  );
}

const startsWith = (path: Path, start: Path) => start.every((part, level) => path[level] === part);

/** Moves a node before `index` of another group, both as they are now; a group cannot go into itself. */
export function moveTo(root: ConditionGroup, from: Path, parent: Path, index: number): ConditionGroup {
  const node = nodeAt(root, from);
  if (node === null || from.length === 0 || startsWith(parent, from)) return root;
  const [fromParent, fromIndex] = parentOf(from);
  const level = fromParent.length;
  const sameGroup = parent.length === level && startsWith(parent, fromParent);
  // Removing it shifts the later siblings, and all paths through them, by one.
  const target = [...parent];
  const through = target[level];
  if (parent.length > level && startsWith(parent, fromParent) && through !== undefined && through > fromIndex)
    target[level] = through - 1;
  const position = sameGroup && index > fromIndex ? index - 1 : index;
  if (sameGroup && position === fromIndex) return root;
  if (target.length + (isGroup(node) ? 2 : 1) > MAX_DEPTH) return root;
  return insertAt(removeAt(root, from), target, position, node);
}

/**
 * One step up or down in reading order: past a condition, into a neighbouring group, or out of its own group at its
 * end.
 */
export function moveStep(root: ConditionGroup, path: Path, step: 1 | -1): ConditionGroup {
  if (path.length === 0) return root;
  const [parent, index] = parentOf(path);
  const group = nodeAt(root, parent);
  if (group === null || !isGroup(group)) return root;
  const beside = group.conditions[index + step];
  if (beside !== undefined && isGroup(beside))
    return moveTo(root, path, [...parent, index + step], step === 1 ? 0 : beside.conditions.length);
  if (beside !== undefined) return moveTo(root, path, parent, step === 1 ? index + 2 : index - 1);
  if (parent.length === 0) return root;
  const [grand, position] = parentOf(parent);
  return moveTo(root, path, grand, step === 1 ? position + 1 : position);
}

/** Inserts a copy after the node. */
export function duplicateAt(root: ConditionGroup, path: Path): ConditionGroup {
  const node = nodeAt(root, path);
  if (node === null || path.length === 0) return root;
  const [parent, index] = parentOf(path);
  return insertAt(root, parent, index + 1, structuredClone(node));
}

export const toggleDisabled = (root: ConditionGroup, path: Path): ConditionGroup =>
  updateAt(root, path, (node) => {
    const { disabled, ...rest } = node;
    return disabled ? rest : { ...rest, disabled: true };
  });

export const toggleNegate = (root: ConditionGroup, path: Path): ConditionGroup =>
  updateAt(root, path, (node) => (isGroup(node) ? { ...node, negate: !node.negate } : node));

export const setGroupOperator = (root: ConditionGroup, path: Path, operator: 'and' | 'or'): ConditionGroup =>
  updateAt(root, path, (node) => (isGroup(node) ? { ...node, operator } : node));

export function wrapAt(root: ConditionGroup, path: Path): ConditionGroup {
  const node = nodeAt(root, path);
  if (node === null || path.length === 0 || path.length + 1 >= MAX_DEPTH) return root;
  const [parent, index] = parentOf(path);
  return insertAt(removeAt(root, path), parent, index, { operator: 'or', conditions: [node] });
}

export function unwrapAt(root: ConditionGroup, path: Path): ConditionGroup {
  const node = nodeAt(root, path);
  if (node === null || !isGroup(node) || path.length === 0) return root;
  const [parent, index] = parentOf(path);
  return changeGroup(root, parent, (group) =>
    withChildren(group, group.conditions.toSpliced(index, 1, ...node.conditions)),
  );
}

const FOR = ['contains_any', 'is', 'in_list', 'contains_text'];
const OUT = ['is_not', 'not_in_list', 'not_contains'];

/** A condition that keeps or drops the rows with this value; null if the field has no operator for it. */
function conditionOn(field: FieldConfig, value: ConditionValue, negate: boolean): Condition | null {
  const pick = (ids: readonly string[], values: ConditionValue[]): Condition | null => {
    const operator = ids.find((id) => field.operators.includes(id));
    return operator === undefined
      ? null
      : conditionWith({ field: field.id, operator, values: [] }, values, field);
  };
  if (value === null || value === '') return pick([negate ? 'is_not_empty' : 'is_empty'], []);
  if (fieldTypeOf(field.type) === 'boolean')
    return pick([(value === true || value === 'true') !== negate ? 'is_true' : 'is_false'], []);
  return pick(negate ? OUT : FOR, [value]);
}

const sameValue = (a: ConditionValue, b: ConditionValue) =>
  String(a).toLowerCase() === String(b).toLowerCase();
const asks = (node: Node, field: string, operators: readonly string[]): node is Condition =>
  !isGroup(node) && !node.disabled && node.field === field && operators.includes(node.operator);

/** Makes the root a plain "All of", so that a filter narrows the whole tree. */
function narrowed(root: ConditionGroup): ConditionGroup {
  if (root.operator === 'and' && !root.negate) return root;
  return { operator: 'and', conditions: root.conditions.length === 0 ? [] : [root] };
}

/**
 * "Filter for": narrows the tree to a value. A list with the value is narrowed to it, and a condition that
 * excluded it is removed. Null if the field has no operator for this.
 */
export function filterFor(
  root: ConditionGroup,
  field: FieldConfig,
  value: ConditionValue,
): ConditionGroup | null {
  const condition = conditionOn(field, value, false);
  if (condition === null) return null;
  const holds = (node: Node) =>
    asks(node, field.id, ['is', 'in_list', 'contains_any']) &&
    node.values.some((other) => sameValue(other, value));
  const group = narrowed(root);
  const remaining = group.conditions.filter(
    (node) =>
      !holds(node) &&
      !(asks(node, field.id, [condition.operator]) && condition.values.length === 0) &&
      !(asks(node, field.id, ['is_not']) && node.values.some((other) => sameValue(other, value))),
  );
  return withChildren(group, [...remaining, condition]);
}

/** "Filter out": drops a value; several of one field are gathered in one list where the field has such an operator. */
export function filterOut(
  root: ConditionGroup,
  field: FieldConfig,
  value: ConditionValue,
): ConditionGroup | null {
  const condition = conditionOn(field, value, true);
  if (condition === null) return null;
  const group = narrowed(root);
  const index = group.conditions.findIndex((node) => asks(node, field.id, ['is_not', 'not_in_list']));
  const before = group.conditions[index];
  if (condition.values.length === 0 || before === undefined || isGroup(before))
    return withChildren(group, [...group.conditions, condition]);
  if (before.values.some((other) => sameValue(other, value))) return root;
  if (!field.operators.includes('not_in_list')) return withChildren(group, [...group.conditions, condition]);
  const gathered = conditionWith({ ...before, operator: 'not_in_list' }, [...before.values, value], field);
  return withChildren(group, group.conditions.with(index, carryKey(before, gathered)));
}
