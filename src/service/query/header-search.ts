/**
 * Header searches that are the whole condition: the index narrows the mails down, and the lines of the rest are compared.
 * As a part of a larger condition the lines of each mail are compared (header-index.ts).
 */
import type { Test } from '#shared/query/predicate.ts';
import { foldText } from '#shared/query/text.ts';
import { HEADER_BITS, type LineWords, LONGEST_NAME, tokensOf } from '../store/header-texts.ts';
import { BLOCK, markedMails, placesOf } from '../store/sequences.ts';
import { aliveSql, type Store } from '../store/store.ts';
import type { Search } from './definition.ts';
import { IdSet, idsOf } from './id-set.ts';

/** Whole lines of one condition that are looked up. If there are more, the lines of all mails are compared. */
const MOST_LINES = 16;

/** Sequences of one search that are looked up. */
const MOST_PLACES = 32;

type Ids = number[];

/** Mails that are not, or not completely, in the index. */
const others = (store: Store): Ids =>
  idsOf(store, 'SELECT email_id FROM header_pending UNION ALL SELECT email_id FROM header_many');

/** A comparison with `h.folded`, in SQL. */
interface Comparison {
  holds: string;
  params: readonly string[];
}

function compared(store: Store, ids: readonly number[], { holds, params }: Comparison): Ids {
  return idsOf(
    store,
    `SELECT h.email_id FROM json_each(?) c CROSS JOIN header_texts h ON h.email_id = c.value WHERE ${aliveSql('h.email_id')} AND ${holds}`,
    JSON.stringify(ids),
    ...params,
  );
}

function allCompared(store: Store, candidates: IdSet, newest: number, comparison: Comparison): IdSet {
  const out = new IdSet(newest);
  // Reading all in order is faster than looking up most of them.
  if (candidates.size * 2 <= newest) return out.addAll(compared(store, candidates.values(), comparison));
  const { holds, params } = comparison;
  const sql = `SELECT h.email_id FROM header_texts h WHERE ${aliveSql('h.email_id')} AND ${holds}`;
  return out.addAll(idsOf(store, sql, ...params).filter((id) => candidates.has(id)));
}

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

const having = (text: string): Comparison => ({ holds: 'instr(h.folded, ?) > 0', params: [text] });
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
  'EXISTS (SELECT 1 FROM json_each(?) w WHERE instr(h.folded, char(10) || w.value || char(10)) > 0)';

function wholeSearch(texts: readonly string[]): Search | null {
  const lines = texts.filter((text) => !text.includes('\n'));
  if (lines.length === 0) return NOTHING;
  const looks = lines.map((line) => marked([`\n${line}\n`]));
  if (lines.length > MOST_LINES) return null;
  return {
    ids: (store, newest) => {
      const candidates = new IdSet(newest);
      for (const look of looks) candidates.addAll(look?.(store) ?? []);
      return allCompared(store, candidates, newest, { holds: WHOLE, params: [JSON.stringify(lines)] });
    },
  };
}

function wordsSearch(wanted: LineWords): Search | null {
  return lineSearch(tokensOf(wanted), {
    holds: 'pp_has_line(h.folded, ?)',
    params: [JSON.stringify(wanted)],
  });
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
