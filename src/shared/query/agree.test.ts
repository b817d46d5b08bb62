/** Compiled SQL agrees with a straightforward evaluation of the conditions, over random rows and trees. */
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plainFold as fold } from '#tests/support/plain-fold.ts';
import type { FieldConfig } from '../model/entities.ts';
import { operatorsForType, STANDARD_OPERATORS } from './operators.ts';
import { compileCondition } from './predicate.ts';
import type { FieldMapping } from './predicate-sql.ts';
import { sqlFunctions } from './sql-functions.ts';
import { type Condition, type ConditionGroup, isGroup } from './tree.ts';

const NOW = Date.UTC(2026, 10, 19, 8, 47);
const DAY = 86_400_000;

interface MailRow {
  id: number;
  subject: string | null;
  count: number | null;
  received: number | null;
  read: 0 | 1 | null;
  hashes: string[];
}

const FIELDS: FieldConfig[] = [
  { id: 'subject', dbId: 'subject', label: 'Subject', type: 'text', operators: operatorsForType('text') },
  { id: 'count', dbId: 'count', label: 'Count', type: 'number', operators: operatorsForType('number') },
  { id: 'received', dbId: 'received', label: 'Received', type: 'date', operators: operatorsForType('date') },
  { id: 'read', dbId: 'read', label: 'Read', type: 'boolean', operators: operatorsForType('boolean') },
  {
    id: 'hashes',
    dbId: 'hashes',
    label: 'Hashes',
    type: 'hash',
    multiValues: true,
    operators: operatorsForType('hash', true),
  },
];
const MAPPING: Readonly<Record<string, FieldMapping>> = {
  subject: { value: 'm.subject' },
  count: { value: 'm.count' },
  received: { value: 'm.received' },
  read: { value: 'm.read' },
  hashes: { value: 'a.hash', some: (condition) => `m.id IN (SELECT a.mail FROM a WHERE ${condition})` },
};

/** The reference evaluation, written independently of the compiler, value by value. */
function holds(node: Condition | ConditionGroup, row: MailRow): boolean {
  if (isGroup(node)) {
    const parts = node.conditions.filter(counts).map((child) => holds(child, row));
    // An empty group matches everything, whatever its operator.
    if (parts.length === 0) return true;
    const whole = node.operator === 'or' ? parts.some(Boolean) : parts.every(Boolean);
    return node.negate ? !whole : whole;
  }
  const negatives: Readonly<Record<string, string>> = {
    is_not: 'is',
    not_contains: 'contains_text',
    not_in_list: 'in_list',
    is_empty: 'is_not_empty',
    is_false: 'is_true',
  };
  const positive = negatives[node.operator];
  if (positive !== undefined) return !holds({ ...node, operator: positive }, row);
  const { operator, values } = node;
  if (operator === 'contains_all')
    return values.every((value) => holds({ ...node, operator: 'is', values: [value] }, row));
  const value = row[node.field as keyof MailRow];
  const all = Array.isArray(value) ? value : [value];
  return all.some(
    (value) => value !== null && value !== undefined && fulfils(value, node.field, operator, values),
  );
}

/** Disabled parts, and groups with nothing else, do not count. */
const counts = (node: Condition | ConditionGroup): boolean =>
  !node.disabled && (!isGroup(node) || node.conditions.some(counts));

const words = (text: string): string[] => {
  const out: string[] = [];
  for (const run of fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])
    for (const part of run.match(/\p{Script=Han}|\P{Script=Han}+/gu) ?? []) out.push(part);
  return out;
};
const isEmoji = (text: string) => words(text).length === 0 && text.includes('👩');
const hasRun = (all: string[], expected: string[]) =>
  expected.length === 0 ||
  all.some((_, start) => expected.every((item, index) => all[start + index] === item));

