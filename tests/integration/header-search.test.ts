/** Conditions on header lines find the same mails as a linear scan. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, test, vi } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { execute } from '#service/query/execute.ts';
import { writeEmails } from '#service/store-sqlite/ingest-emails.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { Condition } from '#shared/query/tree.ts';
import { bareRecord } from '../support/bare-record.ts';

const MAILS = 2_300;
const MANY = 40;
const MOST_NAMES = 200;
const MAILERS = ['Foxmail 7.2', 'Mutt', 'Outlook, Foxmail', 'fox-mail', 'Почта foxmail', 'Ünïcode 1.0'];

const linesOf = (id: number): string[] => [
  `Received: from mx${id % 7}.partner.example by mx.aldermoor.example id ${id}`,
  `Message-ID: <${id}@partner.example>`,
  ...(id % 3 === 0 ? [`X-Mailer: ${MAILERS[id % MAILERS.length] ?? ''}`] : []),
  ...(id % 500 === 3 ? ['X-Rare:', 'x-note: a mailer, foxmail'] : []),
  ...(id % 400 === MANY
    ? Array.from({ length: MOST_NAMES + 5 }, (_, index) => `X-Made-${index}: ${index}`)
    : []),
  ...(id % 400 === MANY + 1 ? [`X-${'long'.repeat(30)}: told`] : []),
  'MIME-Version: 1.0',
];
/** The header lines in the store, by mail id. */
const held = new Map<number, string[]>();

let store: SqliteStore;
beforeAll(() => {
  store = openEvidence({ path: ':memory:' });
  for (let id = 1; id <= MAILS; id++) held.set(id, linesOf(id));
  writeEmails(
    store,
    [...held].map(([id, headerLines]) => ({ ...bareRecord(id), headerLines })),
    true,
  );
});
afterAll(() => store.close());

/** `isLater`: the first page may come before its rows are counted. */
const ask = (condition: Condition, from = store, isLater = false) =>
  execute(
    {
      query_domain: 'email',
      saas_id: 'all',
      query_entity_type: 'email',
      condition: { operator: 'and', conditions: [condition] },
      columns: ['subject'],
      sort_by: [],
      search_after: null,
      size: 10_000,
      include_copies: false,
      count_only: false,
      count_later: isLater,
    },
    { store: from, saas: ['evidence'], now: 0, ...(isLater ? { countedAtOnce: 0 } : {}) },
  );

const plain = (text: string) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
const words = (text: string) => ` ${(plain(text).match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
const HOLDS: Record<string, (line: string, value: string) => boolean> = {
  starts_with: (line, value) => plain(line).startsWith(plain(value)),
  ends_with: (line, value) => plain(line).endsWith(plain(value)),
  contains_text: (line, value) => plain(line).includes(plain(value)),
  is: (line, value) => plain(line) === plain(value),
  in_list: (line, value) => plain(line) === plain(value),
  contains_phrase: (line, value) => words(line).includes(words(value)),
  contains_words: (line, value) => value.split(' ').every((word) => words(line).includes(words(word))),
};

const VALUES = [
  ...['received:', 'X-Mailer:', 'x-rare:', 'x-absent:', 'X-Made-7:', `X-Made-${MOST_NAMES + 4}:`],
  ...[`X-${'long'.repeat(30)}:`, 'mime-version: 1.0', 'MIME-Version', 'x-mailer: fox', 'X-Mailer: Mutt'],
  ...['foxmail', 'FOXMAIL', 'Foxmail 7', 'fox mail', 'mailer foxmail', 'почта', 'Почта foxmail', 'unicode'],
  ...['Ünïcode 1.0', 'id 7', '7', '<1234@partner.example>', 'message-id: <77', 'mx3.partner', 'example by'],
  ...['from mx3 partner', 'mx.aldermoor.example', 'e', 'ma', 'x-note: a mailer, foxmail', 'told'],
];
type Line = Pick<Condition, 'field' | 'operator'> & { values: string[] };

const conditions: fc.Arbitrary<Line> = fc.record({
  field: fc.constant('headers'),
  operator: fc.constantFrom(...Object.keys(HOLDS)),
  values: fc.constantFrom(...VALUES).map((value) => [value]),
});

async function check(condition: Line): Promise<void> {
  const { operator, values } = condition;
  const holds = HOLDS[operator];
  const expected = [...held]
    .filter(([, lines]) => lines.some((line) => values.some((value) => holds?.(line, value) === true)))
    .map(([id]) => `mail-${id}`);
  const label = `${operator} ${values.join()}`;
  for (const isLater of [false, true]) {
    const { rows, total_rows } = await ask(condition, store, isLater);
    expect(rows.map(({ entity_id }) => entity_id).sort(), label).toEqual(expected.sort());
    expect(total_rows, label).toBe(expected.length);
  }
}

const runs = process.env['PARAPET_LONG'] === '1' ? 2_000 : 50;

it('finds the same mails as a linear scan', async () => {
  await fc.assert(fc.asyncProperty(conditions, check), { numRuns: runs });
  for (const value of VALUES) await check({ field: 'headers', operator: 'starts_with', values: [value] });
});

it('finds the same mails after mails were removed, or imported again with other headers', async () => {
  const remove = store.db.prepare('DELETE FROM header_texts WHERE email_id = ?');
  const add = store.db.prepare(
    'INSERT INTO header_texts SELECT ?, folded, shown FROM header_texts WHERE email_id = ?',
  );
  for (const id of [3, 6, 9, 40, 41, 1_500, 2_250]) {
    remove.run(id);
    held.delete(id);
  }
  for (const [id, other] of [
    [6, 4],
    [9, 440],
    [2_250, 12],
  ] as const) {
    add.run(id, other);
    held.set(id, linesOf(other));
  }
  await fc.assert(fc.asyncProperty(conditions, check), { numRuns: runs });
  for (const value of VALUES) await check({ field: 'headers', operator: 'starts_with', values: [value] });
});

test.each([
  [15, true],
  [16, true],
  [17, false],
])('[limit 16 lines] a list of %d lines uses the index: %s', async (count, expected) => {
  const lines = Array.from({ length: count }, (_, index) => `Message-ID: <${index + 100}@partner.example>`);
  const prepare = vi.spyOn(store.db, 'prepare');
  const { total_rows } = await ask({ field: 'headers', operator: 'in_list', values: lines });
  const usesIndex = prepare.mock.calls.some(([sql]) => sql.includes('header_trigrams'));
  prepare.mockRestore();
  expect([total_rows, usesIndex]).toEqual([count, expected]);
});
