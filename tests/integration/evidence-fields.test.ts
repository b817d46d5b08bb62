/** The other fields of a mail besides subject and addresses: the import stores each, and each can be queried. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { configOf } from '#service/query/config.ts';
import { execute } from '#service/query/execute.ts';
import { domainNamed, shapeOf } from '#service/store-sqlite/query/domains.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { ConditionValue } from '#shared/query/tree.ts';

const LURE = [
  'Return-Path: <Bounce@Evil.Example>',
  'Received: from mx.evil.example (mx.evil.example [203.0.113.9]) by mx.aldermoor.example; Thu, 19 Nov 2026 08:00:00 +0000',
  'Received: from desk (unknown [2001:DB8::5]) by mx.evil.example; Thu, 19 Nov 2026 07:59:00 +0000',
  'From: a@evil.example',
  'To: b@aldermoor.example',
  'Subject: lure',
  'X-Mailer: Foxmail 7.2,\r\n 25 [en]',
  'X-Note: =?UTF-8?Q?=C3=9Cbersicht?= =?UTF-8?Q?_f=C3=BCr_alle_=F0=9F=8E=81?=',
  'X-Note: second',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=cut',
  '',
  '--cut',
  'Content-Type: text/html; charset=ISO-8859-2',
  '',
  '<p>Dear all,<br>pay the <b>over</b>due <a href="https://lure.example/x">quarterly invoice</a> <span style="display:none">hidden words</span></p>',
  '--cut',
  'Content-Type: application/pdf; name=invoice.pdf',
  'Content-Disposition: attachment; filename=invoice.pdf',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.concat([Buffer.from('MZ'), Buffer.alloc(98)]).toString('base64'),
  '--cut--',
  '',
].join('\r\n');
const PLAIN =
  'From: c@other.example\r\nSubject: plain\r\nMessage-ID: <Plain.1@other.example>\r\nX-Mailer: mutt\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\nNothing but foxmail words.\r\n';

let folder = '';
let store: SqliteStore;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-fields-'));
  const file = path.join(folder, 'mail');
  mkdirSync(file);
  writeFileSync(path.join(file, 'lure.eml'), LURE);
  writeFileSync(path.join(file, 'plain.eml'), PLAIN);
  store = openEvidence({ path: ':memory:' });
  await ingestEvidence(store, file);
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

async function rowsFor(field: string, operator: string, values: ConditionValue[], columns = ['subject']) {
  return (
    await execute(
      {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition: { operator: 'and', conditions: [{ field, operator, values }] },
        columns,
        sort_by: [{ dbId: 'subject', direction: 'asc' }],
        search_after: null,
        size: 100,
        include_copies: false,
        count_only: false,
      },
      { store, saas: ['evidence'], now: 0 },
    )
  ).rows;
}

test.each<[string, string, ConditionValue[], string[]]>([
  ['headers', 'starts_with', ['x-mailer: FOXMAIL'], ['lure']],
  ['headers', 'starts_with', ['Foxmail'], []],
  ['headers', 'starts_with', ['X-Mailer:'], ['lure', 'plain']],
  ['headers', 'is', ['X-Mailer: Foxmail 7.2, 25 [en]'], ['lure']],
  ['headers', 'is', ['X-Mailer: Foxmail 7.2,\r\n 25 [en]'], ['lure']],
  ['headers', 'in_list', ['x-mailer: mutt', 'x-note: SECOND'], ['lure', 'plain']],
  ['headers', 'contains_all', ['x-mailer: mutt', 'x-note: second'], []],
  ['headers', 'contains_text', ['Ubersicht fur alle'], ['lure']],
  ['headers', 'contains_text', ['second\nMIME'], []],
  ['headers', 'ends_with', ['🎁'], ['lure']],
  ['headers', 'contains_words', ['note', 'alle'], ['lure']],
  ['headers', 'contains_words', ['note', 'foxmail'], []],
  ['headers', 'contains_words', ['🎁'], ['lure']],
  ['headers', 'contains_phrase', ['fur alle'], ['lure']],
  ['headers', 'matches', ['^x-mailer: .*\\[en\\]$'], ['lure']],
  ['headers', 'not_contains', ['foxmail'], ['plain']],
  ['headers', 'is_empty', [], []],
  ['message_id', 'is', ['<plain.1@other.example>'], ['plain']],
  ['message_id', 'is', ['plain.1@other.example'], ['plain']],
  ['message_id', 'in_list', ['<x@y.example>', ' <plain.1@other.example> '], ['plain']],
  ['message_id', 'starts_with', ['<Plain.1@'], ['plain']],
  ['message_id', 'ends_with', ['.example>'], ['plain']],
  ['message_id', 'not_contains', ['<plain.1'], ['lure']],
  ['return_path', 'is', ['bounce@evil.example'], ['lure']],
  ['hop_ips', 'is', ['2001:db8::5'], ['lure']],
  ['hop_ips', 'in_network', ['203.0.113.0/24'], ['lure']],
  ['client_ip', 'is', ['2001:DB8::5'], ['lure']],
  ['link_texts', 'contains_words', ['invoice'], ['lure']],
  ['link_urls', 'starts_with', ['https://lure.example/'], ['lure']],
  ['attachment_types', 'is', ['application/pdf'], ['lure']],
  ['attachment_content_types', 'is', ['application/x-msdownload'], ['lure']],
  ['attachment_sizes', 'between', [100, 100], ['lure']],
  ['charsets', 'is', ['iso-8859-2'], ['lure']],
  ['charsets', 'is_not', ['utf-8'], ['lure']],
  ['body', 'contains_text', ['the overdue quarterly invoice'], ['lure']],
  ['body', 'contains_text', ['the  overdue\r\nquarterly\tinvoice'], ['lure']],
  ['body', 'not_contains', ['overdue\nquarterly'], ['plain']],
  ['body', 'matches', ['overdue  quarterly'], []],
  ['body', 'contains_phrase', ['dear all pay'], ['lure']],
  ['body', 'contains_words', ['hidden'], ['lure']],
  ['body', 'contains_words', ['foxmail'], ['plain']],
  ['body', 'matches', ['over\\w+ quarterly'], ['lure']],
])(
  '[spec 3] a condition on a field of evidence: %s %s %j finds %j',
  async (field, operator, values, subjects) =>
    expect((await rowsFor(field, operator, values)).map(({ subject }) => subject)).toEqual(subjects),
);

describe('their cells', () => {
  it('contain what the mail says, as written', async () => {
    const columns = ['headers', 'return_path', 'hop_ips', 'link_texts', 'charsets', 'body', 'match'];
    const [row] = await rowsFor('body', 'contains_words', ['overdue'], columns);
    expect(row).toMatchObject({
      return_path: 'Bounce@Evil.Example',
      hop_ips: ['2001:db8::5', '203.0.113.9'],
      link_texts: ['quarterly invoice'],
      charsets: ['iso-8859-2'],
      body: 'Dear all, pay the overdue quarterly invoice hidden words',
      match: 'Dear all, pay the overdue quarterly invoice hidden words',
    });
    expect(row?.['headers']).toContain('X-Mailer: Foxmail 7.2, 25 [en]');
    expect(row?.['headers']).toContain('X-Note: Übersicht für alle 🎁');
    expect(row?.['headers']).toHaveLength(11);
  });
  it('sizes and kinds of attachments, both declared and actual', async () => {
    const [row] = await rowsFor(
      'subject',
      'is',
      ['lure'],
      ['attachment_types', 'attachment_content_types', 'attachment_sizes'],
    );
    expect(row).toMatchObject({
      attachment_types: ['application/pdf'],
      attachment_content_types: ['application/x-msdownload'],
      attachment_sizes: [100],
    });
  });
});

test('a source that stores no texts offers none of their fields', async () => {
  const offered = async (source: { texts: boolean }) => {
    const domain = domainNamed('email', false, source);
    return domain ? (await configOf(shapeOf(domain), store)).fields.map(({ id }) => id) : [];
  };
  const [without, all] = [await offered({ texts: false }), await offered({ texts: true })];
  expect(all.filter((id) => !without.includes(id))).toEqual([
    'finding',
    'reasons',
    'findings',
    'false_positives',
    'score',
    'campaign',
    'kind',
    'body',
    'match',
    'headers',
    'charsets',
    'hop_ips',
    'link_sources',
    'link_places',
    'attachment_content_types',
    'attachment_encryption',
  ]);
});
