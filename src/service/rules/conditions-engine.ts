/** Rules of conditions: the SQL of a query, in the form that tests rows one by one. */

import type { FindingPlace } from '#shared/checks/check.ts';
import { inAttachment, inBody, inHeader, inLink } from '#shared/checks/check.ts';
import { dictionary } from '#shared/dictionary.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { compileCondition } from '#shared/query/predicate.ts';
import { MatchBudgetError } from '#shared/query/sql-functions.ts';
import { type Condition, type ConditionGroup, effective, isGroup } from '#shared/query/tree.ts';
import { readConditions, ruleConditionProblems } from '#shared/rules/conditions.ts';
import { ConditionError } from '../store/rows.ts';
import { customLists } from '../store-sqlite/lists.ts';
import { emailTexts } from '../store-sqlite/query/email.ts';
import { whereOf } from '../store-sqlite/query/where.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { type RuleEngine, RuleError, type RuleHit, WHOLE_MAIL } from './engine.ts';

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

/** Where the condition is fulfilled; null: at no place that can be shown. */
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

function asRuleError<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConditionError || error instanceof MatchBudgetError)
      throw new RuleError(error.message, { cause: error });
    throw error;
  }
}

export const conditionsEngine: RuleEngine = {
  kind: 'conditions',
  prepare(store: SqliteStore, { text }) {
    const read = readConditions(text);
    if (!read.ok) throw new RuleError(read.message);
    const condition = effective(read.condition);
    const [problem] = ruleConditionProblems(condition, FIELDS);
    if (problem !== undefined) throw new RuleError(`${problem.message}.`);
    // Without the rules: a condition on the hits of another rule would depend on the order of the rules.
    const lists = { ...customLists(store), rules: () => [] };
    const where = () =>
      asRuleError(() => whereOf(emailTexts, { condition, saas: null, now: Date.now() }, lists, true));
    where();
    const places = [...certain(condition)].flatMap((node) => placed(node) ?? []);
    const found = places.find(({ sql }) => sql !== '') ?? places[0] ?? null;
    return {
      hits(emailIds): RuleHit[] {
        const { sql, params } = where();
        store.begin();
        return asRuleError(() =>
          store.db
            .prepare<unknown[], [id: number, name: string | null]>(
              `SELECT e.id, ${found?.sql || 'NULL'} FROM json_each(?) w CROSS JOIN emails e ON e.id = w.value WHERE ${sql}`,
            )
            .raw()
            .all(...(found?.params ?? []), JSON.stringify(emailIds), ...params),
        ).map(([emailId, name]) => ({
          emailId,
          place: found === null || (found.sql !== '' && name === null) ? WHOLE_MAIL : found.place(name ?? ''),
        }));
      },
    };
  },
};
