/** What a file of rules would change, with the names that were chosen for its lists. Pure. */
import type { InputOf, PlannedRule } from '#shared/bridge/operations.ts';
import type { RuleContent, RuleHead } from '#shared/rules/rule.ts';
import { listSentence } from '#shared/rules/rule-file.ts';

/** How a list of indicators is taken: a file of them names neither severity nor reason. */
export type Naming = Pick<RuleContent, 'name' | 'severity' | 'sentence'>;

/** Null if the rule is no list, or cannot be taken. */
export function namingOf({ name, kind, severity, sentence }: PlannedRule): Naming | null {
  return kind === 'indicators' && severity !== null && sentence !== null
    ? { name, severity, sentence }
    : null;
}

/** A sentence that only repeats the name follows it. */
export const renamed = (naming: Naming, name: string): Naming => ({
  ...naming,
  name,
  sentence: naming.sentence === listSentence(naming.name) ? listSentence(name) : naming.sentence,
});

/** Under another name it replaces another rule, or none. */
export function stateAs(
  { state, kind, name, severity, sentence }: PlannedRule,
  naming: Naming | null,
  existing: readonly Pick<RuleHead, 'kind' | 'name'>[],
): PlannedRule['state'] {
  if (naming === null || state === 'invalid') return state;
  const isAsPlanned = naming.name === name && naming.severity === severity && naming.sentence === sentence;
  if (isAsPlanned) return state;
  const isThere = existing.some((rule) => rule.kind === kind && rule.name === naming.name.trim());
  return isThere ? 'changed' : 'new';
}

type Choice = InputOf<'rules.import'>['choices'][number];

export const choiceOf = (index: number, isEnabled: boolean, naming: Naming | null): Choice => ({
  index,
  isEnabled,
  ...(naming && { as: naming }),
});
