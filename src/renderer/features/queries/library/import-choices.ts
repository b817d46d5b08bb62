/** What is done with each query of an import. Pure. */
import type { PlannedQuery } from '#shared/bridge/operations.ts';
import type { ImportChoices } from '../query-files.ts';

export type ImportChoice = 'skip' | 'new' | 'replace';

export const CHOICE_LABELS: Readonly<Record<ImportChoice, string>> = {
  skip: 'Leave out',
  new: 'Import as new',
  replace: 'Replace the saved one',
};

/** What can be done with a query, the default first: nothing that is saved changes unless it is chosen. */
export function choicesOf({ state, match }: PlannedQuery): ImportChoice[] {
  if (state === 'invalid') return ['skip'];
  if (state === 'new') return ['new', 'skip'];
  return state === 'changed' && match ? ['skip', 'replace', 'new'] : ['skip', 'new'];
}

export const defaultChoices = (queries: readonly PlannedQuery[]): ReadonlyMap<number, ImportChoice> =>
  new Map(queries.map((query) => [query.index, choicesOf(query)[0] ?? 'skip']));

/** What is sent, in the order of the file. */
export const chosenOf = (choices: ReadonlyMap<number, ImportChoice>): ImportChoices =>
  [...choices].flatMap(([index, as]) => (as === 'skip' ? [] : [{ index, as }]));
