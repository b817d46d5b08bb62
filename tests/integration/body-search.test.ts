/** Body search finds the same mails as a linear scan, in every script. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { execute } from '#service/query/execute.ts';
import type { EmailRecord } from '#service/store/records.ts';
import { writeEmails } from '#service/store-sqlite/ingest-emails.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { type Condition, type ConditionGroup, isGroup } from '#shared/query/tree.ts';
import { bareRecord } from '#tests/support/bare-record.ts';
import { plainlyHolds } from '#tests/support/plain-evaluator.ts';

const NOW = Date.UTC(2026, 10, 19, 8);
const PIECES = [
  ...['invoice', 'Invoice', 'INVOICES', 'overdue', 'in voice', 'TK-00481', 'a', 'of the', 'c++', '100%', '_'],
  ...[
    'fatura İPTAL',
    'ıptal',
    'Straße',
    'STRASSE',
    'Café',
    'Cafe\u0301',
    'ΣΟΦΟΣ',
    'σοφός',
    'ﬁnal',
    'ｆｕｌｌ',
  ],
  ...[
    'Счёт',
    'СЧЕТ',
    'оплата',
    '請求',
    '請求書',
    '付款',
    '发票',
    'パスワード',
    'ﾊﾟｽﾜｰﾄﾞ',
    '안녕하세요',
    'รหัสผ่าน',
  ],
  ...[
    'חֶשְׁבּוֹנִית',
    'חשבונית',
    'فاتورة',
    'فَاتُورَة',
    'चालान',
    '🎁',
    '👩‍💻',
    '🇩🇪',
    '💳🎁',
    '"quoted"',
    'a*',
    'NEAR(',
    '—',
  ],
  ...['https://lure.example/x?a=1', '\u202egpj.exe', 'zero\u200bwidth', '𝓲𝓷𝓿𝓸𝓲𝓬𝓮', '\0'],
];

/** Pseudo-random numbers, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = numbers(18);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const textOf = (pieces: number): string =>
  Array.from({ length: pieces }, () => pick(PIECES) + pick([' ', ' ', ' ', '\r\n', '', ', ', '\u00a0'])).join(
    '',
  );
const LONG = 'q'.repeat(300);
/** Hundreds of words with the same piece, and very long words. */
const SPECIAL: Readonly<Record<number, string>> = {
  11: Array.from({ length: 400 }, (_, index) => `n${index}zzz, invoice ${index}zzz`).join(' '),
  12: `before ${LONG}end after`,
  13: `${'x'.repeat(33_000)}tail invoice`,
  195: `removed ${LONG}`,
};
const TEXTS = Array.from(
  { length: 260 },
  (_, index) => SPECIAL[index] ?? (index % 40 === 0 ? '' : textOf(index % 23)),
);
/** The field's own normalisation: one space for any white space, no NUL. */
const bodyOf = (text: string) => text.replaceAll('\0', '\ufffd').replace(/\s+/g, ' ').trim() || null;

const mailOf = (index: number): string =>
  [
    'From: a@sender.example',
    `Subject: ${index}`,
    `Message-ID: <${index}@sender.example>`,
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(TEXTS[index] ?? '')
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n'),
  ].join('\r\n');

const recordOf = (index: number): EmailRecord => ({
  ...bareRecord(index),
  receivedAt: NOW,
  subject: String(index),
  text: TEXTS[index] ?? '',
});

let folder = '';
let store: SqliteStore;
/** Number of imported mails, and of those removed afterwards; the rest is written directly. */
const [IMPORTED, REMOVED] = [200, 8];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-bodies-'));
  const file = path.join(folder, 'mail');
  mkdirSync(file);
  const fileOf = (index: number) => path.join(file, `${String(index).padStart(4, '0')}.eml`);
  for (let index = 0; index < IMPORTED; index++) writeFileSync(fileOf(index), mailOf(index));
  store = openEvidence({ path: ':memory:' });
  await ingestEvidence(store, file);
  // Removes the last mails, so that their row ids are reused.
  for (let index = IMPORTED - REMOVED; index < IMPORTED; index++) rmSync(fileOf(index));
  await ingestEvidence(store, file);
  const records = Array.from({ length: TEXTS.length - IMPORTED }, (_, index) => recordOf(IMPORTED + index));
  writeEmails(store, records, true);
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const PRESENT = TEXTS.map((text, index) => ({ index, text })).filter(
  ({ index }) => index < IMPORTED - REMOVED || index >= IMPORTED,
);

