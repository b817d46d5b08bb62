import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { EndpointName } from '#shared/api/catalogue.ts';
import { type ProfileRef, profilePages } from '#shared/api/profile-pages.ts';
import { assessTenantMail } from '#shared/checks/tenant-mail.ts';
import { decodeBytes } from '#shared/mail/charsets.ts';
import { readHeaders } from '#shared/mail/headers.ts';
import { THREADS } from '#tests/support/threads.ts';
import type { Database } from '../store/database.ts';
import { createPool, type Pool } from '../store/pool.ts';
import { KeptIndex } from './kept-index.ts';
import { answerKey, ResponseCache } from './store.ts';

let directory: string;
let cache: Pool;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parapet-kept-'));
  cache = await createPool({
    entry: THREADS.store,
    kind: 'cache',
    path: join(directory, 'cache.sqlite'),
    key: null,
    now: 0,
  });
});
afterEach(async () => {
  await cache.close();
  rmSync(directory, { recursive: true });
});

const partsOf = (_: string, profile: ProfileRef) =>
  profilePages(profile, 'guard').map(({ endpoint, request }) => ({
    endpoint,
    key: answerKey(endpoint, request),
  }));
/** With a stopped clock, so that a search first indexes everything even on a slow machine. */
const indexOver = (database: Database = cache, basis = { version: '1.0.0', believed: [] as string[] }) =>
  new KeptIndex({ cache: database, ticks: () => 0, basis: () => basis });
const search = (text: string, index = indexOver()) =>
  index.search(
    { connectionId: 'c', text, whole: false, fields: [], apart: false, most: 10 },
    new AbortController().signal,
  );

/** Keeps a part of a profile, without indexing it. */
async function keep(profile: ProfileRef, endpoint: EndpointName, data: unknown): Promise<void> {
  const answers = new ResponseCache(cache, () => 1_000);
  const parts = partsOf('c', profile);
  const key = parts.find((part) => part.endpoint === endpoint)?.key ?? '';
  await answers.store({
    connectionId: 'c',
    key,
    endpoint,
    data,
    fetchedAt: 1_000,
    isStale: () => false,
    mayKeep: () => true,
  });
  expect(await indexOver().keep('c', profile, parts, [key])).toBe(1);
}

const email = (entityId: string, saas = 'office365'): ProfileRef => ({ kind: 'email', saas, entityId });
const main = (entityId: string) => ({
  entity_id: entityId,
  saas: 'office365',
  subject: `Subject of ${entityId}`,
  from: null,
  to: [],
  cc: [],
  bcc: null,
});

it('profiles are listed under the names they were requested by, and searched', async () => {
  await keep(email('a'), 'email.profile', main('a'));
  await keep(email('a'), 'email.body', { text: 'Überweisung' });
  // Its answer contains a different name.
  await keep(email('b', 'all'), 'email.profile', main('b'));
  await keep(email('b', 'all'), 'email.body', { text: 'Überweisung' });
  await keep(email('c', 'mailbox-7'), 'email.profile', main('c'));
  await keep(email('c', 'mailbox-7'), 'email.body', { text: 'überweisung' });
  const user: ProfileRef = { kind: 'user', saas: 'office365', entityId: 'u' };
  await keep(user, 'entity.get', { entity_id: 'u', saas: 'office365', name: 'Uber Weisung' });
  const message: ProfileRef = { kind: 'message', saas: 'teams', entityId: 'm' };
  await keep(message, 'entity.get', { entity_id: 'm', saas: 'teams', channel: 'Finance' });
  await keep(message, 'entity.message-body', { html: '<b>Überweisung</b>' });
  const { profiles, matching, rows } = await search('uberweisung');
  expect({ profiles, matching }).toEqual({ profiles: 5, matching: 4 });
  const refs = rows.map(({ kind, saas, entityId }) => `${kind} ${saas} ${entityId}`);
  expect(refs.sort()).toEqual(['email all b', 'email mailbox-7 c', 'email office365 a', 'message teams m']);
  expect((await search('weisung uber')).rows.map(({ kind }) => kind)).toContain('user');
});

