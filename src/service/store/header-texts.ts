/** The header lines of a mail as they are searched: each as "Name: text", decoded and on one line. */
import { foldText, searchable, wordsOf } from '#shared/query/text.ts';
import { packText, unpackText } from './packed.ts';

/** Since version 8. `folded`: the lines, with a line feed before the first and after each. `hops`: addresses in Received. */
export const HEADER_TABLES = `
CREATE TABLE IF NOT EXISTS header_texts (email_id INTEGER PRIMARY KEY, folded TEXT NOT NULL, shown BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS hops (id INTEGER PRIMARY KEY, email_id INTEGER NOT NULL, position INTEGER NOT NULL, ip TEXT NOT NULL);
`;

export function headerRow(email_id: number, lines: readonly string[]) {
  const shown = lines.map(searchable);
  return {
    email_id,
    folded: `\n${shown.map((line) => `${foldText(line)}\n`).join('')}`,
    shown: packText(shown.join('\n')),
  };
}

const linesOf = (folded: string, shown: Uint8Array): string[] =>
  unpackText(shown, folded.slice(1, -1)).split('\n');

/** Words in the form of `wordsOf`, and folded signs, all of which one line must contain. */
export interface LineWords {
  words: readonly string[];
  signs: readonly string[];
}

function hasLine(folded: string, { words, signs }: LineWords): boolean {
  // Most mails lack one of the words altogether.
  const tokens = words.flatMap((one) => one.trim().split(' '));
  if (!tokens.every((token) => folded.includes(token))) return false;
  return folded.split('\n').some((line) => {
    const own = wordsOf(line);
    return words.every((one) => own.includes(one)) && signs.every((sign) => line.includes(sign));
  });
}

/** SQL functions: pp_lines(folded, shown), a JSON array; pp_has_line(folded, words as JSON). */
export function headerFunctions() {
  let last: { json: string; wanted: LineWords } = { json: '', wanted: { words: [], signs: [] } };
  return {
    pp_lines: (folded: string, shown: Uint8Array) => JSON.stringify(linesOf(folded, shown)),
    pp_has_line: (folded: string, json: string) => {
      if (last.json !== json) last = { json, wanted: JSON.parse(json) as LineWords };
      return hasLine(folded, last.wanted) ? 1 : 0;
    },
  };
}
