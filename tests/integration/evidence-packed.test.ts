/** Mail data stored by an earlier version is still readable, even without the mail file. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ingestEvidence } from '#service/evidence/ingest/ingest-evidence.ts';
import { evidenceSource, openEvidence } from '#service/evidence/source.ts';
import { execute } from '#service/query/execute.ts';
import type { EmailRow } from '#service/store/emails.ts';
import type { Store } from '#service/store/store.ts';
import { generatedMail } from '../support/generated-mail.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-packed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 10, 19, 8);
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const MAILS = [
  generatedMail(1),
  'From: a@x.example\nSubject: Only Text\nX-Odd: Straße\n\nÜbergabe am Montag, İstanbul\n',
  `From: a@x.example\nSubject: Image\nContent-Type: multipart/related; boundary=c\n\n--c\nContent-Type: text/html\n\n<p>See <img src="cid:one"></p>\n--c\nContent-Type: image/png\nContent-ID: <one>\nContent-Transfer-Encoding: base64\n\n${PNG}\n--c--\n`,
  'From: a@x.example\nSubject: Nothing\n\n',
];

function everything(store: Store) {
  const rows = store.db.prepare<unknown[], EmailRow>('SELECT * FROM emails ORDER BY id').all();
  const query = {
    query_domain: 'email',
    saas_id: 'all',
    query_entity_type: 'email',
    condition: { operator: 'and' as const, conditions: [], negate: false },
    columns: ['subject', 'body', 'headers'],
    sort_by: [{ dbId: 'subject', direction: 'asc' as const }],
    search_after: null,
    size: 100,
    include_copies: false,
    count_only: false,
  };
  return {
    sources: rows.map((row) => [evidenceSource.headers(store, row), evidenceSource.body(store, row)]),
    fields: execute(query, { store, saas: ['evidence'], now: NOW }),
  };
}

/** Rewrites all columns in the format of version 9. */
function asEarlier(store: Store): void {
  const texts = (sql: string) => store.db.prepare(sql).all() as { id: number; text: string }[];
  const lines = texts(
    'SELECT email_id AS id, (SELECT group_concat(value, char(10)) FROM json_each(pp_lines(folded, shown))) AS text FROM header_texts',
  );
  const bodies = texts(
    'SELECT s.email_id AS id, pp_shown(t.folded, s.shown) AS text FROM shown_texts s JOIN email_texts t USING (email_id)',
  );
  for (const { id, text } of lines)
    store.db.prepare('UPDATE header_texts SET shown = ? WHERE email_id = ?').run(deflateRawSync(text), id);
  for (const { id, text } of bodies)
    store.db.prepare('UPDATE shown_texts SET shown = ? WHERE email_id = ?').run(deflateRawSync(text), id);
  const packed = (text: string | null) => (text === null ? null : gzipSync(text, { level: 1 }));
  for (const row of store.db.prepare<unknown[], EmailRow>('SELECT * FROM emails').all()) {
    const { html, text, inline } = evidenceSource.body(store, row);
    const images = Object.keys(inline).length === 0 ? null : JSON.stringify(inline);
    store.db
      .prepare('UPDATE raw_mail SET headers = ?, html = ?, text = ?, inline = ? WHERE email_id = ?')
      .run(packed(evidenceSource.headers(store, row)), packed(html), packed(text), packed(images), row.id);
  }
  store.db.pragma('user_version = 9');
}

it('a store of the earlier version reads like a current one', async () => {
  const mail = path.join(folder, 'mail');
  mkdirSync(mail);
  for (const [index, one] of MAILS.entries()) writeFileSync(path.join(mail, `${index}.eml`), one);
  const file = path.join(folder, 'e.sqlite');
  const store = openEvidence({ path: file });
  await ingestEvidence(store, mail);
  const now = everything(store);
  expect(JSON.stringify(now)).toContain('Übergabe am Montag, İstanbul');
  expect(JSON.stringify(now)).toContain(PNG);
  asEarlier(store);
  store.close();
  rmSync(mail, { recursive: true });
  const earlier = openEvidence({ path: file });
  expect(everything(earlier)).toEqual(now);
  earlier.close();
});
