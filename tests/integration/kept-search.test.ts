/** Searches cover all stored parts of emails kept for offline, and count the parts that are missing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProfileRef } from '#shared/api/profile-pages.ts';
import type { InputOf, KeptSearch } from '#shared/bridge/operations.ts';
import {
  addTenant,
  type Core,
  memoryKeychain,
  readAll,
  startCore,
  temporaryProfile,
} from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { soon } from '#tests/support/soon.ts';

interface Mail {
  subject: string;
  from: string;
  to: string;
  day: number;
  html?: string;
  text?: string;
  truncated?: boolean;
  headers?: string;
  attachments?: string[];
}

const MAILS: Record<string, Mail> = {
  lure: {
    subject: 'Rechnung überfällig',
    from: 'billing@vendor.example',
    to: 'm.okafor@aldermoor.test',
    day: 19,
    html: '<style>.no{}</style><p>請求書の支払期限が過ぎています。</p><p>Bitte <a href="https://pay.evil.example/x?id=7">hier zahlen</a>: Stra&szlig;e 5</p><script>geheim()</script>',
    headers:
      'Subject: =?utf-8?Q?Rechnung?=\r\nX-Mailer: Foxmail\r\n 7.2\r\nReceived: from relay.evil.example\r\n',
    attachments: ['Mahnung_Straße.pdf'],
  },
  russian: {
    subject: 'Report',
    from: 'anna@partner.example',
    to: 'm.okafor@aldermoor.test',
    day: 18,
    text: 'Счёт просрочен, оплатите сегодня. The invoice of last month.',
    headers: 'Subject: Report\r\n',
  },
  plain: {
    subject: 'Invoices',
    from: 'carl@partner.example',
    to: 'n.hale@aldermoor.test',
    day: 17,
    text: 'voices of the first draft',
    headers: 'Subject: Invoices\r\n',
  },
};

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core;
let connectionId: string;
let mails: Record<string, Mail>;
/** Requests that are answered with an error. */
let refused: RegExp | null;
const keychain = memoryKeychain();

