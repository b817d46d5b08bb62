/**
 * query/execute returns exactly the rows for which a plain evaluation of the condition holds: random rows, random
 * trees.
 */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidenceSource } from '#service/evidence/source.ts';
import { execute } from '#service/query/execute.ts';
import { addList } from '#service/store-sqlite/lists.ts';
import { openStore, type SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { type Condition, type ConditionGroup, type ConditionValue, isGroup } from '#shared/query/tree.ts';
import { fulfilsNumber, fulfilsText } from '#tests/support/plain-evaluator.ts';

const NOW = Date.UTC(2026, 2, 31, 12);
const DAY = 86_400_000;
const LISTED = ['ärger@x.example', '100%', ''];
const RUNS = Number(process.env['PARAPET_PROPERTY_RUNS'] ?? 1_000);

/** A row for the plain evaluation: text, numbers, flags and instants as they are, roles as a set. */
interface Plain {
  id: string;
  name: string;
  email: string;
  country: string | null;
  mfa: boolean;
  last_login: number | null;
  failed_logins: number;
  mailbox_size: number | null;
  last_ip: string | null;
  roles: string[];
}

const TEXTS = [
  '',
  ' ',
  'Straße',
  'STRASSE',
  'ÄRGER',
  'a\u0308rger',
  'ärger@x.example',
  '100%',
  '100_',
  "O'Hara",
  'a*b?c[d]',
  'İstanbul',
  'ISTANBUL',
  'ıstanbul',
  'ΟΔΥΣΣΕΥΣ',
  'Οδυσσεύς οδυσσευσ',
  'ﬁle',
  '請求書 発行',
  'invoice overdue',
  'Overdue-Invoice',
  '\\',
  '"quoted"',
  'x|user|y',
  '0',
  'null',
];
const ROLES = ['user', 'shared', 'help_desk', 'security_reader'];
const IPS = ['192.0.2.1', '192.0.2.255', '192.0.3.0', '2001:db8::1', '2001:db8:0:0:0:0:0:1', 'not an ip'];
const INSTANTS = [
  Date.UTC(2026, 2, 29, 0, 59, 59, 999),
  Date.UTC(2026, 2, 29, 1),
  Date.UTC(2026, 2, 29, 23, 59, 59, 999),
  Date.UTC(2026, 2, 30),
  NOW,
  NOW + 1,
  NOW - DAY,
  NOW - DAY - 1,
  0,
];

const plain = fc.record({
  name: fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme', maxLength: 12 })),
  email: fc.constantFrom(...TEXTS),
  country: fc.option(fc.constantFrom(...TEXTS)),
  mfa: fc.boolean(),
  last_login: fc.option(fc.constantFrom(...INSTANTS)),
  failed_logins: fc.constantFrom(0, 1, 2, 7, 1_000_000),
  mailbox_size: fc.option(fc.constantFrom(0, 1, 1.5, 2 ** 40)),
  last_ip: fc.option(fc.constantFrom(...IPS)),
  roles: fc.subarray(ROLES),
});

let store: SqliteStore;
let rows: Plain[];
beforeAll(() => {
  store = openStore({ path: ':memory:' }, evidenceSource);
  addList(store, 'some', 'Some', LISTED);
  addList(store, 'none', 'None', []);
  const insert = store.db.prepare(
    `INSERT INTO users (entity_id, saas, name, email, country, is_admin, mfa, state, created_at, last_login_at, risk,
      failed_logins, last_ip, mailbox_size, roles) VALUES (?, 'a', ?, ?, ?, 0, ?, 'active', 0, ?, 0, ?, ?, ?, ?)`,
  );
  rows = fc.sample(plain, { numRuns: 80, seed: 11 }).map((row, index) => ({ ...row, id: `u${index}` }));
  for (const row of rows)
    insert.run(
      row.id,
      row.name.replaceAll('\0', ''),
      row.email,
      row.country,
      row.mfa ? 1 : 0,
      row.last_login,
      row.failed_logins,
      row.last_ip,
      row.mailbox_size,
      `|${row.roles.map((role) => `${role}|`).join('')}`,
    );
  for (const row of rows) row.name = row.name.replaceAll('\0', '');
});
afterAll(() => store.close());

const text = fc.oneof(
  fc.constantFrom(...TEXTS.filter((text) => text !== '')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }).filter((text) => !text.includes('\0')),
);
const leaf = (field: string, operator: string, values: ConditionValue[]): Condition => ({
  field,
  operator,
  values,
});
const textField = fc.constantFrom('name', 'email', 'country');
/** With a word after compatibility decomposition, which turns a few letters into a space and a mark. */
const wordful = text.filter((value) => /[\p{L}\p{N}]/u.test(value.normalize('NFKC')));

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .tuple(
      textField,
      fc.constantFrom('is', 'is_not', 'contains_text', 'not_contains', 'starts_with', 'ends_with'),
      text,
    )
    .map(([field, operator, value]) => leaf(field, operator, [value])),
  fc
    .tuple(
      textField,
      fc.constantFrom('in_list', 'not_in_list'),
      fc.array(text, { minLength: 1, maxLength: 5 }),
    )
    .map(([field, operator, values]) => leaf(field, operator, values)),
  fc
    .tuple(
      textField,
      fc.constantFrom('in_custom_list', 'not_in_custom_list'),
      fc.constantFrom('some', 'none'),
    )
    .map(([field, operator, list]) => leaf(field, operator, [list])),
  fc
    .tuple(fc.constantFrom('name', 'country', 'last_login', 'mailbox_size', 'last_ip', 'roles'), fc.boolean())
    .map(([field, empty]) => leaf(field, empty ? 'is_empty' : 'is_not_empty', [])),
  fc
    .tuple(fc.constantFrom('name', 'country'), fc.array(wordful, { minLength: 1, maxLength: 2 }))
    .map(([field, values]) => leaf(field, 'contains_words', values)),
  fc
    .tuple(fc.constantFrom('name', 'country'), wordful)
    .map(([field, value]) => leaf(field, 'contains_phrase', [value])),
  fc
    .tuple(
      fc.constantFrom('failed_logins', 'mailbox_size'),
      fc.constantFrom('is', 'is_not', 'greater_than', 'less_than'),
      fc.constantFrom<ConditionValue>(0, 1, '1.5', '1e6', 7),
    )
    .map(([field, operator, value]) => leaf(field, operator, [value])),
  fc
    .tuple(
      fc.constantFrom('failed_logins', 'mailbox_size'),
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 0, max: 8 }),
    )
    .map(([field, a, b]) => leaf(field, 'between', [a, b])),
  fc
    .tuple(
      fc.constantFrom('before', 'after', 'is'),
      fc.constantFrom(
        '2026-03-29',
        '2026-03-30',
        '2026-03-29T01:00:00Z',
        '2026-03-29T03:00+02:00',
        '1970-01-01',
      ),
    )
    .map(([operator, value]) => leaf('last_login', operator, [value])),
  fc.constantFrom(1, 2, 400).map((days) => leaf('last_login', 'in_the_last', [days, 'days'])),
  fc.boolean().map((value) => leaf('mfa', value ? 'is_true' : 'is_false', [])),
  fc
    .constantFrom('192.0.2.0/24', '2001:db8::/32', '192.0.2.1')
    .map((net) => leaf('last_ip', 'in_network', [net])),
  fc
    .tuple(fc.constantFrom('contains_any', 'contains_all'), fc.subarray(ROLES, { minLength: 1 }))
    .map(([operator, values]) => leaf('roles', operator, values)),
  fc
    .tuple(fc.constantFrom('is', 'is_not'), fc.constantFrom(...ROLES))
    .map(([operator, role]) => leaf('roles', operator, [role])),
);

