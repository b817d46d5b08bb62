/** Searches in bodies and header lines, compared with the texts themselves. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Test } from '#shared/query/predicate.ts';
import { MatchBudgetError } from '#shared/query/sql-functions.ts';
import { foldText, searchable, wordsOf } from '#shared/query/text.ts';
import { evidenceSource } from '../../evidence/source.ts';
import { headerRow, textRows } from '../../store/texts.ts';
import { openStore, type SqliteStore } from '../sqlite-store.ts';
import { BODIES, HEADERS, LONGEST_INDEXED } from '../texts.ts';
import { bodyConditions, headerConditions } from './text-search.ts';

const MAILS = 3_000;
const COMMON = ['please', 'payment', 'report', 'status', 'start', 'of', 'the', 'invoice', 'o', 'r'];
const SIGNS = [' ', ' ', ' ', ', ', '. ', '-', ' (', ') ', ' 💳 ', ' 发票 '];

/** Pseudo-random numbers, the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const random = numbers(3);
/** Half of the words are common, others occur in some of the mails, or once. */
const wordOf = (mail: number): string => {
  const kind = random(8);
  if (kind < 4) return COMMON[random(COMMON.length)]!;
  if (kind < 6) return `sta${random(700)}`;
  return kind < 7 ? `w${mail}x${random(5)}` : `ré${random(300)}port`;
};
const textOf = (mail: number): string =>
  foldText(
    Array.from({ length: 1 + random(12) }, () => wordOf(mail) + SIGNS[random(mail % 3 === 0 ? 10 : 3)]!)
      .join('')
      .trim(),
  );

const texts = new Map<number, string>();
let store: SqliteStore;

const add = (id: number, text: string) => {
  store.db.prepare('INSERT INTO email_texts VALUES (?, ?)').run(id, text);
  texts.set(id, text);
};
const remove = (id: number) => {
  store.db.prepare('DELETE FROM email_texts WHERE email_id = ?').run(id);
  texts.delete(id);
};

beforeAll(() => {
  store = openStore({ path: ':memory:' }, evidenceSource);
  store.db.transaction(() => {
    for (let id = 1; id <= MAILS; id++) if (id % 500 !== 0) add(id, textOf(id));
  })();
  // Deleted, deleted and written again with another text, and new.
  for (let id = 3; id <= 300; id += 7) remove(id);
  for (let id = 3; id <= 150; id += 14) add(id, textOf(id));
  for (let id = MAILS - 60; id < MAILS - 20; id += 2) remove(id);
  for (let id = MAILS + 1; id <= MAILS + 50; id++) add(id, textOf(id));
});
afterAll(() => store.close());

const BODY = bodyConditions('e.id');

const idsOf = (text: string): number[] => {
  const search = BODY.search({ kind: 'contains', text });
  if (search === null) throw new Error(`No search answers ${text}`);
  store.begin();
  return search.ids(store, MAILS + 50).values();
};
const plainly = (text: string): number[] =>
  [...texts]
    .filter(([, body]) => body.includes(text))
    .map(([id]) => id)
    .sort((a, b) => a - b);

it.each([
  ...['o r', 'r o', '0 w', 'o re', 'payment re', 'payment report', 'payment, report', 'of the', 'f the p'],
  ...['sta', 'sta1', 'tat', 'port', 'please', 'leas', 'e', 'st', 'w77x', 'w77x1', 'x1 w', '💳', '发票', '发'],
  ...['re2', 'é', 't o', 'the pay', 'the payment report', 'sta12 please', 'nothing', 'no thing', 'the *'],
  ...['o r o r', '[sta', 'z z'],
])('“%s” is found in the mails that contain it', (text) => {
  expect(idsOf(foldText(text))).toEqual(plainly(foldText(text)));
});

it('finds any piece of any text', () => {
  const pick = numbers(5);
  const all = [...texts.values()];
  for (let round = 0; round < 300; round++) {
    const text = all[pick(all.length)]!;
    const piece = [...text]
      .slice(pick(20))
      .slice(0, 1 + pick(16))
      .join('');
    if (piece.trim() === '') continue;
    expect({ piece, ids: idsOf(piece) }).toEqual({ piece, ids: plainly(piece) });
  }
});