it('emails that the service calls clean and the checks do not are found by that, with the reason', async () => {
  const raw = [
    'From: "PayPal" <service@account-check.example>',
    'To: b@corp.example',
    'Subject: Your account has been limited',
    'Date: Mon, 02 Mar 2026 10:00:00 +0000',
  ].join('\r\n');
  const html =
    '<p>Confirm your password within 24 hours or your account will be closed.</p><a href="https://evil.example/login">https://www.paypal.com/signin</a>';
  for (const [id, verdict] of [
    ['apart', 'clean'],
    ['agreed', 'found'],
  ] as const) {
    await keep(email(id), 'email.profile', { ...main(id), verdict });
    await keep(email(id), 'email.headers', { raw });
    await keep(email(id), 'email.body', { html });
  }
  await keep(email('harmless'), 'email.profile', { ...main('harmless'), verdict: 'clean' });
  await keep(email('harmless'), 'email.body', { text: 'See you at lunch' });
  await keep(email('bare'), 'email.profile', { ...main('bare'), verdict: 'clean' });
  const all = await search('');
  const verdicts = new Map(all.rows.map((row) => [row.entityId, row.own]));
  expect(verdicts.get('apart')).toMatchObject({ verdict: expect.stringMatching(/found|suspicious/) });
  expect(verdicts.get('apart')?.reason).toContain('PayPal');
  expect(verdicts.get('harmless')).toEqual({ verdict: null, reason: null });
  expect(verdicts.get('bare')).toBeNull();
  const apart = await indexOver().search(
    { connectionId: 'c', text: '', whole: false, fields: [], apart: true, most: 10 },
    new AbortController().signal,
  );
  expect(apart).toMatchObject({ profiles: 4, apart: 1, matching: 1, rows: [{ entityId: 'apart' }] });
});

it('a verdict is that of this version and of the servers that the analyst trusts now', async () => {
  const raw = [
    'Authentication-Results: mx.other.example; dmarc=fail header.from=account-check.example',
    'Authentication-Results: mx.corp.example; dmarc=pass header.from=account-check.example',
    'Received: from mail.account-check.example by mx.corp.example; Mon, 02 Mar 2026 10:00:00 +0000',
    'From: PayPal Security <service@account-check.example>',
    'To: b@corp.example',
    'Subject: Your account has been limited',
  ].join('\r\n');
  await keep(email('a'), 'email.profile', { ...main('a'), verdict: 'clean' });
  await keep(email('a'), 'email.headers', { raw });
  await keep(email('bare'), 'email.profile', main('bare'));
  const checksOf = async () =>
    (await cache.all<{ checks: string | null }>('SELECT checks FROM kept_profiles ORDER BY id')).map(
      ({ checks }) => (JSON.parse(checks ?? '{}') as { basis?: string }).basis,
    );
  await search('');
  const write = vi.spyOn(cache, 'write');
  await search('');
  expect(write).not.toHaveBeenCalled();
  const trusting = { version: '1.0.0', believed: ['mx.other.example'] };
  const ownOf = async (index?: KeptIndex) =>
    (await search('', index)).rows.find(({ entityId }) => entityId === 'a')?.own;
  // As the profile, which believes the same servers, says.
  const asProfile = (believed: readonly string[]) => {
    const { headers } = readHeaders(raw, decodeBytes);
    const { verdict, findings } = assessTenantMail({ headers, body: null, attachments: null, believed });
    return { verdict, reason: verdict === null ? null : (findings[0]?.sentence ?? null) };
  };
  expect(await ownOf()).toEqual(asProfile([]));
  expect(await ownOf(indexOver(cache, trusting))).toEqual(asProfile(trusting.believed));
  expect(asProfile([])).not.toEqual(asProfile(trusting.believed));
  expect(await checksOf()).toEqual([JSON.stringify(trusting), undefined]);
  const later = { ...trusting, version: '1.0.1' };
  await search('', indexOver(cache, later));
  expect(await checksOf()).toEqual([JSON.stringify(later), undefined]);
  // An outdated verdict is not shown until the email was checked again.
  await cache.write([{ sql: "UPDATE kept_profiles SET indexed = 0 WHERE entity_id = 'a'", params: [] }]);
  write.mockRejectedValue(new Error('disk full'));
  const { rows } = await search('', indexOver(cache, later));
  expect(rows.find(({ entityId }) => entityId === 'a')).toMatchObject({ own: null, isWaiting: true });
});

