/** Conditions on the text of bodies as SQL over its indexes (store/texts.ts). */
import type { Test } from '#shared/query/predicate.ts';
import type { Bind } from '#shared/query/predicate-sql.ts';
import { foldText, wordsOf } from '#shared/query/text.ts';
import { bitsSql, placesOf } from '../store/texts.ts';

const quoted = (words: string): string => `"${words.trim()}"`;

function wordsIds(words: readonly string[], bind: Bind): string {
  const indexed = `SELECT rowid AS id FROM text_words WHERE text_words MATCH ${bind(words.map(quoted).join(' AND '))}`;
  const pending = words.map((one) => `instr(pp_words(t.folded), ${bind(one)}) > 0`).join(' AND ');
  return `${indexed} UNION ALL SELECT t.email_id FROM text_pending p CROSS JOIN email_texts t ON t.email_id = p.email_id WHERE ${pending}`;
}

/** Maximum vocabulary words for a piece: with more, looking them up costs more than comparing texts. */
const MOST_WORDS = 256;
/** For a piece with more words, the number of the most frequent ones used, which most matching mails contain. */
const COMMONEST = 8;
/** A shorter word prefix matches too many words to look up. */
const SHORTEST_BEGINNING = 3;

/** The candidates for a piece of text: mails whose words allow it. */
interface Lookup {
  /** SQL of the condition on vocabulary words for its first word. */
  first: (bind: Bind) => string;
  /** The rest of the query after the first word. */
  behind: string;
  /** A mail with such words contains the piece, so its text need not be compared. */
  isProof: boolean;
}

/** In a script without spaces, each character is a word. */
const standsAlone = (word: string): boolean => wordsOf(word + word).trim() !== word + word;

/** Most words do not contain it at all, which is the cheaper test. */
const endsWith = (end: string) => (bind: Bind) =>
  `instr(word, ${bind(end)}) > 0 AND substr(word, -length(${bind(end)})) = ${bind(end)}`;

/** null: its words do not narrow the candidates. */
function lookupOf(text: string): Lookup | null {
  const [first, ...others] = wordsOf(text).trim().split(' ');
  if (!first) return null;
  // The first and last word of the piece may continue in the text; words between them are complete.
  const opens = text.startsWith(first) && !standsAlone(first);
  const last = others.at(-1) ?? first;
  const goesOn = text.endsWith(last) && !standsAlone(last);
  if (others.length > 0) {
    const isShort = goesOn && last.length < SHORTEST_BEGINNING;
    const rest = isShort ? others.slice(0, -1) : others;
    return {
      first: opens ? endsWith(first) : (bind) => `word = ${bind(first)}`,
      behind: `${rest.map((word) => ` ${word}`).join('')}"${goesOn && !isShort && rest.length > 0 ? ' *' : ''}`,
      isProof: false,
    };
  }
  const ways: readonly [boolean, (bind: Bind) => string][] = [
    [opens && goesOn, (bind) => `instr(word, ${bind(first)}) > 0`],
    [opens, endsWith(first)],
    // No character comes after U+10FFFF.
    [goesOn, (bind) => `word BETWEEN ${bind(first)} AND ${bind(first)} || char(1114111)`],
    [true, (bind) => `word = ${bind(first)}`],
  ];
  const way = ways.find(([holds]) => holds);
  return way === undefined ? null : { first: way[1], behind: '"', isProof: text === first };
}

/** null: the piece is too short to look up. */
function containsIds(text: string, bind: Bind): string | null {
  const lookup = lookupOf(text);
  const places = placesOf(text);
  if (places.length === 0) return null;
  const compared = (candidates: string) =>
    `SELECT t.email_id AS id FROM (${candidates}) c CROSS JOIN email_texts t ON t.email_id = c.id WHERE instr(t.folded, ${bind(text)}) > 0`;
  const unindexed = 'SELECT email_id AS id FROM text_pending';
  const byBits = (from: string) =>
    `SELECT i.value AS id FROM ${from} CROSS JOIN json_each(pp_mails(b.block, ${places.map(bitsSql).join(', ')})) i`;
  if (lookup === null) return compared(`${byBits('text_blocks b')} UNION ${unindexed}`);
  const words = `WITH w AS MATERIALIZED (SELECT word FROM text_vocabulary WHERE ${lookup.first(bind)} ORDER BY id LIMIT ${MOST_WORDS + 1}), k AS MATERIALIZED (SELECT count(*) <= ${MOST_WORDS} AS few FROM w)`;
  const orOf = (from: string) =>
    `(SELECT group_concat('"' || word || ${bind(lookup.behind)}, ' OR ') FROM ${from})`;
  // With too many words, the most frequent ones prove some mails, which need no comparison.
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

const folded = (sought: string): string => foldText(sought.toWellFormed());

/** SQL of the distinct ids (`id`) of all mails that fulfil a test; null: no index can answer it. */
export function textIds(test: Test, bind: Bind): string | null {
  if (test.kind === 'contains') return containsIds(folded(test.text), bind);
  if (test.kind !== 'words') return null;
  const [sign] = test.signs;
  if (sign === undefined) return test.words.length > 0 ? wordsIds(test.words, bind) : null;
  return test.words.length === 0 && test.signs.length === 1 ? containsIds(folded(sign), bind) : null;
}

function containsSql(id: string, sought: string, bind: Bind): string {
  const text = folded(sought);
  const ids = containsIds(text, bind);
  return ids === null
    ? `(SELECT instr(t.folded, ${bind(text)}) > 0 FROM email_texts t WHERE t.email_id = ${id})`
    : `+${id} IN (${ids})`;
}

/** SQL of a test of the text; `id`: SQL of the email's id. null: only the text itself can tell. */
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
