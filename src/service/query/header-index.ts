/** Conditions on header lines as SQL over their folded text (store/header-texts.ts). */
import type { Test } from '#shared/query/predicate.ts';
import type { Bind } from '#shared/query/predicate-sql.ts';
import { foldText } from '#shared/query/text.ts';
import type { LineWords } from '../store/header-texts.ts';

/** SQL of a test of one line; `id`: SQL of the email's id. null: the lines themselves must be tested. */
export function headerIndex(id: string): (test: Test, bind: Bind) => string | null {
  const ofMail = (sql: string) => `(SELECT ${sql} FROM header_texts h WHERE h.email_id = ${id})`;
  const has = (bind: Bind, text: string, before = '', behind = '') =>
    text.includes('\n') ? '0' : ofMail(`instr(h.folded, ${bind(before + text + behind)}) > 0`);
  return (test, bind) => {
    switch (test.kind) {
      case 'present':
        return `${id} IN (SELECT email_id FROM header_texts)`;
      case 'contains':
        return has(bind, foldText(test.text));
      case 'starts':
        return has(bind, foldText(test.text), '\n');
      case 'ends':
        return has(bind, foldText(test.text), '', '\n');
      case 'equals': {
        const lines = test.texts.map(foldText).filter((text) => !text.includes('\n'));
        return ofMail(
          `EXISTS (SELECT 1 FROM json_each(${bind(JSON.stringify(lines))}) w WHERE instr(h.folded, char(10) || w.value || char(10)) > 0)`,
        );
      }
      case 'words': {
        const wanted: LineWords = { words: test.words, signs: test.signs.map(foldText) };
        return ofMail(`pp_has_line(h.folded, ${bind(JSON.stringify(wanted))})`);
      }
      default:
        return null;
    }
  };
}
