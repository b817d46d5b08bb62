/** The ready-made hunts of evidence: each runs, finds its mail and no other, and belongs to the analyst once made. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { openEvidence, prepareEvidence } from '#service/evidence/source.ts';
import { HUNTS } from '#service/import/hunts.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { execute } from '#service/query/execute.ts';
import { savedQueries } from '#service/store-sqlite/queries.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { CHECKS } from '#shared/checks/assess.ts';
import { CASE_CHECKS } from '#shared/checks/case-checks.ts';
import type { Query } from '#shared/model/entities.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';

const mail = (subject: string, headers: string[], body: string, type = 'text/plain') =>
  [
    'From: Vendor <billing@vendor.example>',
    'To: m.okafor@aldermoor.example',
    'Date: Thu, 19 Nov 2026 08:41:07 +0000',
    ...headers,
    `Subject: ${subject}`,
    `Message-ID: <${subject}@vendor.example>`,
    'MIME-Version: 1.0',
    `Content-Type: ${type}`,
    '',
    body,
    '',
  ].join('\r\n');
const attached = (name: string) =>
  [
    '--cut\r\nContent-Type: text/plain\r\n\r\nThe invoice of last month is attached, as agreed on the telephone.',
    `--cut\r\nContent-Type: application/octet-stream; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\n`,
    'some bytes',
    '--cut--',
  ].join('\r\n');
const MIXED = 'multipart/mixed; boundary=cut';

const MAILS = [
  mail('plain', [], 'See you at ten.'),
  mail('link', [], 'The minutes are at https://wiki.vendor.example/minutes'),
  mail('address', [], 'The minutes are at http://203.0.113.9/minutes'),
  mail(
    'forged',
    ['Authentication-Results: mx.aldermoor.example; dmarc=fail header.from=vendor.example'],
    'The minutes are at https://wiki.vendor.example/minutes',
  ),
  mail(
    'forged-without-link',
    ['Authentication-Results: mx.aldermoor.example; dmarc=fail header.from=vendor.example'],
    'See you at ten.',
  ),
  mail('program', [], attached('invoice.pdf.exe'), MIXED),
  mail('document', [], attached('invoice.pdf'), MIXED),
];

let folder = '';
let store: SqliteStore;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-hunts-'));
  mkdirSync(path.join(folder, 'mail'));
  for (const [index, text] of MAILS.entries()) writeFileSync(path.join(folder, 'mail', `${index}.eml`), text);
  store = openEvidence({ path: ':memory:' });
  await ingestEvidence(store, path.join(folder, 'mail'));
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const saved = (): Query[] => savedQueries(store).list({});
const rows = async (condition: ConditionGroup, columns = ['subject'], dbId = 'subject') =>
  (
    await execute(
      {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition,
        columns,
        sort_by: [{ dbId, direction: 'asc' }],
        search_after: null,
        size: 100,
        include_copies: false,
        count_only: false,
      },
      { store, saas: ['evidence'], now: 0 },
    )
  ).rows;
const ALL: ConditionGroup = { operator: 'and', conditions: [] };

it('the library of evidence has them as templates, so that a query starts from them', () => {
  expect(saved().map(({ name, subType }) => [name, subType])).toEqual(
    HUNTS.map(({ name }) => [name, 'template']),
  );
});

test('each names checks that exist', () => {
  const checks = new Set<string>([...CHECKS, ...CASE_CHECKS].map(({ id }) => id));
  const named = HUNTS.flatMap(({ conditions }) =>
    conditions.filter(({ field }) => field === 'findings').flatMap(({ values }) => values),
  );
  expect(named.filter((id) => !checks.has(String(id)))).toEqual([]);
});

it.each([
  ['Failed DMARC, with links', ['forged']],
  ['Links to bare addresses', ['address']],
  ['Programs and double extensions attached', ['program']],
  ['Crypto money', []],
  ['User and DMARC reports', []],
])('%s finds %j', async (name, subjects) => {
  const hunt = saved().find((query) => query.name === name);
  expect((await rows(hunt?.filter ?? ALL)).map(({ subject }) => subject)).toEqual(subjects);
});

test('all of them run', async () => {
  for (const { filter } of saved()) await expect(rows(filter ?? ALL)).resolves.toBeDefined();
});

test('what the analyst deleted or renamed stays so when the evidence is opened again', () => {
  const queries = savedQueries(store);
  const [first, second] = saved() as [Query, Query];
  queries.remove(first.id);
  queries.replace(second.id, { ...second, name: 'Ours' }, '2026-11-30T00:00:00Z');
  prepareEvidence(store);
  expect(saved().map(({ name }) => name)).toEqual(['Ours', ...HUNTS.slice(2).map(({ name }) => name)]);
});

test('the reasons of a mail are worst first and one of each check, and nothing that speaks for it is one', async () => {
  const [worst] = await rows(ALL, ['subject', 'finding', 'reasons', 'score'], 'verdict');
  expect(worst?.['subject']).toBe('program');
  expect(worst?.['reasons']).toEqual(expect.arrayContaining([expect.stringContaining('invoice.pdf.exe')]));
  const sentence = String([worst?.['reasons']].flat()[0]);
  expect(sentence).toBe(worst?.['finding']);
  const stored = store.db
    .prepare<[], string>(
      `SELECT sentence FROM findings f JOIN emails e ON e.id = email_id WHERE e.subject = 'program' AND weight > 0
         AND NOT EXISTS (SELECT 1 FROM findings o WHERE o.email_id = f.email_id AND o.check_id = f.check_id
           AND (o.weight > f.weight OR o.weight = f.weight AND o.id < f.id))
       ORDER BY weight DESC, f.id`,
    )
    .pluck()
    .all();
  expect(worst?.['reasons']).toEqual(stored);
  const hits = await rows({
    operator: 'and',
    conditions: [{ field: 'reasons', operator: 'contains_text', values: [sentence] }],
  });
  expect(hits.map(({ subject }) => subject)).toContain('program');
});