/** Texts that a tokenizer, a query or a database may take for something else. */
const HOSTILE = [
  ...[
    '\0',
    '\n',
    '\r\n',
    '\u2028',
    '\u00a0',
    '\ud83d',
    '\udcb3',
    '\ufffd',
    '\ufffe',
    '\uffff',
    '\u{1fffe}',
    '\u{10ffff}',
  ],
  ...[
    '"',
    '""',
    "'",
    '*',
    '^',
    'NEAR(',
    ' AND ',
    ' OR ',
    'NOT',
    '-',
    ':',
    '(',
    ')',
    '{',
    '+',
    '\\',
    '%',
    '_',
    '[a-z]',
    '?',
  ],
  ...[
    '💳',
    '👩‍💻',
    '🇩🇪',
    '𝓲',
    '发票',
    '请',
    'カ',
    'ー',
    'が',
    'か\u3099',
    'ｶﾞ',
    'รหัส',
    '각',
    'ᄀ',
    'ᅡ',
    'चा',
    '⺀',
    '〇',
  ],
  ...[
    'e\u0301',
    'É',
    'ß',
    'SS',
    'ı',
    'İ',
    'ς',
    'Σ',
    'ﬁ',
    'ǅ',
    '\u0345',
    '\u200b',
    '\u202e',
    '\u00ad',
    '\ufeff',
    '\ufdfa',
    '\u309b',
  ],
  ...['a', 'b', 'ab', 'abc', '1', ' ', '  ', '.', ', '],
];
const hostile = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...HOSTILE), { maxLength: 12 }).map((many) => many.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);
/** A text, and which part of it is searched for, in code units: it may end within a surrogate pair. */
const searches = fc.record({
  of: fc.nat({ max: 39 }),
  from: fc.nat({ max: 12 }),
  length: fc.integer({ min: 1, max: 16 }),
  other: fc.option(hostile, { freq: 4 }),
});
const runs = process.env['PARAPET_LONG'] === '1' ? 1_000 : 60;

interface Search {
  piece: string;
  kind: 'contains' | 'starts' | 'ends' | 'equals' | 'words';
}
/** Ids of all texts for which `holds` is true, and those that the condition finds, as a search and as SQL by row. */
function compare(
  store: SqliteStore,
  { piece, kind }: Search,
  conditions: typeof BODY,
  holds: (id: number) => boolean,
): void {
  const test: Test =
    kind === 'equals'
      ? { kind, texts: [piece, 'nothing like it'] }
      : kind === 'words'
        ? { kind, words: [wordsOf(piece)], signs: [] }
        : { kind, text: piece };
  const byNumber = (ids: number[]) => ids.sort((a, b) => a - b);
  const ids = (sqlOf: (typeof BODY)['index']) => {
    const params: (string | number)[] = [];
    const sql = sqlOf(test, (value) => {
      params.push(value);
      return '?';
    });
    return store.db
      .prepare(`SELECT id FROM ids e WHERE ${sql}`)
      .pluck()
      .all(...params) as number[];
  };
  const all = store.db.prepare<unknown[], number>('SELECT id FROM ids').pluck().all();
  const expected = byNumber(all.filter(holds));
  const search = conditions.search(test);
  const started = search?.start?.(store, all.length);
  expect(search?.ids(store, all.length).values(), piece).toEqual(expected);
  const compared = started?.compare(started.open.values()) ?? [];
  expect(byNumber([...(started?.matches.values() ?? []), ...compared]), piece).toEqual(expected);
  expect(byNumber(ids(conditions.index)), piece).toEqual(expected);
  expect(byNumber(ids(conditions.byRow)), piece).toEqual(expected);
}

