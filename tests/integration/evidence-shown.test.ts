/** The service returns exactly the content of a mail of evidence: nothing is lost or invented. */

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createServiceApp } from '#service/app.ts';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { AnswerOf } from '#shared/api/catalogue.ts';

const TOKEN = 'token';
let folder = '';
let store: SqliteStore;
let app: ReturnType<typeof createServiceApp>;

const mail = (subject: string, from: string, more: string, body: string) =>
  `Received: from relay.example (relay.example [203.0.113.9]) by mx.example; Thu, 19 Nov 2026 08:00:00 +0000\r\nFrom: ${from}\r\nTo: Bo <B.Okafor@Aldermoor.Example>\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@sender.example>\r\nDate: Thu, 19 Nov 2026 08:00:00 +0000\r\nMIME-Version: 1.0\r\n${more}\r\n${body}`;
const parts = (...all: string[]) => `${all.map((part) => `--cut\r\n${part}\r\n`).join('')}--cut--\r\n`;
const ARMORED = '-----BEGIN PGP MESSAGE-----\r\n\r\njA0E\r\n-----END PGP MESSAGE-----\r\n';
const MIXED = 'Content-Type: multipart/mixed; boundary=cut\r\n';

const MAILS: Readonly<Record<string, string>> = {
  upper: mail('upper', 'Finance <Accounts.PAYABLE@Evil.Example>', '', 'See https://lure.example/x\r\n'),
  lower: mail('lower', 'Finance <accounts.payable@evil.example>', '', 'See https://lure.example/x\r\n'),
  bare: mail(
    'bare',
    'a@evil.example',
    MIXED,
    parts(
      'Content-Type: text/plain\r\n\r\nThe part with headers.',
      'Pay at https://lure.example/bare today.\r\nIt is urgent',
      'No header stands here\r\n\r\nafter an empty line https://lure.example/second',
      'Content-Type: text/plain\r\nno empty line ends these headers https://lure.example/third',
      'Note: a colon makes no header https://lure.example/fourth',
      'Content-Type: text/plain\r\nthis line is lost https://lure.example/fifth\r\nContent-Language: en\r\n\r\nThe rest.',
    ),
  ),
  written: mail(
    'written',
    'a@other.example',
    'List-Unsubscribe: <https://leave.example/>\r\nContent-Type: text/html; charset=utf-8\r\n',
    '<a href="https://linked.example/">Sign in</a> or open https://written.example/ yourself',
  ),
  rewritten: mail(
    'rewritten',
    'a@other.example',
    'Content-Type: text/html; charset=utf-8\r\n',
    '<a href="https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Frewritten.example%2Fa&amp;data=1">Sign in</a> or https://protect-eu.mimecast.com/s/abc',
  ),
  sealed: mail(
    'sealed',
    'a@other.example',
    MIXED,
    parts(
      'Content-Type: application/octet-stream; name=open.bin\r\n\r\nx',
      `Content-Type: application/octet-stream; name=a.asc\r\n\r\n${ARMORED}`,
    ),
  ),
  unended:
    'From: a@evil.example\r\nSubject: unended\r\nMessage-ID: <unended@sender.example>\r\nNo empty line ends the headers https://lure.example/sixth\r\nbye\r\n',
};

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-shown-'));
  const file = path.join(folder, 'mail');
  mkdirSync(file);
  for (const [name, text] of Object.entries(MAILS)) writeFileSync(path.join(file, `${name}.eml`), text);
  store = openEvidence({ path: ':memory:' });
  await ingestEvidence(store, file);
  app = createServiceApp(store, { token: TOKEN, caller: 'you' });
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

