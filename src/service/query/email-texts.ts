/** Fields of emails whose bodies and headers are stored with them. */

import { type DomainField, field } from './definition.ts';
import { textIndex } from './text-index.ts';

const ofText = (sql: string): string => `(SELECT ${sql} FROM email_texts t WHERE t.email_id = e.id)`;

/** The field in which texts of bodies are looked for. */
export const BODY_FIELD = 'body';

export function textFields(group: string): DomainField[] {
  return [
    field({
      id: BODY_FIELD,
      label: 'Body text',
      type: 'text',
      group,
      width: 320,
      sql: ofText('pp_cell(t.folded, t.shown)'),
      sort: false,
      filter: {
        value: ofText('pp_shown(t.folded, t.shown)'),
        folded: ofText('t.folded'),
        index: textIndex('e.id'),
      },
      operators: [
        'contains_words',
        'contains_phrase',
        'contains_text',
        'not_contains',
        'matches',
        'is_empty',
        'is_not_empty',
      ],
    }),
    field({
      id: 'match',
      label: 'Match',
      type: 'text',
      group,
      width: 320,
      sql: ofText('pp_excerpt(?, t.folded, t.shown)'),
      sort: false,
      operators: [],
      matchOf: BODY_FIELD,
    }),
  ];
}