describe('hostile texts are found as a plain model finds them', () => {
  let store: SqliteStore;
  beforeAll(() => {
    store = openStore({ path: ':memory:' }, evidenceSource);
    store.db.exec('CREATE TEMP TABLE ids (id INTEGER PRIMARY KEY)');
  });
  afterAll(() => store.close());
  const inStore = (work: (store: SqliteStore) => void): void => {
    store.db.exec('DELETE FROM ids; DELETE FROM email_texts; DELETE FROM header_texts');
    store.begin();
    work(store);
    for (const { trigrams } of [BODIES, HEADERS])
      store.db.exec(`INSERT INTO ${trigrams} (${trigrams}, rank) VALUES ('integrity-check', 1)`);
  };
  const pieceOf = (
    text: string,
    { from, length, other }: { from: number; length: number; other: string | null },
  ) => other ?? text.slice(from, from + length);

  it('in bodies', () => {
    fc.assert(
      fc.property(
        fc.array(hostile, { minLength: 1, maxLength: 40 }),
        fc.array(searches, { minLength: 1, maxLength: 10 }),
        (bodies, expected) =>
          inStore((store) => {
            for (const [index, body] of bodies.entries()) {
              store.db.prepare('INSERT INTO ids VALUES (?)').run(index + 1);
              const { text } = textRows(index + 1, body);
              if (text !== null)
                store.db.prepare('INSERT INTO email_texts VALUES (@email_id, @folded)').run(text);
            }
            // Mails that are removed, and imported again with other texts.
            store.db.exec('DELETE FROM email_texts WHERE email_id % 5 = 2');
            bodies = bodies.map((body, index) => (index % 5 === 1 ? '' : body));
            const foldedOf = (id: number) => foldText(searchable(bodies[id - 1] ?? ''));
            for (const search of expected) {
              const piece = pieceOf(foldedOf((search.of % bodies.length) + 1), search);
              const folded = foldText(piece.toWellFormed());
              if (folded === '') continue;
              compare(store, { piece, kind: 'contains' }, BODY, (id) => foldedOf(id).includes(folded));
              const words = wordsOf(piece);
              if (words !== '')
                compare(store, { piece, kind: 'words' }, BODY, (id) => wordsOf(foldedOf(id)).includes(words));
            }
          }),
      ),
      { numRuns: runs },
    );
  });

  it('in header lines', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(hostile, { maxLength: 4 }), { minLength: 1, maxLength: 20 }),
        fc.array(searches, { minLength: 1, maxLength: 10 }),
        (mails, expected) =>
          inStore((store) => {
            const put = store.db.prepare('INSERT INTO header_texts VALUES (@email_id, @folded, @shown)');
            for (const [index, lines] of mails.entries()) {
              store.db.prepare('INSERT INTO ids VALUES (?)').run(index + 1);
              put.run(headerRow(index + 1, lines));
            }
            store.db.exec('DELETE FROM header_texts WHERE email_id % 5 = 2');
            for (let id = 2; id <= mails.length; id += 10) {
              mails[id - 1] = ['Again: "x"'];
              put.run(headerRow(id, mails[id - 1]!));
            }
            const linesOf = (id: number) =>
              id % 10 === 7 ? [] : (mails[id - 1] ?? []).map((line) => foldText(searchable(line)));
            for (const search of expected) {
              const lines = linesOf((search.of % mails.length) + 1);
              const piece = pieceOf(lines[search.of % 4] ?? '', search);
              const folded = foldText(piece.toWellFormed());
              if (folded === '') continue;
              const words = wordsOf(piece);
              const some = (holds: (line: string) => boolean) => (id: number) => linesOf(id).some(holds);
              compare(
                store,
                { piece, kind: 'contains' },
                HEADER,
                some((line) => line.includes(folded)),
              );
              compare(
                store,
                { piece, kind: 'starts' },
                HEADER,
                some((line) => line.startsWith(folded)),
              );
              compare(
                store,
                { piece, kind: 'ends' },
                HEADER,
                some((line) => line.endsWith(folded)),
              );
              compare(
                store,
                { piece, kind: 'equals' },
                HEADER,
                some((line) => line === folded),
              );
              if (words !== '')
                compare(
                  store,
                  { piece, kind: 'words' },
                  HEADER,
                  some((line) => wordsOf(line).includes(words)),
                );
            }
          }),
      ),
      { numRuns: runs },
    );
  });
});

const HEADER = headerConditions('e.id');

