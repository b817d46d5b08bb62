/** The search terms of a query for text columns that show where they matched. Pure. */
import type { NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { foldText } from '#shared/query/text.ts';
import { type Condition, type ConditionGroup, effective, isGroup } from '#shared/query/tree.ts';
import { inStoredForm } from '#shared/query/values.ts';

/** The folded texts that every match of a condition contains; words one by one. */
function textsOf({ operator, values }: Condition): string[] {
  const texts = values.map((value) => foldText(String(value ?? '')));
  if (operator === 'contains_words') return texts.flatMap((text) => text.split(/\s+/));
  return operator === 'contains_phrase' || operator === 'contains_text' ? texts : [];
}

/** By field. Negated groups contribute no terms. */
function soughtTexts(filter: ConditionGroup | null | undefined): ReadonlyMap<string, string[]> {
  const terms = new Map<string, string[]>();
  const walk = (group: ConditionGroup): void => {
    if (group.negate) return;
    for (const node of group.conditions) {
      if (isGroup(node)) walk(node);
      else
        terms.set(node.field, [
          ...(terms.get(node.field) ?? []),
          ...textsOf(node).filter((text) => text !== ''),
        ]);
    }
  };
  if (filter) walk(effective(filter));
  return terms;
}

/** The terms to highlight, both in a field's own column and in columns that show where it matched. */
export function soughtIn(
  filter: NewQuery['filter'],
  config: QueryConfig,
): { terms: string[]; columns: string[] }[] {
  const sought = soughtTexts(filter);
  return config.fields.flatMap(({ id, matchOf }) => {
    const terms = matchOf ? sought.get(matchOf) : undefined;
    if (!matchOf || !terms?.length) return [];
    const stored = config.fields.find((field) => field.id === matchOf)?.stored;
    return [{ terms: [...new Set(terms.map((text) => inStoredForm(text, stored)))], columns: [id, matchOf] }];
  });
}
