/** Body search: the indexes find the same mails as a linear scan, in every script and every state of the index. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { ingestEvidence } from '#service/evidence/ingest/ingest-evidence.ts';
import { openEvidence } from '#service/evidence/source.ts';
import { execute } from '#service/query/execute.ts';
import { emailWriter } from '#service/store/ingest-emails.ts';
import type { EmailRecord } from '#service/store/records.ts';
import type { Store } from '#service/store/store.ts';
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
/** More words with the same piece than the index looks up one by one, and words too long for the index. */
const SPECIAL: Readonly<Record<number, string>> = {
  11: Array.from({ length: 400 }, (_, at) => `n${at}zzz, invoice ${at}zzz`).join(' '),
  12: `before ${LONG}end after`,
  13: `${'x'.repeat(33_000)}tail invoice`,
  195: `removed ${LONG}`,
};
const TEXTS = Array.from({ length: 260 }, (_, at) => SPECIAL[at] ?? (at % 40 === 0 ? '' : textOf(at % 23)));
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
let store: Store;
/** Number of indexed mails, and of those removed afterwards; the rest is not indexed. */
const [INDEXED, REMOVED] = [200, 8];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-bodies-'));
  const at = path.join(folder, 'mail');
  mkdirSync(at);
  const fileOf = (index: number) => path.join(at, `${String(index).padStart(4, '0')}.eml`);
  for (let index = 0; index < INDEXED; index++) writeFileSync(fileOf(index), mailOf(index));
  store = openEvidence({ path: ':memory:' });
  await ingestEvidence(store, at);
  // Removes the last mails, so that their row ids are reused.
  for (let index = INDEXED - REMOVED; index < INDEXED; index++) rmSync(fileOf(index));
  await ingestEvidence(store, at);
  const write = emailWriter(store, true);
  for (let index = INDEXED; index < TEXTS.length; index++) write(recordOf(index));
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const PRESENT = TEXTS.map((text, index) => ({ index, text })).filter(
  ({ index }) => index < INDEXED - REMOVED || index >= INDEXED,
);

function asked(condition: ConditionGroup, columns: string[] = ['subject']) {
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
    : { ...node, values: node.values.map((one) => String(one).replace(/\s+/g, ' ')) };

function differs(condition: ConditionGroup): void {
  const rows = PRESENT.map(({ index, text }) => ({ subject: String(index), body: bodyOf(text) }));
  const plain = onOneLine(condition) as ConditionGroup;
  const wanted = rows.filter((row) => plainlyHolds(plain, row, NOW)).map(({ subject }) => subject);
  const { rows: found, total_rows } = asked(condition);
  expect(found.map(({ subject }) => subject).sort()).toEqual(wanted.sort());
  expect(total_rows).toBe(wanted.length);
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
  value.map((one) => body('contains_text', one)),
  value.map((one) => body('not_contains', one)),
  value.filter(hasWords).map((one) => body('contains_phrase', one)),
  fc
    .array(value.filter(hasWords), { minLength: 1, maxLength: 2 })
    .map((many) => body('contains_words', ...many)),
  fc.constantFrom(body('is_empty'), body('is_not_empty')),
);

test.each([9, 10, 11, 15])(
  'the indexes of version %i are rebuilt, and until then searches scan the texts',
  async (version) => {
    const file = path.join(folder, `version-${version}.sqlite`);
    const earlier = openEvidence({ path: file });
    await ingestEvidence(earlier, path.join(folder, 'mail'));
    earlier.db.exec(`DROP TABLE text_vocabulary; DROP TABLE text_long; DROP TRIGGER email_texts_removed;
    CREATE TRIGGER email_texts_removed AFTER DELETE ON email_texts BEGIN
      DELETE FROM text_pending WHERE email_id = old.email_id;
    END;
    PRAGMA user_version = ${version}`);
    earlier.close();
    const now = openEvidence({ path: file });
    const whole = store;
    try {
      store = now;
      const found = () =>
        ['voice', 'oice overd', 'qend'].map((piece) => asked(all(body('contains_text', piece))).total_rows);
      const before = found();
      expect(before.every((count) => count > 0)).toBe(true);
      await ingestEvidence(now, path.join(folder, 'mail'));
      expect(now.db.prepare('SELECT count(*) FROM text_pending').pluck().get()).toBe(0);
      expect(now.db.prepare('SELECT count(*) FROM text_vocabulary').pluck().get()).toBeGreaterThan(400);
      expect(found()).toEqual(before);
    } finally {
      store = whole;
      now.close();
    }
  },
);

test('evidence stored by an earlier version is imported again, and its bodies are found', async () => {
  const file = path.join(folder, 'earlier.sqlite');
  const mail = path.join(folder, 'mail');
  const earlier = openEvidence({ path: file });
  await ingestEvidence(earlier, mail);
  const found = () => asked(all(body('is_not_empty')), ['subject']).total_rows;
  // The schema of version 8.
  earlier.db.exec(`DROP TABLE email_texts; DROP TABLE shown_texts;
    CREATE TABLE email_texts (email_id INTEGER PRIMARY KEY, folded TEXT NOT NULL, shown BLOB);
    UPDATE meta SET value = '9' WHERE key = 'reader'; UPDATE evidence_messages SET reader = '9';
    PRAGMA user_version = 8`);
  earlier.close();
  const now = openEvidence({ path: file });
  const whole = store;
  try {
    await ingestEvidence(now, mail);
    store = now;
    expect(found()).toBe(
      PRESENT.filter(({ index, text }) => index < INDEXED && bodyOf(text) !== null).length,
    );
    expect(asked(all(body('contains_words', 'strasse'))).total_rows).toBeGreaterThan(3);
  } finally {
    store = whole;
    now.close();
  }
});

describe('a search in bodies', () => {
  it('finds the same mails as a linear scan', () => {
    fc.assert(
      fc.property(
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
    // One word in the middle, at the start or the end of a text; a piece of more words than are looked up.
    ...['zzz', 'zzz,', '9zzz', 'zzz inv', '0zzz, inv', 'oice 1', ', invoice 39'],
    // Several words, the first and the last of them partial.
    ...['oice overd', 'of the', 'f th', 'zwi', 'ice, tk', '00481 inv', '票 ', ' 付款', '付款 請', '"quot'],
    // One and two characters: in few words, in more than are looked up, in none, at an end, and punctuation.
    ...['n3', 'zz', 'z', 'e', 'qq', 'q', 'xq', 'z ', ' i', 'e,', ', ', '-0'],
    // Words that no index contains.
    ...['qqqq', 'qend', 'ore qqq', 'qend aft', 'xxxxtail', 'tail', 'tail inv', 'xtail invoi'],
  ])('contains %j', (piece) => differs(all(body('contains_text', piece))));

  it('shows a line of the text around the hit, as written', () => {
    const { rows } = asked(all(body('contains_words', 'strasse')), ['match', 'body']);
    expect(rows.length).toBeGreaterThan(3);
    for (const { match } of rows) expect(String(match)).toMatch(/Straße|STRASSE/);
  });
});
