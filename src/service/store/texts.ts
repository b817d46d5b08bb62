/** The searchable texts of a mail, folded: the body on one line, and the header lines. */
import { foldText, searchable } from '#shared/query/text.ts';
import { packText } from './packed.ts';

/** Rows of `email_texts` and `shown_texts`, or null if there is no text. */
export function textRows(email_id: number, text: string) {
  const shown = searchable(text);
  if (shown === '') return { text: null, shown: null };
  const folded = foldText(shown);
  return {
    text: { email_id, folded },
    shown: folded === shown ? null : { email_id, shown: packText(shown) },
  };
}

export function headerRow(email_id: number, lines: readonly string[]) {
  const shown = lines.map(searchable);
  return {
    email_id,
    folded: `\n${shown.map((line) => `${foldText(line)}\n`).join('')}`,
    shown: packText(shown.join('\n')),
  };
}
