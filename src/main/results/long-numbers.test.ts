import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sort } from '#shared/model/entities.ts';
import { THREADS } from '#tests/support/threads.ts';
import { keyOrder, listSql, listsOf } from '../export/sort/key-order.ts';
import { keysOf, sortedOrder } from '../export/sort/keys.ts';
import type { Context } from '../kernel/context.ts';
import { createPool, type Pool } from '../store/pool.ts';
import { makeReady } from './columnar/client.ts';
import { compareRuns } from './compare.ts';
import { facetsOf } from './facets.ts';
import { groupsOf } from './groups.ts';
import { activeFilter } from './local-query.ts';
import { createStatements, newRecord, readRecords, type SetRecord } from './record.ts';
import { SortedRows } from './sorted-rows.ts';

const HELD = ['0', '-1', '5', '0.1', '-2.5', '1e20', '9007199254740991', '-9007199254740991'];
const WHOLE = [
  '9007199254740992',
  '9007199254740993',
  '9007199254740994',
  '-9007199254740993',
  '1234567890123456788',
  '1234567890123456789',
  '-1234567890123456789',
  // The same double, written with the digits that JavaScript prints, and with its own.
  '1152921504606847000',
  '1152921504606846976',
  '9223372036854775807',
  '-9223372036854775808',
];
const OTHERS = [
  '12345678901234567890',
  '12345678901234567891',
  '18446744073709551615',
  '-18446744073709551615',
  '9007199254740993.5',
  '0.12345678901234567890',
  '0.12345678901234567891',
  '-0.12345678901234567891',
  '1e400',
];
const TEXTS = ['"n/a"', '"alpha"', '"beta"'];

/** JSON of the cells that the rows of a column go through. */
const COLUMNS: Record<string, { type: string; multi?: boolean; cells: readonly string[] }> = {
  plain: { type: 'number', cells: ['3', '1', 'null', '2.5', '-4'] },
  whole: { type: 'number', cells: [...HELD, ...WHOLE, 'null'] },
  all: { type: 'number', cells: [...HELD, ...WHOLE, ...OTHERS, 'null'] },
  odd: { type: 'number', cells: [...TEXTS, ...WHOLE, ...OTHERS] },
  untyped: { type: 'long', cells: [...HELD, ...TEXTS, ...OTHERS, ...WHOLE, 'null'] },
  list: {
    type: 'number',
    multi: true,
    cells: ['[]', ...[...HELD, ...WHOLE, ...OTHERS].map((item) => `[${item}, 7]`)],
  },
};
const ids = Object.keys(COLUMNS);
const cellOf = (id: string, row: number): string => {
  const { cells } = COLUMNS[id]!;
  return cells[(row * 7) % cells.length]!;
};
const itemsOf = (cell: string): string[] =>
  cell === 'null' ? [] : cell.startsWith('[') ? cell.slice(1, -1).split(', ').filter(Boolean) : [cell];

const SCALE = 30n;
/** A number in decimal notation, times 10^30. */
function exact(text: string): bigint | null {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(\d+))?$/.exec(text) ?? [];
  if (whole === '') return null;
  const value = BigInt(whole + fraction) * 10n ** (SCALE + BigInt(power) - BigInt(fraction.length));
  return sign === '-' ? -value : value;
}
const order = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b));

/** Missing values last, then numbers before texts. */
function compareCells(a: string, b: string, descending: boolean): number {
  if (a === 'null' || b === 'null') return Number(a === 'null') - Number(b === 'null');
  const [left, right] = [exact(a), exact(b)];
  const rising =
    left !== null && right !== null
      ? order(left, right)
      : left === null && right === null
        ? order(BigInt(a > b), BigInt(a < b))
        : Number(left === null) - Number(right === null);
  return descending ? -rising : rising;
}

let folder: string;
let pool: Pool;
const signal = new AbortController().signal;
const clocks = { now: () => 0, ticks: () => 0 };
const sortedRows = new SortedRows(() => pool, clocks, {
  share: (rows) => ({ ...rows, release: () => undefined }),
});

