/** The mails of a chunk that fulfil a rule's condition, and where. */
import type { FindingPlace } from '#shared/checks/check.ts';
import { inAttachment, inBody, inHeader, inLink } from '#shared/checks/check.ts';
import { dictionary } from '#shared/dictionary.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { compileCondition } from '#shared/query/predicate.ts';
import { type Condition, type ConditionGroup, isGroup } from '#shared/query/tree.ts';
import type { SqliteStore } from '../sqlite-store.ts';
import { emailTexts } from './email.ts';
import { whereOf } from './where.ts';

const FIELDS = emailTexts.fields.map(({ config }) => config);

/** The header in which the value of a field is written. */
const HEADERS: Readonly<Record<string, string>> = dictionary({
  subject: 'Subject',
  from_email: 'From',
  from_name: 'From',
  from_domain: 'From',
  reply_to: 'Reply-To',
  return_path: 'Return-Path',
  to: 'To',
  recipients: 'To',
  message_id: 'Message-ID',
  client_ip: 'Received',
  hop_ips: 'Received',
  spf: 'Authentication-Results',
  dkim: 'Authentication-Results',
  dmarc: 'Authentication-Results',
});
const NAMED_OPERATORS: ReadonlySet<string> = new Set([
  ...['is', 'contains_text', 'contains_words', 'contains_phrase', 'starts_with', 'ends_with'],
  ...['matches', 'in_list', 'contains_any', 'in_network'],
]);
/** The values of these operators stand in the mail as they are written in the condition. */
const QUOTED_OPERATORS: ReadonlySet<string> = new Set(['is', 'contains_text', 'contains_phrase']);

/** Conditions that a hit fulfils for certain: not those in groups that negate, nor those of alternatives. */
function* certain(group: ConditionGroup): Generator<Condition> {
  if (group.negate || (group.operator === 'or' && group.conditions.length > 1)) return;
  for (const node of group.conditions) {
    if (isGroup(node)) yield* certain(node);
    else if (NAMED_OPERATORS.has(node.operator)) yield node;
  }
}

interface Placed {
  /** SQL of the name of the place in the mail `e`; '' if it is always the same. */
  sql: string;
  params: (string | number)[];
  place: (name: string) => FindingPlace;
}

/** Tables with places of their own, by the fields on them. */
const TABLES: Readonly<
  Record<string, { from: string; name: string; place: (name: string) => FindingPlace }>
> = dictionary({
  link: { from: 'links', name: 'm.url', place: (name) => inLink(name) },
  attachment: { from: 'attachments', name: 'm.name', place: inAttachment },
});

/** Where the condition is fulfilled, or null if that place cannot be shown. */
function placed(condition: Condition): Placed | null {
  const { field, operator, values } = condition;
  const text = values.length === 1 && QUOTED_OPERATORS.has(operator) ? String(values[0]) : '';
  const fixed = (place: FindingPlace): Placed => ({ sql: '', params: [], place: () => place });
  const header = HEADERS[field];
  if (header !== undefined) return fixed(inHeader(header, text));
  if (field === 'body') return text === '' ? null : fixed(inBody(text));
  if (field === 'headers') {
    const [, name = '', rest = ''] = /^([!-9;-~]+):\s*(.*)$/.exec(String(values[0])) ?? [];
    return name === '' ? null : fixed(inHeader(name, rest));
  }
  const table = TABLES[field.split('_', 1)[0]?.replace(/s$/, '') ?? ''];
  if (table === undefined || values.length === 0) return null;
  const compiled = compileCondition(
    { operator: 'and', conditions: [condition] },
    {
      fields: FIELDS,
      operators: STANDARD_OPERATORS,
      now: 0,
      mapping: (id) => {
        const byRow = emailTexts.fields.find(({ config }) => config.id === id)?.byRow;
        return (
          byRow && {
            ...byRow,
            some: (holds) =>
              `SELECT ${table.name} FROM ${table.from} m WHERE m.email_id = e.id AND ${holds} ORDER BY m.id LIMIT 1`,
          }
        );
      },
    },
  );
  return compiled.ok ? { sql: compiled.sql, params: compiled.params, place: table.place } : null;
}

/** `place` is null if it cannot be shown. Throws ConditionError. */
export function conditionMatches(
  store: SqliteStore,
  condition: ConditionGroup,
  ids: readonly number[],
  now: number,
): { emailId: number; place: FindingPlace | null }[] {
  // Without the rules: a condition on the hits of another rule would depend on the order of the rules.
  const { sql, params } = whereOf(emailTexts, { condition, saas: null, now }, store, true, () => []);
  const places = [...certain(condition)].flatMap((node) => placed(node) ?? []);
  const named = places.find((place) => place.sql !== '') ?? places[0] ?? null;
  store.begin();
  return store.db
    .prepare<unknown[], [id: number, name: string | null]>(
      `SELECT e.id, ${named?.sql || 'NULL'} FROM json_each(?) w CROSS JOIN emails e ON e.id = w.value WHERE ${sql}`,
    )
    .raw()
    .all(...(named?.params ?? []), JSON.stringify(ids), ...params)
    .map(([emailId, name]) => ({
      emailId,
      place: named === null || (named.sql !== '' && name === null) ? null : named.place(name ?? ''),
    }));
}
