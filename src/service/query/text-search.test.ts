/** Body searches over more mails than any step handles at once, compared with the texts themselves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { foldText, wordsOf } from '#shared/query/text.ts';
import { ingestEvidence } from '../evidence/ingest/ingest-evidence.ts';
import { evidenceSource, openEvidence } from '../evidence/source.ts';
import { openStore, type Store } from '../store/store.ts';
import { indexTexts } from '../store/texts.ts';
import { textSearch } from './text-search.ts';

/** Several times the number of mails compared without the word index, in more than ten blocks. */
const MAILS = 12_000;
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
let store: Store;

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
  while (indexTexts(store, 1));
  // Deleted, deleted and written again with another text and indexed or not, and new.
  for (let id = 3; id <= 300; id += 7) remove(id);
  for (let id = 3; id <= 150; id += 14) add(id, textOf(id));
  for (let id = 5_000; id < 5_040; id += 2) remove(id);
  while (indexTexts(store, 1));
  for (let id = 7_001; id <= 7_301; id += 10) remove(id);
  for (let id = 7_001; id <= 7_201; id += 20) add(id, textOf(id));
  for (let id = MAILS + 1; id <= MAILS + 50; id++) add(id, textOf(id));
});
afterAll(() => store.close());

const found = (text: string): number[] => {
  const search = textSearch({ kind: 'contains', text });
  if (search === null) throw new Error(`No index answers ${text}`);
  return search.ids(store, MAILS + 50).values();
};
const plainly = (text: string): number[] =>
  [...texts]
    .filter(([, one]) => one.includes(text))
    .map(([id]) => id)
    .sort((a, b) => a - b);

it.each([
  ...['o r', 'r o', '0 w', 'o re', 'payment re', 'payment report', 'payment, report', 'of the', 'f the p'],
  ...[
    'sta',
    'sta1',
    'tat',
    'port',
    'please',
    'leas',
    'e',
    'st',
    'w77x',
    'w77x1',
    'x1 w',
    '💳',
    '发票',
    '发',
    're2',
    'é',
  ],
  ...[
    't o',
    'the pay',
    'the payment report',
    'sta12 please',
    'nothing',
    'no thing',
    'the *',
    'o r o r',
    '[sta',
    'z z',
  ],
])('“%s” is found in the mails that contain it', (text) => {
  expect(found(foldText(text))).toEqual(plainly(foldText(text)));
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
    if (piece.trim() === '' || textSearch({ kind: 'contains', text: piece }) === null) continue;
    expect({ piece, ids: found(piece) }).toEqual({ piece, ids: plainly(piece) });
  }
});

it('marks exactly the mails of a block that contain its common words', () => {
  const stored = store.db
    .prepare<unknown[], [string, number, Buffer]>('SELECT word, block, bits FROM text_common')
    .raw()
    .all();
  expect(stored.length).toBeGreaterThan(100);
  const gone = new Set(store.db.prepare('SELECT email_id FROM text_gone').pluck().all());
  for (const [word, block, bits] of stored) {
    const ids = [...texts.keys()].filter((id) => Math.floor(id / 1_024) === block && !gone.has(id));
    const wrong = ids.filter((id) => {
      const isSet = (bits[(id % 1_024) >> 3]! & (1 << (id & 7))) !== 0;
      return isSet !== wordsOf(texts.get(id)!).split(' ').includes(word);
    });
    // Mails that are not indexed yet have no bits.
    expect({ word, wrong: wrong.filter((id) => id <= MAILS) }).toEqual({ word, wrong: [] });
  }
});

it('works while texts wait for the index, which is built step by step and continues after a cancel', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-index-'));
  const own = openEvidence({ path: ':memory:' });
  const count = (table: string) => Number(own.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  try {
    const insert = own.db.prepare('INSERT INTO email_texts VALUES (?, ?)');
    own.db.transaction(() => {
      for (let id = 1; id < 9_000; id++) insert.run(id, `please w${id % 100}`);
    })();
    const found = () => textSearch({ kind: 'contains', text: 'se w7' })?.ids(own, 9_000).size;
    const cancelling = new AbortController();
    const seen: (number | undefined)[] = [];
    const watch = () => {
      if (count('text_blocks') === 0) return void setImmediate(watch);
      seen.push(count('text_blocks'), found());
      cancelling.abort();
    };
    setImmediate(watch);
    await expect(ingestEvidence(own, folder, { signal: cancelling.signal })).rejects.toThrow('abort');
    expect(seen).toEqual([4, 990]);
    expect([count('text_blocks'), count('text_pending')]).toEqual([4, 8_999 - 4_095]);
    await ingestEvidence(own, folder);
    expect([count('text_blocks'), count('text_pending'), found()]).toEqual([9, 0, 990]);
  } finally {
    own.close();
    rmSync(folder, { recursive: true });
  }
});
