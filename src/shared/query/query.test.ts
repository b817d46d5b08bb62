import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import type { FieldConfig, QueryConfig } from '../model/entities.ts';
import { describeCondition, describeQuery, plainWords } from './describe.ts';
import { fieldTypeOf, operatorsForType, STANDARD_OPERATORS } from './operators.ts';
import { compileCondition } from './predicate.ts';
import type { FieldMapping } from './predicate-sql.ts';
import { sqlFunctions } from './sql-functions.ts';
import { type Condition, type ConditionGroup, type ConditionValue, emptyGroup } from './tree.ts';
import { NO_NEGATED_GROUPS, validate } from './validate.ts';
import { parseNumber, typedNumber } from './values.ts';

const field = (id: string, label: string, type: string, more: Partial<FieldConfig> = {}): FieldConfig => ({
  id,
  dbId: id,
  label,
  type,
  operators: operatorsForType(type, more.multiValues ?? false),
  ...more,
});

const FIELDS = [
  field('received', 'Received', 'date'),
  field('subject', 'Subject', 'text'),
  field('from_domain', 'Sender domain', 'domain'),
  field('size', 'Size', 'bytes'),
  field('count', 'Count', 'number'),
  field('ip', 'Client IP', 'ip'),
  field('read', 'Read', 'boolean'),
  field('verdict', 'Verdict', 'enum', {
    allowedValues: [
      { value: 'found', label: 'Found' },
      { value: 'clean', label: 'Clean' },
    ],
  }),
  field('hash', 'Attachment SHA-256', 'hash', { multiValues: true }),
  field('stack', 'Stack', 'enum', { multiValues: true }),
];
const CONFIG: QueryConfig = {
  fields: FIELDS,
  operators: [...STANDARD_OPERATORS],
  columns: [],
  conditions: [],
  actions: [],
};
const NOW = Date.UTC(2026, 10, 19, 8, 47);
const DAY = 86_400_000;

const is = (name: string, operator: string, ...values: ConditionValue[]): Condition => ({
  field: name,
  operator,
  values,
});
const and = (...conditions: ConditionGroup['conditions']): ConditionGroup => ({
  operator: 'and',
  conditions,
});
const or = (...conditions: ConditionGroup['conditions']): ConditionGroup => ({ operator: 'or', conditions });
const nested = (depth: number): ConditionGroup => {
  let group = and(is('subject', 'is', 'x'));
  for (let i = 1; i < depth; i += 1) group = and(group);
  return group;
};

const db = new Database(':memory:');
for (const [name, run] of Object.entries(sqlFunctions().functions))
  db.function(name, { deterministic: true, varargs: true }, run as (...args: unknown[]) => unknown);
