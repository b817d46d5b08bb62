import Sqlite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Row, Sort } from '#shared/model/entities.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { sqlFunctions } from '#shared/query/sql-functions.ts';
import { foldText } from '#shared/query/text.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';
import type { GroupAxis, GroupCell } from '../../store/tasks.ts';
import { createEncoder, LEAD } from '../encode.ts';
import { groupsStatement } from '../groups-sql.ts';
import { localQuery } from '../local-query.ts';
import { createStatements, newRecord, type SetRecord } from '../record.ts';
import { columnQuery } from './client.ts';
import { ColumnEngine } from './engine.ts';
import { compareText, instantKey, instantOfKey } from './vectors.ts';

const ROWS = 6_000;
const NOW = Date.UTC(2026, 10, 21);
const column = (id: string, type: string, multiValues = false) => ({ id, label: id, type, multiValues });
const columns = [
  column('verdict', 'enum'),
  column('name', 'text'),
  column('unique', 'text'),
  column('mixed', 'text'),
  column('size', 'number'),
  column('score', 'float'),
  column('at', 'date'),
  column('seen', 'date'),
  column('read', 'boolean'),
  column('files', 'text', true),
  column('what', 'unheard-of'),
];

let seed = 7;
const random = (below: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
};
const pick = <T>(...list: T[]): T => list[random(list.length)]!;
const instant = () =>
  new Date(Date.UTC(2026, random(12), 1 + random(28), random(24), random(60))).toISOString();

const rows: Row[] = Array.from({ length: ROWS }, (_, index) => ({
  entity_id: `e-${index}`,
  verdict: pick('clean', 'Clean', 'spam', 'found', 'not-scanned', 'suspicious', 'new word', null),
  name: pick('Ünal', 'unal', 'UNAL', '請求書', '\u{10400}', '\uff5e', 'a b', 'A b', 'ab', '', null),
  unique: `subject ${index} ${random(1_000_000)}`,
  size: random(20) === 0 ? null : random(2_000) - 1_000,
  score: pick(0.5, -0.25, 0, 3, 1e-3, null),
  at: random(30) === 0 ? null : instant(),
  // Two forms of instants in one column sort as text and are left to SQLite.
  seen: random(2) === 0 ? instant() : instant().replace('.000', ''),
  read: pick(true, false, null),
  files: pick<string[] | null>([], ['a.pdf'], ['b.pdf', 'a.pdf'], ['b.pdf', 'b.pdf'], null),
  what: pick<string | number | null>('text', 'TEXT', 5, 5.5, '5', null),
}));

const PIECES = [
  ...[
    'a',
    'B',
    'z',
    'Z',
    '\u007f',
    ' ',
    '\u0001',
    'é',
    'e\u0301',
    'ß',
    'ẞ',
    'ı',
    'İ',
    'ς',
    'Σ',
    'ﬁ',
    'ǆ',
    '\u00ad',
  ],
  ...[
    'Ё',
    'й',
    'и\u0306',
    'か',
    'か\u3099',
    'が',
    'ｶﾞ',
    '한',
    '\u1112\u1161\u11ab',
    '請',
    '\u{10400}',
    '\uff5e',
  ],
  ...['\u{1f600}', '\ufffd', '\u0301', '\u3099', 'क\u093c', '\u0958', '\u2126', '\u1e9b\u0323', '\u{1d15e}'],
];
/** `random` repeats itself too soon for texts that must differ. */
let state = 1;
const piece = () => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return PIECES[(state >>> 0) % PIECES.length]!;
};
for (const [index, row] of rows.entries())
  row['mixed'] =
    index % 9 === 0
      ? null
      : ['', 'Re: ', '[EXTERNAL] '][index % 3]! + Array.from({ length: 2 + (index % 5) }, piece).join('');

