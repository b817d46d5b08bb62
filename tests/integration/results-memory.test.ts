/** Large results: answers from columns and texts in memory equal those from the database. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeReady } from '#main/results/columnar/client.ts';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { asking, type RowsFixture, startRowsFixture } from '../support/rows-fixture.ts';
import { soon } from '../support/soon.ts';

/** Three blocks of texts, all fetched automatically. */
const ROWS = 19_000;

let fixture: RowsFixture;
beforeAll(async () => {
  fixture = await startRowsFixture(ROWS);
});
afterAll(() => fixture.close());

const page = (resultId: string, start: number, end: number, rest: { sort?: Sort[]; filter?: LocalFilter }) =>
  fixture.data.handlers['results.page']({ resultId, start, end, ...rest }, asking());
const idsOf = (rows: readonly (readonly unknown[])[]) => rows.map(([id]) => id);
const text = (words: string): LocalFilter => ({ text: words, facets: {} });

it('sorts, filters and counts the same before and after the columns are in memory', async () => {
  const set = await fixture.open();
  await fixture.fetchAll(set.id);
  const asks: { sort?: Sort[]; filter?: LocalFilter }[] = [
    { sort: [{ dbId: 'size', direction: 'desc' }] },
    { sort: [{ dbId: 'received', direction: 'asc' }] },
    { sort: [{ dbId: 'subject', direction: 'asc' }] },
    { filter: text('payroll'), sort: [{ dbId: 'subject', direction: 'desc' }] },
    {
      sort: [
        { dbId: 'verdict', direction: 'desc' },
        { dbId: 'subject', direction: 'desc' },
      ],
    },
    {
      sort: [
        { dbId: 'from_email', direction: 'desc' },
        { dbId: 'size', direction: 'asc' },
      ],
    },
    { filter: { text: '', facets: { verdict: ['spam', 'found'] } } },
    { filter: { text: 'payroll', facets: { is_read: [true] } }, sort: [{ dbId: 'size', direction: 'asc' }] },
    {
      filter: {
        text: '',
        facets: { verdict: ['clean'] },
        condition: {
          operator: 'and',
          conditions: [
            { field: 'size', operator: 'between', values: [1_000, 50_000] },
            { field: 'to', operator: 'is_not_empty', values: [] },
          ],
        },
      },
    },
  ];
  for (const [operator, value] of [
    ['contains_text', 'REVIEW 77'],
    ['starts_with', 'ürün'],
    ['ends_with', ' 1234'],
    ['is', 'invoice invoice 0'],
    ['contains_text', 'nowhere'],
  ] as const)
    asks.push({
      filter: {
        text: '',
        facets: {},
        condition: { operator: 'and', conditions: [{ field: 'subject', operator, values: [value] }] },
      },
    });
  const facets = async (filter?: LocalFilter) =>
    (
      await fixture.data.handlers['results.facets'](
        {
          resultId: set.id,
          columns: ['verdict', 'is_read', 'to', 'from_email'],
          ...(filter ? { filter } : {}),
        },
        asking(),
      )
    ).facets;
  const answers = () =>
    Promise.all(
      asks.map(async (ask) => ({
        first: await page(set.id, 0, 100, ask),
        later: await page(set.id, 700, 720, ask),
        facets: await facets(ask.filter),
      })),
    );
  const fromFile = await answers();
  const used = await fixture.data.sets.acquire(set.id);
  await makeReady(fixture.data.ctx.cache, used.record);
  // Orders that already have a sort index would test nothing new.
  used.sorted.forget(used.record.n);
  expect(await answers()).toEqual(fromFile);
  expect(fromFile.slice(0, 9).every(({ first }) => first.rows.length === 100)).toBe(true);
  const subjects = fixture.service.rows.map((row) => String(row['subject']).toLowerCase());
  const fulfil = (is: (subject: string) => boolean) => subjects.filter(is).length;
  expect(fromFile.slice(9).map(({ first }) => first.count)).toEqual([
    fulfil((subject) => subject.includes('review 77')),
    fulfil((subject) => subject.startsWith('ürün')),
    fulfil((subject) => subject.endsWith(' 1234')),
    1,
    0,
  ]);
  used.release();
});

it('shows the first hits while it counts, and counts exactly', async () => {
  const set = await fixture.open();
  await fixture.fetchAll(set.id);
  const expected = fixture.service.rows.filter((row) => String(row['subject']).includes('plan'));
  const first = await page(set.id, 0, 50, { filter: text('PLAN') });
  expect(first).toMatchObject({ counting: true, loaded: ROWS });
  expect(idsOf(first.rows)).toEqual(expected.slice(0, 50).map((row) => row['entity_id']));
  expect(first.count).toBeLessThan(expected.length);
  expect(await page(set.id, 0, 0, { filter: text('plan') })).toMatchObject({
    rows: [],
    count: expected.length,
  });
  const again = await page(set.id, 0, 50, { filter: text('plan') });
  expect(again.counting).not.toBe(true);
  expect(again.count).toBe(expected.length);
});

it('finds rows at their new indexes after duplicates were removed', async () => {
  const { service } = fixture;
  // A duplicated row near the start.
  service.rows.splice(40, 0, { ...service.rows[3]! });
  const release = Promise.withResolvers<void>();
  service.fault = async ({ at }) => {
    if (at >= 12_000) await release.promise;
    return undefined;
  };
  const set = await fixture.open();
  const whole = fixture.fetchAll(set.id);
  await soon(async () => expect((await fixture.data.sets.get(set.id))!.loaded).toBeGreaterThan(8_192));
  const early = await page(set.id, 0, 10, { filter: text('"payroll" 99') });
  expect(early.rows.length).toBe(10);
  release.resolve();
  expect(await whole).toMatchObject({ loaded: ROWS });
  const hits = await page(set.id, 0, 200, { filter: text('"payroll" 77') });
  expect(hits.rows.every((row) => String(row[2]).includes('payroll'))).toBe(true);
  const same = await page(set.id, 0, 10, { filter: text('"payroll" 99') });
  expect(same.rows.every((row) => String(row[2]).includes('payroll'))).toBe(true);
  expect(idsOf(same.rows)).toEqual(idsOf(early.rows));
});
