/** Comparisons that two connections share, compared with the texts themselves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { evidenceSource } from '../evidence/source.ts';
import { allCompared, type Comparison, helpCompare, type SharedComparison } from './comparison.ts';
import { IdSet } from './id-set.ts';
import { openReader, openStore, type Store } from './store.ts';

/** Not a multiple of eight. */
const NEWEST = 9_003;
const COMPARISON: Comparison = { table: 'email_texts', holds: 'instr(t.folded, ?) > 0', params: ['ab'] };
/** One in three holds it, and one in seven has no text. */
const texts = Array.from({ length: NEWEST + 1 }, (_, id) => (id % 3 === 0 ? `${id} ab` : `${id} ba`));
const hasText = (id: number) => id > 0 && id % 7 !== 0;

const folder = mkdtempSync(path.join(tmpdir(), 'parapet-comparison-'));
const options = { path: path.join(folder, 'x.sqlite'), key: 'cd'.repeat(32) };
let writer: Store;
let reader: Store;
let other: Store;
let shared: SharedComparison[] = [];
let isCancelled = false;
/** Runs while texts are compared. */
let meanwhile = (): void => {};
beforeAll(() => {
  writer = openStore(options, evidenceSource);
  writer.db.transaction(() => {
    const add = writer.db.prepare('INSERT INTO email_texts VALUES (?, ?)');
    for (const [id, text] of texts.entries()) if (hasText(id)) add.run(id, text);
  })();
  const probe = () => {
    if (isCancelled) throw new Error('cancelled');
    meanwhile();
  };
  reader = openReader({ ...options, probe }, evidenceSource);
  other = openReader(options, evidenceSource);
});
beforeEach(() => {
  shared = [];
  isCancelled = false;
  meanwhile = () => {};
});
afterAll(() => {
  for (const store of [reader, other, writer]) store.close();
  rmSync(folder, { recursive: true });
});

const mailsOf = (isAsked: (id: number) => boolean): IdSet =>
  new IdSet(NEWEST).addAll(texts.flatMap((_, id) => (id > 0 && isAsked(id) ? [id] : [])));
const plainly = (mails: IdSet): number[] =>
  mails.values().filter((id) => hasText(id) && texts[id]!.includes('ab'));
const found = (mails: IdSet, share: (work: SharedComparison) => void): number[] =>
  allCompared(
    {
      ...reader,
      share: (work) => {
        shared.push(work);
        share(work);
      },
    },
    mails,
    NEWEST,
    COMPARISON,
  ).values();

const takeOne = (work: SharedComparison) => void Atomics.add(work.next, 0, 1);

it.each<[string, (work: SharedComparison) => void]>([
  ['does not help', () => {}],
  ['compares everything', (work) => helpCompare(other, work)],
  ['ends during its first chunk', takeOne],
  [
    'ends during its last chunk',
    (work) => {
      for (const _ of work.done) takeOne(work);
    },
  ],
])('finds the same mails if the other thread %s', (_, share) => {
  for (const mails of [
    mailsOf(() => true),
    mailsOf((id) => id % 2 === 0),
    // Close together, scattered, and none in between.
    mailsOf((id) => id < 3_000 || (id > 6_000 && id % 2 === 0)),
  ])
    expect(found(mails, share)).toEqual(plainly(mails));
  expect(shared).toHaveLength(3);
});

it('loses no mail if the other thread still writes its chunk while that is compared again', () => {
  const all = mailsOf(() => true);
  const share = (work: SharedComparison) => {
    for (const _ of work.done) takeOne(work);
    // Its bytes are as they were when it read them.
    meanwhile = () => void work.held.fill(0);
  };
  expect(found(all, share)).toEqual(plainly(all));
});

it('finds the mails of its own snapshot while others are added and removed', () => {
  const mails = mailsOf(() => true);
  reader.db.exec('BEGIN');
  reader.db.prepare('SELECT count(*) FROM email_texts').get();
  try {
    const share = (work: SharedComparison) => {
      writer.db.exec(
        `DELETE FROM email_texts WHERE email_id < 6000; INSERT INTO email_texts VALUES (${NEWEST + 1}, 'ab')`,
      );
      helpCompare(other, work);
    };
    expect(found(mails, share)).toEqual(plainly(mails));
  } finally {
    reader.db.exec('COMMIT');
    const add = writer.db.prepare('INSERT OR IGNORE INTO email_texts VALUES (?, ?)');
    writer.db.transaction(() => {
      for (const [id, text] of texts.entries()) if (hasText(id)) add.run(id, text);
      writer.db.prepare('DELETE FROM email_texts WHERE email_id > ?').run(NEWEST);
    })();
  }
});

it('finds them if the other thread cannot be started', () => {
  const mails = mailsOf(() => true);
  const share = () => {
    throw new Error('EMFILE');
  };
  expect(found(mails, share)).toEqual(plainly(mails));
});

it('does not share the comparison of a few mails', () => {
  const mails = mailsOf((id) => id % 3 === 0);
  expect(found(mails, () => {})).toEqual(plainly(mails));
  expect(shared).toHaveLength(0);
});

it('leaves no chunk to the other thread when it is cancelled', () => {
  isCancelled = true;
  expect(() =>
    found(
      mailsOf(() => true),
      () => {},
    ),
  ).toThrow('cancelled');
  helpCompare(other, shared[0]!);
  expect([...shared[0]!.done].every((one) => one === 0)).toBe(true);
});
