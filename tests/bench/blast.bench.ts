/** The blast radius of exceptions over cached mail, against a full scan of the same rows in the same process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { storePage } from '#main/results/fetcher.ts';
import { createStatements, newRecord, saveStatement } from '#main/results/record.ts';
import { matcherOf } from '#shared/exceptions/match.ts';
import type { ExceptionRule, RuleCondition } from '#shared/exceptions/rule.ts';
import { CONNECTION, openData } from '../support/data-services.ts';
import { type Bench, type BenchSuite, benchColumns, benchRow } from './support.ts';

const PAGE = 5_000;
const payload = {
  query_domain: 'email',
  saas_id: 'mail',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: benchColumns.map(({ id }) => id),
  sort_by: [],
  include_copies: false,
};
const rule = (...conditions: RuleCondition[]): ExceptionRule => ({
  tool: 'ap_{product}',
  type: 'blacklist',
  list: 'block',
  conditions,
});
const RULES: readonly (readonly [string, ExceptionRule])[] = [
  ['a domain', rule({ field: 'from_domain', matching: 'ends_with', value: 'partner7.example' })],
  ['an address', rule({ field: 'from_email', matching: 'exact', value: 'sender42@partner17.example' })],
  ['a network', rule({ field: 'client_ip', matching: 'matching', value: '203.0.113.64/26' })],
  ['nearly every email', rule({ field: 'from_domain', matching: 'contains', value: 'partner' })],
  ['a piece of a subject', rule({ field: 'subject', matching: 'contains', value: 'overdue' })],
  ['a piece beyond ASCII', rule({ field: 'subject', matching: 'contains', value: '請求書' })],
  [
    'two conditions',
    rule(
      { field: 'from_domain', matching: 'exact', value: 'partner9.example' },
      { field: 'subject', matching: 'contains', value: 'payroll' },
    ),
  ],
];

async function fill(folder: string, rows: number): Promise<void> {
  const data = await openData(folder, 'http://service.invalid');
  const record = newRecord({
    n: 1,
    key: 'bench',
    connectionId: CONNECTION,
    payload,
    columns: benchColumns,
    now: 0,
  });
  await data.ctx.cache.write(createStatements(record));
  for (let from = 0; from < rows; from += PAGE) {
    const page = Array.from({ length: Math.min(PAGE, rows - from) }, (_, index) => benchRow(from + index));
    const text = JSON.stringify({ rows: page, search_after: null, total_rows: rows });
    await storePage(data.ctx, record, Buffer.from(text));
  }
  record.state = 'complete';
  await data.ctx.cache.write([saveStatement(record)]);
  await data.close();
}

/** Reads every row and tests the rule in JavaScript. */
function fullScan(db: Sqlite.Database, rule: ExceptionRule): number {
  const holds = matcherOf(rule);
  const column = (id: string) => `c${benchColumns.findIndex((column) => column.id === id)}`;
  const statement = db
    .prepare(
      `SELECT ${['from_email', 'from_name', 'to', 'client_ip', 'subject'].map(column).join(', ')} FROM rs_1`,
    )
    .raw();
  let matches = 0;
  for (const row of statement.iterate() as IterableIterator<string[]>) {
    const [fromEmail = null, fromName = null, to = '', clientIp = null, subject = null] = row;
    if (holds({ fromEmail, fromName, recipients: [to], clientIp, subject })) matches++;
  }
  return matches;
}

async function run(bench: Bench): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-blast-'));
  try {
    const profile = path.join(folder, 'profile');
    await fill(profile, bench.rows);
    const data = await openData(profile, 'http://service.invalid');
    const direct = new Sqlite(path.join(profile, 'cache.sqlite'), { readonly: true });
    direct.pragma(`cipher='aegis'`);
    direct.pragma(`key='raw:${'a1'.repeat(32)}'`);
    direct.pragma('cache_size=-65536');
    const ask = (rule: ExceptionRule) =>
      data.handlers['exceptions.blast-radius'](
        { connectionId: CONNECTION, rule: { ...rule, conditions: [...rule.conditions] } },
        { signal: new AbortController().signal },
      );
    for (const [variant, rule] of RULES) {
      const { matches } = await ask(rule);
      const expected = fullScan(direct, rule);
      if (matches !== expected) throw new Error(`${variant}: ${matches} matches, the scan has ${expected}`);
      await bench.compare({
        name: 'blast',
        variant: `${variant}, ${matches} matches`,
        own: async () => void (await ask(rule)),
        peers: [{ name: 'a full scan in one thread', run: async () => void fullScan(direct, rule) }],
        runs: 3,
      });
    }
    direct.close();
    await data.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const suite: BenchSuite = { names: ['blast'], run };
