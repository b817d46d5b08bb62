import { expect, it } from 'vitest';
import type { PlannedQuery } from '#shared/bridge/operations.ts';
import { choicesOf, chosenOf, defaultChoices } from './import-dialog.tsx';

const planned = (index: number, state: PlannedQuery['state']): PlannedQuery => ({
  index,
  label: state,
  domain: 'email',
  subType: null,
  state,
  match: state === 'changed' || state === 'same' ? { id: 'q', name: 'q' } : null,
  changes: [],
  reason: null,
  warnings: [],
  acts: null,
});

it('saved queries are replaced only if the analyst chooses to', () => {
  const queries = (['new', 'changed', 'same', 'invalid'] as const).map((state, index) =>
    planned(index, state),
  );
  expect(chosenOf(defaultChoices(queries))).toEqual([{ index: 0, as: 'new' }]);
  expect(queries.map((query) => choicesOf(query).includes('replace'))).toEqual([false, true, false, false]);
  expect(choicesOf(planned(0, 'invalid'))).toEqual(['skip']);
  expect(
    chosenOf(
      new Map([
        [1, 'replace'],
        [2, 'skip'],
      ] as const),
    ),
  ).toEqual([{ index: 1, as: 'replace' }]);
});
