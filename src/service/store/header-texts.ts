/** The header lines of a mail as they are searched: each as "Name: text", decoded and on one line. */
import { isAscii } from 'node:buffer';
import { foldText, searchable, wordsOf } from '#shared/query/text.ts';
import { packText, unpackText } from './packed.ts';
import { type BitsTable, BLOCK, BlockBits, BYTES, idsIn } from './sequences.ts';
import type { Store } from './store.ts';
import { ENOUGH, pendingBlocks, settleBlock } from './texts.ts';

/** Since version 8. `folded`: the lines, with a line feed before the first and after each. `hops`: addresses in Received. */
export const HEADER_TABLES = `
CREATE TABLE IF NOT EXISTS header_texts (email_id INTEGER PRIMARY KEY, folded TEXT NOT NULL, shown BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS hops (id INTEGER PRIMARY KEY, email_id INTEGER NOT NULL, position INTEGER NOT NULL, ip TEXT NOT NULL);
`;

/**
 * Since version 14, for each block of mails: which of them may contain a sequence of characters (`header_bits`), and
 * exactly which have a header of a name (`header_names`). Searches always compare the lines of mails in `header_pending`
 * (not indexed yet) and `header_many` (more names than are indexed). Mails in `header_gone` are deleted but still have
 * their bits.
 */
export const HEADER_INDEX_TABLES = `
CREATE TABLE IF NOT EXISTS header_pending (email_id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS header_many (email_id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS header_gone (email_id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS header_bits (id INTEGER PRIMARY KEY, bits BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS header_names (
  name TEXT NOT NULL, block INTEGER NOT NULL, bits BLOB NOT NULL, PRIMARY KEY (name, block)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS header_texts_added AFTER INSERT ON header_texts BEGIN
  INSERT INTO header_pending VALUES (new.email_id);
END;
CREATE TRIGGER IF NOT EXISTS header_texts_removed AFTER DELETE ON header_texts BEGIN
  DELETE FROM header_pending WHERE email_id = old.email_id;
  DELETE FROM header_many WHERE email_id = old.email_id;
  INSERT OR IGNORE INTO header_gone VALUES (old.email_id);
END;
`;
export const ALL_HEADERS_PENDING = 'INSERT OR IGNORE INTO header_pending SELECT email_id FROM header_texts';

/** Two hashes share a bit, which halves the index: comparing header lines is fast, as they are shorter than bodies. */
export const HEADER_BITS: BitsTable = { name: 'header_bits', hashesPerBit: 2, hasJoins: false };
/** Header names of one mail that are indexed, and the characters of a name. */
export const MOST_NAMES = 200;
export const LONGEST_NAME = 80;

export function headerRow(email_id: number, lines: readonly string[]) {
  const shown = lines.map(searchable);
  return {
    email_id,
    folded: `\n${shown.map((line) => `${foldText(line)}\n`).join('')}`,
    shown: packText(shown.join('\n')),
  };
}

const linesOf = (folded: string, shown: Uint8Array): string[] =>
  unpackText(shown, folded.slice(1, -1)).split('\n');

/** Words in the form of `wordsOf`, and folded signs, all of which one line must contain. */
export interface LineWords {
  words: readonly string[];
  signs: readonly string[];
}

/** Indexes the first pending mails once there are at least `from`. Returns whether more wait. */
export function indexHeaders({ db }: Store, from = ENOUGH): boolean {
  const waiting = pendingBlocks(db, 'header_pending', 'header_texts', from);
  if (waiting === null) return false;
  const { blocks, hasMore } = waiting;
  db.transaction(() => {
    for (const block of blocks) {
      indexBlock(db, block);
      settleBlock(db, 'header_pending', block);
    }
  })();
  return hasMore;
}

function indexBlock(db: Store['db'], block: number): void {
  const marks = new BlockBits(HEADER_BITS);
  const names = new Map<string, Uint8Array>();
  const many: number[] = [];
  const texts = db
    .prepare<unknown[], [id: number, folded: Buffer]>(
      'SELECT email_id, CAST(folded AS BLOB) FROM header_texts WHERE email_id BETWEEN ? AND ?',
    )
    .raw();
  for (const [id, bytes] of texts.iterate(...idsIn(block))) {
    const at = (id % BLOCK) >> 3;
    const bit = 1 << (id & 7);
    const folded = bytes.toString('utf8');
    marks.add(id, isAscii(bytes) ? bytes : folded);
    const own = namesOf(folded);
    if (own === null) many.push(id);
    for (const name of own ?? []) {
      const known = names.get(name) ?? new Uint8Array(BYTES);
      known[at]! |= bit;
      names.set(name, known);
    }
  }
  const addMany = db.prepare('INSERT OR IGNORE INTO header_many VALUES (?)');
  for (const id of many) addMany.run(id);
  db.prepare('DELETE FROM header_gone WHERE email_id BETWEEN ? AND ?').run(...idsIn(block));
  db.prepare('DELETE FROM header_names WHERE block = ?').run(block);
  const addName = db.prepare('INSERT INTO header_names VALUES (?, ?, ?)');
  for (const [name, own] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) addName.run(name, block, own);
  marks.write(db, block);
}

