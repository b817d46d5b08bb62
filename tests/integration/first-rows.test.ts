/** Pages of body searches, in any order and of any size: equal to a plain filter and sort of all mails. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { execute } from '#service/query/execute.ts';
import type { EmailRecord } from '#service/store/records.ts';
import { writeEmails } from '#service/store-sqlite/ingest-emails.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import { bareRecord } from '../support/bare-record.ts';
import { plainlyHolds } from '../support/plain-evaluator.ts';

const NOW = Date.UTC(2026, 10, 19, 8);
const MAILS = 900;

interface GeneratedMail {
  id: number;
  subject: string;
  body: string;
  received: number | null;
  size: number;
}

/** Words that occur in all mails, in half of them, only in the oldest, only in the newest, and in three. */
const MADE = Array.from({ length: MAILS }, (_, index): GeneratedMail => {
  const body = [
    `Straße ${index % 5} common`,
    index % 2 === 0 ? 'halfway' : '',
    index < 200 ? 'oldest of all' : '',
    index >= 800 ? 'newest' : '',
    index % 300 === 7 ? '发票 rare-one' : '',
    index % 3 === 0 ? 'two words' : '',
  ];
  return {
    id: index + 1,
    subject: String((index * 37) % 101),
    body: index % 50 === 49 ? '' : body.filter((part) => part !== '').join(' '),
    // Many share one moment, and some have none.
    received: index % 11 === 0 ? null : NOW - (MAILS - Math.floor(index / 9)) * 60_000,
    size: (index * 7_919) % 1_000,
  };
});

const recordOf = ({ id, subject, body, received, size }: GeneratedMail): EmailRecord => ({
  ...bareRecord(id),
  receivedAt: received,
  subject,
  size,
  text: body,
});

let store: SqliteStore;
beforeAll(() => {
  store = openEvidence({ path: ':memory:' });
  writeEmails(store, MADE.map(recordOf), true);
});
afterAll(() => store.close());

interface Order {
  by: 'received' | 'size' | 'subject';
  direction: 'asc' | 'desc';
}

/** `later`: the first page may come before its rows are counted, if the search has to compare more rows than this. */
async function firstPage(
  condition: ConditionGroup,
  order: Order,
  size: number,
  search_after: unknown = null,
  later: number | null = null,
) {
  return execute(
    {
      query_domain: 'email',
      saas_id: 'all',
      query_entity_type: 'email',
      condition,
      columns: ['subject', 'match'],
      sort_by: [{ dbId: order.by, direction: order.direction }],
      search_after: search_after as string | null,
      size,
      include_copies: false,
      count_only: false,
      count_later: later !== null,
    },
    { store, saas: ['evidence'], now: NOW, ...(later === null ? {} : { countedAtOnce: later }) },
  );
}

/** Ids in order: missing values last, equal mails by their number. */
function plainly(condition: ConditionGroup, { by, direction }: Order): string[] {
  const sign = direction === 'asc' ? 1 : -1;
  const compared = (a: GeneratedMail, b: GeneratedMail): number => {
    const [first, other] = [a[by], b[by]];
    if (first === other) return (a.id - b.id) * sign;
    if (first === null) return 1;
    if (other === null) return -1;
    return (first < other ? -1 : 1) * sign;
  };
  return MADE.filter(({ body, subject }) => plainlyHolds(condition, { body, subject }, NOW))
    .sort(compared)
    .map(({ id }) => `mail-${id}`);
}

const body = (operator: string, ...values: string[]) => ({ field: 'body', operator, values });
const SINGLE = [
  ...['common', 'halfway', 'oldest', 'newest', 'rare', 'strasse', 'absent'].map((word) =>
    body('contains_words', word),
  ),
  ...['ommo', 'two wor', 'dest of', '发票', 'e-o', 'ß 3', 'o', 'nothing like it'].map((text) =>
    body('contains_text', text),
  ),
  ...['halfway', 'oldest', 'o', '发票'].map((text) => body('not_contains', text)),
  body('contains_phrase', 'oldest of all'),
  body('contains_words', 'halfway', 'oldest'),
  body('is_empty'),
  body('is_not_empty'),
  { field: 'subject', operator: 'contains_text', values: ['7'] },
];
const groups: fc.Arbitrary<ConditionGroup> = fc.oneof(
  fc
    .constantFrom(...SINGLE)
    .map((condition): ConditionGroup => ({ operator: 'and', conditions: [condition] })),
  fc.record({
    operator: fc.constantFrom('and' as const, 'or' as const),
    conditions: fc.array(fc.constantFrom(...SINGLE), { minLength: 1, maxLength: 3 }),
    negate: fc.boolean(),
  }),
);
const orders = fc.record({
  by: fc.constantFrom('received' as const, 'size' as const, 'subject' as const),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
});

