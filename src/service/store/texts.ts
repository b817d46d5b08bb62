/**
 * The searchable text of bodies: folded, with an index of words and one of character sequences. All are tables of the
 * same database, so they are encrypted and change in the same transactions.
 */
import { isAscii } from 'node:buffer';
import { cellText, excerptOf, type Sought } from '#shared/query/excerpt.ts';
import { foldText, searchable, wordsOf } from '#shared/query/text.ts';
import { packText, unpackText } from './packed.ts';
import { type BitsTable, BLOCK, BlockBits, idsIn, markedIn } from './sequences.ts';
import type { Store } from './store.ts';
import { WordCounts } from './word-counts.ts';

/**
 * Since version 9. Texts in `text_pending` are in no index yet, and searches read them. A bit of `text_bits` says that
 * a mail may contain a sequence of characters; the text itself is always compared.
 */
export const TEXT_TABLES = `
CREATE TABLE IF NOT EXISTS email_texts (email_id INTEGER PRIMARY KEY, folded TEXT NOT NULL);
-- As written, packed (store/packed.ts); none: the folded text itself. Apart, since searches read the folded ones alone.
CREATE TABLE IF NOT EXISTS shown_texts (email_id INTEGER PRIMARY KEY, shown BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS text_pending (email_id INTEGER PRIMARY KEY);
-- Words come as wordsOf forms them, between spaces, so the simplest tokenizer knows them in any script.
CREATE VIRTUAL TABLE IF NOT EXISTS text_words USING fts5(words, content='', columnsize=0, tokenize='ascii');
-- Every word of text_words at least once, so that a piece of a word becomes words. Longer ones are in no index.
-- The commonest come first, as far as the first texts tell.
CREATE TABLE IF NOT EXISTS text_vocabulary (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS text_long (email_id INTEGER PRIMARY KEY);
-- Mails of a block that have a word which is common in it; words that are not have no row.
CREATE TABLE IF NOT EXISTS text_common (
  word TEXT NOT NULL, block INTEGER NOT NULL, bits BLOB NOT NULL, PRIMARY KEY (word, block)
) WITHOUT ROWID;
-- Deleted, but they still have their bits.
CREATE TABLE IF NOT EXISTS text_gone (email_id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS text_blocks (block INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS text_bits (id INTEGER PRIMARY KEY, bits BLOB NOT NULL);
CREATE TRIGGER IF NOT EXISTS email_texts_added AFTER INSERT ON email_texts BEGIN
  INSERT INTO text_pending VALUES (new.email_id);
END;
CREATE TRIGGER IF NOT EXISTS email_texts_removed AFTER DELETE ON email_texts BEGIN
  INSERT INTO text_words (text_words, rowid, words) SELECT 'delete', old.email_id, pp_words(old.folded)
    WHERE old.email_id NOT IN (SELECT email_id FROM text_pending);
  DELETE FROM text_pending WHERE email_id = old.email_id;
  DELETE FROM text_long WHERE email_id = old.email_id;
  INSERT OR IGNORE INTO text_gone VALUES (old.email_id);
END;
`;

/** Version 8 had texts as written beside the folded ones. The mail is read again. */
export const TEXTS_OF_8 = [
  'email_texts',
  'text_words',
  'text_pending',
  'text_blocks',
  'text_bits',
  'text_common',
  'text_gone',
]
  .map((table) => `DROP TABLE IF EXISTS ${table};`)
  .join('');

/** Before version 12 there was no ordered vocabulary, and before 16 no bits for spaces: texts are indexed again. */
export const INDEXES_OF_15 = `
DROP TRIGGER IF EXISTS email_texts_added;
DROP TRIGGER IF EXISTS email_texts_removed;
DROP TABLE IF EXISTS text_words; DROP TABLE IF EXISTS text_blocks; DROP TABLE IF EXISTS text_bits;
DROP TABLE IF EXISTS text_vocabulary; DROP TABLE IF EXISTS text_long;
DROP TABLE IF EXISTS text_common; DROP TABLE IF EXISTS text_gone;
`;
export const ALL_PENDING = 'INSERT OR IGNORE INTO text_pending SELECT email_id FROM email_texts';

/** UTF-16 units of the longest word in the vocabulary; FTS5 cuts at 32 768 bytes. */
const LONGEST_WORD = 256;

export const TEXT_BITS: BitsTable = { name: 'text_bits', hashesPerBit: 1, hasJoins: true };

/** Texts indexed in one transaction: many, since each transaction costs the word index a segment. */
export const ENOUGH = 2_048;
/** Rows of `email_texts` and `shown_texts`; null: no text. */
export function textRows(email_id: number, text: string) {
  const shown = searchable(text);
  if (shown === '') return { text: null, shown: null };
  const folded = foldText(shown);
  return {
    text: { email_id, folded },
    shown: folded === shown ? null : { email_id, shown: packText(shown) },
  };
}

/** Blocks indexed in one transaction, during which nothing else can be written; more than one import batch fills. */
const STEP = 4;

/**
 * The next blocks to index; null: fewer than `from` texts are pending. `hasMore`: whether others wait. `pending` and
 * `texts` are tables.
 */
