/** Fields of emails whose bodies and headers are stored with them. */

import { asJson, type DomainField, field } from './definition.ts';
import { bodyConditions, headerConditions } from './text-search.ts';

const SHOWN = '(SELECT s.shown FROM shown_texts s WHERE s.email_id = t.email_id)';
const ofText = (sql: string): string => `(SELECT ${sql} FROM email_texts t WHERE t.email_id = e.id)`;

/** The field for searching bodies. */
export const BODY_FIELD = 'body';

const BODY = bodyConditions('e.id');
const BODY_AS_SHOWN = ofText(`pp_shown(t.folded, ${SHOWN})`);
const HEADER = headerConditions('e.id');
const HEADER_LINE = {
  value: 'm.value',
  some: (condition: string) =>
    `EXISTS (SELECT 1 FROM header_texts h, json_each(pp_lines(h.folded, h.shown)) m WHERE h.email_id = e.id AND ${condition})`,
};

export function textFields(group: string): DomainField[] {
  return [
    field({
      id: BODY_FIELD,
      label: 'Body text',
      type: 'text',
      group,
      width: 320,
      sql: ofText(`pp_cell(t.folded, ${SHOWN})`),
      sort: false,
      stored: 'one-line',
      filter: { value: BODY_AS_SHOWN, index: BODY.index },
      byRow: { value: BODY_AS_SHOWN, index: BODY.byRow },
      search: BODY.search,
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
      sql: ofText(`pp_excerpt(?, t.folded, ${SHOWN})`),
      sort: false,
      operators: [],
      matchOf: BODY_FIELD,
    }),
    field({
      id: 'headers',
      label: 'Header',
      type: 'text',
      group,
      width: 320,
      multi: true,
      stored: 'one-line',
      // A header by its name is a line that starts with it.
      example: 'X-Mailer: Foxmail',
      sql: '(SELECT pp_lines(h.folded, h.shown) FROM header_texts h WHERE h.email_id = e.id)',
      read: asJson,
      filter: { ...HEADER_LINE, index: HEADER.index },
      byRow: { ...HEADER_LINE, index: HEADER.byRow },
      search: HEADER.search,
      operators: [
        'starts_with',
        'contains_text',
        'not_contains',
        'contains_words',
        'contains_phrase',
        'is',
        'is_not',
        'in_list',
        'not_in_list',
        'ends_with',
        'matches',
        'contains_any',
        'contains_all',
        'is_empty',
        'is_not_empty',
      ],
    }),
    field({
      id: 'charsets',
      label: 'Charset',
      type: 'text',
      group,
      width: 120,
      multi: true,
      sql: "coalesce(e.detail -> '$.charsets', '[]')",
      read: asJson,
      filter: {
        value: 'm.value',
        some: (condition) => `EXISTS (SELECT 1 FROM json_each(e.detail, '$.charsets') m WHERE ${condition})`,
      },
    }),
  ];
}
