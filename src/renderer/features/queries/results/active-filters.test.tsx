// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import type { LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { operatorsForType, STANDARD_OPERATORS } from '#shared/query/operators.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { ActiveFilters } from './active-filters.tsx';
import { useFilter } from './use-filter.ts';

const field = (id: string, label: string, type: string, more = {}) => ({
  id,
  dbId: id,
  label,
  type,
  operators: operatorsForType(type),
  ...more,
});
const config = {
  domain: 'email',
  fields: [
    field('verdict', 'Verdict', 'enum', { allowedValues: [{ value: 'found', label: 'Phishing found' }] }),
    field('from_domain', 'Sender domain', 'domain'),
    field('received', 'Received', 'date'),
  ],
  operators: STANDARD_OPERATORS,
  columns: [],
  conditions: [],
  actions: [],
} as unknown as QueryConfig;
const columns = config.fields.map(({ id, label, type }) => ({ id, label, type })) as ResultSet['columns'];

let unmounts: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const unmount of unmounts) await unmount();
  unmounts = [];
});

async function show(filter: LocalFilter) {
  function Filters() {
    const state = useFilter(config, { filter, filterOpen: false, row: 0 }, null);
    return (
      <>
        <ActiveFilters filter={state} config={config} columns={columns} />
        <output>{JSON.stringify([state.typed, state.filter.facets, state.tree.conditions])}</output>
      </>
    );
  }
  const { container, unmount } = await mount(<Filters />);
  unmounts.push(unmount);
  const buttons = () => [...container.querySelectorAll<HTMLButtonElement>('.pp-active-filters button')];
  return {
    words: () => buttons().map(({ textContent }) => textContent),
    press: (words: string) =>
      doing(() =>
        buttons()
          .find(({ textContent }) => textContent === words)
          ?.click(),
      ),
    left: (): unknown => JSON.parse(container.querySelector('output')?.textContent ?? ''),
  };
}

const SPAN = {
  field: 'received',
  operator: 'between',
  values: ['2026-11-01T00:00:00.000Z', '2026-11-01T23:59:59.999Z'],
};
const SENDER = { field: 'from_domain', operator: 'ends_with', values: ['.example'] };
const all = (...conditions: ConditionGroup['conditions']): ConditionGroup => ({
  operator: 'and',
  conditions,
});

it('there are none without a filter', async () => {
  const { words } = await show({ text: ' ', facets: { verdict: [] } });
  expect(words()).toEqual([]);
});

it('search, facets, the group, the time and conditions are named in the words of conditions, each with its remove', async () => {
  const {
    words,
    press,
    left: rest,
  } = await show({
    text: 'invoice',
    facets: { verdict: ['found', null], from_domain: ['evil.example'] },
    condition: all(SENDER, SPAN),
  });
  const SHOWN = [
    'search: invoice',
    'verdict is one of Phishing found or Unknown',
    'sender domain is evil.example',
    'sender domain ends with .example',
    'received is between 2026-11-01 00:00:00 UTC and 2026-11-01 23:59:59.999 UTC',
  ];
  expect(words()).toEqual([...SHOWN, 'Clear all']);
  await press(SHOWN[3]!);
  expect(rest()).toEqual(['invoice', { verdict: ['found', null], from_domain: ['evil.example'] }, [SPAN]]);
  await press(SHOWN[1]!);
  await press(SHOWN[0]!);
  expect(rest()).toEqual(['', { verdict: [], from_domain: ['evil.example'] }, [SPAN]]);
  await press('Clear all');
  expect(rest()).toEqual(['', {}, []]);
  expect(words()).toEqual([]);
});

it('a search for a time is one filter, by the words that were searched for', async () => {
  const { words, press } = await show({ text: '2026-11-01', facets: {} });
  expect(words()).toEqual(['search: 2026-11-01', 'Clear all']);
  await press('Clear all');
  expect(words()).toEqual([]);
});

it('alternatives are one filter; disabled and incomplete conditions are none', async () => {
  const either = await show({ text: '', facets: {}, condition: { ...all(SENDER, SPAN), operator: 'or' } });
  expect(either.words()).toHaveLength(2);
  await either.press(either.words()[0]!);
  expect(either.left()).toEqual(['', {}, []]);
  const idle = await show({
    text: '',
    facets: {},
    condition: all({ ...SENDER, disabled: true }, { ...SENDER, values: [] }, SPAN),
  });
  expect(idle.words()).toHaveLength(2);
  await idle.press(idle.words()[0]!);
  expect(idle.left()).toMatchObject(['', {}, [{ disabled: true }, { values: [] }]]);
});
