/**
 * Body searches that are the whole condition, in steps: each step only examines the mails that the previous ones left
 * undecided. As a part of a larger condition a search is SQL (text-index.ts).
 */
import type { Test } from '#shared/query/predicate.ts';
import { allCompared, type Comparison, compared } from '../store/comparison.ts';
import { IdSet, idsOf } from '../store/id-set.ts';
import { type BitsPlace, BLOCK, isPair, markedMails, placesOf } from '../store/sequences.ts';
import { aliveSql, type Store } from '../store/store.ts';
import { TEXT_BITS } from '../store/texts.ts';
import type { Search, StartedSearch } from './definition.ts';
import { COMMONEST, folded, type Lookup, lookupOf, MOST_WORDS, quoted } from './text-index.ts';
import { wordsLike } from './vocabulary.ts';

type Ids = number[];

/** Words looked up among the common ones of each block. */
const MOST_COMMON = 64;
/** If more mails than this may contain a piece, the word index narrows them down before texts are compared … */
const FEW = 8_192;
/** … and if more than this, for pieces that words can prove. */
const FEW_UNPROVED = 2_048;

const indexed = (store: Store, query: string): Ids =>
  idsOf(store, `SELECT rowid FROM text_words WHERE text_words MATCH ? AND ${aliveSql('rowid')}`, query);

/** Mails that are not indexed yet: their texts are compared. */
const pending = (store: Store): Ids => idsOf(store, 'SELECT email_id FROM text_pending');
const withLongWords = (store: Store): Ids => idsOf(store, 'SELECT email_id FROM text_long');

/**
 * Whether a text contains the piece. GLOB is a third faster than instr, as it skips to the next occurrence of the first
 * character, but it has special characters and a length limit.
 */
const holding = (piece: string): Comparison => ({
  table: 'email_texts',
  ...(/^[a-z0-9][^*?[\]]{1,63}$/.test(piece)
    ? { holds: 't.folded GLOB ?', params: [`*${piece}*`] }
    : { holds: 'instr(t.folded, ?) > 0', params: [piece] }),
});

/** The FTS query for all phrases that a piece can be part of. */
function queryOf(store: Store, firsts: readonly string[], { next, last }: Lookup): string {
  const middle = next.map((word) => ` ${word}`).join('');
  if (last === null) return firsts.map((first) => `"${first}${middle}"`).join(' OR ');
  // For a prefix, FTS5 merges the positions of all its words, which is slower than querying each word.
  const lasts = wordsLike(store, { kind: 'begins', piece: last }, MOST_WORDS + 1);
  if (firsts.length * lasts.length > MOST_WORDS)
    return firsts.map((first) => `"${first}${middle} ${last}" *`).join(' OR ');
  return firsts.flatMap((first) => lasts.map((word) => `"${first}${middle} ${word}"`)).join(' OR ');
}

interface Piece {
  /** Folded. */
  text: string;
  places: readonly BitsPlace[];
  lookup: Lookup | null;
}

/** `isFirst`: only the first of many rows are needed, so bits are enough to narrow down the mails with consecutive words. */
function startPiece(
  store: Store,
  { text, places, lookup }: Piece,
  newest: number,
  isFirst: boolean,
): StartedSearch {
  const open = new IdSet(newest).addAll(pending(store));
  const found = new IdSet(newest);
  // One or two letters have no bits: any mail may contain them.
  const marked = () =>
    places.length === 0 ? new IdSet(newest).fill().values() : markedMails(store, TEXT_BITS, places);
  if (isPair(text)) found.addAll(marked());
  else if (lookup === null) open.addAll(marked());
  else if (lookup.isProof) addProved(found, open, store, lookup, marked);
  else if (isFirst && isConsecutive(text)) open.addAll(marked());
  else open.addAll(possible(store, text, lookup, marked, newest));
  found.removeAll(idsOf(store, 'SELECT email_id FROM text_gone'));
  return { found, open: open.without(found), compare: (ids) => compared(store, ids, holding(text)) };
}

function searchPiece(store: Store, piece: Piece, newest: number): IdSet {
  const { found, open } = startPiece(store, piece, newest, false);
  return found.unite(allCompared(store, open, newest, holding(piece.text)));
}

