/**
 * Queries find senders whose addresses contain comments by the actual address. The witness is RFC 5322 and its
 * examples.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { execute } from '#service/query/execute.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { Condition } from '#shared/query/tree.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parapet-senders-'));
/** One domain, as mails write it. */
const SPELLINGS = ['xn--bcher-kva.test', 'bücher.test', 'XN--BCHER-KVA.TEST.', 'BÜCHER.test'];
const spelled = (domain: string) =>
  `A <a@${domain}>\nTo: t@${domain}\nReply-To: r@${domain}\nReturn-Path: <p@${domain}>\nMessage-ID: <1@${domain}>\nList-Unsubscribe: <https://${domain}/>`;
const IDN = Object.fromEntries(SPELLINGS.map((domain, index) => [`idn${index}`, spelled(domain)]));
const MAILS: Readonly<Record<string, string>> = {
  ...IDN,
  falseidn: spelled('xn--paypal-.test'),
  appendix: 'Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>',
  dot: 'x@evil(.)test',
  inside: 'x(one)@(two)evil.test(three)',
  before: '(note) x@evil.test',
  nested: 'x@evil.test (a (deeper) note)',
  dotted: 'x@evil(note).test',
  greek: 'ΟΔΥΣΣΕΥΣ <odysseus@corp.test>',
};

let store: SqliteStore;
beforeAll(async () => {
  mkdirSync(path.join(folder, 'mails'));
  for (const [name, from] of Object.entries(MAILS))
    writeFileSync(path.join(folder, 'mails', `${name}.eml`), `From: ${from}\nSubject: ${name}\n\nx\n`);
  store = openEvidence({ path: ':memory:' });
  await ingestEvidence(store, path.join(folder, 'mails'));
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const matching = async (field: string, operator: string, value: string): Promise<string[]> => {
  const condition: Condition = { field, operator, values: [value] };
  const { rows } = await execute(
    {
      query_domain: 'email',
      saas_id: 'all',
      query_entity_type: 'email',
      condition: { operator: 'and', conditions: [condition] },
      columns: ['subject'],
      sort_by: [{ dbId: 'subject', direction: 'asc' }],
      search_after: null,
      size: 100,
      include_copies: false,
      count_only: false,
    },
    { store, saas: [], now: Date.now() },
  );
  return rows.map((row) => String(row['subject']));
};

it('has no comment in a sender or its domain', async () => {
  const stored = store.db
    .prepare('SELECT subject, from_email, from_domain FROM emails ORDER BY subject')
    .all() as { subject: string; from_email: string | null; from_domain: string | null }[];
  const text = JSON.stringify(stored);
  expect(text).not.toMatch(/[()]/);
  expect(await matching('from_email', 'is', 'pete@silly.test')).toEqual(['appendix']);
  expect(await matching('from_domain', 'is', 'silly.test')).toEqual(['appendix']);
  expect(await matching('from_email', 'is', 'x@evil.test')).toEqual(
    expect.arrayContaining(['before', 'dotted', 'inside', 'nested']),
  );
  expect(await matching('from_domain', 'starts_with', 'evil')).toContain('dot');
});

it.each(SPELLINGS)('a domain is one value however it is written: %s', async (domain) => {
  const all = Object.keys(IDN);
  for (const field of ['from_domain', 'link_domains'])
    expect([field, ...(await matching(field, 'is', domain))]).toEqual([field, ...all]);
  for (const [field, local] of [
    ['from_email', 'a'],
    ['to', 't'],
    ['recipients', 't'],
    ['reply_to', 'r'],
    ['return_path', 'p'],
    ['message_id', '1'],
  ] as const)
    expect([field, ...(await matching(field, 'is', `${local}@${domain.replace(/\.$/, '')}`))]).toEqual([
      field,
      ...all,
    ]);
});

it('groups and facets have one value for a domain, in Unicode, and no name in Punycode that no browser accepts', async () => {
  const values = (sql: string) => store.db.prepare(sql).pluck().all();

  expect(values(`SELECT DISTINCT from_domain FROM emails WHERE subject LIKE '%idn%' ORDER BY 1`)).toEqual([
    'bücher.test',
    'xn--paypal-.test',
  ]);
  expect(values('SELECT DISTINCT host FROM links ORDER BY 1')).toEqual(['bücher.test', 'xn--paypal-.test']);
  expect(await matching('from_domain', 'is', 'paypal.test')).toEqual([]);
});

it('finds a Greek sender by its own name', async () => {
  for (const name of ['ΟΔΥΣΣΕΥΣ', 'Οδυσσεύς', 'οδυσσευσ']) {
    expect(await matching('from_name', 'is', name)).toEqual(['greek']);
    expect(await matching('from_name', 'contains_words', name)).toEqual(['greek']);
  }
});