async function get<T>(url: string): Promise<T> {
  const response = await app.fetch(
    new Request(`http://127.0.0.1/api/v1${url}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    }),
  );
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}
async function answered(condition: object): Promise<AnswerOf<'query.execute'>> {
  const response = await app.fetch(
    new Request('http://127.0.0.1/api/v1/query/execute', {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        query_domain: 'email',
        saas_id: 'evidence',
        query_entity_type: 'email',
        include_copies: false,
        condition,
        columns: ['from_email'],
        sort_by: [],
        size: 10,
        count_only: false,
        search_after: null,
      }),
    }),
  );
  expect(response.status).toBe(200);
  return (await response.json()) as AnswerOf<'query.execute'>;
}
const countOf = async (condition: object) => (await answered(condition)).total_rows;
const idOf = (subject: string) =>
  String(store.db.prepare('SELECT entity_id FROM emails WHERE subject = ?').pluck().get(subject));
const profileOf = (subject: string) =>
  get<AnswerOf<'email.profile'>>(`/sql_queries/evidence/entity/email?entity_id=${idOf(subject)}`);
const bodyOf = (subject: string) => get<AnswerOf<'email.body'>>(`/mta/email_body?entity_id=${idOf(subject)}`);

describe('a sender', () => {
  it('is shown as written, its recipients too', async () => {
    const profile = await profileOf('upper');
    expect(profile.from?.email).toBe('Accounts.PAYABLE@Evil.Example');
    expect(profile.to?.[0]?.email).toBe('B.Okafor@Aldermoor.Example');
    const { rows } = await get<AnswerOf<'email.recipients'>>(
      `/sql_queries/evidence/email_recipients?entity_id=${idOf('upper')}`,
    );
    expect(rows[0]?.email).toBe('B.Okafor@Aldermoor.Example');
    const thread = await get<AnswerOf<'email.conversation'>>(
      `/sql_queries/evidence/email_conversation?entity_id=${idOf('upper')}`,
    );
    expect(thread.rows[0]?.from).toBe('Accounts.PAYABLE@Evil.Example');
    const result = await answered({
      operator: 'and',
      conditions: [{ field: 'subject', operator: 'is', values: ['upper'] }],
    });
    expect(result.rows[0]?.['from_email']).toBe('Accounts.PAYABLE@Evil.Example');
  });

  it.each([
    ['from_email', 'accounts.payable@evil.example', 2],
    ['from_email', 'ACCOUNTS.PAYABLE@EVIL.EXAMPLE', 2],
    ['from_domain', 'Evil.Example', 4],
    ['recipients', 'b.okafor@aldermoor.example', 6],
    ['recipients', 'B.Okafor@Aldermoor.Example', 6],
  ])('is found case-insensitively: %s %s', async (field, value, count) => {
    expect(await countOf({ operator: 'and', conditions: [{ field, operator: 'is', values: [value] }] })).toBe(
      count,
    );
  });

  it('has as many similar mails as the query finds, whatever the case', async () => {
    for (const subject of ['upper', 'lower'])
      expect(await get(`/similar_email_count/email/${idOf(subject)}?mode=sender`)).toMatchObject({
        count: 2,
      });
  });
});

describe('nothing of a body is lost', () => {
  it.each([
    ['a part without headers', 'Pay at https://lure.example/bare today.', 'https://lure.example/bare'],
    ['its second line', 'It is urgent', null],
    ['text where headers would stand', 'No header stands here', 'https://lure.example/second'],
    ['headers that no empty line ends', 'no empty line ends these', 'https://lure.example/third'],
    ['a line with a colon', 'Note: a colon makes no header', 'https://lure.example/fourth'],
    ['a line among the headers', 'this line is lost', 'https://lure.example/fifth'],
    ['the text after it', 'The rest.', null],
  ])('%s', async (_, words, link) => {
    expect((await bodyOf('bare')).text).toContain(words);
    const urls = (await profileOf('bare')).links?.map(({ url }) => url);
    if (link !== null) expect(urls).toContain(link);
  });

  it('of a mail whose headers are not ended by an empty line', async () => {
    expect((await bodyOf('unended')).text).toContain('No empty line ends the headers');
    expect((await profileOf('unended')).links?.map(({ url }) => url)).toContain('https://lure.example/sixth');
  });
});

test('each link is shown with where it was found', async () => {
  const links = (await profileOf('written')).links?.map(({ url, source }) => [url, source]);
  expect(links).toEqual([
    ['https://linked.example/', 'html'],
    ['https://written.example/', 'text'],
    ['https://leave.example/', 'header'],
  ]);
});

test('of a rewritten link, the original is found and shown, with the address in the mail', async () => {
  const links = (await profileOf('rewritten')).links;
  const opaque = 'https://protect-eu.mimecast.com/s/abc';
  expect(links).toMatchObject([
    {
      url: 'https://rewritten.example/a',
      host: 'rewritten.example',
      mismatched: false,
      rewritten_url:
        'https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Frewritten.example%2Fa&data=1',
    },
    { url: opaque, host: 'protect-eu.mimecast.com', rewritten_url: opaque },
  ]);
});

describe('what evidence cannot know', () => {
  it('clicks are not counted, splits and deletion are unknown', async () => {
    const clicks = await get<AnswerOf<'scan.clicks'>>(
      `/sql_queries/common/clicktime_protection_scan_clicks?entity_id=${idOf('upper')}`,
    );
    expect(clicks).toMatchObject({ rows: [], counted: false });
    expect((await profileOf('upper')).is_deleted ?? null).toBeNull();
    expect(await get(`/sql_queries/evidence/splitted_emails?entity_id=${idOf('upper')}`)).toMatchObject({
      rows: [],
      recorded: false,
    });
  });
});

describe('servers that the analyst trusts', () => {
  const GATEWAY = ['gateway.example'];
  const gated = (subject: string) =>
    `Received: from gateway.example (gateway.example [203.0.113.9]) by mx.example; Thu, 19 Nov 2026 08:00:02 +0000\r\nAuthentication-Results: gateway.example; spf=pass smtp.mailfrom=evil.example; dkim=fail header.d=evil.example; dmarc=pass header.from=evil.example\r\nReceived: from relay.example (relay.example [203.0.113.7]) by gateway.example; Thu, 19 Nov 2026 08:00:00 +0000\r\nFrom: a@evil.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@evil.example>\r\n\r\nseen\r\n`;
  const stored = (from: SqliteStore) =>
    from.db
      .prepare("SELECT spf, dkim, dmarc, detail ->> '$.evidence.authTrusted' AS trusted FROM emails")
      .all();
  const CLAIMED = { spf: 'claimed pass', dkim: 'fail', dmarc: 'claimed pass', trusted: 0 };
  const VOUCHED = { spf: 'pass', dkim: 'fail', dmarc: 'pass', trusted: 1 };

  it('apply to new mail, and to stored mail when they change, even if the mail file is gone', async () => {
    const file = mkdtempSync(path.join(folder, 'gated-'));
    writeFileSync(path.join(file, 'one.eml'), gated('one'));
    const store = openEvidence({ path: ':memory:' });
    await ingestEvidence(store, file);
    expect(stored(store)).toEqual([CLAIMED]);
    await ingestEvidence(store, file, { believed: GATEWAY });
    expect(stored(store)).toEqual([VOUCHED]);
    writeFileSync(path.join(file, 'two.eml'), gated('two'));
    await ingestEvidence(store, file, { believed: GATEWAY });
    expect(stored(store)).toEqual([VOUCHED, VOUCHED]);
    await ingestEvidence(store, file, { believed: ['mx.other.example'] });
    expect(stored(store)).toEqual([CLAIMED, CLAIMED]);
    rmSync(path.join(file, 'one.eml'));
    rmSync(path.join(file, 'two.eml'));
    await ingestEvidence(store, file, { believed: GATEWAY });
    expect(stored(store)).toEqual([VOUCHED, VOUCHED]);
    await ingestEvidence(store, file);
    expect(stored(store)).toEqual([CLAIMED, CLAIMED]);
    store.close();
  });
});

describe('the whole message', () => {
  it('[limit 1 MiB a piece] arrives in pieces, byte for byte', async () => {
    const id = idOf('bare');
    const raw = Buffer.from(MAILS['bare'] ?? '', 'utf8');
    const pieces: Buffer[] = [];
    for (let from = 0; from < raw.length; from += 100) {
      const { message } = await get<AnswerOf<'email.body'>>(
        `/mta/email_body?entity_id=${id}&message_from=${from}&message_bytes=100`,
      );
      expect(message).toMatchObject({ bytes: raw.length, from });
      pieces.push(Buffer.from(message?.base64 ?? '', 'base64'));
    }
    expect(Buffer.concat(pieces).equals(raw)).toBe(true);
  });

  it('is saved as a file with its hash', async () => {
    const id = idOf('bare');
    const link = await get<AnswerOf<'file.matched'>>(`/sec_match_file/email/${id}`);
    const raw = Buffer.from(MAILS['bare'] ?? '', 'utf8');
    expect(link).toMatchObject({
      success: true,
      size: raw.length,
      sha256: createHash('sha256').update(raw).digest('hex'),
    });
    const response = await app.fetch(
      new Request(`http://127.0.0.1/api/v1${link.hash}${link.token}${link.id}`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      }),
    );
    expect(Buffer.from(await response.arrayBuffer()).equals(raw)).toBe(true);
  });
});

it('[bad input] the encryption of an attachment is shown, searchable and offered as a value', async () => {
  const field = 'attachment_encryption';
  const result = await answered({
    operator: 'and',
    conditions: [{ field, operator: 'is', values: ['pgp'] }],
  });
  expect(result.total_rows).toBe(1);
  const id = result.rows[0]?.['entity_id'];
  const listed = await get<AnswerOf<'email.attachments'>>(
    `/sql_queries/evidence/email_attachments?entity_id=${id}`,
  );
  expect(listed.rows.map(({ name, encryption }) => [name, encryption])).toEqual([
    ['open.bin', null],
    ['a.asc', 'pgp'],
  ]);
  const profile = await get<AnswerOf<'email.profile'>>(`/sql_queries/evidence/entity/email?entity_id=${id}`);
  expect(profile).toMatchObject({ encryption_status: 'encrypted' });
  const none = await answered({ operator: 'and', conditions: [{ field, operator: 'is_empty', values: [] }] });
  expect(none.total_rows).toBe(Object.keys(MAILS).length - 1);
});