function fulfils(
  value: string | number,
  field: string,
  operator: string,
  values: Condition['values'],
): boolean {
  if (operator === 'is_not_empty') return value !== '';
  if (field === 'read') return value === 1;
  if (field === 'count') {
    const numbers = values.map(Number);
    const [first = 0, second = 0] = numbers;
    if (operator === 'greater_than') return Number(value) > first;
    if (operator === 'less_than') return Number(value) < first;
    if (operator === 'between')
      return Number(value) >= Math.min(first, second) && Number(value) <= Math.max(first, second);
    return numbers.includes(Number(value));
  }
  if (field === 'received') return fulfilsDate(Number(value), operator, values);
  const text = fold(String(value));
  const expected = values.map((value) => fold(String(value)));
  const [first = ''] = expected;
  switch (operator) {
    case 'contains_words':
      return values
        .flatMap((value) => String(value).split(/\s+/))
        .every((item) =>
          isEmoji(item) ? text.includes(fold(item)) : hasRun(words(String(value)), words(item)),
        );
    case 'contains_phrase':
      return isEmoji(first) ? text.includes(first) : hasRun(words(String(value)), words(String(values[0])));
    case 'contains_text':
      return text.includes(first);
    case 'starts_with':
      return text.startsWith(first);
    case 'ends_with':
      return text.endsWith(first);
    default:
      return expected.includes(text);
  }
}

/** A bare day is the whole day in UTC; an instant is a moment. */
function fulfilsDate(value: number, operator: string, values: Condition['values']): boolean {
  const span = (text: unknown): [number, number] => {
    const from = Date.parse(/T/.test(String(text)) ? String(text) : `${String(text)}T00:00:00.000Z`);
    return [from, /T/.test(String(text)) ? from : from + DAY - 1];
  };
  if (operator === 'in_the_last') {
    const length = { minutes: 60_000, hours: 3_600_000, days: DAY, weeks: 7 * DAY }[String(values[1])] ?? 0;
    return value >= NOW - Number(values[0]) * length && value <= NOW;
  }
  const spans = values.map(span).sort((a, b) => a[0] - b[0]);
  const [first = [0, 0], second = first] = spans;
  if (operator === 'before') return value < first[0];
  if (operator === 'after') return value > first[1];
  return value >= first[0] && value <= (operator === 'between' ? second[1] : first[1]);
}

