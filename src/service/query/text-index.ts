/** Conditions on the text of bodies as SQL over its indexes (store/texts.ts). */
import type { Test } from '#shared/query/predicate.ts';
import type { Bind } from '#shared/query/predicate-sql.ts';
import { foldText, wordsOf } from '#shared/query/text.ts';
import { bitsSql, placesOf } from '../store/sequences.ts';
import { TEXT_BITS } from '../store/texts.ts';
import { type WordTest, wordSql } from './vocabulary.ts';

export const quoted = (words: string): string => `"${words.trim()}"`;

function wordsIds(words: readonly string[], bind: Bind): string {
  const indexed = `SELECT rowid AS id FROM text_words WHERE text_words MATCH ${bind(words.map(quoted).join(' AND '))}`;
  const pending = words.map((one) => `instr(pp_words(t.folded), ${bind(one)}) > 0`).join(' AND ');
  return `${indexed} UNION ALL SELECT t.email_id FROM text_pending p CROSS JOIN email_texts t ON t.email_id = p.email_id WHERE ${pending}`;
}

/** Maximum number of words looked up for a piece: looking up more costs more than comparing texts. */
export const MOST_WORDS = 256;
/** If a piece matches more words, the most common ones are looked up: most mails with the piece contain one of them. */
export const COMMONEST = 8;
/** A shorter beginning matches too many words to be looked up. */
const SHORTEST_BEGINNING = 3;

/** Describes the mails that can contain a piece of text, by their words. */
export interface Lookup {
  /** The test for its first word. */
  first: WordTest;
  /** Complete words after the first, and the beginning of the last one. */
  next: readonly string[];
  last: string | null;
  /** A mail with such words contains the piece: its text need not be compared. */
  isProof: boolean;
}

/** In a script without spaces, each character is a word. */
const standsAlone = (word: string): boolean => wordsOf(word + word).trim() !== word + word;

/** null: its words do not narrow down the mails. */
export function lookupOf(text: string): Lookup | null {
  const [first, ...others] = wordsOf(text).trim().split(' ');
  if (!first) return null;
  // The first and last word of the piece may continue in the text; words between them are complete.
  const opens = text.startsWith(first) && !standsAlone(first);
  const last = others.at(-1) ?? first;
  const goesOn = text.endsWith(last) && !standsAlone(last);
  if (others.length > 0) {
    const isShort = last.length < SHORTEST_BEGINNING;
    return {
      first: { kind: opens ? 'ends' : 'is', piece: first },
      next: goesOn ? others.slice(0, -1) : others,
      last: goesOn && !isShort ? last : null,
      isProof: false,
    };
  }
  const kind = opens ? (goesOn ? 'has' : 'ends') : goesOn ? 'begins' : 'is';
  return { first: { kind, piece: first }, next: [], last: null, isProof: text === first };
}

/** The part of an index query after the first word. */
const behindFirst = ({ next, last }: Lookup): string =>
  `${[...next, ...(last === null ? [] : [last])].map((word) => ` ${word}`).join('')}"${last === null ? '' : ' *'}`;

/** null: the piece is too short to be looked up. */
function containsIds(text: string, bind: Bind): string | null {
  const lookup = lookupOf(text);
  const places = placesOf(text, TEXT_BITS);
  if (places.length === 0) return null;
  const compared = (candidates: string) =>
    `SELECT t.email_id AS id FROM (${candidates}) c CROSS JOIN email_texts t ON t.email_id = c.id WHERE instr(t.folded, ${bind(text)}) > 0`;
  const unindexed = 'SELECT email_id AS id FROM text_pending';
  const byBits = (from: string) =>
    `SELECT i.value AS id FROM ${from} CROSS JOIN json_each(pp_mails(b.block, ${places.map((place) => bitsSql(TEXT_BITS, place)).join(', ')})) i`;
  if (lookup === null) return compared(`${byBits('text_blocks b')} UNION ${unindexed}`);
  const words = `WITH w AS MATERIALIZED (SELECT word FROM text_vocabulary WHERE ${wordSql(lookup.first, bind)} ORDER BY id LIMIT ${MOST_WORDS + 1}), k AS MATERIALIZED (SELECT count(*) <= ${MOST_WORDS} AS few FROM w)`;
  const orOf = (from: string) =>
    `(SELECT group_concat('"' || word || ${bind(behindFirst(lookup))}, ' OR ') FROM ${from})`;
  // If there are too many words, the most common ones are looked up; mails found by them need no comparison.
  const ofMany = () => (lookup.isProof ? orOf(`(SELECT word FROM w LIMIT ${COMMONEST})`) : 'NULL');
  const has = (few: () => string) =>
    `SELECT rowid AS id FROM text_words WHERE text_words MATCH (SELECT coalesce(CASE WHEN few THEN ${few()} ELSE ${ofMany()} END, '""') FROM k)`;
  const proved = has(() => orOf('w'));
  const many = `${byBits('k CROSS JOIN text_blocks b')} WHERE NOT k.few`;
  const unproved = lookup.isProof ? `${many} EXCEPT ${has(() => 'NULL')}` : many;
  const others = `${unproved} UNION ${unindexed} UNION SELECT email_id FROM text_long`;
  return lookup.isProof
    ? `${words} ${proved} UNION ${compared(others)}`
    : `${words} ${compared(`${proved} UNION ${others}`)}`;
}

/** SQL of whether there is a text; null: any other test. */
export function hasText(id: string): (test: Test) => string | null {
  return (test) => (test.kind === 'present' ? `${id} IN (SELECT email_id FROM email_texts)` : null);
}

export const folded = (sought: string): string => foldText(sought.toWellFormed());

function containsSql(id: string, sought: string, bind: Bind): string {
  const text = folded(sought);
  const ids = containsIds(text, bind);
  return ids === null
    ? `(SELECT instr(t.folded, ${bind(text)}) > 0 FROM email_texts t WHERE t.email_id = ${id})`
    : `+${id} IN (${ids})`;
}

/** SQL of a test of the text; `id`: SQL of the email's id. null: only the text itself can answer it. */
export function textIndex(id: string): (test: Test, bind: Bind) => string | null {
  return (test, bind) => {
    const has = hasText(id)(test);
    if (has !== null) return has;
    if (test.kind === 'contains') return containsSql(id, test.text, bind);
    if (test.kind !== 'words') return null;
    const words = test.words.length > 0 ? [`+${id} IN (${wordsIds(test.words, bind)})`] : [];
    return `(${[...words, ...test.signs.map((sign) => containsSql(id, sign, bind))].join(' AND ')})`;
  };
}