db.exec(`
  CREATE TABLE m (id INTEGER PRIMARY KEY, received INTEGER, subject TEXT, from_domain TEXT, size INTEGER, count INTEGER,
    ip TEXT, read INTEGER, verdict TEXT, stack TEXT);
  CREATE TABLE a (mail INTEGER, hash TEXT);
`);
const insert = db.prepare('INSERT INTO m VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
insert.run(
  1,
  NOW - DAY,
  'Overdue INVOICE, final notice INV-20931',
  'nordlicht.example',
  2048,
  3,
  '192.0.2.9',
  1,
  'found',
  '|av:found|ap:clean|',
);
insert.run(
  2,
  NOW - 40 * DAY,
  'Re: Ääkköset invoices',
  'Aldermoor.example',
  100,
  0,
  '2001:db8::5',
  0,
  'clean',
  '|av:clean|',
);
insert.run(3, null, '', null, null, null, null, null, 'clean', '||');
insert.run(
  4,
  Date.UTC(2026, 0, 2, 23, 59),
  '請求書の支払期限超過',
  'x.example',
  999_999,
  7,
  '203.0.113.70',
  1,
  'clean',
  '|ap:clean|',
);
for (const [mail, hash] of [
  [1, 'aa'],
  [1, 'bb'],
  [2, 'bb'],
])
  db.prepare('INSERT INTO a VALUES (?, ?)').run(mail, hash);

const MAPPING: Record<string, FieldMapping> = {
  ...Object.fromEntries(FIELDS.map(({ id }) => [id, { value: `m.${id}` }])),
  hash: { value: 'a.hash', some: (condition) => `m.id IN (SELECT a.mail FROM a WHERE ${condition})` },
  stack: { value: 'm.stack', packed: 'm.stack' },
};

function ids(group: ConditionGroup): number[] {
  const compiled = compileCondition(group, { ...CONFIG, mapping: (id) => MAPPING[id], now: NOW });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return db
    .prepare(`SELECT id FROM m WHERE ${compiled.sql} ORDER BY id`)
    .pluck()
    .all(...compiled.params) as number[];
}

describe('compileCondition', () => {
  it.each<[Condition, number[]]>([
    [is('subject', 'is', 'RE: ÄÄKKÖSET INVOICES'), [2]],
    [is('subject', 'is_not', 'x'), [1, 2, 3, 4]],
    [is('subject', 'contains_words', 'invoice', 'overdue'), [1]],
    [is('subject', 'contains_words', 'overdue invoice'), [1]],
    [is('subject', 'contains_words', 'invoic'), []],
    [is('subject', 'contains_words', 'inv-20931'), [1]],
    [is('subject', 'contains_words', '請求書'), [4]],
    [is('subject', 'contains_text', 'invoice'), [1, 2]],
    [is('subject', 'contains_text', '%'), []],
    [is('subject', 'not_contains', 'invoice'), [3, 4]],
    [is('subject', 'starts_with', 're: ä'), [2]],
    [is('subject', 'ends_with', '20931'), [1]],
    [is('subject', 'matches', '^re|\\d{5}$'), [1, 2]],
    [is('subject', 'in_list', '', 'nothing'), []],
    [is('subject', 'is_empty'), [3]],
    [is('subject', 'is_not_empty'), [1, 2, 4]],
    [is('from_domain', 'in_list', 'ALDERMOOR.example', 'x.example'), [2, 4]],
    [is('from_domain', 'not_in_list', 'aldermoor.example', 'x.example'), [1, 3]],
    [is('size', 'greater_than', 2047), [1, 4]],
    [is('size', 'greater_than', '2048'), [4]],
    [is('size', 'less_than', 2048), [2]],
    [is('size', 'between', 2048, 100), [1, 2]],
    [is('size', 'is_empty'), [3]],
    [is('count', 'is', 0), [2]],
    [is('count', 'is_not', 0), [1, 3, 4]],
    [is('count', 'in_list', 3, '7'), [1, 4]],
    [is('received', 'in_the_last', 7, 'days'), [1]],
    [is('received', 'in_the_last', 2, 'months'), [1, 2]],
    [is('received', 'before', '2026-01-03'), [4]],
    [is('received', 'after', '2026-01-01'), [1, 2, 4]],
    [is('received', 'after', '2026-01-02'), [1, 2]],
    [is('received', 'is', '2026-01-02'), [4]],
    [is('received', 'between', '2026-01-02T23:59Z', '2026-01-01'), [4]],
    [is('ip', 'in_network', '192.0.2.0/24'), [1]],
    [is('ip', 'in_network', '2001:db8::/32'), [2]],
    [is('read', 'is_true'), [1, 4]],
    [is('read', 'is_false'), [2, 3]],
    [is('verdict', 'is', 'found'), [1]],
    [is('hash', 'is', 'BB'), [1, 2]],
    [is('hash', 'is_not', 'aa'), [2, 3, 4]],
    [is('hash', 'contains_all', 'aa', 'bb'), [1]],
    [is('hash', 'contains_any', 'aa', 'zz'), [1]],
    [is('hash', 'is_empty'), [3, 4]],
    [is('hash', 'is_not_empty'), [1, 2]],
    [is('stack', 'is', 'av:found'), [1]],
    [is('stack', 'contains_any', 'av:clean', 'av:found'), [1, 2]],
    [is('stack', 'contains_all', 'av:found', 'AP:clean'), [1]],
    [is('stack', 'is_empty'), [3]],
  ])('%j', (condition, expected) => {
    // An empty text cannot be a value; "is empty" serves that purpose.
    if (condition.values.includes('')) expect(() => ids(and(condition))).toThrow('Enter a value');
    else expect(ids(and(condition))).toEqual(expected);
  });

  it('nests groups, negates, and omits disabled parts', () => {
    expect(ids(emptyGroup())).toEqual([1, 2, 3, 4]);
    expect(ids(or(is('size', 'is', 100), and(is('verdict', 'is', 'clean'), is('read', 'is_true'))))).toEqual([
      2, 4,
    ]);
    expect(ids({ ...and(is('size', 'greater_than', 100)), negate: true })).toEqual([2, 3]);
    expect(ids(and({ ...or(is('size', 'is', 100)), disabled: true }, is('read', 'is_true')))).toEqual([1, 4]);
    expect(ids(or({ ...is('size', 'is', 100), disabled: true }))).toEqual([1, 2, 3, 4]);
    expect(ids(or(is('size', 'is', 100), emptyGroup()))).toEqual([2]);
  });

  it('keeps every value out of the SQL', () => {
    const hostile = "x' OR 1=1 --";
    const compiled = compileCondition(
      and(is('subject', 'is', hostile), is('hash', 'contains_any', hostile, 'y')),
      {
        ...CONFIG,
        mapping: (id) => MAPPING[id],
        now: NOW,
      },
    );
    expect(compiled.ok && compiled.sql).not.toContain('OR 1');
    expect(ids(and(is('subject', 'contains_text', hostile)))).toEqual([]);
  });

  it('returns problems instead of SQL for unknown fields and operators', () => {
    const options = { ...CONFIG, mapping: (id: string) => MAPPING[id], now: NOW };
    const compiled = compileCondition(and(is('nope', 'is', 1), or(is('size', 'matches', 'x'))), options);
    expect(compiled).toMatchObject({
      ok: false,
      problems: [
        { path: [0], field: 'nope' },
        { path: [1, 0], field: 'size' },
      ],
    });
    expect(compileCondition(nested(33), options)).toMatchObject({ ok: false });
    expect(compileCondition(nested(32), options)).toMatchObject({ ok: true });
    expect(compileCondition(nested(5_000), options)).toMatchObject({ ok: false });
    expect(
      compileCondition(and(...Array.from({ length: 501 }, () => is('size', 'is', 1))), options),
    ).toMatchObject({ ok: false });
  });

  it('runs the largest tree it accepts', () => {
    expect(ids(or(...Array.from({ length: 500 }, () => is('size', 'is', 100))))).toEqual([2]);
    const words = Array.from({ length: 200 }, (_, i) => `word${i}`);
    expect(ids(or(is('size', 'is', 100), is('subject', 'contains_words', ...words)))).toEqual([2]);
  });
});

describe('validate', () => {
  it.each<[Condition, string | null]>([
    [is('subject', 'is', 'x'), null],
    [is('subject', 'is'), 'Enter a value'],
    [is('subject', 'is', ''), 'Enter a value'],
    [is('subject', 'is', null), 'Enter a value'],
    [is('subject', 'is', 'a', 'b'), 'Takes at most 1 value, has 2'],
    [is('subject', 'is_empty', 'x'), 'Takes no value'],
    [is('subject', 'contains_words', '—'), 'The value contains no words'],
    [is('subject', 'is', '\u0301'), 'The value is only accents, which a search ignores'],
    [is('subject', 'contains_text', '\u0301\u0300'), 'The value is only accents, which a search ignores'],
    [is('subject', 'in_list', 'x', '\ufe0f'), 'The value is only accents, which a search ignores'],
    [is('subject', 'contains_text', 'e\u0301'), null],
    [is('subject', 'matches', '(a'), 'Unmatched ( (at character 1)'],
    [is('nope', 'is', 'x'), 'Unknown field: nope'],
    [is('subject', 'resembles', 'x'), 'Unknown operator: resembles'],
    [is('subject', 'greater_than', 1), 'Subject doesn’t support “is more than”'],
    [is('size', 'greater_than', 'many'), 'Needs a number such as 1000 or 2.5'],
    [is('size', 'greater_than', -1), 'Needs a number of 0 or more, such as 1000 or 2.5'],
    [is('size', 'between', 1), 'Takes 2 values, has 1'],
    [is('received', 'before', '2026-02-30'), 'Needs a date such as 2026-11-19 or 2026-11-19T08:00Z'],
    [is('received', 'before', '2026-02-28'), null],
    [is('received', 'in_the_last', 0, 'days'), 'Enter a number above zero'],
    [is('received', 'in_the_last', 1.5, 'months'), 'Enter whole months, or use days or weeks'],
    [is('received', 'in_the_last', '0.5', 'month'), 'Enter whole months, or use days or weeks'],
    [is('received', 'in_the_last', 3, 'eons'), 'The unit must be one of minutes, hours, days, weeks, months'],
    [is('received', 'in_the_last', 1e300, 'days'), 'The time span is too long'],
    [is('ip', 'in_network', '192.0.2.0/40'), 'Not an address or a network such as 192.0.2.0/24'],
    [is('verdict', 'is', 'blue'), 'Not a value of Verdict: blue'],
    [is('verdict', 'in_list', 'found', 'CLEAN'), null],
  ])('%j: %j', (condition, message) => {
    const problems = validate(and(condition), CONFIG);
    expect(problems.map((problem) => problem.message)).toEqual(message === null ? [] : [message]);
  });

  it('[spec 3] reports the position, and skips disabled parts', () => {
    const wrong = is('nope', 'is', 'x');
    expect(validate(and(is('subject', 'is', 'x'), or(wrong, { ...wrong, disabled: true })), CONFIG)).toEqual([
      { path: [1, 0], field: 'nope', message: 'Unknown field: nope' },
    ]);
    expect(validate(nested(40), CONFIG)).toMatchObject([{ message: 'Groups can be nested 32 deep at most' }]);
  });
});

describe('a group with “not”', () => {
  const not: ConditionGroup = {
    ...or(is('subject', 'is', 'x'), is('size', 'greater_than', 1)),
    negate: true,
  };
  const tree = and(is('read', 'is_true'), not);

  it('is refused unless the service declares support: if ignored, it would match the opposite', () => {
    expect(validate(tree, CONFIG)).toEqual([{ path: [1], message: NO_NEGATED_GROUPS }]);
    expect(validate({ ...tree, negate: true }, CONFIG).map(({ path }) => path)).toEqual([[], [1]]);
    expect(validate(tree, { ...CONFIG, negatedGroups: true })).toEqual([]);
  });

  it('that is disabled or empty is not sent, and not refused', () => {
    expect(validate(and({ ...not, disabled: true }, { ...and(), negate: true }), CONFIG)).toEqual([]);
  });
});

describe('the type of a field', () => {
  it.each([
    ['long', 'number'],
    ['Integer', 'number'],
    ['datetime', 'date'],
    ['bool', 'boolean'],
    ['keyword', 'text'],
    ['constructor', 'text'],
  ])('called %s by a service is %s', (word, type) => expect(fieldTypeOf(word)).toBe(type));
});

describe('a service-specific operator', () => {
  const since = { id: 'since', label: 'since', template: '{field} since {value}', arity: 1 };
  const config: QueryConfig = {
    ...CONFIG,
    operators: [...CONFIG.operators, since],
    fields: CONFIG.fields.map((field) => ({ ...field, operators: [...field.operators, 'since'] })),
  };
  it('may be used, with the number of values that it takes', () => {
    expect(validate(and(is('received', 'since', '7d'), is('size', 'since', 'many')), config)).toEqual([]);
    expect(validate(and(is('received', 'since')), config)).toMatchObject([{ message: 'Enter a value' }]);
    expect(validate(and(is('received', 'since', '')), config)).toMatchObject([{ message: 'Enter a value' }]);
  });
  it('is described by its template, two values as the ends of a range', () => {
    const range = { id: 'range', label: 'range', template: '{field} within {value}', arity: 2 };
    const plain = { ...config, operators: [...config.operators, range] };
    const condition = and(is('size', 'range', 2, 9));
    expect(plainWords(describeCondition(condition, plain))).toBe('size within 2 bytes and 9 bytes');
  });
  it('is not mistaken for another one on this machine', () => {
    const options = { ...config, mapping: (id: string) => MAPPING[id], now: NOW };
    expect(compileCondition(and(is('subject', 'since', 'x')), options)).toMatchObject({
      ok: false,
      problems: [{ path: [0], field: 'subject', message: expect.stringContaining('Only the service') }],
    });
  });
});

describe('describe', () => {
  const HASH = '9c4e07d1a6f2b85530c7e4911fd2aa6e8b13d90c4f5761e2a9d8037cbe54b71f';
  const words = (condition: ConditionGroup, saas: string | null = 'Microsoft 365 Mail') =>
    plainWords(describeQuery({ condition, config: CONFIG, domain: 'email', saas }));

  it('describes the query of the design picture', () => {
    const segments = describeQuery({
      condition: and(
        is('received', 'in_the_last', 7, 'days'),
        or(
          is('hash', 'is', HASH),
          and(
            is('subject', 'contains_words', 'invoice', 'overdue'),
            is('from_domain', 'is_not', 'aldermoor.example'),
          ),
        ),
      ),
      config: CONFIG,
      domain: 'email',
      saas: 'Microsoft 365 Mail',
    });
    expect(plainWords(segments)).toBe(
      'Emails in Microsoft 365 Mail received in the last 7 days, where attachment SHA-256 is 9c4e…b71f, or both subject contains invoice and overdue in any order and sender domain is not aldermoor.example.',
    );
    expect(segments.filter(({ kind }) => kind === 'or')).toHaveLength(1);
    expect(segments.filter(({ kind }) => kind === 'value').map(({ text }) => text)).toEqual([
      '9c4e…b71f',
      'aldermoor.example',
    ]);
  });

  it.each<[ConditionGroup, string]>([
    [emptyGroup(), 'Emails in Microsoft 365 Mail.'],
    [
      and(is('verdict', 'in_list', 'found', 'clean')),
      'Emails in Microsoft 365 Mail, where verdict is one of Found or Clean.',
    ],
    [
      and(is('size', 'greater_than', 10_485_760)),
      'Emails in Microsoft 365 Mail, where size is more than 10 MB.',
    ],
    [and(is('read', 'is_true')), 'Emails in Microsoft 365 Mail, where read.'],
    [{ ...and(is('read', 'is_true')), negate: true }, 'Emails in Microsoft 365 Mail, where not (read).'],
    [
      and(is('subject', 'is_empty'), is('ip', 'in_network', '192.0.2.0/24')),
      'Emails in Microsoft 365 Mail, where subject is empty and client IP is in 192.0.2.0/24.',
    ],
    [and(is('mystery', 'resembles', 'x')), 'Emails in Microsoft 365 Mail, where mystery resembles x.'],
    [and({ ...is('read', 'is_true'), disabled: true }), 'Emails in Microsoft 365 Mail.'],
  ])('%j', (condition, expected) => expect(words(condition)).toBe(expected));

  it('says "all apps" without a SaaS, and shortens long lists', () => {
    const domains = Array.from({ length: 9 }, (_, i) => `d${i}.example`);
    expect(words(and(is('from_domain', 'in_list', ...domains)), null)).toBe(
      'Emails in all apps, where sender domain is one of d0.example, d1.example, d2.example, d3.example or 5 more.',
    );
    expect(plainWords(describeCondition(and(is('count', 'is', 3)), CONFIG))).toBe('count is 3');
    expect(words(nested(40))).toContain('nest more than 32 deep');
  });
});

describe('typedNumber', () => {
  it.each([typedNumber, parseNumber])('reads many digits in linear time', (read) =>
    expectLinear(40_000, (count) => expect(read(`${'0'.repeat(count)}x`)).toBe(null)),
  );
  it.each([
    ['1000', 1000],
    ['1.000,5', 1000.5],
    ['1,000.5', 1000.5],
    ['1 000', 1000],
    ['1\u00a0000\u00a0000', 1_000_000],
    ['1\u202f000,25', 1000.25],
    ['\u200e1000\u200b', 1000],
    ["1'000", 1000],
    ['１２，０００．５', 12_000.5],
    ['－５', -5],
    ['5²', null],
    ['1,000', 1000],
    ['1.000', 1],
    ['1.000.000', 1_000_000],
    ['1,00,000', 100_000],
    ['1,5', 1.5],
    ['0,125', 0.125],
    ['1e3', 1000],
    ['.5', 0.5],
    ['-3', -3],
    ['−3', -3],
    ['1.00,5', null],
    ['1 00', null],
    ['1,5,6', null],
    ['12 apples', null],
    ['', null],
    ['-', null],
    [',', null],
    ['\u0661\u066c\u0662\u0663\u0664\u066b\u0665', 1234.5],
    ['\u06f1\u06f5\u06f0', 150],
    ['-\u0663\u066b\u0665\u0660\u0660', -3.5],
    ['\u0661\u066b\u0665\u066b\u0665', null],
  ])('%j is %j', (text, number) => expect(typedNumber(text)).toBe(number));
});