// Fragments that interact often: case, composed and decomposed, wildcards of LIKE and GLOB, Chinese, emoji.
const piece = fc.constantFrom(
  'a',
  'A',
  'Ä',
  'A\u0308',
  'ß',
  'İ',
  'ı',
  'ς',
  'σ',
  'ﬁ',
  '%',
  '_',
  '*',
  '[a]',
  '請',
  '求',
  '👩‍💻',
  "'",
  '-',
  ' ',
  'invoice',
  'Σ',
);
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
const phrase = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''));
const askedWords = phrase.filter((item) => words(item).length > 0 || isEmoji(item));
const moment = fc.constantFrom(
  NOW,
  NOW - 7 * DAY,
  NOW - 7 * DAY - 1,
  Date.UTC(2026, 10, 1),
  Date.UTC(2026, 10, 1) - 1,
  Date.UTC(2026, 10, 1, 23, 59, 59, 999),
  Date.UTC(2026, 10, 2),
  Date.UTC(2026, 2, 29, 1),
  0,
);
const date = fc.constantFrom(
  '2026-11-01',
  '2026-11-02',
  '2026-10-31T23:59:59.999Z',
  '2026-11-01T00:00:00Z',
  // Midnight UTC written in other zones.
  '2026-11-01T14:00:00+14:00',
  '2026-10-31T12:00:00-12:00',
);
const hash = fc.constantFrom('aa', 'AA', 'bb', 'cc');
const number = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constantFrom(0.5, 1e15));
const ask = (
  field: string,
  operator: string[],
  values: fc.Arbitrary<Condition['values']>,
): fc.Arbitrary<Condition> =>
  fc.record({ field: fc.constant(field), operator: fc.constantFrom(...operator), values });

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  ask(
    'subject',
    ['is', 'is_not', 'contains_text', 'not_contains', 'starts_with', 'ends_with'],
    fc.tuple(phrase),
  ),
  ask('subject', ['in_list', 'not_in_list'], fc.array(phrase, { minLength: 1, maxLength: 3 })),
  ask('subject', ['contains_words'], fc.array(askedWords, { minLength: 1, maxLength: 2 })),
  ask('subject', ['contains_phrase'], fc.tuple(askedWords)),
  ask('subject', ['is_empty', 'is_not_empty'], fc.constant([])),
  ask('count', ['is', 'is_not', 'greater_than', 'less_than'], fc.tuple(number)),
  ask('count', ['between'], fc.tuple(number, number)),
  ask('count', ['in_list'], fc.array(number, { minLength: 1, maxLength: 3 })),
  ask('count', ['is_empty', 'is_not_empty'], fc.constant([])),
  ask('received', ['is', 'before', 'after'], fc.tuple(date)),
  ask('received', ['between'], fc.tuple(date, date)),
  ask(
    'received',
    ['in_the_last'],
    fc.tuple(fc.constantFrom(1, 7, 400), fc.constantFrom('minutes', 'hours', 'days', 'weeks')),
  ),
  ask('received', ['is_empty', 'is_not_empty'], fc.constant([])),
  ask('read', ['is_true', 'is_false'], fc.constant([])),
  ask('hashes', ['is', 'is_not', 'starts_with'], fc.tuple(hash)),
  ask(
    'hashes',
    ['in_list', 'not_in_list', 'contains_any', 'contains_all'],
    fc.array(hash, { minLength: 1, maxLength: 3 }),
  ),
  ask('hashes', ['is_empty', 'is_not_empty'], fc.constant([])),
);
const disabled = fc.oneof(
  { arbitrary: fc.constant(false), weight: 4 },
  { arbitrary: fc.constant(true), weight: 1 },
);
const { tree } = fc.letrec<{ tree: ConditionGroup; node: Condition | ConditionGroup }>((tie) => ({
  node: fc
    .tuple(fc.oneof({ maxDepth: 4 }, leaf, tie('tree')), disabled)
    .map(([node, off]) => (off ? { ...node, disabled: true } : node)),
  tree: fc.record({
    operator: fc.constantFrom('and' as const, 'or' as const),
    conditions: fc.array(tie('node'), { maxLength: 3 }),
    negate: fc.boolean(),
  }),
}));
const mail = fc.record({
  subject: fc.option(text),
  count: fc.option(number),
  received: fc.option(moment),
  read: fc.constantFrom(0 as const, 1 as const, null),
  hashes: fc.array(hash, { maxLength: 2 }),
});

const db = new Database(':memory:');
for (const [name, run] of Object.entries(sqlFunctions().functions))
  db.function(name, { deterministic: true, varargs: true }, run as (...args: unknown[]) => unknown);
db.exec(`CREATE TABLE m (id INTEGER PRIMARY KEY, subject TEXT, count REAL, received INTEGER, read INTEGER);
  CREATE TABLE a (mail INTEGER, hash TEXT)`);
const addMail = db.prepare('INSERT INTO m VALUES (?, ?, ?, ?, ?)');
const addHash = db.prepare('INSERT INTO a VALUES (?, ?)');

it('over thousands of cases', () => {
  let cases = 0;
  fc.assert(
    fc.property(
      fc.array(mail, { minLength: 1, maxLength: 12 }),
      fc.array(tree, { minLength: 8, maxLength: 8 }),
      (mails, trees) => {
        const rows = mails.map((mail, index): MailRow => ({ id: index + 1, ...mail }));
        db.exec('DELETE FROM m; DELETE FROM a');
        for (const row of rows) {
          addMail.run(row.id, row.subject, row.count, row.received, row.read);
          for (const hash of row.hashes) addHash.run(row.id, hash);
        }
        for (const group of trees) {
          const compiled = compileCondition(group, {
            fields: FIELDS,
            operators: STANDARD_OPERATORS,
            mapping: (id) => MAPPING[id],
            now: NOW,
          });
          if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
          const hits = db
            .prepare(`SELECT id FROM m WHERE ${compiled.sql} ORDER BY id`)
            .pluck()
            .all(...compiled.params);
          expect(hits).toEqual(rows.filter((row) => holds(group, row)).map(({ id }) => id));
          cases += rows.length;
        }
      },
    ),
    { numRuns: 400 },
  );
  expect(cases).toBeGreaterThan(5000);
});