const start = async () => {
  core = await startCore({ profile: profile.path, keychain, tuning: { limits: { retries: 0 } } });
};
beforeEach(async () => {
  profile = temporaryProfile();
  mails = structuredClone(MAILS);
  refused = null;
  service = await startScripted();
  service.answer = (_, response, { url }) => {
    const id = new URL(url, service.base).searchParams.get('entity_id') ?? '';
    const mail = mails[id];
    if (refused?.test(url)) return sendJson(response, {}, 400);
    if (mail && url.includes('/entity/email?'))
      return sendJson(response, {
        entity_id: id,
        saas: 'office365',
        subject: mail.subject,
        from: { name: 'Sender', email: mail.from },
        to: [{ email: mail.to }],
        cc: [],
        bcc: null,
        received: `2026-11-${mail.day}T08:00:00Z`,
      });
    if (mail && url.includes('/email_body'))
      return sendJson(response, {
        html: mail.html ?? null,
        text: mail.text ?? null,
        truncated: mail.truncated ?? false,
      });
    if (mail && url.includes('/email_headers')) return sendJson(response, { raw: mail.headers ?? '' });
    if (mail && url.includes('/email_attachments'))
      return sendJson(response, {
        rows: (mail.attachments ?? []).map((name) => ({ entity_id: `${id}-${name}`, name })),
      });
    if (/similar_email_count/.test(url)) return sendJson(response, { count: 0 });
    if (/entity\/props/.test(url)) return sendJson(response, {});
    return sendJson(response, { rows: [] });
  };
  await start();
  ({ id: connectionId } = await addTenant(core.bridge, service.base));
  await core.bridge.call('connections.activate', { id: connectionId });
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const email = (entityId: string): ProfileRef => ({ kind: 'email', saas: 'office365', entityId });
const keep = async (ids: readonly string[]) => {
  const { jobId } = await core.bridge.call('offline.keep', {
    connectionId,
    label: 'Mail',
    profiles: ids.map(email),
  });
  await soon(async () => {
    const job = (await core.bridge.call('jobs.list', {})).jobs.find(({ id }) => id === jobId);
    if (job?.endedAt == null) throw new Error(`The job is ${job?.state}.`);
  });
};
const search = (text: string, options: Partial<InputOf<'offline.search'>> = {}): Promise<KeptSearch> =>
  core.bridge.call('offline.search', {
    connectionId,
    text,
    whole: false,
    fields: [],
    apart: false,
    most: 100,
    ...options,
  });
const idsOf = ({ rows }: KeptSearch) => rows.map(({ entityId }) => entityId);
const hits = async (text: string, options: Partial<InputOf<'offline.search'>> = {}) =>
  idsOf(await search(text, options));
const offline = () => core.bridge.call('connections.offline', { offline: true });

describe('kept emails', () => {
  it('[promise] are found by any of their texts, folded, in any script, without the service', async () => {
    await keep(['lure', 'russian', 'plain']);
    await offline();
    const requests = service.seen.length;
    expect(await hits('')).toEqual(['lure', 'russian', 'plain']);
    expect(await hits('支払期限')).toEqual(['lure']);
    expect(await hits('ПРОСРОЧЕН')).toEqual(['russian']);
    expect(await hits('strasse')).toEqual(['lure']);
    expect(await hits('uberfallig')).toEqual(['lure']);
    expect(await hits('billing@vendor')).toEqual(['lure']);
    expect(await hits('m.okafor')).toEqual(['lure', 'russian']);
    expect(await hits('"X-Mailer: Foxmail 7.2"')).toEqual(['lure']);
    expect(await hits('hxxps://pay[.]evil[.]example/x')).toEqual(['lure']);
    expect(await hits('mahnung')).toEqual(['lure']);
    // Words may be in different fields; hidden markup such as scripts is not searched.
    expect(await hits('foxmail 支払')).toEqual(['lure']);
    expect(await hits('foxmail просрочен')).toEqual([]);
    expect(await hits('geheim')).toEqual([]);
    expect(service.seen).toHaveLength(requests);
  });

  it('in whole words or pieces of them, in the requested fields', async () => {
    await keep(['lure', 'russian', 'plain']);
    expect(await hits('invoice')).toEqual(['russian', 'plain']);
    expect(await hits('voice')).toEqual(['russian', 'plain']);
    expect(await hits('invoice', { whole: true })).toEqual(['russian']);
    expect(await hits('"last month"', { whole: true })).toEqual(['russian']);
    expect(await hits('"month last"', { whole: true })).toEqual([]);
    expect(await hits('invoice', { fields: ['subject'] })).toEqual(['plain']);
    expect((await search('invoice', { fields: ['subject'] })).fields).toEqual({
      body: 1,
      headers: 1,
      subject: 1,
    });
    expect(await search('voice', { most: 1 })).toMatchObject({
      profiles: 3,
      matching: 2,
      rows: [{ entityId: 'russian' }],
    });
  });

  it('each hit is shown as written, in its context', async () => {
    await keep(['lure']);
    const [row] = (await search('期限 zahlen')).rows;
    expect(row).toMatchObject({
      ...email('lure'),
      title: 'Rechnung überfällig',
      from: 'billing@vendor.example',
      received: Date.parse('2026-11-19T08:00:00Z'),
      savedAt: expect.any(Number),
      isWaiting: false,
      lacks: [],
    });
    expect(row?.hits).toEqual([
      { field: 'body', line: '請求書の支払期限が過ぎています。 Bitte hier zahlen: Straße 5' },
      { field: 'links', line: 'https://pay.evil.example/x?id=7 hier zahlen' },
    ]);
  });

  it('without a body, or with an incomplete one, are counted', async () => {
    mails['none'] = { subject: 'No body', from: 'a@b.example', to: 'c@d.example', day: 1 };
    mails['half'] = { ...mails['none'], subject: 'Half', text: 'begins', truncated: true };
    refused = /email_body.*russian|email_headers.*russian/;
    await keep(['lure', 'russian', 'none', 'half']);
    const all = await search('');
    expect(all).toMatchObject({ profiles: 4, waiting: 0, withoutBody: 2, cut: 1, indexError: null });
    const lacks = Object.fromEntries(all.rows.map((row) => [row.entityId, [...row.lacks].sort()]));
    expect(lacks).toEqual({ lure: [], russian: ['body', 'headers'], none: ['body'], half: [] });
    // The mail is not found, and the result counts it as not searchable.
    expect(await search('просрочен')).toMatchObject({ matching: 0, profiles: 4, withoutBody: 2 });
    // Kept again once its body is available, it is complete.
    refused = null;
    await keep(['russian']);
    expect(await search('просрочен')).toMatchObject({ matching: 1, withoutBody: 1 });
  });

  it('are searched in their current text, also after a restart', async () => {
    await keep(['lure', 'plain']);
    mails['plain'] = { ...mails['plain']!, text: 'rewritten' };
    const { error } = await readAll(core.bridge, {
      connectionId,
      endpoint: 'email.body',
      query: { entity_id: 'plain' },
      refresh: true,
    });
    expect(error).toBeNull();
    await core.stop();
    await start();
    await core.bridge.call('connections.activate', { id: connectionId });
    await offline();
    expect(await hits('支払')).toEqual(['lure']);
    expect(await hits('rewritten')).toEqual(['plain']);
    expect(await hits('draft')).toEqual([]);
  });
});

describe('no text of them remains', () => {
  const cache = () => readFileSync(join(profile.path, 'cache.sqlite')).toString('latin1');

  it('unencrypted on the disk', async () => {
    await keep(['lure', 'russian', 'plain']);
    await core.stop();
    const bytes = cache();
    for (const text of ['billing@vendor', 'foxmail', 'The invoice of last month', 'kept_texts'])
      expect(bytes.includes(text)).toBe(false);
    await start();
  });

  it.each([
    ['released', () => core.bridge.call('offline.release', { connectionId })],
    ['cleared', () => core.bridge.call('cache.wipe', { connectionId })],
    ['cleared with everything', () => core.bridge.call('cache.wipe', { connectionId: null })],
  ])('%s', async (_, letGo) => {
    await keep(['lure', 'russian']);
    expect(await search('支払')).toMatchObject({ profiles: 2, matching: 1 });
    await letGo();
    expect(await search('支払')).toMatchObject({ profiles: 0, matching: 0, rows: [] });
  });

  it('once their connection is deleted, while those of others stay', async () => {
    await keep(['lure']);
    const first = connectionId;
    const other = await startScripted();
    try {
      other.answer = service.answer;
      ({ id: connectionId } = await addTenant(core.bridge, other.base));
      await core.bridge.call('connections.activate', { id: connectionId });
      await keep(['russian']);
      expect(await hits('')).toEqual(['russian']);
      await core.bridge.call('connections.remove', { id: first });
      await expect(search('', { connectionId: first })).rejects.toMatchObject({ code: 'no-connection' });
      expect(await hits('')).toEqual(['russian']);
    } finally {
      await other.stop();
    }
  });
});
