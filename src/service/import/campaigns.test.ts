/** Campaigns of an import: formed in any order, joined later, named, and gone with their mails. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { wordedText } from '#tests/support/worded-mail.ts';
import { openEvidence, prepareEvidence } from '../evidence/source.ts';
import { campaignProfileOf, campaignsOf } from '../store-sqlite/campaigns.ts';
import { markFinding } from '../store-sqlite/recount.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { ingestEvidence } from './ingest-evidence.ts';

let folder = '';
let stores: SqliteStore[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-campaigns-'));
});
afterEach(() => {
  for (const store of stores) store.close();
  stores = [];
  rmSync(folder, { recursive: true, force: true });
});

interface Made {
  from?: string;
  to?: string;
  subject: string;
  body: string;
  day?: number;
}

const mail = ({ from = 'Post <a@one-sender.com>', to = 'bo@corp.com', subject, body, day = 1 }: Made) =>
  [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${new Date(Date.UTC(2026, 10, day)).toUTCString().replace('GMT', '+0000')}`,
    '',
    body,
    '',
  ].join('\r\n');

const LURE = `${wordedText(1)} Unusual sign-in: verify your account within 24 hours or it will be suspended`;
/** Three of a phishing campaign with different senders, two of a newsletter, one alone. */
const MAILS = [
  mail({ from: 'PayPal <x1@cheap-host.xyz>', subject: 'Act now: verify', body: `Dear Ann, ${LURE}`, day: 3 }),
  mail({
    from: 'PayPal <x2@other-host.top>',
    to: 'cy@corp.com',
    subject: 'Act now: verify',
    body: `Dear Bo, ${LURE}`,
    day: 5,
  }),
  mail({ from: 'PayPal <x3@third-host.icu>', subject: 'Act now: verify', body: `Dear Cy, ${LURE}`, day: 9 }),
  mail({ subject: 'Our news of May', body: wordedText(2) }),
  mail({ subject: 'Our news of June', body: wordedText(2) }),
  mail({ from: 'Ann <ann@friend.com>', subject: 'Lunch', body: wordedText(3) }),
];

async function imported(mails: readonly string[], store?: SqliteStore): Promise<SqliteStore> {
  for (const [index, text] of mails.entries()) writeFileSync(path.join(folder, `${index}.eml`), text);
  const into = store ?? openEvidence({ path: ':memory:' });
  if (store === undefined) {
    stores.push(into);
    prepareEvidence(into);
  }
  await ingestEvidence(into, folder);
  return into;
}

/** The subjects and senders of each campaign. */
const partition = (store: SqliteStore) =>
  store.db
    .prepare<unknown[], string>(
      `SELECT group_concat(m) FROM (SELECT campaign_id, subject || from_email AS m FROM emails ORDER BY m)
       WHERE campaign_id IN (SELECT id FROM campaigns) GROUP BY campaign_id ORDER BY 1`,
    )
    .pluck()
    .all();

it('forms the same campaigns in any order, and none of a mail that is alone', async () => {
  const first = partition(await imported(MAILS));
  expect(first).toHaveLength(2);
  expect(first.join()).not.toContain('Lunch');
  expect(partition(await imported([...MAILS].reverse()))).toEqual(first);
});

it('a mail that is added later joins, founds, or connects campaigns', async () => {
  const store = await imported(MAILS.slice(0, 1));
  expect(campaignsOf(store, 10).rows).toEqual([]);
  await imported(MAILS, store);
  expect(campaignsOf(store, 10).rows.map(({ emails }) => emails)).toEqual([3, 2]);
  const [before] = campaignsOf(store, 10).rows;
  const bridge = mail({
    subject: 'Our news of July',
    body: `${wordedText(2)}`,
    from: 'PayPal <x4@host.xyz>',
  });
  await imported(
    [...MAILS, bridge, mail({ from: 'PayPal <x9@h.xyz>', subject: 'Act now: verify', body: LURE })],
    store,
  );
  const after = campaignsOf(store, 10).rows;
  expect(after.map(({ emails }) => emails)).toEqual([4, 3]);
  // A campaign keeps its number and name, which queries use.
  expect(after[0]).toMatchObject({ id: before?.id, name: before?.name });
});

it('ranks by the scores of its mails, and tells who, when and what', async () => {
  const store = await imported(MAILS);
  const { rows, total_rows, deserving } = campaignsOf(store, 10);
  expect({ total_rows, deserving }).toEqual({ total_rows: 2, deserving: 1 });
  expect(rows[0]).toMatchObject({
    name: '“Act now: verify” from several domains',
    emails: 3,
    flagged: 3,
    senders: 3,
    recipients: 2,
    first: '2026-11-03T00:00:00.000Z',
    last: '2026-11-09T00:00:00.000Z',
  });
  expect(rows[0]?.reason).toBeTruthy();
  expect(rows[1]).toMatchObject({ flagged: 0, name: 'Emails like “Our news of May” from one-sender.com' });
  const profile = campaignProfileOf(store, Number(rows[0]?.id));
  expect(profile?.shared).toContainEqual({ kind: 'text', emails: 3 });
  expect(profile?.timeline?.rows.reduce((sum, step) => sum + step.emails, 0)).toBe(3);
  expect(profile?.senders).toMatchObject({ total_rows: 3 });
  expect(profile?.subjects.rows).toEqual([{ value: 'Act now: verify', label: null, emails: 3 }]);
  expect(campaignProfileOf(store, 999)).toBeNull();
});

it('a reason that is a false positive in each of its emails is no reason of a campaign', async () => {
  const store = await imported(MAILS);
  const [before] = campaignsOf(store, 1).rows;
  const marked = store.db
    .prepare<unknown[], Record<'entityId' | 'check' | 'sentence' | 'kind' | 'name' | 'text', string>>(
      `SELECT e.entity_id AS entityId, f.check_id AS "check", f.sentence, f.place_kind AS kind, f.place_name AS name,
         f.place_text AS text
       FROM findings f JOIN emails e ON e.id = f.email_id
       WHERE f.check_id = (SELECT check_id FROM findings WHERE sentence = ?)`,
    )
    .all(before?.reason);
  expect(marked.length).toBeGreaterThan(1);
  for (const { entityId, check, sentence: _, ...place } of marked)
    markFinding(store, { entityId, check, place }, true, { now: 1, by: null });
  const sentences = marked.map(({ sentence }) => sentence);
  const profile = campaignProfileOf(store, Number(before?.id));
  expect(sentences).not.toContain(profile?.reason);
  for (const { value } of profile?.reasons ?? []) expect(sentences).not.toContain(value);
});

it('a campaign that loses its second mail is none, and leads nowhere', async () => {
  const store = await imported(MAILS);
  rmSync(path.join(folder, '4.eml'));
  await ingestEvidence(store, folder);
  await store.evidence.resolve('remove');
  expect(campaignsOf(store, 10).rows.map(({ emails }) => emails)).toEqual([3]);
});

it('gives two campaigns with one name different names', async () => {
  const twice = [11, 12].flatMap((text) => [
    mail({ subject: 'Hi', body: `${wordedText(text)} x` }),
    mail({ subject: 'Hi', body: `${wordedText(text)} y` }),
  ]);
  const names = campaignsOf(await imported(twice), 10).rows.map(({ name }) => name);
  expect(names).toHaveLength(2);
  expect(new Set(names).size).toBe(2);
});
