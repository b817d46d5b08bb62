/**
 * Conditions on bodies and header lines: the index of trigrams gives the mails that may fulfil one, and their texts
 * decide. Without a trigram, as for one or two letters, every text is read, within a time limit.
 */
import type { Test } from '#shared/query/predicate.ts';
import type { Bind, FieldMapping } from '#shared/query/predicate-sql.ts';
import { foldText } from '#shared/query/text.ts';
import { aliveSql, scanSql } from '../functions.ts';
import { IdSet, idsOf } from '../id-set.ts';
import type { SqliteStore } from '../sqlite-store.ts';
import { BODIES, HEADERS, type LineWords, type Texts, tokensOf, unindexedSql } from '../texts.ts';
import type { Search, StartedSearch } from './definition.ts';

/** Characters at the beginning and end of a text that are looked up. The rest is compared. */
const MOST_CHARACTERS = 32;
/** Trigrams of a header line, or of the words of one condition, that are looked up. */
const MOST_TRIGRAMS = 16;
/** Whole lines of one condition that are looked up. If there are more, every text is read. */
const MOST_LINES = 16;

interface TextTest {
  /** The FTS5 query that all fulfilling texts match, or null if nothing in the test has a trigram. */
  query: string | null;
  /** The FTS5 query that only fulfilling texts match. The others of `query` are compared: none if both are the same. */
  proof: string | null;
  /** SQL of the test on the text `t.folded`. */
  holds: (bind: Bind) => string;
}

const NOTHING: TextTest = { query: null, proof: null, holds: () => '0' };

const quoted = (characters: readonly string[]): string => `"${characters.join('').replaceAll('"', '""')}"`;

/** FTS5 finds the trigrams of a text in a row, which is the text itself. Null if it has none. */
function queryOf(text: string): string | null {
  const characters = [...text];
  if (characters.length < 3) return null;
  if (characters.length <= MOST_CHARACTERS) return quoted(characters);
  return `(${quoted(characters.slice(0, MOST_CHARACTERS))} AND ${quoted(characters.slice(-MOST_CHARACTERS))})`;
}

/** FTS5 takes U+FFFE and U+FFFF for U+FFFD. */
const isProvable = (text: string): boolean => text.length <= MOST_CHARACTERS && !/[\ufffd-\uffff]/.test(text);

const trigramsOf = (text: string): string[] => {
  const characters = [...text];
  return characters.slice(2).map((_, index) => quoted(characters.slice(index, index + 3)));
};

/** Matches the texts that have all of these pieces, and others that have their trigrams. Null if there are none. */
function trigramsQuery(pieces: readonly string[]): string | null {
  const trigrams = [...new Set(pieces.flatMap(trigramsOf))];
  const step = Math.max(1, trigrams.length / MOST_TRIGRAMS);
  return (
    trigrams.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step)).join(' AND ') ||
    null
  );
}

function containing(text: string, { hasPositions }: Texts): TextTest {
  const query = hasPositions ? queryOf(text) : trigramsQuery([text]);
  return {
    query,
    proof: hasPositions && isProvable(text) ? query : null,
    holds: (bind) => `instr(t.folded, ${bind(text)}) > 0`,
  };
}

function havingWords(sought: LineWords, { hasPositions }: Texts): TextTest {
  // Between spaces in the text, as in the form of `wordsOf`, they are certain. They may also be beside marks, or apart.
  const [certain = ''] = sought.words;
  const isOne = sought.words.length === 1 && sought.signs.length === 0;
  const query = trigramsQuery(tokensOf(sought));
  return {
    query,
    proof: hasPositions && isOne && isProvable(certain) && query !== null ? queryOf(certain) : null,
    holds: (bind) => `pp_has_words(t.folded, ${bind(JSON.stringify(sought))})`,
  };
}

function equalling(lines: readonly string[]): TextTest {
  if (lines.length === 0) return NOTHING;
  const queries = lines.length > MOST_LINES ? [null] : lines.map((line) => trigramsQuery([`\n${line}\n`]));
  return {
    query: queries.includes(null) ? null : queries.map((query) => `(${query})`).join(' OR '),
    proof: null,
    holds: (bind) =>
      `EXISTS (SELECT 1 FROM json_each(${bind(JSON.stringify(lines))}) w WHERE instr(t.folded, char(10) || w.value || char(10)) > 0)`,
  };
}

/** No body and no header line has a line feed or NUL (`searchable`). */
const isPossible = (text: string): boolean => !/[\n\0]/.test(text);

const folded = (text: string): string => foldText(text.toWellFormed());

