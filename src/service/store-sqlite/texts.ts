/**
 * The searchable texts of mails, folded: the body on one line, and the header lines. Each table has an index of trigrams
 * (docs/adr/0027-trigram-search.md), which triggers keep in step in the same transaction.
 */
import { cellText, excerptOf, phraseOf, type Sought } from '#shared/query/excerpt.ts';
import { unpackText } from '../store/packed.ts';

/** A table of folded texts, and the index of their trigrams. */
export interface Texts {
  table: 'email_texts' | 'header_texts';
  trigrams: 'text_trigrams' | 'header_trigrams';
  /** Whether the index knows where a trigram is in a text. Header lines are short, and compared in little time. */
  hasPositions: boolean;
}
export const BODIES: Texts = { table: 'email_texts', trigrams: 'text_trigrams', hasPositions: true };
export const HEADERS: Texts = { table: 'header_texts', trigrams: 'header_trigrams', hasPositions: false };

/**
 * Bytes of the longest text that is indexed: FTS5 holds some 130 bytes for each of its trigrams in memory, and those of a
 * hostile text all differ. The others are always compared.
 */
export const LONGEST_INDEXED = 512 * 1024;

/** SQL of the ids of the texts that are not indexed. */
export const unindexedSql = ({ table }: Texts): string =>
  `SELECT email_id AS id FROM ${table} INDEXED BY ${table}_long WHERE octet_length(folded) > ${LONGEST_INDEXED}`;

/** Bytes of an index that FTS5 keeps in memory before it writes them, at the latest at the end of a transaction. */
const INDEX_MEMORY = 16 * 1024 * 1024;

/** Texts are stored folded, so FTS5 must not fold them once more. */
const indexOf = ({ table, trigrams, hasPositions }: Texts): string => `
CREATE INDEX ${table}_long ON ${table} (email_id) WHERE octet_length(folded) > ${LONGEST_INDEXED};
CREATE VIRTUAL TABLE ${trigrams} USING fts5(
  folded, content='${table}', content_rowid='email_id', tokenize='trigram case_sensitive 1', columnsize=0, detail=${hasPositions ? 'full' : 'none'}
);
INSERT INTO ${trigrams} (${trigrams}, rank) VALUES ('hashsize', ${INDEX_MEMORY});
CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} WHEN octet_length(new.folded) <= ${LONGEST_INDEXED} BEGIN
  INSERT INTO ${trigrams} (rowid, folded) VALUES (new.email_id, new.folded);
END;
CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table} WHEN octet_length(old.folded) <= ${LONGEST_INDEXED} BEGIN
  INSERT INTO ${trigrams} (${trigrams}, rowid, folded) VALUES ('delete', old.email_id, old.folded);
END;
`;

export const TEXT_TABLES = `
CREATE TABLE email_texts (email_id INTEGER PRIMARY KEY, folded TEXT NOT NULL);
-- As written, packed (store/packed.ts); none: the folded text itself. Apart, since searches read the folded ones alone.
CREATE TABLE shown_texts (email_id INTEGER PRIMARY KEY, shown BLOB NOT NULL);
-- Lines as "Name: text", decoded; folded: with a line feed before the first and after each.
CREATE TABLE header_texts (email_id INTEGER PRIMARY KEY, folded TEXT NOT NULL, shown BLOB NOT NULL);
-- Addresses in Received.
CREATE TABLE hops (id INTEGER PRIMARY KEY, email_id INTEGER NOT NULL, position INTEGER NOT NULL, ip TEXT NOT NULL);
${indexOf(BODIES)}${indexOf(HEADERS)}`;

const shownText = (folded: string, shown: Uint8Array | null): string =>
  shown === null ? folded : unpackText(shown, folded);

const linesOf = (folded: string, shown: Uint8Array): string[] =>
  unpackText(shown, folded.slice(1, -1)).split('\n');

/** Phrases in the form of `wordsOf`, and folded signs, all of which one line must contain. */
export interface LineWords {
  words: readonly string[];
  signs: readonly string[];
}

/** The words and signs as they occur in a text. */
export const tokensOf = ({ words, signs }: LineWords): string[] => [
  ...words.flatMap((phrase) => phrase.trim().split(' ')),
  ...signs,
];

interface Phrase {
  first: string;
  /** Sticky, so that it is tried only where its first word occurs. */
  pattern: RegExp;
}

function hasPhrase(line: string, { first, pattern }: Phrase): boolean {
  for (let position = line.indexOf(first); position >= 0; position = line.indexOf(first, position + 1)) {
    pattern.lastIndex = position;
    if (pattern.test(line)) return true;
  }
  return false;
}

/** Whether a line of a folded text has all of them. Only lines that contain the longest token are examined. */
function lineFinder(sought: LineWords): (folded: string) => boolean {
  const longest = tokensOf(sought).reduce((a, b) => (b.length > a.length ? b : a), '');
  const phrases = sought.words.map((words) => {
    const [first = ''] = words.trim().split(' ');
    return { first, pattern: phraseOf(words, 'vy') };
  });
  return (folded) => {
    for (let position = folded.indexOf(longest); position >= 0; ) {
      const feed = folded.indexOf('\n', position);
      const end = feed < 0 ? folded.length : feed;
      const line = folded.slice(folded.lastIndexOf('\n', position) + 1, end);
      if (
        sought.signs.every((sign) => line.includes(sign)) &&
        phrases.every((phrase) => hasPhrase(line, phrase))
      )
        return true;
      // After the line feed: otherwise a token that begins with one would be found again, in an endless loop.
      position = end === folded.length ? -1 : folded.indexOf(longest, end + 1);
    }
    return false;
  };
}

/** Remembers the result for the last input, as a statement calls a function with the same one for each row. */
function lastOf<T>(make: (json: string) => T): (json: string) => T {
  let last: { json: string; made: T } | null = null;
  return (json) => {
    if (last?.json !== json) last = { json, made: make(json) };
    return last.made;
  };
}

/**
 * SQL functions. Of a body: pp_shown(folded, shown), pp_cell(folded, shown) and pp_excerpt(sought, folded, shown). Of
 * header lines: pp_lines(folded, shown), a JSON array. Of both: pp_has_words(folded, words as JSON).
 */
export function textFunctions() {
  const soughtOf = lastOf((json) => JSON.parse(json) as Sought[]);
  const finderOf = lastOf((json) => lineFinder(JSON.parse(json) as LineWords));
  return {
    pp_shown: shownText,
    pp_cell: (folded: string, shown: Uint8Array | null) => cellText(shownText(folded, shown)),
    pp_excerpt: (json: string, folded: string, shown: Uint8Array | null) =>
      excerptOf(soughtOf(json), folded, () => shownText(folded, shown)),
    pp_lines: (folded: string, shown: Uint8Array) => JSON.stringify(linesOf(folded, shown)),
    pp_has_words: (folded: string, json: string) => (finderOf(json)(folded) ? 1 : 0),
  };
}
