/** The words of the body index, kept in memory so that those containing a piece are found within a millisecond. */
import type { Store } from '../store/store.ts';

/** A condition on a word. */
export interface WordTest {
  kind: 'is' | 'has' | 'begins' | 'ends';
  piece: string;
}

/** Bytes of words kept in memory: some two million words. */
const MOST_KEPT = 16 * 1024 * 1024;
const LINE = '\n';

interface Kept {
  /** A line feed, then each word followed by one, in the order of their ids. */
  words: Buffer;
  newest: number;
}

const KEPT = new WeakMap<Store['db'], Kept>();

/** null: there are too many words to keep. */
function keptWords(db: Store['db'], most: number): Buffer | null {
  const newest = Number(db.prepare('SELECT coalesce(max(id), 0) FROM text_vocabulary').pluck().get());
  const known = KEPT.get(db);
  // Words are only ever added.
  const kept =
    known !== undefined && known.newest <= newest ? known : { words: Buffer.from(LINE), newest: 0 };
  if (kept.words.length > most) return null;
  if (kept.newest === newest) return kept.words;
  const more = db
    .prepare<unknown[], Buffer | null>(
      'SELECT CAST(group_concat(word, char(10)) AS BLOB) FROM (SELECT word FROM text_vocabulary WHERE id > ? ORDER BY id)',
    )
    .pluck()
    .get(kept.newest);
  const words = more ? Buffer.concat([kept.words, more, Buffer.from(LINE)]) : kept.words;
  KEPT.set(db, { words, newest });
  return words.length > most ? null : words;
}

function find(words: Buffer, { kind, piece }: WordTest, count: number): string[] {
  const before = kind === 'is' || kind === 'begins' ? LINE : '';
  const behind = kind === 'is' || kind === 'ends' ? LINE : '';
  const sought = Buffer.from(before + piece + behind);
  const out: string[] = [];
  for (let at = words.indexOf(sought); at >= 0 && out.length < count; ) {
    const from = before === '' ? words.lastIndexOf(LINE, at) + 1 : at + 1;
    const to = words.indexOf(LINE, from);
    out.push(words.toString('utf8', from, to));
    at = words.indexOf(sought, to);
  }
  return out;
}

/** SQL of a condition on the column `word`; parameters are bound in order. */
export function wordSql({ kind, piece }: WordTest, bind: (value: string) => string): string {
  if (kind === 'is') return `word = ${bind(piece)}`;
  // No character comes after U+10FFFF.
  if (kind === 'begins') return `word BETWEEN ${bind(piece)} AND ${bind(piece)} || char(1114111)`;
  const has = `instr(word, ${bind(piece)}) > 0`;
  // Checked first because it is faster and rules out most words.
  return kind === 'has' ? has : `${has} AND substr(word, -length(${bind(piece)})) = ${bind(piece)}`;
}

/** At most `count` words that fulfil a condition, in the order of their ids: roughly the most common first. */
export function wordsLike({ db }: Store, test: WordTest, count: number, most = MOST_KEPT): string[] {
  const kept = keptWords(db, most);
  if (kept !== null) return find(kept, test, count);
  const params: string[] = [];
  const bind = (value: string) => {
    params.push(value);
    return '?';
  };
  return db
    .prepare<unknown[], string>(
      `SELECT word FROM text_vocabulary WHERE ${wordSql(test, bind)} ORDER BY id LIMIT ${count}`,
    )
    .pluck()
    .all(...params);
}