const { group } = fc.letrec<{ group: ConditionGroup; node: Condition | ConditionGroup }>((tie) => ({
  node: fc.oneof({ maxDepth: 4, withCrossShrink: true }, condition, tie('group')),
  group: fc.record(
    {
      operator: fc.constantFrom('and' as const, 'or' as const),
      conditions: fc.array(tie('node'), { maxLength: 4 }),
      negate: fc.boolean(),
      disabled: fc.constant(false),
    },
    { requiredKeys: ['operator', 'conditions'] },
  ),
}));

function holds(node: Condition | ConditionGroup, row: Plain): boolean | null {
  if (!isGroup(node)) return fulfils(node, row);
  const inner = node.conditions.map((child) => holds(child, row)).filter((result) => result !== null);
  if (inner.length === 0) return null;
  const whole = node.operator === 'and' ? inner.every(Boolean) : inner.some(Boolean);
  return node.negate ? !whole : whole;
}

const NOT: Readonly<Record<string, string>> = {
  is_not: 'is',
  not_contains: 'contains_text',
  not_in_list: 'in_list',
  not_in_custom_list: 'in_custom_list',
  is_empty: 'is_not_empty',
  is_false: 'is_true',
};

function fulfils(node: Condition, row: Plain): boolean {
  const positive = NOT[node.operator];
  if (positive !== undefined) return !fulfils({ ...node, operator: positive }, row);
  const { field, operator, values } = node;
  const value = row[field as keyof Plain];
  if (Array.isArray(value)) {
    const has = (item: ConditionValue) => value.includes(String(item));
    if (operator === 'is_not_empty') return value.length > 0;
    return operator === 'contains_all' ? values.every(has) : values.some(has);
  }
  if (value === null) return false;
  if (operator === 'is_not_empty') return value !== '';
  if (typeof value === 'boolean') return value;
  if (field === 'last_login') return fulfilsDate(operator, values, Number(value));
  if (typeof value === 'number') return fulfilsNumber(operator, values.map(Number), value);
  return fulfilsValue(operator, values.map(String), value);
}

