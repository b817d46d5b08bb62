/** Everyone whom a mail names is a recipient, and a row per recipient loses no mail. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { execute } from '#service/query/execute.ts';
import { profileOf } from '#service/store/email-profile.ts';
import { findEmail, recipientsOf } from '#service/store-sqlite/emails.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';

const HOP =
  'Received: from a.example by mx.corp.example for <victim@corp.example>; Mon, 1 Jan 2024 10:00:00 +0000';
const MAILS: Record<string, string[]> = {
  named: ['To: b@corp.example, C@corp.example', 'Cc: d@corp.example'],
  delivered: [
    'Delivered-To: Victim@corp.example',
    'X-Original-To: victim@corp.example',
    'To: undisclosed-recipients:;',
  ],
  hop: [HOP],
  envelope: ['Envelope-To: e@corp.example', 'Bcc: f@corp.example'],
  list: ['Delivered-To: mailing list users@list.example', 'To: users@list.example'],
  unnamed: ['To: unlisted-recipients:; (no To-header on input)'],
  nobody: [],
  hostile: [
    'Delivered-To: nobody',
    'Received: by x.example for <b>; Mon, 1 Jan 2024 10:00:00 +0000',
    'To: "Bob" <>',
  ],
};

let folder = '';
let store: SqliteStore;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-recipients-'));
  const mail = path.join(folder, 'mail');
  mkdirSync(mail);
  for (const [subject, lines] of Object.entries(MAILS))
    writeFileSync(
      path.join(mail, `${subject}.eml`),
      [...lines, 'From: a@a.example', `Subject: ${subject}`, '', 'hello', ''].join('\r\n'),
    );
  store = openEvidence({ path: ':memory:' });
  await ingestEvidence(store, mail);
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const ALL: ConditionGroup = { operator: 'and', conditions: [] };
const isRecipient = (address: string): ConditionGroup => ({
  operator: 'and',
  conditions: [{ field: 'recipients', operator: 'is', values: [address] }],
});

async function rowsFor(condition: ConditionGroup, include_copies: boolean, size = 100) {
  const rows: { subject: unknown; to: unknown; entity_id: unknown }[] = [];
  let search_after: Parameters<typeof execute>[0]['search_after'] = null;
  do {
    const page: Awaited<ReturnType<typeof execute>> = await execute(
      {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition,
        columns: ['subject', 'to', 'entity_id'],
        sort_by: [{ dbId: 'subject', direction: 'asc' }],
        search_after,
        size,
        include_copies,
        count_only: false,
      },
      { store, saas: ['evidence'], now: 0 },
    );
    rows.push(...page.rows.map(({ subject, to, entity_id }) => ({ subject, to, entity_id })));
    search_after = page.search_after ?? null;
  } while (search_after !== null);
  return rows;
}

const kinds = (subject: string) => {
  const id = String(store.db.prepare('SELECT entity_id FROM emails WHERE subject = ?').pluck().get(subject));
  const row = findEmail(store, id);
  if (!row) throw new Error(`No email ${subject}`);
  return { row, kinds: recipientsOf(store, row.id).map(({ kind, email }) => `${kind} ${email}`) };
};

describe('recipients', () => {
  it.each([
    ['named', ['to b@corp.example', 'to c@corp.example', 'cc d@corp.example']],
    ['delivered', ['delivered victim@corp.example']],
    ['hop', ['delivered victim@corp.example']],
    ['envelope', ['bcc f@corp.example', 'delivered e@corp.example']],
    ['list', ['to users@list.example']],
    ['unnamed', []],
    ['nobody', []],
    ['hostile', []],
  ])('of the mail %s are %j', (subject, expected) => {
    expect(kinds(subject).kinds).toEqual(expected);
  });

  it('are found, also if only servers name them', async () => {
    const subjects = async (address: string) =>
      (await rowsFor(isRecipient(address), false)).map(({ subject }) => subject);
    expect(await subjects('victim@corp.example')).toEqual(['delivered', 'hop']);
    expect(await subjects('e@corp.example')).toEqual(['envelope']);
  });

  it('are listed in the profile', async () => {
    const { to, bcc, delivered_to: delivered } = await profileOf(store, kinds('envelope').row);
    expect([to, bcc, delivered]).toEqual([
      [],
      [{ name: null, email: 'f@corp.example' }],
      [{ name: null, email: 'e@corp.example' }],
    ]);
  });
});

describe('a row for each recipient', () => {
  it.each([1, 3, 100])('loses no mail, in pages of %i', async (size) => {
    const rows = await rowsFor(ALL, true, size);
    expect(new Set(rows.map(({ subject }) => subject))).toEqual(new Set(Object.keys(MAILS)));
    expect(rows.map(({ subject, to }) => [subject, to])).toEqual([
      ['delivered', 'victim@corp.example'],
      ['envelope', 'f@corp.example'],
      ['envelope', 'e@corp.example'],
      ['hop', 'victim@corp.example'],
      ['hostile', null],
      ['list', 'users@list.example'],
      ['named', 'b@corp.example'],
      ['named', 'c@corp.example'],
      ['named', 'd@corp.example'],
      ['nobody', null],
      ['unnamed', null],
    ]);
    const ids = rows.map(({ entity_id }) => String(entity_id));
    expect(new Set(ids).size).toBe(rows.length);
    for (const [index, id] of ids.entries()) expect(findEmail(store, id)?.subject).toBe(rows[index]?.subject);
  });
  it('counts as many as it lists', async () => {
    const count = await execute(
      {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition: ALL,
        columns: ['subject'],
        sort_by: [],
        search_after: null,
        size: 1,
        include_copies: true,
        count_only: true,
      },
      { store, saas: ['evidence'], now: 0 },
    );
    expect(count.total_rows).toBe(11);
  });
});
