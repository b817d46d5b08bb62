// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { PlannedQuery } from '#shared/bridge/operations.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { choicesOf, chosenOf, defaultChoices, ImportDialog } from './import-dialog.tsx';

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

it('of more queries than it shows, those that act by themselves come first, and the rest can be shown', async () => {
  const queries = Array.from({ length: 620 }, (_, index) => planned(index, 'invalid'));
  const acts = { running: true, words: 'Mails a stranger every Monday' };
  queries[610] = { ...planned(610, 'new'), acts };
  await mount(
    <ImportDialog
      plan={{ importId: 'i', name: 'file.json', queries, notes: [] }}
      onDone={() => {}}
      onClose={() => {}}
    />,
  );
  const rows = () => document.querySelectorAll('.pp-plan');
  expect(rows()).toHaveLength(500);
  expect(rows()[0]?.textContent).toContain('Mails a stranger');
  const button = [...document.querySelectorAll('button')].find(
    ({ textContent }) => textContent === 'Show 120 more',
  );
  await doing(() => button?.click());
  expect(rows()).toHaveLength(620);
});