function fulfilsDate(operator: string, [first, unit]: ConditionValue[], time: number): boolean {
  if (operator === 'in_the_last') return unit === 'days' && time >= NOW - Number(first) * DAY && time <= NOW;
  const from = Date.parse(String(first).length === 10 ? `${first}T00:00Z` : String(first));
  const to = String(first).length === 10 ? from + DAY - 1 : from;
  if (operator === 'before') return time < from;
  return operator === 'after' ? time > to : time >= from && time <= to;
}

function fulfilsValue(operator: string, values: string[], value: string): boolean {
  if (operator === 'in_custom_list')
    return values[0] === 'some' && LISTED.some((item) => fulfilsText('is', [item], value));
  if (operator === 'in_network') return inNetwork(value, values[0] ?? '');
  return fulfilsText(operator, values, value);
}

/** The networks of this test, computed by hand. */
const inNetwork = (ip: string, network: string): boolean =>
  network === '192.0.2.1'
    ? ip === network
    : network.startsWith('192')
      ? ip.startsWith('192.0.2.')
      : ip.startsWith('2001:db8:');

it('[promise] agrees with a plain evaluation over random rows and trees', async () => {
  await fc.assert(
    fc.asyncProperty(group, async (tree) => {
      const answer = await execute(
        {
          query_domain: 'user',
          saas_id: 'all',
          query_entity_type: 'user',
          condition: tree,
          columns: ['name'],
          sort_by: [{ dbId: 'created', direction: 'asc' }],
          size: 1_000,
          include_copies: false,
          count_only: false,
        },
        { store, saas: ['a'], now: NOW },
      );
      const expected = rows.filter((row) => holds(tree, row) ?? true).map(({ id }) => id);
      expect(answer.rows.map((row) => row['entity_id'])).toEqual(expected);
      expect(answer.total_rows).toBe(expected.length);
    }),
    { numRuns: RUNS },
  );
}, 240_000);
