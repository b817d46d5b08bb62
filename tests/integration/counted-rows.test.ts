/** A count leads to exactly the rows that it counted: values, groups and bars, from the database and from memory. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeReady } from '#main/results/columnar/client.ts';
import {
  filterOf,
  type Narrowing,
  narrowedTo,
  withAside,
} from '#renderer/features/queries/groups/group-view.ts';
import type { Groups, LocalFilter } from '#shared/bridge/operations.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { Cell, Row } from '#shared/model/entities.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { CONNECTION } from '../support/data-services.ts';
import { asking, type RowsFixture, startRowsFixture } from '../support/rows-fixture.ts';
import { ROWS_PAYLOAD } from '../support/rows-service.ts';

const column = (id: string, type: string, multiValues = false) => ({ id, label: id, type, multiValues });
const COLUMNS = [
  column('verdict', 'enum'),
  column('text', 'text'),
  column('tags', 'text', true),
  column('numbers', 'number', true),
  column('object', 'object'),
  column('objects', 'object', true),
  column('flag', 'boolean'),
  column('number', 'number'),
  column('any', 'unheard-of'),
  column('received', 'date'),
  column('dates', 'date', true),
];
const VALUES: Readonly<Record<string, readonly Cell[]>> = {
  verdict: ['clean', 'found', null, 'spam', 'CLEAN'],
  text: ['', 'a', 'A', 'ä', '[]', null, 'null'],
  tags: [[], ['a'], ['b', 'a'], ['a', 'a'], ['A', null], [''], null, ['a', 'b', 'c'], 'a', ['"']],
  numbers: [[1, 2], [2], [], [1.5, 'x'], null, 3, [true, 1]],
  object: [{ id: 1 }, { id: 2, of: ['a'] }, null, ['x'], 'plain', {}, 5, []],
  objects: [[{ id: 1 }], [{ id: 1 }, { id: 2 }], [], null, [null], [[1], 'a'], { id: 2 }],
  flag: [true, false, null, 2, 'yes', 0],
  number: [0, -1, 1, 1.5, null, 'many', 3],
  any: ['5', 5, 5.5, true, null, '', { a: 1 }],
  received: [
    null,
    '',
    'soon',
    '2026-03-28T10:00:00Z',
    '2026-03-28T22:59:59.999Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T01:30:00.12345Z',
    '2026-03-30T23:59:59Z',
    '1969-12-31T23:59:59Z',
    '2999-01-01T00:00:00Z',
  ],
  dates: [['2026-03-28T10:00:00Z'], [], null, ['soon', null]],
};
/** Enough for columns in memory. */
const ROWS = 5_000;

/** Every value with every value of the other columns, in time. */
const rows: Row[] = Array.from({ length: ROWS }, (_, number) => ({
  entity_id: `e-${number}`,
  ...Object.fromEntries(
    Object.entries(VALUES).map(([id, values], index) => {
      const turn = Math.floor((number * (2 * index + 3)) / 7) + number * (index % 3);
      return [id, values[turn % values.length]!];
    }),
  ),
}));

let fixture: RowsFixture;
let resultId: string;
beforeAll(async () => {
  fixture = await startRowsFixture(0);
  fixture.service.rows = rows;
  const set = await fixture.data.handlers['results.open'](
    { connectionId: CONNECTION, payload: ROWS_PAYLOAD, columns: COLUMNS, refresh: true },
    asking(),
  );
  resultId = set.id;
  await fixture.fetchAll(set.id);
});
afterAll(() => fixture.close());

const BASES: Narrowing[] = [
  { facets: {}, tree: emptyGroup() },
  { facets: { tags: ['a', 'b'] }, tree: emptyGroup() },
  {
    facets: {},
    tree: {
      operator: 'and',
      conditions: [{ field: 'received', operator: 'between', values: ['2026-03-28T12:00', '2026-03-29'] }],
    },
  },
];
const asFilter = ({ facets, tree }: Narrowing): LocalFilter => ({
  text: '',
  facets,
  ...(tree.conditions.length > 0 ? { condition: tree } : {}),
});
const rowsOf = async (filter: Narrowing) =>
  (
    await fixture.data.handlers['results.page'](
      { resultId, start: 0, end: 0, filter: asFilter(filter) },
      asking(),
    )
  ).count;

async function wrongFacets(base: Narrowing, columns: string[]): Promise<string[]> {
  const { facets } = await fixture.data.handlers['results.facets'](
    { resultId, columns, filter: asFilter(base) },
    asking(),
  );
  expect(facets.map(({ column: id }) => id)).toEqual(columns);
  const wrong: string[] = [];
  for (const { column: id, values, distinct } of facets) {
    expect([id, values.length]).toEqual([id, distinct]);
    for (const { value, count } of values) {
      const opened = await rowsOf({ ...base, facets: { ...base.facets, [id]: [value] } });
      if (opened !== count) wrong.push(`${id} ${JSON.stringify(value)}: ${count}, opens ${opened}`);
    }
  }
  return wrong;
}

async function wrongGroups(base: Narrowing, by: string[], clock: ClockSetting): Promise<string[]> {
  const groups: Groups = await fixture.data.handlers['results.groups'](
    { resultId, by: by.map((id) => ({ column: id, most: 30 })), clock, filter: asFilter(base) },
    asking(),
  );
  const wrong: string[] = [];
  for (const axis of groups.axes) {
    if (!('edges' in axis)) continue;
    // Of times that cannot be true, which lead to their rows, too.
    const days = ((axis.edges.at(-1) ?? 0) - (axis.edges[0] ?? 0)) / 86_400_000;
    if (days > 4) wrong.push(`${axis.column}: an axis of ${days} days`);
    if (axis.aside === 0) continue;
    const opened = await rowsOf({ ...base, tree: withAside(base.tree, axis.column, axis.edges) });
    if (opened !== axis.aside) wrong.push(`set aside: ${axis.aside}, opens ${opened}`);
  }
  for (const { at, count } of groups.cells) {
    const parts = at.map((place, index) => filterOf(groups.axes[index]!, place));
    const filters = parts.filter((part) => part !== null);
    expect(filters.length, `${by} ${at}`).toBe(parts.length);
    const opened = await rowsOf(narrowedTo(base, filters));
    if (opened !== count) wrong.push(`${JSON.stringify(filters)}: ${count}, opens ${opened}`);
  }
  return wrong;
}

describe.each(['the database', 'memory'])('from %s, a count leads to the rows that it counted:', (from) => {
  beforeAll(async () => {
    if (from === 'the database') return;
    const used = await fixture.data.sets.acquire(resultId);
    await makeReady(fixture.data.ctx.cache, used.record);
    used.release();
  });

  it('values', async () => {
    const wrong = await wrongFacets(
      BASES[0]!,
      COLUMNS.map(({ id }) => id),
    );
    for (const base of BASES.slice(1)) wrong.push(...(await wrongFacets(base, ['tags', 'object'])));
    expect(wrong).toEqual([]);
  });

  it('groups and bars', async () => {
    const wrong: string[] = [];
    for (const { id } of COLUMNS) wrong.push(...(await wrongGroups(BASES[0]!, [id], 'utc')));
    for (const base of BASES)
      for (const id of ['tags', 'received'])
        wrong.push(...(await wrongGroups(base, [id], { tenant: 'Europe/Berlin' })));
    for (const by of [
      ['tags', 'received'],
      ['objects', 'flag'],
    ])
      wrong.push(...(await wrongGroups(BASES[0]!, by, 'utc')));
    expect(wrong).toEqual([]);
  });
});
