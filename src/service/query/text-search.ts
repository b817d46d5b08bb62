/**
 * Body searches that are the whole condition, in steps: each step only reads what the previous ones left open. As a part
 * of a larger condition a search is SQL (text-index.ts).
 */
import type { Test } from '#shared/query/predicate.ts';
import { aliveSql, type Store } from '../store/store.ts';
import { markedMails, placesOf, TEXT_BITS } from '../store/texts.ts';
import type { Search } from './definition.ts';
import { IdSet, idsOf } from './id-set.ts';
import { COMMONEST, folded, type Lookup, lookupOf, MOST_WORDS, quoted } from './text-index.ts';
import { wordsLike } from './vocabulary.ts';

type Ids = number[];

/** Comparing a text takes as long as reading this many ids of a word. */
const COMPARED = 16;

const indexed = (store: Store, query: string): Ids =>
  idsOf(store, `SELECT rowid FROM text_words WHERE text_words MATCH ? AND ${aliveSql('rowid')}`, query);

/** Mails that are in no index yet: their texts are compared. */
const pending = (store: Store): Ids => idsOf(store, 'SELECT email_id FROM text_pending');
const withLongWords = (store: Store): Ids => idsOf(store, 'SELECT email_id FROM text_long');

/** The mails of a set, except those in `found`, whose text has the piece. */
function compared(store: Store, candidates: IdSet, found: IdSet, newest: number, text: string): Ids {
  const ids = candidates.values(found);
  if (ids.length === 0) return [];
  const holds = `${aliveSql('t.email_id')} AND instr(t.folded, ?) > 0`;
  // Reading all in order is faster than looking up most of them.
  if (ids.length * 2 > newest)
    return idsOf(store, `SELECT t.email_id FROM email_texts t WHERE ${holds}`, text).filter((id) =>
      candidates.has(id),
    );
  return idsOf(
    store,
    `SELECT t.email_id FROM json_each(?) c CROSS JOIN email_texts t ON t.email_id = c.value WHERE ${holds}`,
    JSON.stringify(ids),
    text,
  );
}

/** The FTS query for all phrases that a piece can be part of. */
function queryOf(store: Store, firsts: readonly string[], { next, last }: Lookup): string {
  const middle = next.map((word) => ` ${word}`).join('');
  if (last === null) return firsts.map((first) => `"${first}${middle}"`).join(' OR ');
  // For a prefix, FTS5 merges the positions of all its words, which is slower than asking for each word.
  const lasts = wordsLike(store, { kind: 'begins', piece: last }, MOST_WORDS + 1);
  if (firsts.length * lasts.length > MOST_WORDS)
    return firsts.map((first) => `"${first}${middle} ${last}" *`).join(' OR ');
  return firsts.flatMap((first) => lasts.map((word) => `"${first}${middle} ${word}"`)).join(' OR ');
}

/** Adds the mails that the commonest word proves to have the piece, or the next ones, unless few mails are left to compare. */
function addProved(found: IdSet, store: Store, words: readonly string[], candidates: IdSet): void {
  const [first = '', ...others] = words.slice(0, COMMONEST).map(quoted);
  const ids = indexed(store, first);
  found.addAll(ids);
  if (candidates.values(found).length * COMPARED > ids.length)
    found.addAll(indexed(store, others.join(' OR ')));
}

function searchPiece(store: Store, text: string, newest: number): IdSet {
  const candidates = new IdSet(newest).addAll(pending(store));
  const found = new IdSet(newest);
  const places = placesOf(text);
  // One or two letters have no bits: any mail may have them.
  const addMarked = () =>
    places.length === 0 ? candidates.fill() : candidates.addAll(markedMails(store, TEXT_BITS, places));
  const lookup = lookupOf(text);
  if (lookup === null) addMarked();
  else {
    candidates.addAll(withLongWords(store));
    const firsts = wordsLike(store, lookup.first, MOST_WORDS + 1);
    if (firsts.length > MOST_WORDS) {
      addMarked();
      if (lookup.isProof) addProved(found, store, firsts, candidates);
    } else {
      const query = queryOf(store, firsts, lookup);
      if (query !== '') (lookup.isProof ? found : candidates).addAll(indexed(store, query));
    }
  }
  return found.addAll(compared(store, candidates, found, newest, text));
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
  // Neither bits nor words narrow down where one or two signs can be.
  if (placesOf(text).length === 0 && lookupOf(text)?.isProof !== true) return null;
  return { ids: (store, newest) => searchPiece(store, text, newest) };
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
