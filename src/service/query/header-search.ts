/**
 * Header searches that are the whole condition: the index narrows the mails down, and the lines of the rest are compared.
 * As a part of a larger condition the lines of each mail are compared (header-index.ts).
 */
import type { Test } from '#shared/query/predicate.ts';
import { foldText } from '#shared/query/text.ts';
import { allCompared, type Comparison, compared } from '../store/comparison.ts';
import { HEADER_BITS, type LineWords, LONGEST_NAME, tokensOf } from '../store/header-texts.ts';
import { IdSet, idsOf } from '../store/id-set.ts';
import { BLOCK, markedMails, placesOf } from '../store/sequences.ts';
import type { Store } from '../store/store.ts';
import type { Search } from './definition.ts';

/** Whole lines of one condition that are looked up. If there are more, the lines of all mails are compared. */
const MOST_LINES = 16;

/** Sequences of one search that are looked up. */
const MOST_PLACES = 32;

type Ids = number[];

/** Mails that are not, or not completely, in the index. */
const others = (store: Store): Ids =>
  idsOf(store, 'SELECT email_id FROM header_pending UNION ALL SELECT email_id FROM header_many');

const comparisonOf = (holds: string, ...params: string[]): Comparison => ({
  table: 'header_texts',
  holds,
  params,
});

/** Mails that may contain all of the texts in their lines. null: the texts are too short to be looked up. */
function marked(texts: readonly string[]): ((store: Store) => Ids) | null {
  const places = texts.flatMap((text) => placesOf(text, HEADER_BITS)).slice(0, MOST_PLACES);
  return places.length === 0
    ? null
    : (store) => [...markedMails(store, HEADER_BITS, places), ...others(store)];
}

function lineSearch(texts: readonly string[], comparison: Comparison): Search | null {
  const look = marked(texts);
  if (look === null) return null;
  const candidates = (store: Store, newest: number) => new IdSet(newest).addAll(look(store));
  return {
    ids: (store, newest) => allCompared(store, candidates(store, newest), newest, comparison),
    start: (store, newest) => ({
      found: new IdSet(newest),
      open: candidates(store, newest),
      compare: (ids) => compared(store, ids, comparison),
    }),
  };
}

const having = (text: string): Comparison => comparisonOf('instr(t.folded, ?) > 0', text);
const has = (text: string): Search | null => lineSearch([text], having(text));
const NOTHING: Search = { ids: (_, newest) => new IdSet(newest) };

/** Mails with a header of this name according to the index, which is exact. */
function named({ db }: Store, name: string): Ids {
  const out: Ids = [];
  const blocks = db
    .prepare<unknown[], [block: number, bits: Buffer]>('SELECT block, bits FROM header_names WHERE name = ?')
    .raw();
  for (const [block, bits] of blocks.iterate(name))
    for (let at = 0; at < BLOCK; at++)
      if ((bits[at >> 3]! & (1 << (at & 7))) !== 0) out.push(block * BLOCK + at);
  return out;
}

function nameSearch(name: string): Search {
  return {
    ids: (store, newest) => {
      const gone = new IdSet(newest).addAll(
        idsOf(store, 'SELECT email_id FROM header_gone UNION ALL SELECT email_id FROM header_pending'),
      );
      const rest = new IdSet(newest).addAll(others(store));
      return allCompared(store, rest, newest, having(`\n${name}:`)).addAll(
        named(store, name).filter((id) => !gone.has(id)),
      );
    },
  };
}

const NAME = /^([^\s:]+):$/;

function startsSearch(text: string): Search | null {
  const name = NAME.exec(text)?.[1];
  return name !== undefined && name.length <= LONGEST_NAME ? nameSearch(name) : has(`\n${text}`);
}

const WHOLE =
  'EXISTS (SELECT 1 FROM json_each(?) w WHERE instr(t.folded, char(10) || w.value || char(10)) > 0)';

function wholeSearch(texts: readonly string[]): Search | null {
  const lines = texts.filter((text) => !text.includes('\n'));
  if (lines.length === 0) return NOTHING;
  const looks = lines.map((line) => marked([`\n${line}\n`]));
  if (lines.length > MOST_LINES) return null;
  return {
    ids: (store, newest) => {
      const candidates = new IdSet(newest);
      for (const look of looks) candidates.addAll(look?.(store) ?? []);
      const comparison = comparisonOf(WHOLE, JSON.stringify(lines));
      return allCompared(store, candidates, newest, comparison);
    },
  };
}

function wordsSearch(wanted: LineWords): Search | null {
  return lineSearch(tokensOf(wanted), comparisonOf('pp_has_line(t.folded, ?)', JSON.stringify(wanted)));
}

/** null: no index can answer it. */
export function headerSearch(test: Test): Search | null {
  if (test.kind === 'words') return wordsSearch({ words: test.words, signs: test.signs.map(foldText) });
  if (test.kind === 'equals') return wholeSearch(test.texts.map(foldText));
  if (test.kind !== 'contains' && test.kind !== 'starts' && test.kind !== 'ends') return null;
  const text = foldText(test.text);
  // No line contains a line feed.
  if (text.includes('\n')) return NOTHING;
  if (test.kind === 'starts') return startsSearch(text);
  return has(test.kind === 'ends' ? `${text}\n` : text);
}
