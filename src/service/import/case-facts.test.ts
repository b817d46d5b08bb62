/** Directions and first contacts, which only all mails of the evidence together tell. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEvidence } from '../evidence/source.ts';
import { ownDomains } from '../store-sqlite/evidence/own-domains.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { ingestEvidence } from './ingest-evidence.ts';

let folder = '';
let store: SqliteStore;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-case-facts-'));
  store = openEvidence({ path: ':memory:' });
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

/** Writes a mail of a day in November 2026 into the evidence. */
function write(subject: string, from: string, to: string, day: number, text = 'Hello'): void {
  const date = `Date: ${String(day).padStart(2, '0')} Nov 2026 08:00:00 +0000`;
  writeFileSync(
    path.join(folder, `${subject}.eml`),
    `From: ${from}\r\nTo: ${to}\r\n${date}\r\nSubject: ${subject}\r\n\r\n${text}\r\n`,
  );
}

const column = <T>(sql: string): T[] => store.db.prepare<unknown[], T>(sql).pluck().all();
const firstContacts = (): string[] =>
  column(
    "SELECT e.subject FROM findings f JOIN emails e ON e.id = f.email_id WHERE f.check_id = 'sender.first-contact' ORDER BY 1",
  );

it('a mail goes in, out or stays inside by the domain that most mails go to', async () => {
  write('a', 'x@vendor.example', 'ann@corp.example', 1);
  write('b', 'ann@corp.example', 'x@vendor.example, bo@corp.example', 2);
  write('c', 'ann@corp.example', 'bo@corp.example', 3);
  write('d', 'x@vendor.example', 'y@vendor2.example', 4);
  await ingestEvidence(store, folder);
  expect(ownDomains(store)).toEqual(['corp.example']);
  expect(column('SELECT direction FROM emails ORDER BY subject')).toEqual([
    'incoming',
    'outgoing',
    'internal',
    null,
  ]);
});

it('a first contact is the earliest mail of somebody to whom nobody here had written, also once older mail is added', async () => {
  write('first', 'x@vendor.example', 'ann@corp.example', 5);
  write('second', 'x@vendor.example', 'ann@corp.example', 6);
  write('asked', 'ann@corp.example', 'y@partner.example', 5);
  write('answered', 'y@partner.example', 'ann@corp.example', 7);
  await ingestEvidence(store, folder);
  expect(firstContacts()).toEqual(['first']);
  write('older', 'x@vendor.example', 'ann@corp.example', 1);
  await ingestEvidence(store, folder);
  expect(firstContacts()).toEqual(['older']);
  expect(column("SELECT sum(weight) FROM findings WHERE check_id = 'sender.first-contact'")).toEqual([0]);
});

it('nothing is guessed from mailboxes at free mailers', async () => {
  write('a', 'x@vendor.example', 'ann@gmail.com', 1);
  await ingestEvidence(store, folder);
  expect(ownDomains(store)).toEqual([]);
  expect(column('SELECT direction FROM emails')).toEqual([null]);
  expect(firstContacts()).toEqual([]);
});

const scoreOf = (subject: string): number =>
  Number(store.db.prepare('SELECT score FROM emails WHERE subject = ?').pluck().get(subject));

it('a first contact weighs something only if it speaks of money or credentials, and no longer once it is none', async () => {
  write('greets', 'x@vendor.example', 'ann@corp.example', 5);
  write('demands', 'y@other.example', 'ann@corp.example', 5, 'Please update your payment method.');
  await ingestEvidence(store, folder);
  expect(firstContacts()).toEqual(['demands', 'greets']);
  const greets = scoreOf('greets');
  const demands = scoreOf('demands');
  write('earlier', 'ann@corp.example', 'y@other.example', 1);
  await ingestEvidence(store, folder);
  expect(scoreOf('greets')).toBe(greets);
  expect(scoreOf('demands')).toBeCloseTo(demands - 0.8);
});

it('a domain that imitates the case’s own or a correspondent’s is found, and one that people here write to is none', async () => {
  for (const day of [1, 2, 3]) write(`sent ${day}`, 'ann@contoso.example', 'x@fabrikam.example', day);
  write('sent once', 'ann@contoso.example', 'x@contosso.example', 4);
  const senders = {
    digit: 'a@c0ntoso.example',
    part: 'a@contoso-billing.example',
    swapped: 'a@fabrikma.example',
    letters: 'a@xn--fabrikm-7fg.example',
    written: 'x@contosso.example',
    other: 'x@northwind.example',
    itself: 'x@mail.contoso.example',
  };
  for (const [subject, from] of Object.entries(senders)) write(subject, from, 'bo@contoso.example', 5);
  await ingestEvidence(store, folder);
  expect(
    column(
      "SELECT e.subject || ': ' || f.sentence FROM findings f JOIN emails e ON e.id = f.email_id WHERE f.check_id = 'sender.case-look-alike' ORDER BY 1",
    ),
  ).toEqual([
    'digit: The sender’s domain c0ntoso.example imitates contoso.example, to which this evidence belongs',
    'letters: The sender’s domain xn--fabrikm-7fg.example imitates fabrikam.example, to which people here write',
    'part: The sender’s domain contoso-billing.example imitates contoso.example, to which this evidence belongs',
    'swapped: The sender’s domain fabrikma.example imitates fabrikam.example, to which people here write',
  ]);
  expect(scoreOf('digit')).toBeGreaterThanOrEqual(4);
});