it('pages equal those of a plain filter and sort, with its count, be it counted with the first or the second', async () => {
  const runs = process.env['PARAPET_LONG'] === '1' ? 2_000 : 100;
  const sizes = fc.constantFrom(1, 7, 25, 200, 1_000);
  await fc.assert(
    fc.asyncProperty(
      groups,
      orders,
      sizes,
      fc.constantFrom(null, 0, 100),
      async (condition, order, size, later) => {
        const expected = plainly(condition, order);
        const actual: string[] = [];
        let after: unknown = null;
        // At most 12 pages: not all of the small ones.
        for (let page = 0; page < 12; page++) {
          const { rows, total_rows, search_after } = await firstPage(condition, order, size, after, later);
          const isUncounted = later !== null && page === 0 && rows.length > 0 && total_rows === 0;
          if (isUncounted) expect(search_after).not.toBeNull();
          else expect(total_rows).toBe(expected.length);
          actual.push(...rows.map(({ entity_id }) => String(entity_id)));
          after = search_after;
          if (after === null) break;
        }
        expect(actual).toEqual(expected.slice(0, after === null ? expected.length : actual.length));
      },
    ),
    { numRuns: runs },
  );
});

it('the first page comes before the count if more texts than allowed must be compared', async () => {
  const words: ConditionGroup = { operator: 'and', conditions: [body('contains_text', 'tw')] };
  const order: Order = { by: 'received', direction: 'desc' };
  const first = await firstPage(words, order, 7, null, 0);
  expect([first.rows.length, first.total_rows]).toEqual([7, 0]);
  const all = plainly(words, order).length;
  expect((await firstPage(words, order, 7, first.search_after, 0)).total_rows).toBe(all);
  expect((await firstPage(words, order, 7, null, MAILS)).total_rows).toBe(all);
});

/** How often the index is queried for one page. */
async function lookups(word: string, order: Order): Promise<number> {
  const prepare = vi.spyOn(store.db, 'prepare');
  try {
    await firstPage({ operator: 'and', conditions: [body('contains_words', word)] }, order, 25);
    return prepare.mock.calls.filter(([sql]) => sql.includes('MATCH')).length;
  } finally {
    prepare.mockRestore();
  }
}

it('the index is queried once per search, for any sort order, until the data changes', async () => {
  const newest: Order = { by: 'received', direction: 'desc' };
  store.setMeta('changed', '1');
  for (const word of ['common', 'rare']) {
    // For the mails that certainly have the word, and for those that may have it.
    expect(await lookups(word, newest)).toBe(2);
    expect(await lookups(word, { by: 'size', direction: 'asc' })).toBe(0);
  }
  store.setMeta('changed', '2');
  expect(await lookups('rare', newest)).toBe(2);
});

it('rows removed or added since the previous page are respected', async () => {
  const rare = async () =>
    (
      await firstPage(
        { operator: 'and', conditions: [body('contains_words', 'rare')] },
        { by: 'size', direction: 'asc' },
        25,
      )
    ).rows.length;
  const before = await rare();
  const put = store.db.prepare('INSERT INTO email_texts (email_id, folded) VALUES (?, ?)');
  const texts = store.db
    .prepare<unknown[], [number, string]>('SELECT * FROM email_texts WHERE email_id IN (8, 9)')
    .raw()
    .all();
  const drop = () => store.db.prepare('DELETE FROM email_texts WHERE email_id IN (8, 9)').run();
  drop();
  expect(await rare()).toBe(before - 1);
  put.run(8, 'rare again');
  put.run(9, 'rare as well');
  expect(await rare()).toBe(before + 1);
  drop();
  for (const text of texts) put.run(...text);
  expect(await rare()).toBe(before);
});
