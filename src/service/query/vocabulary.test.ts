import { afterEach, beforeEach, expect, it } from 'vitest';
import { evidenceSource } from '../evidence/source.ts';
import { openStore, type Store } from '../store/store.ts';
import { type WordTest, wordsLike } from './vocabulary.ts';

let store: Store;
beforeEach(() => {
  store = openStore({ path: ':memory:' }, evidenceSource);
});
afterEach(() => store.close());

const add = (...words: string[]) => {
  for (const word of words) store.db.prepare('INSERT INTO text_vocabulary (word) VALUES (?)').run(word);
};

const WORDS = ['invoice', 'voice', 'in', 'ça', 'voiceinvoice', '票', 'ab', 'abab', 'a'];
const TESTS: WordTest[] = ['invoice', 'voice', 'in', 'a', 'ab', '票', 'ç', 'none'].flatMap((piece) =>
  (['is', 'has', 'begins', 'ends'] as const).map((kind) => ({ kind, piece })),
);
const PLAIN: Record<WordTest['kind'], (word: string, piece: string) => boolean> = {
  is: (word, piece) => word === piece,
  has: (word, piece) => word.includes(piece),
  begins: (word, piece) => word.startsWith(piece),
  ends: (word, piece) => word.endsWith(piece),
};

/** With a limit of 0 the words stay in the database. */
it.each([
  ['in memory', 1_000],
  ['in the database', 0],
])('words are found by equality, content, beginning or end: %s', (_, most) => {
  expect(wordsLike(store, { kind: 'has', piece: 'a' }, 9, most)).toEqual([]);
  add(...WORDS.slice(0, 5));
  wordsLike(store, { kind: 'has', piece: 'a' }, 9, most);
  add(...WORDS.slice(5));
  for (const test of TESTS)
    for (const count of [1, 2, 9])
      expect(wordsLike(store, test, count, most), `${test.kind} ${test.piece}`).toEqual(
        WORDS.filter((word) => PLAIN[test.kind](word, test.piece)).slice(0, count),
      );
});

it.each([
  [7, 1],
  [8, 0],
  [9, 0],
])('words of 8 bytes are kept in memory with a limit of %d', (most, found) => {
  add('abc', 'de');
  wordsLike(store, { kind: 'is', piece: 'abc' }, 9, most);
  // A word that is only in the database.
  store.db.prepare("UPDATE text_vocabulary SET word = 'fgh' WHERE word = 'abc'").run();
  expect(wordsLike(store, { kind: 'is', piece: 'fgh' }, 9, most)).toHaveLength(found);
});