/** Adds the mails that have one of the words in a block where it is common. */
function addCommon(found: IdSet, { db }: Store, words: readonly string[]): void {
  const read = db
    .prepare<unknown[], [block: number, bits: Buffer]>('SELECT block, bits FROM text_common WHERE word = ?')
    .raw();
  for (const word of words.slice(0, MOST_COMMON))
    for (const [block, bits] of read.iterate(word)) found.addBits(block * BLOCK, bits);
}

/** Adds mails that contain the piece, as proved by words, to `found`, and mails that must be compared to `candidates`. */
function addProved(
  found: IdSet,
  candidates: IdSet,
  store: Store,
  { first }: Lookup,
  marked: () => Ids,
): void {
  const words = wordsLike(store, first, MOST_WORDS + 1);
  const isAll = words.length <= MOST_WORDS;
  addCommon(found, store, words);
  const hasCommon = found.size > 0;
  const possible = hasCommon || !isAll ? marked().filter((id) => !found.has(id)) : [];
  if (isAll && (!hasCommon || possible.length > FEW_UNPROVED)) {
    candidates.addAll(withLongWords(store));
    if (words.length > 0) found.addAll(indexed(store, words.map(quoted).join(' OR ')));
    return;
  }
  candidates.addAll(possible);
  if (possible.length > FEW) found.addAll(indexed(store, words.slice(0, COMMONEST).map(quoted).join(' OR ')));
}

const isConsecutive = (text: string): boolean => /. ./.test(text);

/** Mails that may contain a piece that words cannot prove: by its bits, and if many remain also by words, or vice versa. */
function possible(store: Store, text: string, lookup: Lookup, marked: () => Ids, newest: number): Ids {
  const byWords = (): Ids | null => {
    const firsts = wordsLike(store, lookup.first, MOST_WORDS + 1);
    if (firsts.length > MOST_WORDS) return null;
    const query = queryOf(store, firsts, lookup);
    return [...(query === '' ? [] : indexed(store, query)), ...withLongWords(store)];
  };
  // For consecutive words, bits come first: FTS5 is slow to find these.
  const [first, second] = isConsecutive(text) ? [marked, byWords] : [byWords, marked];
  const ids = first();
  if (ids !== null && ids.length <= FEW) return ids;
  const others = second();
  if (ids === null || others === null) return ids ?? others ?? [];
  const both = new IdSet(newest).addAll(others);
  return ids.filter((id) => both.has(id));
}

const wordsQuery = (words: readonly string[]): string => words.map(quoted).join(' AND ');

function searchWords(store: Store, words: readonly string[], newest: number): IdSet {
  const inPending = words.map(() => 'instr(pp_words(t.folded), ?) > 0').join(' AND ');
  const others = idsOf(
    store,
    `SELECT t.email_id FROM text_pending p CROSS JOIN email_texts t ON t.email_id = p.email_id WHERE ${inPending}`,
    ...words,
  );
  return new IdSet(newest).addAll(indexed(store, wordsQuery(words))).addAll(others);
}

/** Number of mails with the words; null: some texts are not indexed yet. */
function countWords({ db }: Store, words: readonly string[], newest: number): number | null {
  if (db.prepare('SELECT 1 FROM text_pending LIMIT 1').get() !== undefined) return null;
  return Number(
    db
      .prepare(
        `SELECT count(*) FROM text_words WHERE text_words MATCH ? AND rowid <= ? AND ${aliveSql('rowid')}`,
      )
      .pluck()
      .get(wordsQuery(words), newest),
  );
}

function pieceSearch(sought: string): Search | null {
  const text = folded(sought);
  const piece: Piece = { text, places: placesOf(text, TEXT_BITS), lookup: lookupOf(text) };
  // Neither bits nor words narrow down the mails for one or two punctuation marks.
  if (piece.places.length === 0 && piece.lookup?.isProof !== true) return null;
  return {
    ids: (store, newest) => searchPiece(store, piece, newest),
    start: (store, newest) => startPiece(store, piece, newest, true),
  };
}

/** null: no index can answer it. */
export function textSearch(test: Test): Search | null {
  if (test.kind === 'contains') return pieceSearch(test.text);
  if (test.kind !== 'words') return null;
  const { words, signs } = test;
  const [sign] = signs;
  if (sign !== undefined) return words.length === 0 && signs.length === 1 ? pieceSearch(sign) : null;
  if (words.length === 0) return null;
  return {
    ids: (store, newest) => searchWords(store, words, newest),
    count: (store, newest) => countWords(store, words, newest),
  };
}