/** Null if neither trigrams nor the folded text can answer it. */
function textTest(test: Test, texts: Texts): TextTest | null {
  switch (test.kind) {
    case 'words': {
      const sought: LineWords = { words: test.words, signs: test.signs.map(folded) };
      return sought.signs.every(isPossible) ? havingWords(sought, texts) : NOTHING;
    }
    case 'equals':
      return equalling(test.texts.map(folded).filter(isPossible));
    case 'contains':
    case 'starts':
    case 'ends': {
      const text = folded(test.text);
      if (!isPossible(text)) return NOTHING;
      if (test.kind === 'contains') return containing(text, texts);
      return containing(test.kind === 'starts' ? `\n${text}` : `${text}\n`, texts);
    }
    default:
      return null;
  }
}

/** The condition for one text, read without the index. */
const read = ({ query, holds }: TextTest, bind: Bind): string =>
  query === null ? `${scanSql('t.email_id')} AND ${holds(bind)}` : holds(bind);

const matchedSql = ({ trigrams }: Texts, query: string, bind: Bind): string =>
  `SELECT rowid AS id FROM ${trigrams} WHERE ${trigrams} MATCH ${bind(query)} AND ${aliveSql('rowid')}`;

/** SQL of the ids of the mails that must be compared, and may be proved. */
const openSql = (texts: Texts, query: string, proof: string | null, bind: Bind): string =>
  query === proof
    ? unindexedSql(texts)
    : `${matchedSql(texts, query, bind)} UNION ALL ${unindexedSql(texts)}`;

/** SQL of the ids of all mails that fulfil a test. */
function idsSql(texts: Texts, test: TextTest, bind: Bind): string {
  const { table } = texts;
  const { query, proof, holds } = test;
  if (query === null) return `SELECT t.email_id FROM ${table} t WHERE ${read(test, bind)}`;
  const proved = query === proof ? `${matchedSql(texts, proof, bind)} UNION ALL ` : '';
  return `${proved}SELECT t.email_id FROM (${openSql(texts, query, proof, bind)}) c CROSS JOIN ${table} t ON t.email_id = c.id WHERE ${holds(bind)}`;
}

/** The ids that a statement with bound values selects. */
function selected(store: SqliteStore, sqlOf: (bind: Bind) => string): number[] {
  const params: (string | number)[] = [];
  const sql = sqlOf((value) => {
    params.push(value);
    return '?';
  });
  return idsOf(store, sql, ...params);
}

function searchOf(texts: Texts, test: TextTest): Search {
  const { query, proof } = test;
  const of = (newest: number, ids: readonly number[]) => new IdSet(newest).addAll(ids);
  const comparedSql = (ids: readonly number[], bind: Bind) =>
    `SELECT t.email_id FROM json_each(${bind(JSON.stringify(ids))}) c CROSS JOIN ${texts.table} t ON t.email_id = c.value WHERE ${aliveSql('t.email_id')} AND ${read(test, bind)}`;
  const start = (store: SqliteStore, newest: number): StartedSearch => {
    const compare = (ids: readonly number[]) => selected(store, (bind) => comparedSql(ids, bind));
    if (query === null) return { matches: new IdSet(newest), open: new IdSet(newest).fill(), compare };
    const foundIds = of(
      newest,
      proof === null ? [] : selected(store, (bind) => matchedSql(texts, proof, bind)),
    );
    const open = selected(store, (bind) => openSql(texts, query, proof, bind));
    return {
      matches: foundIds,
      open: of(
        newest,
        open.filter((id) => !foundIds.has(id)),
      ),
      compare,
    };
  };
  return {
    start,
    ids: (store, newest) => {
      if (query === null)
        return of(
          newest,
          selected(store, (bind) => idsSql(texts, test, bind)),
        );
      const { matches, open, compare } = start(store, newest);
      return open.size === 0 ? matches : matches.addAll(compare(open.values()));
    },
  };
}

interface TextConditions {
  index: NonNullable<FieldMapping['index']>;
  byRow: NonNullable<FieldMapping['index']>;
  search: (test: Test) => Search | null;
}

/** Conditions of the mails whose id is `id` in SQL. */
function conditionsOf(texts: Texts, id: string): TextConditions {
  const presence = (test: Test) =>
    test.kind === 'present' ? `${id} IN (SELECT email_id FROM ${texts.table})` : null;
  const byRow = (test: TextTest, bind: Bind) =>
    `(SELECT ${read(test, bind)} FROM ${texts.table} t WHERE t.email_id = ${id})`;
  return {
    index: (test, bind) => {
      const textCondition = textTest(test, texts);
      if (textCondition === null) return presence(test);
      return textCondition.query === null
        ? byRow(textCondition, bind)
        : `+${id} IN (${idsSql(texts, textCondition, bind)})`;
    },
    byRow: (test, bind) => {
      const textCondition = textTest(test, texts);
      return textCondition === null ? presence(test) : byRow(textCondition, bind);
    },
    search: (test) => {
      const textCondition = textTest(test, texts);
      return textCondition && searchOf(texts, textCondition);
    },
  };
}

export const bodyConditions = (id: string): TextConditions => conditionsOf(BODIES, id);
export const headerConditions = (id: string): TextConditions => conditionsOf(HEADERS, id);