const db = new Sqlite(':memory:');
let record: SetRecord;
let engine: ColumnEngine;
beforeAll(async () => {
  for (const [name, work] of Object.entries(sqlFunctions(() => 0).functions))
    db.function(name, { deterministic: true, varargs: true }, work as (...args: unknown[]) => unknown);
  db.function('pp_probe', () => 1);
  record = newRecord({
    n: 1,
    key: 'k',
    connectionId: 'c',
    payload: { sort_by: [], include_copies: false } as unknown as SetRecord['payload'],
    columns,
    now: 0,
  });
  db.exec(createStatements(record)[1]!.sql);
  const names = ['pos', ...LEAD, ...record.columns.map(({ sql }) => sql)];
  const insert = db.prepare(
    `INSERT INTO rs_1 (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  const encode = createEncoder(record.columns);
  db.transaction(() => {
    for (const [index, row] of rows.entries()) insert.run(index, ...encode(row).values);
  })();
  Object.assign(record, { loaded: ROWS, state: 'complete' });
  engine = new ColumnEngine(db);
  await build();
});
const goesOn = () => Promise.resolve(true);
const build = () => engine.build({ n: 1, setId: record.id, columns: record.columns, loaded: ROWS }, goesOn);

const group = (
  operator: 'and' | 'or',
  conditions: ConditionGroup['conditions'],
  negate = false,
): ConditionGroup => ({
  operator,
  conditions,
  negate,
});
const leaf = (field: string, operator: string, ...values: Condition['values']): Condition => ({
  field,
  operator,
  values,
});
const filterOf = (facets: LocalFilter['facets'], condition?: ConditionGroup): LocalFilter => ({
  text: '',
  facets,
  ...(condition ? { condition } : {}),
});

const bySql = (sort: readonly Sort[], filter: LocalFilter | null) => {
  const { from, params, order } = localQuery(record, sort, filter, { now: NOW, hits: null });
  return db.prepare(`SELECT r.pos ${from} ORDER BY ${order}`).pluck().all(params) as number[];
};
const byColumns = async (
  sort: readonly Sort[],
  filter: LocalFilter | null,
  want: Parameters<typeof columnQuery>[1]['want'] = { kind: 'order' },
  hits: Uint32Array | null = null,
) => {
  const task = columnQuery(record, { sort, filter, want, now: NOW });
  return engine.answer(task, hits, goesOn);
};

const SOME = Number(rows.find(({ size }) => size !== null)!['size']);
const SORTED = ['verdict', 'name', 'size', 'score', 'at', 'read', 'files', 'what'];
const FILTERS: LocalFilter[] = [
  filterOf({ verdict: ['clean', null] }),
  filterOf({ verdict: ['spam'], read: [true, null] }),
  filterOf({ size: [5, SOME, null] }),
  filterOf({ files: ['b.pdf', null] }),
  filterOf({ files: ['', 'a.pdf'] }),
  filterOf({ at: [null] }),
  filterOf({}, group('and', [leaf('size', 'greater_than', 100), leaf('size', 'less_than', 500)])),
  filterOf({}, group('or', [leaf('size', 'between', 5, 1), leaf('verdict', 'is', 'CLEAN')])),
  filterOf({}, group('and', [leaf('size', 'is', SOME)], true)),
  filterOf({}, group('and', [leaf('size', 'is_not', SOME), leaf('size', 'is_empty')])),
  filterOf({}, group('and', [leaf('score', 'is_not_empty'), leaf('score', 'in_list', 0.5, 3)])),
  filterOf(
    {},
    group('and', [leaf('at', 'after', '2026-03-01'), leaf('at', 'before', '2026-09-01T10:00:00Z')]),
  ),
  filterOf({}, group('and', [leaf('at', 'in_the_last', 90, 'days')])),
  filterOf({}, group('and', [leaf('name', 'contains_text', 'UNA'), leaf('read', 'is_false')])),
  filterOf({}, group('or', [leaf('files', 'contains_text', 'a.'), leaf('name', 'is_empty')])),
  filterOf(
    { verdict: ['found', 'clean'] },
    group('and', [
      group('or', [leaf('name', 'starts_with', 'a'), leaf('size', 'less_than', 0)], true),
      leaf('read', 'is_true'),
    ]),
  ),
];

/** The values that a row counts for. */
const itemsIn = (row: Row, id: string): unknown[] => {
  const value = row[id] ?? null;
  if (!Array.isArray(value)) return [value];
  return value.length === 0 ? [''] : [...new Set(value)];
};

/** The same groups, counted row by row. */
function groupsByHand(axes: readonly { id: string; axis: GroupAxis }[], matching: ReadonlySet<number>) {
  const cells = new Map<string, GroupCell>();
  const slotsOf = ({ id, axis }: (typeof axes)[number], row: Row): number[] => {
    if ('starts' in axis) {
      const value = row[id];
      return [
        typeof value === 'string' ? axis.starts.findLastIndex((start) => start <= value) : axis.starts.length,
      ];
    }
    const slots = itemsIn(row, id).map((item) => {
      const index = axis.values.indexOf((typeof item === 'boolean' ? Number(item) : item) as string);
      return index < 0 ? axis.values.length : index;
    });
    return [...new Set(slots)];
  };
  for (const [index, row] of rows.entries()) {
    if (!matching.has(index)) continue;
    const time = typeof row['at'] === 'string' ? row['at'] : null;
    const [outer = [0], inner = [0]] = axes.map((axis) => slotsOf(axis, row));
    for (const a of outer)
      for (const b of inner) {
        const slots = [a, b].slice(0, axes.length);
        const cell = cells.get(slots.join()) ?? { at: slots, count: 0, first: null, last: null };
        cells.set(slots.join(), cell);
        cell.count++;
        if (time !== null && (cell.first === null || time < cell.first)) cell.first = time;
        if (time !== null && (cell.last === null || time > cell.last)) cell.last = time;
      }
  }
  return sortedCells([...cells.values()]);
}
const sortedCells = (cells: readonly GroupCell[]) =>
  cells.toSorted((a, b) => a.at[0]! - b.at[0]! || (a.at[1] ?? 0) - (b.at[1] ?? 0));

describe('columns in memory, like SQLite,', () => {
  it('sort by one column in either direction', async () => {
    for (const dbId of SORTED)
      for (const direction of ['asc', 'desc'] as const) {
        const expected = bySql([{ dbId, direction }], null);
        expect(
          [...(await byColumns([{ dbId, direction }], null))!.rowIndexes],
          `${dbId} ${direction}`,
        ).toEqual(expected);
        const first = await byColumns([{ dbId, direction }], null, { kind: 'rows', start: 40, end: 140 });
        expect([...first!.rowIndexes], `${dbId} ${direction}`).toEqual(expected.slice(40, 140));
      }
  });

  it('name the rows among which SQLite finds the first by a text of too many values, in either direction', async () => {
    const { sql } = record.columns.find(({ id }) => id === 'mixed')!;
    const texts = db.prepare(`SELECT ${sql} FROM rs_1 ORDER BY pos`).pluck().all() as (string | null)[];
    expect(new Set(texts).size).toBeGreaterThan(ROWS * 0.75);
    const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const plain = (factor: 1 | -1) =>
      texts
        .map((text, index) => ({ text, fold: text === null ? '' : foldText(text), at: index }))
        .toSorted((a, b) => {
          if (a.text === null || b.text === null)
            return Number(a.text === null) - Number(b.text === null) || a.at - b.at;
          return factor * (byBytes(a.fold, b.fold) || byBytes(a.text, b.text)) || a.at - b.at;
        })
        .map(({ at }) => at);
    for (const direction of ['asc', 'desc'] as const) {
      const sort = [{ dbId: 'mixed', direction }] as const;
      const expected = plain(direction === 'asc' ? 1 : -1);
      expect(bySql(sort, null)).toEqual(expected);
      for (const end of [1, 100, 2_500, 5_200, ROWS]) {
        const answer = await byColumns(sort, null, { kind: 'rows', start: end >> 1, end });
        const candidates = new Set(answer!.rowIndexes);
        expect(answer).toMatchObject({ count: ROWS, areCandidates: true });
        expect(expected.filter((row) => candidates.has(row)).slice(0, end), `${direction} ${end}`).toEqual(
          expected.slice(0, end),
        );
        if (end <= 2_500) expect(candidates.size).toBeLessThan(end + 200);
      }
      const [filter] = FILTERS;
      const first = [{ dbId: 'read', direction }, ...sort, { dbId: 'size', direction }] as const;
      const narrowed = bySql(first, filter!);
      const answer = await byColumns(first, filter!, { kind: 'rows', start: 0, end: 50 });
      const candidates = new Set(answer!.rowIndexes);
      expect(narrowed.filter((row) => candidates.has(row)).slice(0, 50)).toEqual(narrowed.slice(0, 50));
      expect(candidates.size).toBeLessThan(250);
    }
  });

  it('sort verdicts by severity, an unrecognised word before "not scanned"', async () => {
    const order = (await byColumns([{ dbId: 'verdict', direction: 'asc' }], null))!.rowIndexes;
    const words = [...new Set([...order].map((index) => rows[index]!['verdict']))];
    expect(words).toEqual(['found', 'suspicious', 'spam', 'new word', 'not-scanned', 'Clean', 'clean', null]);
  });

  it('sort by several columns', async () => {
    for (const first of SORTED)
      for (const second of SORTED) {
        const sort = [
          { dbId: first, direction: pick('asc', 'desc') },
          { dbId: second, direction: pick('asc', 'desc') },
        ] as const;
        const expected = bySql(sort, null);
        expect([...(await byColumns(sort, null))!.rowIndexes], JSON.stringify(sort)).toEqual(expected);
        const rows = await byColumns(sort, null, { kind: 'rows', start: 0, end: 200 });
        expect([...rows!.rowIndexes], JSON.stringify(sort)).toEqual(expected.slice(0, 200));
      }
  });

  it('filter, sorted and unsorted', async () => {
    for (const filter of FILTERS)
      for (const sort of [[], [{ dbId: 'at', direction: 'desc' }]] as const) {
        const expected = bySql(sort, filter);
        expect(expected.length, JSON.stringify(filter)).toBeLessThan(ROWS);
        const all = await byColumns(sort, filter);
        expect([...all!.rowIndexes], JSON.stringify(filter)).toEqual(expected);
        const some = await byColumns(sort, filter, { kind: 'rows', start: 10, end: 60 });
        expect({ count: some!.count, rowIndexes: [...some!.rowIndexes] }).toEqual({
          count: expected.length,
          rowIndexes: expected.slice(10, 60),
        });
      }
    expect(FILTERS.some((filter) => bySql([], filter).length > 100)).toBe(true);
  });

  it('count facets', async () => {
    for (const id of ['verdict', 'name', 'size', 'read', 'files', 'what'])
      for (const filter of [null, ...FILTERS]) {
        const { from, params } = localQuery(record, [], filter, { now: NOW, hits: null });
        const { sql, storage } = record.columns.find((column) => column.id === id)!;
        const values =
          storage === 'json'
            ? `SELECT DISTINCT l.row, j.value FROM (SELECT r.pos AS row, r.${sql} AS list ${from}) l
                JOIN json_each(iif(l.list = '[]', '[""]', ifnull(l.list, '[null]'))) j`
            : `SELECT r.${sql} AS value ${from}`;
        const groups = db
          .prepare(
            `SELECT value, count(*) AS count FROM (${values}) GROUP BY value ORDER BY count DESC, value`,
          )
          .all(params);
        const counted = await byColumns([], filter, { kind: 'facet', sql, limit: 5 });
        expect(counted, `${id} ${JSON.stringify(filter)}`).toMatchObject({
          count: groups.length,
          values: groups.slice(0, 5),
        });
      }
  });

  it('count groups by one and two columns, and report their first and last rows', async () => {
    const values = (id: string, most: number) => {
      const { sql, storage } = record.columns.find((column) => column.id === id)!;
      const items = rows.flatMap((row) => itemsIn(row, id));
      const cell = (value: unknown) => (storage === 'boolean' && value !== null ? Number(value) : value);
      return { id, axis: { sql, values: [...new Set(items)].slice(0, most).map(cell) as string[] } };
    };
    const time = record.columns.find(({ id }) => id === 'at')!;
    const starts = [0, 3, 4, 9].map((month) => new Date(Date.UTC(2026, month, 1)).toISOString());
    const spans = { id: 'at', axis: { sql: time.sql, starts } };
    const minutes = {
      id: 'at',
      axis: { sql: time.sql, starts: ['2026-01-01T00:00:00.000Z', '2026-02-03T04:05:00.000Z'] },
    };
    const cases = [
      [],
      [values('verdict', 9)],
      [values('name', 3), spans],
      [spans, values('files', 1)],
      [minutes, values('read', 3)],
      [values('files', 2), values('what', 2)],
      [values('size', 40)],
      // Several values that are not on the axis count as one row among the others.
      [values('files', 0)],
    ];
    for (const axes of cases)
      for (const filter of [null, ...FILTERS.slice(3, 7)]) {
        const want = { kind: 'groups', axes: axes.map(({ axis }) => axis), time: time.sql } as const;
        const name = JSON.stringify([axes.map(({ id }) => id), filter]);
        const query = localQuery(record, [], filter, { now: NOW, hits: null });
        const columns = axes.map(({ id }) => record.columns.find((column) => column.id === id)!);
        const statement = groupsStatement(query, columns, want.axes, time);
        const bySqlite = statement.read(db.prepare(statement.sql).raw().all(statement.params) as never);
        const counted = (await byColumns([], filter, want))!.cells!;
        const expected = groupsByHand(axes, new Set(bySql([], filter)));
        expect(sortedCells(counted), name).toEqual(expected);
        expect(sortedCells(bySqlite), name).toEqual(expected);
      }
    const [column] = ['seen'].map((id) => record.columns.find((column) => column.id === id)!);
    expect(await byColumns([], null, { kind: 'groups', axes: [], time: column!.sql })).toBeNull();
  });

  it('narrow to the hits of a search', async () => {
    const hits = Uint32Array.from([1, 5, 900, 5_999]);
    expect([...(await byColumns([], null, { kind: 'order' }, hits))!.rowIndexes]).toEqual([...hits]);
    const filter = filterOf({ verdict: ['clean', 'spam', 'found', 'Clean'] });
    const chosen = new Set(bySql([], filter));
    expect([...(await byColumns([], filter, { kind: 'order' }, hits))!.rowIndexes]).toEqual(
      [...hits].filter((row) => chosen.has(row)),
    );
  });

  it('stop between two passes when the request was cancelled', async () => {
    const sort = [{ dbId: 'size', direction: 'asc' as const }];
    const task = columnQuery(record, { sort, filter: null, want: { kind: 'order' }, now: NOW });
    let passes = 0;
    expect(await engine.answer(task, null, async () => ++passes < 2)).toBeNull();
    expect(passes).toBe(2);
  });

  it('leave to SQLite columns that they cannot hold, and rows of another state', async () => {
    for (const dbId of ['unique', 'seen'])
      expect(await byColumns([{ dbId, direction: 'asc' }], null)).toBeNull();
    expect(
      await byColumns([], filterOf({}, group('and', [leaf('unique', 'contains_text', '5')]))),
    ).toBeNull();
    const task = columnQuery(record, { sort: [], filter: null, want: { kind: 'order' }, now: NOW });
    expect(await engine.answer({ ...task, loaded: ROWS - 1 }, null, goesOn)).toBeNull();
    expect(await engine.answer({ ...task, setId: `${record.id} 1` }, null, goesOn)).toBeNull();
    expect(engine.has(task)).toBe(true);
    engine.forget(1);
    expect(engine.has(task)).toBe(false);
  });

  it('leave everything to SQLite when there is no room for them', async () => {
    const small = new ColumnEngine(db, 1_000);
    const task = columnQuery(record, {
      sort: [{ dbId: 'size', direction: 'asc' }],
      filter: null,
      want: { kind: 'order' },
      now: NOW,
    });
    await small.build(task, goesOn);
    expect(small.has(task)).toBe(true);
    expect(await small.answer(task, null, goesOn)).toBeNull();
  });
});

/** Values to test each operator of a column with. */
function valuesFor(operator: string, id: string): Condition['values'] {
  const samples: Readonly<Record<string, Condition['values']>> = {
    size: [SOME, SOME + 300],
    score: [0.5, 3],
    at: ['2026-03-01', '2026-09-01T10:00:00Z'],
    read: [true, false],
    files: ['a.pdf', 'B.pdf'],
    what: ['5', 'text'],
  };
  if (operator === 'in_the_last') return [90, 'days'];
  if (operator === 'in_network') return ['192.0.2.0/24'];
  if (operator === 'matches') return ['^[a-z]'];
  const values = samples[id] ?? ['clean', 'UNAL'];
  const { arity } = STANDARD_OPERATORS.find((entry) => entry.id === operator)!;
  return values.slice(0, arity < 0 ? 2 : arity);
}

describe('the columns in memory answer', () => {
  beforeAll(build);
  const ASKED = STANDARD_OPERATORS.map(({ id }) => id).filter((id) => !id.endsWith('_custom_list'));
  /** The operators that only SQLite evaluates, by column. */
  const SQLITE: Readonly<Record<string, readonly string[]>> = {
    size: ['in_network'],
    score: ['in_network'],
    at: ['in_network'],
  };
  it.each(SORTED)('every operator on the column "%s" that is not left to SQLite', async (id) => {
    const answered: string[] = [];
    for (const operator of ASKED)
      for (const negate of [false, true]) {
        const filter = filterOf({}, group('and', [leaf(id, operator, ...valuesFor(operator, id))], negate));
        const answer = await byColumns([], filter);
        if (answer === null) continue;
        answered.push(operator);
        expect([...answer.rowIndexes], `${negate ? 'not ' : ''}${operator}`).toEqual(bySql([], filter));
      }
    const expected = ASKED.filter((operator) => !SQLITE[id]?.includes(operator));
    expect([...new Set(answered)]).toEqual(expected);
  });

  it('trees of conditions as SQLite does', async () => {
    const tree = (depth: number): ConditionGroup =>
      group(
        pick('and', 'or'),
        Array.from({ length: random(4) }, () => {
          if (depth > 0 && random(3) === 0) return tree(depth - 1);
          const id = pick(...SORTED);
          const operator = pick(...ASKED.filter((operator) => !SQLITE[id]?.includes(operator)));
          return leaf(id, operator, ...valuesFor(operator, id));
        }),
        random(3) === 0,
      );
    for (let turn = 0; turn < 150; turn++) {
      const filter = filterOf({}, tree(2));
      const answer = await byColumns([], filter);
      expect(answer && [...answer.rowIndexes], JSON.stringify(filter)).toEqual(bySql([], filter));
    }
  });

  it('groups without a condition with every row', async () => {
    for (const operator of ['and', 'or'] as const)
      for (const negate of [false, true])
        expect((await byColumns([], filterOf({}, group(operator, [], negate))))?.count).toBe(ROWS);
  });
});

describe('keys', () => {
  it('order instants as their text, and refuse other forms', () => {
    const texts = [
      '2025-12-31T23:59:59.999Z',
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.001Z',
      '2026-02-01T00:00:00.000Z',
    ];
    expect(texts.map(instantKey).toSorted((a, b) => a - b)).toEqual(texts.map(instantKey));
    for (const text of ['2026-01-31T10:20:30.456Z', '0001-12-01T00:00:59.001Z', '9999-12-31T23:59:59.999Z'])
      expect(instantOfKey(instantKey(text))).toBe(text);
    for (const text of [
      '',
      '2026-01-01',
      '2026-13-01T00:00:00Z',
      '2026-01-01T00:00:00+00',
      '2026-01-01 00:00:00Z',
      '2026-0a-01T00:00:00Z',
    ])
      expect(instantKey(text)).toBeNaN();
  });
  it('compare texts by code points, not by UTF-16 units', () => {
    expect(compareText('\u{10400}', '\uff5e')).toBeGreaterThan(0);
    expect(compareText('a', 'b')).toBeLessThan(0);
  });
});
