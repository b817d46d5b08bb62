import Sqlite from 'better-sqlite3';
import { beforeAll, expect, it } from 'vitest';
import { foldText } from '#shared/query/text.ts';
import type { SearchTask } from '../../store/tasks.ts';
import { createEncoder, LEAD } from '../encode.ts';
import { createStatements, newRecord, type SetRecord } from '../record.ts';
import { foldTerm, Search } from './text-index.ts';

/** Four blocks. */
const ROWS = 25_000;
const WORDS = ['Invoice', 'ürün', '請求書', 'payroll', 'ÜRÜN', 'board'];
const textOf = (index: number) =>
  `${WORDS[index % 6]} ${WORDS[(index * 7) % 5]} no. ${index} ${(index * 7_919) % 100_003}`;

const db = new Sqlite(':memory:');
let record: SetRecord;
let search: Search;
beforeAll(() => {
  const columns = [{ id: 'subject', label: 'Subject', type: 'text', multiValues: false }];
  const payload = { sort_by: [], include_copies: false } as unknown as SetRecord['payload'];
  record = newRecord({ n: 1, key: 'k', connectionId: 'c', payload, columns, now: 0 });
  db.exec(createStatements(record)[1]!.sql);
  const names = ['pos', ...LEAD, 'c0'];
  const insert = db.prepare(
    `INSERT INTO rs_1 (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  const encode = createEncoder(record.columns);
  db.transaction(() => {
    for (let index = 0; index < ROWS; index++)
      insert.run(index, ...encode({ entity_id: `e-${index}`, subject: textOf(index) }).values);
  })();
  search = new Search(db);
});

const ask = (
  terms: string[],
  more: Partial<SearchTask> = {},
  isCancelled = () => false,
  engine: Search = search,
) =>
  engine.run(
    {
      type: 'search',
      n: 1,
      setId: record.id,
      columns: record.columns,
      loaded: ROWS,
      terms: terms.map(foldTerm),
      start: 0,
      end: 10,
      list: false,
      early: false,
      ...more,
    },
    isCancelled,
  );
const expected = (terms: string[]) =>
  Array.from({ length: ROWS }, (_, index) => index).filter((row) =>
    terms.every((term) => foldText(textOf(row)).includes(foldText(term))),
  );

it('finds what a scan of every row finds, whichever blocks it skips', async () => {
  const terms = [
    ['invoice'],
    ['ÜRÜN'],
    ['請求'],
    ['no. 24999'],
    ['1234'],
    ['99', 'board'],
    ['o'],
    ['zzz'],
    ['payroll', '77'],
  ];
  for (const some of terms) {
    const rowIndexes = expected(some);
    expect(await ask(some, { end: ROWS }), some.join()).toMatchObject({
      count: rowIndexes.length,
      counting: false,
      rowIndexes,
    });
  }
});

it('returns the first hits before it has counted them, and then the count', async () => {
  const rowIndexes = expected(['board', '1']);
  const first = await ask(['board', '1'], { early: true });
  expect(first).toMatchObject({ counting: true, rowIndexes: rowIndexes.slice(0, 10) });
  expect(first!.count).toBeLessThan(rowIndexes.length);
  expect(await ask(['board', '1'], { end: 0 })).toMatchObject({ counting: false, count: rowIndexes.length });
  expect(await ask(['board', '1'], { early: true })).toMatchObject({
    counting: false,
    count: rowIndexes.length,
  });
});

it('finds the same with room for only one block, and reads no block that cannot contain the term', async () => {
  const reads: string[] = [];
  const watched = new Proxy(db, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            reads.push(sql);
            return db.prepare(sql);
          }
        : Reflect.get(target, name),
  });
  const small = new Search(watched, { budget: 600_000 });
  const hits = (terms: string[]) => ask(terms, { end: ROWS }, () => false, small);
  for (const terms of [['invoice'], ['no. 24999'], ['payroll', '99']])
    expect((await hits(terms))!.rowIndexes).toEqual(expected(terms));
  reads.length = 0;
  expect((await hits(['nowhere to be found']))!.count).toBe(0);
  expect(reads).toEqual([]);
});

it('read-ahead yields to other work; a search does not', async () => {
  const free = Promise.withResolvers<void>();
  const paused = Promise.withResolvers<void>();
  const busy = new Search(db, {
    giveWay: () => {
      paused.resolve();
      return free.promise;
    },
  });
  let isReady = false;
  const ahead = ask([], {}, () => false, busy).then(() => {
    isReady = true;
  });
  await paused.promise;
  expect((await ask(['no. 24999'], {}, () => false, busy))!.rowIndexes).toEqual(expected(['no. 24999']));
  expect(isReady).toBe(false);
  free.resolve();
  await ahead;
});

it('returns one answer if there are fewer hits than requested', async () => {
  const rowIndexes = expected(['no. 2499']);
  expect(await ask(['no. 2499'], { early: true, end: 200 })).toMatchObject({
    counting: false,
    count: rowIndexes.length,
    rowIndexes,
  });
});

it('is joined by requests for the same terms, and ends when none of them waits', async () => {
  const [early, other] = await Promise.all([
    ask(['payroll', '5'], { early: true }),
    ask(['payroll', '5'], { end: ROWS }),
  ]);
  expect(early!.rowIndexes).toEqual(other!.rowIndexes.slice(0, 10));
  expect(other!.count).toBe(expected(['payroll', '5']).length);
  // Loaded again, so that it takes longer than one time slice.
  search.forget(1);
  expect(await ask(['payroll', '3'], {}, () => true)).toSatisfy((hits) => hits === null || !hits.counting);
  expect(await ask(['payroll', '3'])).toMatchObject({ count: expected(['payroll', '3']).length });
});

it('searches rows again after their indexes changed', async () => {
  await ask(['no. 7 ']);
  db.exec('UPDATE rs_1 SET pos = pos - 1 WHERE pos >= 0');
  expect((await ask(['no. 7 ', 'ü'], { setId: 'moved', loaded: ROWS - 1 }))!.rowIndexes).toEqual(
    expected(['no. 7 ', 'ü']).map((row) => row - 1),
  );
});
