import { expect, it } from 'vitest';
import type { QueryConfig } from '#shared/model/entities.ts';
import { facetColumns, isUseful } from './use-facets.ts';

const NO_FILTER = { text: '', facets: {}, condition: null } as unknown as Parameters<typeof isUseful>[1];
const facet = (...values: (string | null)[]) =>
  ({
    column: 'state',
    distinct: values.length,
    values: values.map((value) => ({ value, count: 1 })),
  }) as unknown as Parameters<typeof isUseful>[0];

it('a facet that is unknown in every row is left out, unless a value of it is chosen', () => {
  expect(isUseful(facet(null), NO_FILTER)).toBe(false);
  expect(isUseful(facet(), NO_FILTER)).toBe(false);
  expect(isUseful(facet(null, 'Inbox'), NO_FILTER)).toBe(true);
  expect(isUseful(facet(null), { ...NO_FILTER, facets: { state: [null] } })).toBe(true);
});

it('others can take its place', () => {
  const ids = [
    'verdict',
    'findings',
    'campaign',
    'from_domain',
    'state',
    'clicks',
    'department',
    'spf',
    'dmarc',
  ];
  const config = {
    fields: ids.map((id) => ({ id, type: 'enum', allowedValues: [{ value: 'a', label: 'A' }] })),
  } as unknown as QueryConfig;
  const columns = facetColumns({ columns: ids.map((id) => ({ id })) } as never, config);
  expect(columns.slice(0, 3)).toEqual(['verdict', 'findings', 'campaign']);
  expect(columns).toEqual(expect.arrayContaining(['spf', 'dmarc']));
});
