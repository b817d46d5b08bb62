/** What a query looks for in the texts of which the grid shows the place of a hit. Pure. */
import type { NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { foldText } from '#shared/query/text.ts';
import { type Condition, type ConditionGroup, effective, isGroup } from '#shared/query/tree.ts';

/** The folded texts of a condition that all of them are in what it finds; words one by one. */
function textsOf({ operator, values }: Condition): string[] {
  const texts = values.map((value) => foldText(String(value ?? '')));
  if (operator === 'contains_words') return texts.flatMap((text) => text.split(/\s+/));
  return operator === 'contains_phrase' || operator === 'contains_text' ? texts : [];
}

/** By field. A negated group looks for nothing. */
function soughtTexts(filter: ConditionGroup | null | undefined): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  const walk = (group: ConditionGroup): void => {
    if (group.negate) return;
    for (const node of group.conditions) {
      if (isGroup(node)) walk(node);
      else
        found.set(node.field, [
          ...(found.get(node.field) ?? []),
          ...textsOf(node).filter((text) => text !== ''),
        ]);
    }
  };
  if (filter) walk(effective(filter));
  return found;
}

/** What is marked in the columns that show where a field meets the conditions, and in that field's own. */
export function soughtIn(
  filter: NewQuery['filter'],
  config: QueryConfig,
): { terms: string[]; columns: string[] }[] {
  const sought = soughtTexts(filter);
  return config.fields.flatMap(({ id, matchOf }) => {
    const terms = matchOf ? sought.get(matchOf) : undefined;
    return matchOf && terms?.length ? [{ terms: [...new Set(terms)], columns: [id, matchOf] }] : [];
  });
}
