/**
 * Disabled conditions of a saved query. The specification does not have them, so a service would apply them in its
 * reports. They are sent in a separate field, and the conditions without them.
 */
import type { Fields } from '../api/repair.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { isRecord } from '../model/narrow.ts';
import { treeForm } from './query-form.ts';
import { type ConditionGroup, conditionGroup, effective, emptyGroup, isGroup } from './tree.ts';

/** The fields with a query's conditions, and those that store the whole tree. */
const PARTS = [
  ['filter', 'filterAsEdited'],
  ['reportCondition', 'reportConditionAsEdited'],
] as const;

const treeIn = (value: unknown): ConditionGroup | null => {
  const read = conditionGroup.safeParse(treeForm(value));
  return read.success ? read.data : null;
};

const hasDisabled = (group: ConditionGroup): boolean =>
  group.conditions.some((node) => node.disabled === true || (isGroup(node) && hasDisabled(node)));

/** The query as it is sent. */
export function withoutDisabled(query: Fields): Fields {
  const sent = { ...query };
  for (const [part, whole] of PARTS) {
    const tree = treeIn(query[part]);
    if (tree === null || !hasDisabled(tree)) continue;
    sent[part] = effective(tree);
    sent[whole] = tree;
  }
  return sent;
}

/** The query as edited. A stored tree that does not match the conditions is dropped: they were changed elsewhere. */
export function withDisabled(query: Fields): Fields {
  if (!PARTS.some(([, whole]) => whole in query)) return query;
  const read = { ...query };
  for (const [part, whole] of PARTS) {
    const tree = treeIn(query[whole]);
    const sent = treeIn(query[part]) ?? emptyGroup();
    if (tree !== null && canonicalJson(effective(tree)) === canonicalJson(effective(sent))) read[part] = tree;
    delete read[whole];
  }
  return read;
}

/** The queries of a response as edited. */
export function queriesWithDisabled(answer: unknown): unknown {
  const each = (list: unknown): unknown =>
    Array.isArray(list)
      ? list.map((entry: unknown) => (isRecord(entry) ? withDisabled(entry) : entry))
      : list;
  if (!isRecord(answer)) return each(answer);
  const lists = ['queries', 'rows'].filter((name) => Array.isArray(answer[name]));
  return lists.length === 0
    ? withDisabled(answer)
    : { ...answer, ...Object.fromEntries(lists.map((name) => [name, each(answer[name])])) };
}