it('[limit 4 s] a search of two characters that takes too long fails and says so, one of three has an index', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const store = openStore({ path: ':memory:' }, evidenceSource);
  try {
    store.db.transaction(() => {
      const put = store.db.prepare('INSERT INTO email_texts VALUES (?, ?)');
      for (let id = 1; id <= 300; id++) put.run(id, 'invoice of');
    })();
    const count = (text: string) => BODY.search({ kind: 'contains', text })?.ids(store, 300).size;
    store.begin();
    expect(count('of')).toBe(300);
    vi.setSystemTime(Date.now() + 5_000);
    expect(() => count('of')).toThrow(MatchBudgetError);
    expect(() => count('of')).toThrow(/three characters or more/);
    expect(count(' of')).toBe(300);
    store.begin();
    expect(count('of')).toBe(300);
  } finally {
    store.close();
    vi.useRealTimers();
  }
});

it('a search ends when its caller leaves', () => {
  let isCancelled = false;
  const store = openStore(
    {
      path: ':memory:',
      probe: () => {
        if (isCancelled) throw new Error('cancelled');
      },
    },
    evidenceSource,
  );
  try {
    store.db.transaction(() => {
      const put = store.db.prepare('INSERT INTO email_texts VALUES (?, ?)');
      for (let id = 1; id <= 300; id++) put.run(id, 'invoice of');
    })();
    for (const text of ['of', 'invoice']) {
      const search = BODY.search({ kind: 'contains', text });
      isCancelled = false;
      expect(search?.ids(store, 300).size).toBe(300);
      isCancelled = true;
      expect(() => search?.ids(store, 300)).toThrow('cancelled');
      expect(() => search?.start?.(store, 300).compare([128])).toThrow('cancelled');
    }
  } finally {
    store.close();
  }
});

it('leaves the index as it was if a batch of mails is rolled back', () => {
  const store = openStore({ path: ':memory:' }, evidenceSource);
  try {
    const put = store.db.prepare('INSERT INTO email_texts VALUES (?, ?)');
    put.run(1, 'invoice');
    expect(() =>
      store.db.transaction(() => {
        put.run(2, 'invoice');
        store.db.exec('DELETE FROM email_texts WHERE email_id = 1');
        throw new Error('cancelled');
      })(),
    ).toThrow('cancelled');
    expect(BODY.search({ kind: 'contains', text: 'voice' })?.ids(store, 2).values()).toEqual([1]);
    store.db.exec("INSERT INTO text_trigrams (text_trigrams, rank) VALUES ('integrity-check', 1)");
  } finally {
    store.close();
  }
});

it.each([
  [LONGEST_INDEXED - 1, 1],
  [LONGEST_INDEXED, 1],
  [LONGEST_INDEXED + 1, 0],
])('[limit 512 KiB] a text of %d bytes is indexed, or always compared: %d', (bytes, indexed) => {
  const store = openStore({ path: ':memory:' }, evidenceSource);
  try {
    const text = `${'x'.repeat(bytes - 'é voice'.length - 1)}é voice`;
    expect(Buffer.byteLength(text)).toBe(bytes);
    store.db.prepare('INSERT INTO email_texts VALUES (1, ?)').run(text);
    const count = () => store.db.prepare(`SELECT count(*) FROM text_trigrams('"oic"')`).pluck().get();
    const idsOf = (piece: string) => BODY.search({ kind: 'contains', text: piece })?.ids(store, 1).values();
    expect([count(), idsOf('voice'), idsOf('voices')]).toEqual([indexed, [1], []]);
    store.db.exec("DELETE FROM email_texts; INSERT INTO email_texts VALUES (1, 'voices')");
    expect([count(), idsOf('voice'), idsOf('xxx')]).toEqual([1, [1], []]);
    store.db.exec("INSERT INTO text_trigrams (text_trigrams, rank) VALUES ('integrity-check', 1)");
  } finally {
    store.close();
  }
});

it.each(['\ufffd', '\ufffe', '\uffff'])(
  '%j is found apart from those that FTS5 takes for the same',
  (char) => {
    const store = openStore({ path: ':memory:' }, evidenceSource);
    try {
      const put = store.db.prepare('INSERT INTO email_texts VALUES (?, ?)');
      const all = ['\ufffd', '\ufffe', '\uffff'];
      for (const [index, other] of all.entries()) put.run(index + 1, `pay ${other} now`);
      const search = BODY.search({ kind: 'contains', text: `y ${char} n` });
      expect(search?.ids(store, 3).values()).toEqual([all.indexOf(char) + 1]);
    } finally {
      store.close();
    }
  },
);
