/** Files in attached archives and QR codes of evidence: found by conditions and hunts, and no attachments of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { execute } from '#service/query/execute.ts';
import {
  attachmentsOf,
  findAttachment,
  findEmail,
  linksOf,
  membersOf,
} from '#service/store-sqlite/emails.ts';
import { savedQueries } from '#service/store-sqlite/queries.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';
import { pngOf, qrImage } from '#tests/support/qr-images.ts';
import { storedZip } from '#tests/support/stored-zip.ts';

const mail = (subject: string, name: string, bytes: Uint8Array) =>
  [
    'From: Vendor <billing@vendor.example>',
    `Subject: ${subject}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=cut',
    '',
    '--cut\r\nContent-Type: text/plain\r\n\r\nPlease scan it.',
    '--cut',
    'Content-Type: application/octet-stream',
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(bytes).toString('base64'),
    '--cut--',
    '',
  ].join('\r\n');

let folder = '';
let store: SqliteStore;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-attachments-'));
  const inner = storedZip({ 'Photo.jpg_.JPG.exe': 'MZ\x90\0' });
  writeFileSync(
    path.join(folder, '1.eml'),
    mail('zip', 'photos.zip', storedZip({ 'in.zip': inner, 'a.txt': 'x' })),
  );
  writeFileSync(path.join(folder, '2.eml'), mail('locked', 'locked.zip', storedZip({ 'b.txt': 'x' }, 1)));
  writeFileSync(
    path.join(folder, '3.eml'),
    mail('code', 'code.png', pngOf(await qrImage('https://qr.example.net/x'))),
  );
  store = openEvidence({ path: ':memory:' });
  await ingestEvidence(store, folder);
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const rows = async (condition: ConditionGroup, columns = ['subject']) =>
  (
    await execute(
      {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition,
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
const subjects = async (...conditions: Condition[]) =>
  (await rows({ operator: 'and', conditions })).map(({ subject }) => subject);

it.each<[Condition, string[]]>([
  [{ field: 'attachment_names', operator: 'is', values: ['photo.jpg_.jpg.exe'] }, ['zip']],
  [{ field: 'attachment_names', operator: 'ends_with', values: ['.exe'] }, ['zip']],
  [{ field: 'attachment_content_types', operator: 'is', values: ['application/x-msdownload'] }, ['zip']],
  [{ field: 'attachment_encryption', operator: 'contains_any', values: ['password'] }, ['locked']],
  [{ field: 'attachments_count', operator: 'greater_than', values: [1] }, []],
  [{ field: 'link_sources', operator: 'contains_any', values: ['qr'] }, ['code']],
  [{ field: 'link_places', operator: 'is', values: ['code.png'] }, ['code']],
  [{ field: 'link_domains', operator: 'is', values: ['qr.example.net'] }, ['code']],
])('the condition %j finds %j', async (condition, matching) =>
  expect(await subjects(condition)).toEqual(matching),
);

it.each([
  ['Programs in archives', ['zip']],
  ['QR codes', ['code']],
])('the hunt %s finds %j', async (name, matching) => {
  const hunt = savedQueries(store)
    .list({})
    .find((query) => query.name === name);
  expect(
    (await rows(hunt?.filter ?? { operator: 'and', conditions: [] })).map(({ subject }) => subject),
  ).toEqual(matching);
});

it('a file in an archive is listed under its archive, and is no attachment that could be saved', () => {
  const id = store.db.prepare("SELECT entity_id FROM emails WHERE subject = 'zip'").pluck().get() as string;
  const email = findEmail(store, id);
  if (email === null) throw new Error('no email');
  expect(attachmentsOf(store, email.id).map(({ name }) => name)).toEqual(['photos.zip']);
  expect(
    membersOf(store, email.id).map(({ container, path, name, size }) => [container, path, name, size]),
  ).toEqual([
    [0, 'in.zip', 'in.zip', expect.any(Number)],
    [0, 'in.zip/Photo.jpg_.JPG.exe', 'Photo.jpg_.JPG.exe', 5],
    [0, 'a.txt', 'a.txt', 1],
  ]);
  expect(findAttachment(store, `${id}-a0`)?.row.name).toBe('photos.zip');
  expect(findAttachment(store, `${id}-a1`)).toBeNull();
});

it('the link of a QR code says where it is', () => {
  const { id } = store.db.prepare("SELECT id FROM emails WHERE subject = 'code'").get() as { id: number };
  expect(linksOf(store, id).map(({ url, source, within }) => [url, source, within])).toEqual([
    ['https://qr.example.net/x', 'qr', 'code.png'],
  ]);
});
