/**
 * The searchable text of bodies: folded, with an index of words and one of character sequences. All are tables of the
 * same database, so they are encrypted and change in the same transactions.
 */
import { isAscii } from 'node:buffer';
import { cellText, excerptOf, type Sought } from '#shared/query/excerpt.ts';
import { foldText, searchable, wordsOf } from '#shared/query/text.ts';
import { packText, unpackText } from './packed.ts';
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
END;
`;

/** Version 8 had texts as written beside the folded ones. The mail is read again. */
export const TEXTS_OF_8 = ['email_texts', 'text_words', 'text_pending', 'text_blocks', 'text_bits']
  .map((table) => `DROP TABLE IF EXISTS ${table};`)
  .join('');

/** Versions 9 and 10 knew no vocabulary, and that of 11 was in no order: their texts are indexed again. */
export const INDEXES_OF_11 = `
DROP TRIGGER IF EXISTS email_texts_added;
DROP TRIGGER IF EXISTS email_texts_removed;
DROP TABLE IF EXISTS text_words; DROP TABLE IF EXISTS text_blocks; DROP TABLE IF EXISTS text_bits;
DROP TABLE IF EXISTS text_vocabulary; DROP TABLE IF EXISTS text_long;
`;
export const ALL_PENDING = 'INSERT OR IGNORE INTO text_pending SELECT email_id FROM email_texts';

/** UTF-16 units of the longest word in the vocabulary; FTS5 cuts at 32 768 bytes. */
const LONGEST_WORD = 256;

/** Texts that are indexed at once: many, since each time costs the word index a segment. */
export const ENOUGH = 2_048;
/** Mails of a block: bits of a sequence. */
export const BLOCK = 1_024;
export const BYTES = BLOCK / 8;
/** Sequences are told apart by a hash of this many bits: a mail of 2 000 characters has some 6 % of them. */
const HASH_BITS = 14;
export const HASHES = 1 << HASH_BITS;
/** Hashes of a row of `text_bits`, so that it fills a page of the database. */
export const ROW = 31;
const ROWS = Math.ceil(HASHES / ROW);

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

const FACTORS = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35] as const;
const hashOf = (a: number, b: number, c: number): number =>
  (Math.imul(a, FACTORS[0]) ^ Math.imul(b, FACTORS[1]) ^ Math.imul(c, FACTORS[2])) >>> (32 - HASH_BITS);

/**
 * Hashes of the sequences of UTF-16 units in a folded text: all of three units, and outside ASCII also of one and two,
 * for scripts whose words have one or two characters.
 */
export function eachHash(text: string, visit: (hash: number) => void): void {
  let a = 0;
  let b = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (at > 1) visit(hashOf(a, b, c));
    if (c > 127) visit(hashOf(0, 0, c));
    if (c > 127 && b > 127) visit(hashOf(0, b, c));
    a = b;
    b = c;
  }
}

/** The contribution of each ASCII character to `hashOf` at its three positions. */
const [FIRST, SECOND, THIRD] = FACTORS.map((factor) =>
  Int32Array.from({ length: 128 }, (_, code) => Math.imul(code, factor)),
) as [Int32Array, Int32Array, Int32Array];

/** Sets the bit of each hash of a text of ASCII: those of `eachHash`. */
export function eachAsciiHash(text: Buffer, bits: Uint8Array, at: number, bit: number): void {
  let a = text[0]!;
  let b = text[1]!;
  for (let place = 2; place < text.length; place++) {
    const c = text[place]!;
    const hash = (FIRST[a]! ^ SECOND[b]! ^ THIRD[c]!) >>> (32 - HASH_BITS);
    bits[hash * BYTES + at]! |= bit;
    a = b;
    b = c;
  }
}

/** The hashes to look up; for a long text a spread sample. */
const MOST_LOOKED_UP = 8;

/** A table of sequence bits, with the number of its rows for each block. */
export interface BitsTable {
  name: string;
  rows: number;
  /** Number of hashes that share one bit. */
  shared: number;
}
export const TEXT_BITS: BitsTable = { name: 'text_bits', rows: ROWS, shared: 1 };

/** Where the bits of a text's sequences are; none: it is too short to be looked up. */
export function placesOf(text: string, { shared }: BitsTable = TEXT_BITS): { row: number; offset: number }[] {
  const hashes = new Set<number>();
  eachHash(text, (hash) => hashes.add(Math.floor(hash / shared)));
  const all = [...hashes];
  const step = Math.max(1, all.length / MOST_LOOKED_UP);
  return Array.from({ length: Math.min(all.length, MOST_LOOKED_UP) }, (_, at) => {
    const hash = all[Math.floor(at * step)] ?? 0;
    return { row: Math.floor(hash / ROW), offset: (hash % ROW) * BYTES };
  });
}

/** Mails whose bits are set at all places: only these can contain all of the sequences. */
export function markedMails(
  { db }: Store,
  { name, rows }: BitsTable,
  places: ReturnType<typeof placesOf>,
): number[] {
  const read = db.prepare<unknown[], Buffer>(`SELECT bits FROM ${name} WHERE id = ?`).pluck();
  const last = Number(db.prepare(`SELECT coalesce(max(id), -1) FROM ${name}`).pluck().get());
  const out: number[] = [];
  for (let block = 0; block * rows <= last; block++) {
    const bits = places.map(({ row, offset }) =>
      read.get(block * rows + row)?.subarray(offset, offset + BYTES),
    );
    if (bits.every((one) => one !== undefined)) out.push(...marksOf(block, bits));
  }
  return out;
}

/** SQL: the bits of one sequence in the block `b`. */
export const bitsSql = ({ row, offset }: { row: number; offset: number }): string =>
  `(SELECT substr(s.bits, ${offset + 1}, ${BYTES}) FROM text_bits s WHERE s.id = b.block * ${ROWS} + ${row})`;

/** The mails of a block whose bits are set in all. */
function marksOf(block: number, bits: readonly (Uint8Array | null)[]): number[] {
  const ids: number[] = [];
  const [first, ...others] = bits;
  for (let at = 0; first && at < first.length; at++) {
    let both = first[at]!;
    for (const other of others) both &= other?.[at] ?? 0;
    for (let bit = 0; both !== 0; bit++, both >>= 1) if (both & 1) ids.push(block * BLOCK + at * 8 + bit);
  }
  return ids;
}

/**
 * The blocks to index and the id before which they end; null: fewer than `from` texts are pending. `pending` and `texts`
 * are tables.
 */
export function pendingBlocks(
  db: Store['db'],
  pending: 'text_pending' | 'header_pending',
  texts: 'email_texts' | 'header_texts',
  from: number,
): { blocks: number[]; end: number } | null {
  const count = Number(db.prepare(`SELECT count(*) FROM ${pending}`).pluck().get());
  if (count < Math.max(1, from)) return null;
  // A block is rewritten when it grows, so an incomplete last block waits until no more texts are coming.
  const last = Number(db.prepare(`SELECT max(email_id) FROM ${texts}`).pluck().get());
  const end = from > 1 ? last - (last % BLOCK) : last + 1;
  const blocks = db
    .prepare<unknown[], number>(
      `SELECT DISTINCT email_id / ${BLOCK} FROM ${pending} WHERE email_id < ? ORDER BY 1`,
    )
    .pluck()
    .all(end);
  return { blocks, end };
}

/** Indexes what is pending, once it is at least `from` texts. */
export function indexTexts({ db }: Store, from = ENOUGH): void {
  const waiting = pendingBlocks(db, 'text_pending', 'email_texts', from);
  if (waiting === null) return;
  const { blocks, end } = waiting;
  const addKnown = db.prepare('INSERT OR IGNORE INTO text_vocabulary (word) VALUES (?)');
  db.transaction(() => {
    const counts = new WordCounts(LONGEST_WORD);
    for (const block of blocks) indexBlock(db, block, counts);
    for (const word of counts.sorted()) addKnown.run(word);
    db.prepare('DELETE FROM text_pending WHERE email_id < ?').run(end);
  })();
}

/** A text to index. ASCII text goes to the word index unchanged, since its tokenizer finds the same words. */
interface Pending {
  id: number;
  words: string | null;
  hasLong: boolean;
}

function indexBlock(db: Store['db'], block: number, counts: WordCounts): void {
  const bits = new Uint8Array(ROWS * ROW * BYTES);
  const pending: Pending[] = [];
  const texts = db
    .prepare<unknown[], [id: number, folded: Buffer, isPending: number]>(
      `SELECT t.email_id, CAST(t.folded AS BLOB), EXISTS (SELECT 1 FROM text_pending p WHERE p.email_id = t.email_id)
       FROM email_texts t WHERE t.email_id BETWEEN ? AND ?`,
    )
    .raw();
  for (const [id, bytes, isPending] of texts.iterate(block * BLOCK, block * BLOCK + BLOCK - 1)) {
    const at = (id % BLOCK) >> 3;
    const bit = 1 << (id & 7);
    let words: string | null = null;
    if (isAscii(bytes)) eachAsciiHash(bytes, bits, at, bit);
    else {
      const folded = bytes.toString('utf8');
      eachHash(folded, (hash) => {
        bits[hash * BYTES + at]! |= bit;
      });
      words = isPending === 1 ? wordsOf(folded) : '';
    }
    if (isPending === 1)
      pending.push({ id, words, hasLong: words === null ? counts.addAscii(bytes) : counts.addWords(words) });
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
  const write = db.prepare('INSERT OR REPLACE INTO text_bits VALUES (?, ?)');
  for (let row = 0; row < ROWS; row++)
    write.run(block * ROWS + row, bits.subarray(row * ROW * BYTES, (row + 1) * ROW * BYTES));
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
      JSON.stringify(marksOf(block, bits)),
    pp_shown: shownText,
    pp_cell: (folded: string, shown: Uint8Array | null) => cellText(shownText(folded, shown)),
    pp_excerpt: (json: string, folded: string, shown: Uint8Array | null) => {
      if (last.json !== json) last = { json, sought: JSON.parse(json) as Sought[] };
      return excerptOf(last.sought, folded, () => shownText(folded, shown));
    },
  };
}