async function rowsFor(condition: ConditionGroup, columns: string[] = ['subject']) {
  return execute(
    {
      query_domain: 'email',
      saas_id: 'all',
      query_entity_type: 'email',
      condition,
      columns,
      sort_by: [{ dbId: 'subject', direction: 'asc' }],
      search_after: null,
      size: 1_000,
      include_copies: false,
      count_only: false,
    },
    { store, saas: ['evidence'], now: NOW },
  );
}
const body = (operator: string, ...values: string[]): Condition => ({ field: 'body', operator, values });
const all = (...conditions: ConditionGroup['conditions']): ConditionGroup => ({
  operator: 'and',
  conditions,
});

/** Normalises white space in values the way bodies are stored. */
const onOneLine = (node: Condition | ConditionGroup): typeof node =>
  isGroup(node)
    ? { ...node, conditions: node.conditions.map(onOneLine) }
    : { ...node, values: node.values.map((value) => String(value).replace(/\s+/g, ' ')) };

async function differs(condition: ConditionGroup): Promise<void> {
  const rows = PRESENT.map(({ index, text }) => ({ subject: String(index), body: bodyOf(text) }));
  const plain = onOneLine(condition) as ConditionGroup;
  const expected = rows.filter((row) => plainlyHolds(plain, row, NOW)).map(({ subject }) => subject);
  const { rows: hits, total_rows } = await rowsFor(condition);
  expect(hits.map(({ subject }) => subject).sort()).toEqual(expected.sort());
  expect(total_rows).toBe(expected.length);
}

const spellings = [
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.normalize('NFD'),
  (text: string) => text.slice(0, 2),
  (text: string) => text.slice(1, 4),
  (text: string) => text.slice(-3),
  (text: string) => text.slice(2, -1),
];
const value = fc
  .tuple(
    fc.array(fc.constantFrom(...PIECES, ' '), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(...spellings),
    fc.constantFrom('', ' '),
  )
  .map(([pieces, spell, gap]) => spell(pieces.join(gap)).replaceAll('\0', '').toWellFormed())
  // Values of only white space or accents are invalid.
  .filter((text) => /[^\s\p{M}]/u.test(text.normalize('NFD')));
const hasWords = (text: string) => /[\p{L}\p{N}]|\p{Extended_Pictographic}/u.test(text.normalize('NFKD'));
const condition: fc.Arbitrary<Condition> = fc.oneof(
  value.map((text) => body('contains_text', text)),
  value.map((text) => body('not_contains', text)),
  value.filter(hasWords).map((phrase) => body('contains_phrase', phrase)),
  fc
    .array(value.filter(hasWords), { minLength: 1, maxLength: 2 })
    .map((many) => body('contains_words', ...many)),
  fc.constantFrom(body('is_empty'), body('is_not_empty')),
);

describe('a search in bodies', () => {
  it('finds the same mails as a linear scan', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(condition, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('and' as const, 'or' as const),
        fc.boolean(),
        (conditions, operator, negate) => differs({ operator, conditions, negate }),
      ),
      { numRuns: 150 },
    );
  });

  test.each(
    PIECES.filter((piece) => piece !== '\0').flatMap((piece) => [[piece], [Array.from(piece)[0] ?? piece]]),
  )('contains %j', (piece) => differs(all(body('contains_text', piece))));

  test.each([
    // One word in the middle, at the start or the end of a text; a piece of hundreds of words.
    ...['zzz', 'zzz,', '9zzz', 'zzz inv', '0zzz, inv', 'oice 1', ', invoice 39'],
    // Several words, the first and the last of them partial.
    ...['oice overd', 'of the', 'f th', 'zwi', 'ice, tk', '00481 inv', '票 ', ' 付款', '付款 請', '"quot'],
    // One and two characters: in few words, in many, in none, at an end, and punctuation.
    ...['n3', 'zz', 'z', 'e', 'qq', 'q', 'xq', 'z ', ' i', 'e,', ', ', '-0'],
    // Pieces of very long words.
    ...['qqqq', 'qend', 'ore qqq', 'qend aft', 'xxxxtail', 'tail', 'tail inv', 'xtail invoi'],
  ])('contains %j', (piece) => differs(all(body('contains_text', piece))));

  it('[spec 3] shows a line of the text around the hit, as written', async () => {
    const { rows } = await rowsFor(all(body('contains_words', 'strasse')), ['match', 'body']);
    expect(rows.length).toBeGreaterThan(3);
    for (const { match } of rows) expect(String(match)).toMatch(/Straße|STRASSE/);
  });
});
