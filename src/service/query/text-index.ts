/** Conditions on the text of bodies as SQL over its indexes (store/texts.ts). */
import type { Test } from '#shared/query/predicate.ts';
import type { Bind } from '#shared/query/predicate-sql.ts';
import { foldText, wordsOf } from '#shared/query/text.ts';
import { bitsSql, placesOf } from '../store/texts.ts';

const quoted = (words: string): string => `"${words.trim()}"`;
const HAS_WORDS = 'SELECT rowid FROM text_words WHERE text_words MATCH';

function wordsSql(id: string, words: readonly string[], bind: Bind): string {
  const indexed = `${HAS_WORDS} ${bind(words.map(quoted).join(' AND '))}`;
  const pending = words.map((one) => `instr(pp_words(t.folded), ${bind(one)}) > 0`).join(' AND ');
  return `+${id} IN (${indexed} UNION ALL SELECT t.email_id FROM text_pending p CROSS JOIN email_texts t ON t.email_id = p.email_id WHERE ${pending})`;
}

function containsSql(id: string, sought: string, bind: Bind): string {
  const text = foldText(sought.toWellFormed());
  const places = placesOf(text);
  if (places.length === 0)
    return `(SELECT instr(t.folded, ${bind(text)}) > 0 FROM email_texts t WHERE t.email_id = ${id})`;
  const possible = `SELECT i.value AS id FROM text_blocks b, json_each(pp_mails(b.block, ${places.map(bitsSql).join(', ')})) i UNION SELECT email_id FROM text_pending`;
  const compared = (candidates: string) =>
    `SELECT t.email_id FROM (${candidates}) c CROSS JOIN email_texts t ON t.email_id = c.id WHERE instr(t.folded, ${bind(text)}) > 0`;
  // A word that begins with the text contains it: only other candidates are compared.
  if (text.includes(' ') || wordsOf(text) !== ` ${text} `) return `+${id} IN (${compared(possible)})`;
  const begins = `${quoted(text)} *`;
  const others = compared(`${possible} EXCEPT ${HAS_WORDS} ${bind(begins)}`);
  return `+${id} IN (${others} UNION ALL ${HAS_WORDS} ${bind(begins)})`;
}

/** SQL of a test of the text; `id`: SQL of the email's id. null: only the text itself can tell. */
export function textIndex(id: string): (test: Test, bind: Bind) => string | null {
  return (test, bind) => {
    if (test.kind === 'present') return `${id} IN (SELECT email_id FROM email_texts)`;
    if (test.kind === 'contains') return containsSql(id, test.text, bind);
    if (test.kind !== 'words') return null;
    const words = test.words.length > 0 ? [wordsSql(id, test.words, bind)] : [];
    return `(${[...words, ...test.signs.map((sign) => containsSql(id, sign, bind))].join(' AND ')})`;
  };
}