export function pendingBlocks(
  db: Store['db'],
  pending: 'text_pending' | 'header_pending',
  texts: 'email_texts' | 'header_texts',
  from: number,
): { blocks: number[]; hasMore: boolean } | null {
  const count = Number(db.prepare(`SELECT count(*) FROM ${pending}`).pluck().get());
  if (count < Math.max(1, from)) return null;
  // A block is rewritten when it grows, so an incomplete last block waits until no more texts are coming.
  const last = Number(db.prepare(`SELECT max(email_id) FROM ${texts}`).pluck().get());
  const end = from > 1 ? last - (last % BLOCK) : last + 1;
  const blocks = db
    .prepare<unknown[], number>(
      `SELECT DISTINCT email_id / ${BLOCK} FROM ${pending} WHERE email_id < ? ORDER BY 1 LIMIT ${STEP + 1}`,
    )
    .pluck()
    .all(end);
  return { blocks: blocks.slice(0, STEP), hasMore: blocks.length > STEP };
}

/** The texts of a block are in its index. */
export function settleBlock(
  db: Store['db'],
  pending: 'text_pending' | 'header_pending',
  block: number,
): void {
  db.prepare(`DELETE FROM ${pending} WHERE email_id BETWEEN ? AND ?`).run(...idsIn(block));
}

/** Indexes the first pending texts, once they are at least `from`. Returns whether more wait. */
export function indexTexts({ db }: Store, from = ENOUGH): boolean {
  const waiting = pendingBlocks(db, 'text_pending', 'email_texts', from);
  if (waiting === null) return false;
  const { blocks, hasMore } = waiting;
  const addKnown = db.prepare('INSERT OR IGNORE INTO text_vocabulary (word) VALUES (?)');
  db.transaction(() => {
    const counts = new WordCounts(LONGEST_WORD);
    for (const block of blocks) indexBlock(db, block, counts);
    for (const word of counts.sorted()) addKnown.run(word);
    for (const block of blocks) settleBlock(db, 'text_pending', block);
  })();
  return hasMore;
}

/** A text to index. ASCII text goes to the word index unchanged, since its tokenizer finds the same words. */
interface Pending {
  id: number;
  words: string | null;
  hasLong: boolean;
}

function indexBlock(db: Store['db'], block: number, counts: WordCounts): void {
  const marks = new BlockBits(TEXT_BITS);
  const pending: Pending[] = [];
  const texts = db
    .prepare<unknown[], [id: number, folded: Buffer, isPending: number]>(
      `SELECT t.email_id, CAST(t.folded AS BLOB), EXISTS (SELECT 1 FROM text_pending p WHERE p.email_id = t.email_id)
       FROM email_texts t WHERE t.email_id BETWEEN ? AND ?`,
    )
    .raw();
  for (const [id, bytes, isPending] of texts.iterate(...idsIn(block))) {
    const folded = isAscii(bytes) ? null : bytes.toString('utf8');
    marks.add(id, folded ?? bytes);
    counts.begin(id);
    const words = folded === null ? null : wordsOf(folded);
    const hasLong = words === null ? counts.addAscii(bytes) : counts.addWords(words);
    if (isPending === 1) pending.push({ id, words, hasLong });
  }
  const addWords = db.prepare('INSERT INTO text_words (rowid, words) VALUES (?, ?)');
  const addText = db.prepare(
    'INSERT INTO text_words (rowid, words) SELECT email_id, folded FROM email_texts WHERE email_id = ?',
  );
  const addLong = db.prepare('INSERT OR IGNORE INTO text_long VALUES (?)');
  for (const { id, words, hasLong } of pending) {
    if (words === null) addText.run(id);
    else addWords.run(id, words);
    if (hasLong) addLong.run(id);
  }
  marks.write(db, block);
  if (db.prepare('SELECT 1 FROM text_blocks WHERE block = ?').get(block) !== undefined)
    db.prepare('DELETE FROM text_common WHERE block = ?').run(block);
  const addCommon = db.prepare('INSERT INTO text_common VALUES (?, ?, ?)');
  for (const { word, mails } of counts.takeCommon()) addCommon.run(word, block, mails);
  db.prepare('DELETE FROM text_gone WHERE email_id BETWEEN ? AND ?').run(...idsIn(block));
  db.prepare('INSERT OR IGNORE INTO text_blocks VALUES (?)').run(block);
}

const shownText = (folded: string, shown: Uint8Array | null): string =>
  shown === null ? folded : unpackText(shown, folded);

/**
 * SQL functions: pp_shown(folded, shown), pp_cell(folded, shown) and pp_excerpt(sought, folded, shown) of a text;
 * pp_mails(block, bits…).
 */
export function textFunctions() {
  let last: { json: string; sought: Sought[] } = { json: '[]', sought: [] };
  return {
    pp_mails: (block: number, ...bits: readonly (Uint8Array | null)[]) =>
      JSON.stringify(markedIn(block, bits)),
    pp_shown: shownText,
    pp_cell: (folded: string, shown: Uint8Array | null) => cellText(shownText(folded, shown)),
    pp_excerpt: (json: string, folded: string, shown: Uint8Array | null) => {
      if (last.json !== json) last = { json, sought: JSON.parse(json) as Sought[] };
      return excerptOf(last.sought, folded, () => shownText(folded, shown));
    },
  };
}
