/** What an exception would match among cached emails: compared with the matcher itself, over one result and several. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storePage } from '#main/results/fetcher.ts';
import { createStatements, newRecord, saveStatement } from '#main/results/record.ts';
import type { ResultColumn } from '#shared/bridge/operations.ts';
import { type MatchSubject, matcherOf } from '#shared/exceptions/match.ts';
import type { RuleCondition } from '#shared/exceptions/rule.ts';
import type { Row } from '#shared/model/entities.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parapet-blast-'));
const column = (id: string, type: string, multiValues = false): ResultColumn => ({
  id,
  label: id,
  type,
  multiValues,
});
const COLUMNS = [
  column('received', 'date'),
  column('verdict', 'enum'),
  column('subject', 'text'),
  column('from_email', 'email'),
  column('from_name', 'text'),
  column('to', 'email'),
  column('client_ip', 'ip'),
  column('attachment_md5', 'hash', true),
  column('link_domains', 'domain', true),
  column('attachment_names', 'text', true),
];
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const itemAt = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const DAY = 86_400_000;
const START = Date.UTC(2026, 4, 1);
const row = (n: number): Row => ({
  entity_id: `e${n}`,
  received: new Date(START + n * (DAY / 10)).toISOString(),
  verdict: itemAt(['clean', 'clean', 'found', 'spam', 'a word of its own', null], n),
  subject: itemAt(
    ['Invoice overdue', 'Rechnung ÜBERFÄLLIG', '請求書の支払期限', '50% off_now', 'Plan "B" \\ x'],
    n,
  ),
  from_email: `Billing${n % 7}@${itemAt(['Partner.example', 'sub.partner.example', 'notpartner.example', 'other.example'], n)}`,
  from_name: itemAt(['Jürgen Müller', 'Billing', "O'Neill"], n),
  to: `user${n % 13}@home.example`,
  client_ip: itemAt(
    [
      '192.0.2.77',
      '192.0.2.200',
      '::ffff:192.0.2.65',
      '2001:db8::9',
      '192.0.20.70',
      'unknown',
      '192.0.2.70.1',
    ],
    n,
  ),
  attachment_md5: n % 3 === 0 ? [MD5, 'a'.repeat(32)] : [],
  link_domains: n % 2 === 0 ? ['lure.example', `h${n % 5}.cdn.example`] : [],
  attachment_names: n % 5 === 0 ? ['a.pdf', 'Report.DOCM'] : ['docm.txt'],
});
const subjectOf = (of: Row): MatchSubject => ({
  hashes: of['attachment_md5'] as string[],
  fileNames: of['attachment_names'] as string[],
  fromEmail: of['from_email'] as string,
  fromName: of['from_name'] as string,
  recipients: [of['to'] as string],
  clientIp: of['client_ip'] as string,
  urls: (of['link_domains'] as string[]).map((host) => `https://${host}/`),
  subject: of['subject'] as string,
});
const ALL = Array.from({ length: 3_000 }, (_, n) => row(n));
const payload = (more: Record<string, unknown> = {}) => ({
  query_domain: 'email',
  saas_id: 'mail',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: COLUMNS.map(({ id }) => id),
  sort_by: [],
  include_copies: false,
  ...more,
});

async function put(
  data: DataHarness,
  n: number,
  rows: readonly Row[],
  columns: readonly ResultColumn[] = COLUMNS,
  more: Record<string, unknown> = {},
) {
  const record = newRecord({
    n,
    key: `key${n}`,
    connectionId: CONNECTION,
    payload: payload(more),
    columns,
    now: 0,
  });
  await data.ctx.cache.write(createStatements(record));
  const text = JSON.stringify({ rows, search_after: null, total_rows: rows.length });
  await storePage(data.ctx, record, Buffer.from(text));
  record.state = 'complete';
  await data.ctx.cache.write([saveStatement(record)]);
}

async function profile(name: string, fill: (data: DataHarness) => Promise<void>): Promise<DataHarness> {
  const place = path.join(folder, name);
  const data = await openData(place, 'http://service.invalid');
  // Reading the sets removes tables without a set, so the tables of this test are created afterwards.
  await data.sets.list();
  await fill(data);
  await data.close();
  return openData(place, 'http://service.invalid');
}

let single: DataHarness;
let several: DataHarness;
beforeAll(async () => {
  single = await profile('one', (data) => put(data, 1, ALL));
  several = await profile('several', async (data) => {
    await put(data, 1, ALL.slice(0, 2_000));
    await put(data, 2, ALL.slice(1_000));
    await put(data, 3, ALL.slice(0, 50), COLUMNS.slice(0, 3));
    await put(data, 4, ALL.slice(0, 9), COLUMNS, { include_copies: true });
    await put(data, 5, ALL.slice(0, 9), COLUMNS, { query_domain: 'file' });
  });
});
afterAll(async () => {
  await single.close();
  await several.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (
  data: DataHarness,
  conditions: RuleCondition[],
  more: { since?: number; sample?: number } = {},
) =>
  data.handlers['exceptions.blast-radius'](
    {
      connectionId: CONNECTION,
      rule: { tool: 'ap_{product}', type: 'blacklist', list: 'block', conditions },
      ...more,
    },
    { signal: new AbortController().signal },
  );
const askMailboxes = (data: DataHarness, conditions: RuleCondition[]) =>
  data.handlers['exceptions.blast-mailboxes'](
    {
      connectionId: CONNECTION,
      rule: { tool: 'ap_{product}', type: 'blacklist', list: 'block', conditions },
    },
    { signal: new AbortController().signal },
  );
const condition = (field: string, matching: RuleCondition['matching'], value: string): RuleCondition => ({
  field,
  matching,
  value,
});
const expected = (conditions: RuleCondition[]) => {
  const holds = matcherOf({ tool: 'ap_{product}', type: 'blacklist', list: 'block', conditions });
  return ALL.filter((of) => holds(subjectOf(of)));
};

const RULES: RuleCondition[][] = [
  [condition('from_domain', 'ends_with', '@partner.EXAMPLE')],
  [condition('from_domain', 'exact', 'partner.example')],
  [condition('from_domain', 'contains', 'partner')],
  [condition('from_email', 'exact', 'billing3@other.example')],
  [condition('from_email', 'contains', '3@sub')],
  [condition('nickname', 'exact', 'JÜRGEN MÜLLER')],
  [condition('nickname', 'contains', "o'neill")],
  [condition('recipient', 'exact', 'USER4@home.example')],
  [condition('subject', 'contains', 'überfällig')],
  [condition('subject', 'contains', '請求書')],
  [condition('subject', 'contains', '50% OFF_')],
  [condition('subject', 'contains', 'o')],
  [condition('subject', 'exact', 'plan "b" \\ x')],
  [condition('subject', 'matching', 'overdue INVOICE')],
  [condition('client_ip', 'matching', '192.0.2.64/26')],
  [condition('client_ip', 'matching', '192.0.2.77')],
  [condition('client_ip', 'matching', '192.0.0.0/16')],
  [condition('client_ip', 'matching', '0.0.0.0/0')],
  [condition('client_ip', 'matching', '2001:db8::/32')],
  [condition('md5', 'exact', MD5.toUpperCase())],
  [condition('links', 'contains', 'lure.example')],
  [condition('domain', 'ends_with', 'cdn.example')],
  [condition('file_type', 'exact', 'docm')],
  [condition('from_domain', 'ends_with', 'partner.example'), condition('subject', 'contains', 'invoice')],
  [condition('subject', 'contains', 'nowhere')],
];

describe('the blast radius', () => {
  it.each(RULES)('[promise] agrees with the matcher on %j', async (...conditions) => {
    const rows = expected(conditions);
    for (const data of [single, several]) {
      const impact = await ask(data, conditions, { sample: 500 });
      expect(impact.matches).toBe(rows.length);
      // An email in several results counts once.
      expect(impact.checked.emails).toBe(ALL.length);
      const { mailboxes } =
        impact.matches > 0 && impact.mailboxes === null ? await askMailboxes(data, conditions) : impact;
      expect(mailboxes).toBe(new Set(rows.map((of) => of['to'])).size);
      const verdicts = Map.groupBy(rows, (of) => of['verdict']);
      expect(new Map(impact.verdicts.map(({ verdict, count }) => [verdict, count]))).toEqual(
        new Map([...verdicts].map(([verdict, of]) => [verdict, of.length])),
      );
      expect(impact.sample).toHaveLength(Math.min(500, rows.length));
      const ids = new Set(rows.map((of) => of['entity_id']));
      expect(impact.sample.every(({ entityId }) => ids.has(entityId))).toBe(true);
    }
  });

  it('[promise] counts mailboxes by all recipients; a result that names only the first one gives a lower bound', async () => {
    const recipients = (n: number) => [
      `user${n}@home.example`,
      `Çağrı${n % 4}@home.example`,
      // Other mailboxes than the one above; upper case is the same mailbox.
      `Cagri${n % 4}@home.example`,
      `CAGRI${n % 4}@Home.example`,
      ...(n === 0 ? Array.from({ length: 10 }, (_, index) => `ten${index}@home.example`) : []),
    ];
    const columns = [...COLUMNS, column('recipients', 'email', true)];
    const rows = ALL.slice(0, 30).map((of, n) => ({
      ...of,
      to: `user${n}@home.example`,
      recipients: recipients(n),
    }));
    const rule = [condition('subject', 'contains', 'o')];
    const matching = rows.filter((of) =>
      matcherOf({ tool: 'x', type: 'x', list: 'block', conditions: rule })(subjectOf(of)),
    );
    const boxes = new Set(matching.flatMap((of) => of.recipients.map((box) => box.toLowerCase()))).size;
    const whole = await profile('recipients', (data) => put(data, 1, rows, columns));
    const first = await profile('first', (data) => put(data, 1, rows));
    // The same emails are in both: the result that knows more decides.
    const both = await profile('both', async (data) => {
      await put(data, 1, rows);
      await put(data, 2, rows, columns);
    });
    const part = await profile('part', async (data) => {
      await put(data, 1, rows);
      await put(data, 2, rows.slice(0, 1), columns);
    });
    try {
      for (const answer of [ask, askMailboxes]) {
        expect(await answer(whole, rule)).toMatchObject({ mailboxes: boxes, mailboxesAtLeast: false });
        expect(await answer(first, rule)).toMatchObject({
          mailboxes: matching.length,
          mailboxesAtLeast: true,
        });
        expect(await answer(both, rule)).toMatchObject({ mailboxes: boxes, mailboxesAtLeast: false });
        expect(await answer(part, rule)).toMatchObject({
          mailboxes: matching.length + 12,
          mailboxesAtLeast: true,
        });
      }
    } finally {
      for (const data of [whole, first, both, part]) await data.close();
    }
  });

  it('counts only rows of the time window, and returns an editable query', async () => {
    const since = START + 100 * DAY;
    const rule = [condition('subject', 'contains', 'invoice')];
    const rows = expected(rule).filter((of) => Date.parse(of['received'] as string) >= since);
    const impact = await ask(single, rule, { since });
    expect(impact.matches).toBe(rows.length);
    expect(impact.query).toEqual({
      operator: 'and',
      conditions: [{ field: 'subject', operator: 'contains_text', values: ['invoice'] }],
    });
    expect(impact.sample[0]).toMatchObject({
      subject: 'Invoice overdue',
      from: expect.stringContaining('@'),
    });
  });

  it('[promise] says which conditions and results it could not compare', async () => {
    const impact = await ask(several, [condition('client_ip', 'matching', '192.0.2.77')]);
    expect(impact.checked).toEqual({ emails: 3_000, results: 2 });
    expect(impact.unchecked).toEqual([
      { reason: 'Results of delivered copies are left out', rows: 9 },
      { reason: expect.stringContaining('Client IP'), rows: 50 },
    ]);
    const payloadRule = await ask(single, [condition('payload', 'contains', 'x')]);
    expect(payloadRule).toMatchObject({ matches: 0, checked: { emails: 0, results: 0 }, query: null });
    expect(payloadRule.unchecked[0]?.reason).toContain('Not kept on this machine');
    const url = await ask(single, [condition('url', 'exact', 'https://lure.example/pay')]);
    expect(url.unchecked[0]?.reason).toContain('hosts');
  });

  it('does not compare a column that the service left out, and names what that leaves unknown', async () => {
    const lists = ['link_domains', 'attachment_names', 'attachment_md5'];
    const bare = (of: Row, ...without: string[]): Row =>
      Object.fromEntries(Object.entries(of).filter(([id]) => !without.includes(id)));
    const short = await profile('short', async (data) => {
      await put(
        data,
        1,
        ALL.slice(0, 40).map((of) =>
          bare(of, ...lists, 'client_ip', 'from_name', 'subject', 'to', 'verdict', 'received'),
        ),
      );
    });
    try {
      for (const [field, matching, value] of [
        ['links', 'exact', 'https://lure.example/'],
        ['domain', 'exact', 'lure.example'],
        ['md5', 'exact', MD5],
        ['file_type', 'exact', 'docm'],
        ['client_ip', 'matching', '192.0.2.77'],
        ['nickname', 'exact', 'Billing'],
        ['subject', 'contains', 'invoice'],
        ['recipient', 'exact', 'user4@home.example'],
      ] as const) {
        const impact = await ask(short, [condition(field, matching, value)]);
        expect(impact.checked, field).toEqual({ emails: 0, results: 0 });
        expect(impact.unchecked, field).toContainEqual({
          reason: expect.stringContaining('Results without values for'),
          rows: 40,
        });
      }
      // The sender is there: its matches count although their date is unknown, and what is missing is named.
      const sender = ALL[3]?.['from_email'] as string;
      const impact = await ask(short, [condition('user', 'exact', sender)], { since: START });
      expect(impact.matches).toBe(ALL.slice(0, 40).filter((of) => of['from_email'] === sender).length);
      expect(impact.unchecked.map(({ reason }) => reason)).toEqual([
        'Results without values for: Recipient',
        'Results without a date: their emails count whatever their age',
        'Results without values for: Verdict',
      ]);
    } finally {
      await short.close();
    }
  });

  it('counts an email without a date beside those of the time window', async () => {
    const data = await profile('undated', (open) =>
      put(open, 1, [
        row(0),
        { ...row(5), received: null },
        { ...row(10), received: '2020-01-01T00:00:00.000Z' },
      ]),
    );
    try {
      const impact = await ask(data, [condition('subject', 'contains', 'invoice')], { since: START });
      expect(impact.sample.map(({ received }) => received)).toEqual([row(0)['received'], null]);
    } finally {
      await data.close();
    }
  });

  it('ignores other connections, and treats hostile values as text', async () => {
    const rule = { tool: 'ap_{product}', type: 'blacklist', list: 'block' as const };
    const foreign = await single.handlers['exceptions.blast-radius'](
      { connectionId: 'c-2', rule: { ...rule, conditions: [condition('subject', 'contains', 'invoice')] } },
      { signal: new AbortController().signal },
    );
    expect(foreign).toMatchObject({ matches: 0, checked: { emails: 0, results: 0 } });
    for (const value of ["' OR 1=1 --", '%', '_', '\\', '"]', '\u0000'])
      expect((await ask(single, [condition('from_name', 'contains', value)])).matches).toBe(0);
    expect((await ask(single, [condition('nickname', 'contains', '%')])).matches).toBe(0);
  });
});