async function makeSet(
  n: number,
  rows: number,
  change: (cell: string, row: number) => string = (cell) => cell,
) {
  const columns = Object.entries(COLUMNS).map(([id, { type, multi }]) => ({
    id,
    label: id,
    type,
    multiValues: multi === true,
  }));
  const payload = { sort_by: [], include_copies: false } as unknown as SetRecord['payload'];
  const record = newRecord({ n, key: `k${n}`, connectionId: 'c', payload, columns, now: 0 });
  const texts = Array.from(
    { length: rows },
    (_, row) =>
      `{"entity_id":"e-${row}",${ids.map((id) => `"${id}":${change(cellOf(id, row), row)}`).join(',')}}`,
  );
  const stored = await pool.ingest({
    ...{ type: 'ingest', n, setId: record.id, columns: record.columns, loaded: 0, target: null, now: 0 },
    ...{ pageScan: null, byValues: false, before: createStatements(record) },
    bytes: Buffer.from(`{"rows":[${texts.join(',')}],"total_rows":${rows}}`),
  });
  expect(stored.added).toBe(rows);
  return Object.assign(record, {
    loaded: rows,
    state: 'complete' as const,
    columns: stored.columns ?? record.columns,
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-long-'));
  pool = await createPool({
    entry: THREADS.store,
    kind: 'cache',
    path: join(folder, 'cache.sqlite'),
    key: null,
    now: 0,
  });
});
afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

const BOUNDS = ['5', '0.1', ...WHOLE, ...OTHERS].filter((text) => !text.startsWith('-') && text !== '1e400');
const SOME_BOUNDS = ['1234567890123456789', '0.12345678901234567890'];

// From 5,000 rows on, columns without such numbers are read from memory.
describe.each([
  { size: 240, columns: ids, bounds: BOUNDS },
  { size: 5_100, columns: ['plain', 'all'], bounds: SOME_BOUNDS },
])('long numbers of $size rows', ({ size, columns, bounds }) => {
  let record: SetRecord;
  let rows: { record: SetRecord; db: Pool };
  const every = Array.from({ length: size }, (_, row) => row);
  beforeAll(async () => {
    record = await makeSet(size, size);
    rows = { record, db: pool };
    await makeReady(pool, record);
  });

  const matching = async (id: string, operator: string, ...values: string[]): Promise<number[]> => {
    const filter = activeFilter({
      text: '',
      facets: {},
      condition: { operator: 'and', conditions: [{ field: id, operator, values }] },
    });
    const { rows: hits, count } = await sortedRows.slice(rows, 0, size, [], filter, signal);
    expect(hits).toHaveLength(count);
    return hits.map(([entity]) => Number(String(entity).slice(2)));
  };
  const numbersOf = (id: string, row: number) =>
    itemsOf(cellOf(id, row)).flatMap((item) => exact(item) ?? []);
  const expected = (id: string, fits: (value: bigint) => boolean) =>
    every.filter((row) => numbersOf(id, row).some(fits));

  it('are known of the columns that have them, also after a restart', async () => {
    const kinds = { whole: 'whole', all: 'any', odd: 'any', untyped: 'any', list: 'any' };
    const longIn = ({ columns }: SetRecord) =>
      Object.fromEntries(columns.flatMap(({ id, long }) => (long === undefined ? [] : [[id, long]])));
    expect(longIn(record)).toEqual(kinds);
    const stored = await readRecords(pool);
    expect(longIn(stored.find(({ n }) => n === size)!)).toEqual(kinds);
  });

  it.each(
    columns.filter((id) => id !== 'list').flatMap((id) => [[id, 'asc'] as const, [id, 'desc'] as const]),
  )('are in order by %s %s, on screen and in exports', async (id, direction) => {
    const sort: Sort[] = [{ dbId: id, direction }];
    const expected = every.toSorted((a, b) =>
      compareCells(cellOf(id, a), cellOf(id, b), direction === 'desc'),
    );
    const { rows: hits } = await sortedRows.slice(rows, 0, size, sort, null, signal);
    expect(hits.map(([entity]) => Number(String(entity).slice(2)))).toEqual(expected);
    const { values, descending } = keyOrder(record, sort);
    const lists = values.map((value) => listSql(value.sql, value)).join(', ');
    const [row = []] = await pool.rows(`SELECT ${lists} FROM rs_${size} r WHERE r.pos < ${size}`);
    expect([...sortedOrder(keysOf(listsOf(row), descending, every))]).toEqual(expected);
  });

  it.each(columns)('in %s are found by exactly their value', async (id) => {
    for (const text of bounds) {
      const bound = exact(text)!;
      expect(await matching(id, 'is', text), text).toEqual(expected(id, (value) => value === bound));
      expect(await matching(id, 'in_list', text, '5'), text).toEqual(
        expected(id, (value) => value === bound || value === exact('5')),
      );
      expect(await matching(id, 'greater_than', text), text).toEqual(expected(id, (value) => value > bound));
      expect(await matching(id, 'less_than', text), text).toEqual(expected(id, (value) => value < bound));
      expect(await matching(id, 'between', text, '9007199254740993'), text).toEqual(
        expected(id, (value) => {
          const [low, high] = [bound, exact('9007199254740993')!].sort(order) as [bigint, bigint];
          return value >= low && value <= high;
        }),
      );
    }
  });

  it.each(columns)('are counted one by one in the values of %s, which lead to their rows', async (id) => {
    const keyOf = (text: string) => exact(text)?.toString() ?? text.replaceAll('"', '');
    const counts = new Map<string, number>();
    for (const row of every)
      for (const key of new Set(
        itemsOf(cellOf(id, row)).length === 0
          ? [cellOf(id, row) === '[]' ? '' : 'null']
          : itemsOf(cellOf(id, row)).map(keyOf),
      ))
        counts.set(key, (counts.get(key) ?? 0) + 1);
    const [facet] = await facetsOf(rows, () => 0, [id], null, signal);
    expect(facet?.distinct).toBe(counts.size);
    expect(new Map(facet?.values.map(({ value, count }) => [keyOf(String(value)), count]))).toEqual(counts);
    for (const { value, count } of facet?.values.slice(0, bounds.length) ?? []) {
      const filter = activeFilter({ text: '', facets: { [id]: [value] } });
      expect(await sortedRows.count(rows, filter!, signal), String(value)).toBe(count);
    }
    const groups = await groupsOf(rows, {
      ...{ by: [{ column: id, most: 100 }], clock: 'utc', filter: null, now: 0, signal },
    });
    const [axis] = groups.axes;
    const values = axis !== undefined && 'values' in axis ? axis.values : [];
    expect(
      new Map(groups.cells.map(({ at: [slot], count }) => [keyOf(String(values[slot!])), count])),
    ).toEqual(counts);
  });
});

it('two runs differ by the last digit of a number', async () => {
  const base = await makeSet(1, 60);
  const other = await makeSet(2, 60, (cell) =>
    cell
      .replace('1234567890123456788', '1234567890123456789')
      .replace('18446744073709551615', '18446744073709551614'),
  );
  const differs = ids.map((id) => ({
    id,
    rows: Array.from({ length: 60 }, (_, row) => cellOf(id, row)).filter((cell) =>
      /1234567890123456788|18446744073709551615/.test(cell),
    ).length,
  }));
  for (const { id, rows } of differs.filter(({ rows: count }) => count > 0)) {
    const ctx = { cache: pool, ports: { now: () => 0 } } as unknown as Context;
    const compared = await compareRuns(ctx, 100 + ids.indexOf(id), base, other, [id], signal);
    expect(compared.origin?.changed, id).toBe(rows);
    expect(compared.columns.find((column) => column.id === id)?.long).toBe(
      base.columns.find((column) => column.id === id)?.long,
    );
  }
});