/** The distinct header names; null: there are too many, or one is too long. */
function namesOf(folded: string): Set<string> | null {
  const names = new Set<string>();
  for (let at = 1; at < folded.length; at = folded.indexOf('\n', at) + 1) {
    const end = folded.indexOf(':', at);
    if (end < 0) break;
    if (end - at > LONGEST_NAME || names.size >= MOST_NAMES) return null;
    names.add(folded.slice(at, end));
  }
  return names;
}

const isWordCode = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57);

/** The end of a whole word at this position; -1: there is none; null: a neighbour outside ASCII may belong to it. */
function plainEnd(line: string, word: string, at: number): number | null {
  if (!line.startsWith(word, at)) return -1;
  const end = at + word.length;
  const before = at === 0 ? 32 : line.charCodeAt(at - 1);
  const behind = end === line.length ? 32 : line.charCodeAt(end);
  if (before > 127 || behind > 127) return null;
  return isWordCode(before) || isWordCode(behind) ? -1 : end;
}

function nextWord(line: string, from: number): number {
  let at = from;
  while (at < line.length && line.charCodeAt(at) < 128 && !isWordCode(line.charCodeAt(at))) at += 1;
  return at;
}

/** Whether ASCII words follow each other in a line; null: a neighbour outside ASCII may belong to one. */
function hasPlainWords(line: string, words: readonly string[]): boolean | null {
  const [first = '', ...others] = words;
  for (let at = line.indexOf(first); at >= 0; at = line.indexOf(first, at + 1)) {
    let end = plainEnd(line, first, at);
    for (const word of others) {
      if (end === null || end < 0) break;
      end = plainEnd(line, word, nextWord(line, end));
    }
    if (end === null) return null;
    if (end >= 0) return true;
  }
  return false;
}

const PLAIN = /^[a-z0-9]+(?: [a-z0-9]+)*$/;

/** The search terms, prepared once for all lines. */
interface Wanted {
  signs: readonly string[];
  /** `words`: those of the phrase; null: not all are ASCII. */
  phrases: readonly { phrase: string; words: readonly string[] | null }[];
  longest: string;
}

function lineHas(line: string, { phrases, signs }: Wanted): boolean {
  for (const sign of signs) if (!line.includes(sign)) return false;
  let all: string | null = null;
  for (const { phrase, words } of phrases) {
    const plain = words && hasPlainWords(line, words);
    if (plain === false) return false;
    if (plain === true) continue;
    all ??= wordsOf(line);
    if (!all.includes(phrase)) return false;
  }
  return true;
}

/** The words and signs that a line must contain, as they occur in the text. */
export const tokensOf = ({ words, signs }: LineWords): string[] => [
  ...words.flatMap((one) => one.trim().split(' ')),
  ...signs,
];

function takenApart(wanted: LineWords): Wanted {
  const phrases = wanted.words.map((phrase) => {
    const bare = phrase.trim();
    return { phrase, words: PLAIN.test(bare) ? bare.split(' ') : null };
  });
  const longest = tokensOf(wanted).reduce((a, b) => (b.length > a.length ? b : a), '');
  return { signs: wanted.signs, phrases, longest };
}

/** Only lines that contain the longest token are examined. */
function hasLine(folded: string, wanted: Wanted): boolean {
  const { longest } = wanted;
  for (let at = folded.indexOf(longest); at >= 0; ) {
    const end = folded.indexOf('\n', at);
    if (lineHas(folded.slice(folded.lastIndexOf('\n', at) + 1, end), wanted)) return true;
    // After the line feed: otherwise a token that begins with one would be found again, in an endless loop.
    at = folded.indexOf(longest, end + 1);
  }
  return false;
}

/** SQL functions: pp_lines(folded, shown), a JSON array; pp_has_line(folded, words as JSON). */
export function headerFunctions() {
  let last = { json: '', wanted: takenApart({ words: [], signs: [] }) };
  return {
    pp_lines: (folded: string, shown: Uint8Array) => JSON.stringify(linesOf(folded, shown)),
    pp_has_line: (folded: string, json: string) => {
      if (last.json !== json) last = { json, wanted: takenApart(JSON.parse(json) as LineWords) };
      return hasLine(folded, last.wanted) ? 1 : 0;
    },
  };
}