it('a part is pinned and recorded in one transaction, so that a kill leaves no part of an unknown profile', async () => {
  const failing: Database = {
    ...cache,
    write: (statements) => {
      const records = statements.some(({ sql }) => sql.includes('INTO kept_parts'));
      return cache.write(records ? [...statements, { sql: 'INSERT INTO nowhere VALUES (1)' }] : statements);
    },
  };
  await keep(email('a'), 'email.profile', main('a'));
  const other = partsOf('c', email('b'));
  const body = { connectionId: 'c', key: other[0]?.key ?? '', endpoint: 'email.profile' as const };
  await new ResponseCache(cache, () => 1_000).store({
    ...body,
    data: main('b'),
    fetchedAt: 1_000,
    isStale: () => false,
    mayKeep: () => true,
  });
  await expect(indexOver(failing).keep('c', email('b'), other, [body.key])).rejects.toThrow();
  expect(await cache.get('SELECT count(*) AS n FROM answers WHERE pinned = 1')).toEqual({ n: 1 });
  expect(await search('')).toMatchObject({ profiles: 1, waiting: 0 });
});

it('profiles that cannot be indexed are counted with the reason, and the others are searched', async () => {
  await keep(email('a'), 'email.profile', main('a'));
  await keep(email('a'), 'email.body', { text: 'first' });
  await search('');
  await keep(email('b'), 'email.profile', main('b'));
  const full: Database = {
    ...cache,
    write: () => Promise.reject(new Error('The disk is full.')),
  };
  const result = await search('first', indexOver(full));
  expect(result).toMatchObject({ matching: 1, profiles: 2, waiting: 1 });
  expect(result.indexError).toContain('The disk is full.');
});

it('the next search indexes again what a step of the schema marks as not indexed', async () => {
  await keep(email('a'), 'email.profile', main('a'));
  await keep(email('a'), 'email.body', { text: 'words' });
  expect(await search('words')).toMatchObject({ matching: 1 });
  await cache.write([{ sql: 'DELETE FROM kept_texts' }, { sql: 'UPDATE kept_profiles SET indexed = 0' }]);
  expect(await search('words')).toMatchObject({ matching: 1, waiting: 0 });
});

it('the text of an answer is removed with it', async () => {
  await keep(email('a'), 'email.profile', main('a'));
  await keep(email('a'), 'email.body', { text: 'words' });
  await search('');
  const texts = async () => (await cache.get<{ n: number }>('SELECT count(*) AS n FROM kept_texts'))?.n;
  expect(await texts()).toBeGreaterThan(0);
  // The statement that clearing the cache uses.
  await cache.write([{ sql: "DELETE FROM answers WHERE endpoint = 'email.body'" }]);
  expect(await texts()).toBe(0);
  expect(await search('words')).toMatchObject({ profiles: 1, matching: 0, withoutBody: 1 });
  await cache.write([{ sql: 'UPDATE answers SET pinned = 0' }]);
  expect(await cache.get('SELECT count(*) AS n FROM kept_profiles')).toEqual({ n: 0 });
});

it('[limit 2 MiB of text] a body too long to be searched in full is reported', async () => {
  await keep(email('a'), 'email.profile', main('a'));
  await keep(email('a'), 'email.body', { text: `begin ${'x'.repeat(3 * 1024 * 1024)} end` });
  expect(await search('begin')).toMatchObject({ matching: 1, cut: 1, rows: [{ isCut: true }] });
  expect(await search('end')).toMatchObject({ matching: 0, cut: 1 });
});
