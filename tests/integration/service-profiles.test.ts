/** Profiles, verdicts and response as the embedded service serves them (specification sections 3, 4, 6, 7, 8, 9). */

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate } from '#service/demo/generate.ts';
import { catchUp } from '#service/demo/open-demo.ts';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import type { RoleName } from '#service/roles.ts';
import type { EndpointName } from '#shared/api/catalogue.ts';
import { PERMISSION_FLAGS } from '#shared/model/enums.ts';
import { type Call, Served } from '../support/served.ts';

const ANCHOR = Date.UTC(2026, 10, 19, 8);
const SAAS = { saas: 'all' };

const demo = new Served(ANCHOR);
beforeAll(() => generate(demo.store, { emails: 1_200, seed: 5, anchor: ANCHOR }));
afterAll(() => demo.close());

const entity = (entity_id: string) => ({ query: { entity_id } });
const act = (action: string, ids: string[], more: Record<string, unknown> = {}, type = 'email') => {
  const { date_trigger = null, ...data } = more;
  return { body: { entity_ids: ids, entity_type: type, data: { action, ...data }, date_trigger } };
};
const profile = (id: string) => demo.call('email.profile', { params: SAAS, ...entity(id) });
const types = async (id: string) => {
  const { rows } = await demo.call('file.events', { params: SAAS, ...entity(id) });
  return rows.map(({ type }) => type);
};
const INBOX =
  "SELECT entity_id FROM emails WHERE state = 'Inbox' AND direction = 'incoming' AND user_reported = 0 ORDER BY id";

describe('entities', () => {
  it.each([
    ['email', 'SELECT entity_id FROM emails ORDER BY id LIMIT 1'],
    ['file', 'SELECT entity_id FROM files ORDER BY id LIMIT 1'],
    ['message', 'SELECT entity_id FROM messages ORDER BY id LIMIT 1'],
    ['user', 'SELECT entity_id FROM users ORDER BY id LIMIT 1'],
    ['group', 'SELECT entity_id FROM groups ORDER BY id LIMIT 1'],
  ])('GET entity/%s/{id}', async (type, sql) => {
    const id = demo.one(sql);
    const answer = await demo.call('entity.get', { params: { type, id } });
    expect(answer).toMatchObject({ entity_id: id, entity_type: type });
  });

  it('answers 404 for what does not exist, and for unknown types', async () => {
    const id = demo.one('SELECT entity_id FROM files LIMIT 1');
    for (const params of [
      { type: 'email', id },
      { type: 'constructor', id },
      { type: 'file', id: 'x' },
    ])
      expect((await demo.refused('entity.get', { params }))[0]).toBe(404);
  });

  it('gives users the roles of the tenant, and the training that modes hide', async () => {
    const id = demo.one('SELECT entity_id FROM users WHERE is_admin = 1 LIMIT 1');
    const answer = await demo.call('entity.get', { params: { type: 'user', id } });
    expect(answer).toMatchObject({
      is_admin: true,
      roles: [{ role_id: 1, role_name: 'Admin' }],
      security_training: { completed: expect.any(Number) },
    });
  });

  it('PUT entity_identifier keeps the identifier', async () => {
    const id = demo.one(INBOX);
    expect(await demo.call('entity.identify', { body: { entity_id: id, identifier: ' case-7 ' } })).toEqual({
      success: true,
    });
    expect((await profile(id)).entity_identifier).toBe('case-7');
    expect((await demo.refused('entity.identify', { body: { entity_id: id } }))[1]).toMatchObject({
      field: 'identifier',
    });
    expect((await demo.refused('entity.identify', { body: { entity_id: 'x', identifier: 'y' } }))[0]).toBe(
      404,
    );
  });

  it('entity/message_body', async () => {
    const id = demo.one('SELECT entity_id FROM messages ORDER BY id');
    const answer = await demo.call('entity.message-body', entity(id));
    expect(answer.text).toBe(demo.one('SELECT text FROM messages ORDER BY id'));
    expect((await demo.refused('entity.message-body', entity('x')))[0]).toBe(404);
  });

  it('[spec 7] entity/props gives restore fields and the role; where it fails the plain profile still arrives', async () => {
    const ids = demo.store.db
      .prepare('SELECT entity_id FROM emails WHERE quarantined = 1')
      .pluck()
      .all() as string[];
    const failing: string[] = [];
    for (const id of ids) {
      const response = await demo.raw('entity.props', entity(id));
      if (response.status === 503) failing.push(id);
      else
        expect(await response.json()).toMatchObject({
          quarantine_info: { quarantined: true },
          role: { role_id: 'admin', label: 'admin' },
          permissions: expect.arrayContaining(['raw-mail']),
        });
    }
    expect(failing.length).toBeGreaterThan(0);
    expect((await profile(failing[0] ?? '')).entity_id).toBe(failing[0]);
  });

  it('labels actors: end user, administrator, mail provider, provider analyst', () => {
    const countBy = (by: string) =>
      Number(demo.one(`SELECT count(*) FROM emails WHERE detail ->> '$.quarantine.by' LIKE '${by}'`));
    for (const by of ['policy', 'provider', 'admin@%', '%@analysts.example'])
      expect(countBy(by)).toBeGreaterThan(0);
  });
});

describe('email details', () => {
  it('says for every link and for the email whether links were replaced', async () => {
    const id = demo.one("SELECT entity_id FROM emails WHERE subject LIKE 'Catalogue of spare parts%'");
    const { link_replacement, links } = await profile(id);
    expect(link_replacement).toBe('links_replaced');
    expect(new Set(links?.map(({ status }) => status))).toEqual(
      new Set(['link_replaced', 'no_link_replaced']),
    );
    expect(
      Number(demo.one("SELECT count(*) FROM emails WHERE link_replacement = 'no_links_replaced'")),
    ).toBeGreaterThan(0);
  });

  it('does not say "0 matches" of what a tool found in a message', async () => {
    const ids = demo.store.db
      .prepare("SELECT entity_id FROM messages WHERE verdict = 'found' LIMIT 10")
      .pluck()
      .all() as string[];
    const details = await Promise.all(ids.map((id) => demo.call('scan.details', entity(id))));
    const matched = details.flatMap(({ rows }) => rows).filter(({ matches }) => (matches ?? 0) > 0);
    expect(matched.length).toBeGreaterThan(10);
    expect(matched.filter(({ summary }) => /\b0 /.test(summary ?? ''))).toEqual([]);
  });

  it('counts similar emails in every mode, and refuses other modes', async () => {
    const id = demo.one(
      "SELECT entity_id FROM emails WHERE detail ->> '$.made.campaign' = 'invoice-overdue'",
    );
    for (const mode of ['subject', 'sender', 'sender_domain', 'attachment', 'link', 'client_ip'])
      expect(
        (await demo.call('email.similar-count', { params: { type: 'email', id }, query: { mode } })).count,
      ).toBeGreaterThanOrEqual(0);
    const { count } = await demo.call('email.similar-count', {
      params: { type: 'email', id },
      query: { mode: 'attachment' },
    });
    const same = demo.one(
      "SELECT count(DISTINCT email_id) FROM attachments WHERE name = 'INV-20931.pdf.html'",
    );
    expect(count).toBe(Number(same));
    expect(
      (await demo.refused('email.similar-count', { params: { type: 'email', id }, query: { mode: 'x' } }))[1],
    ).toMatchObject({ field: 'mode' });
    expect(
      (
        await demo.refused('email.similar-count', {
          params: { type: 'file', id },
          query: { mode: 'subject' },
        })
      )[0],
    ).toBe(400);
  });

  it('splits an email to 400 people, and lists all its recipients', async () => {
    const id = demo.one("SELECT entity_id FROM emails WHERE subject LIKE 'All staff:%'");
    const people = Number(demo.one(`SELECT recipients_count FROM emails WHERE entity_id = '${id}'`));
    const { rows } = await demo.call('email.splits', { params: SAAS, ...entity(id) });
    expect(rows.reduce((sum, { to }) => sum + (to?.length ?? 0), 0)).toBe(people);
    expect((await demo.call('email.recipients', { params: SAAS, ...entity(id) })).rows).toHaveLength(people);
  });

  it('has 100 000 debug links of one email, all distinct', { timeout: 30_000 }, async () => {
    const id = demo.one("SELECT entity_id FROM emails WHERE detail ->> '$.debugLinks' > 0");
    const { rows } = await demo.call('scan.debug-links', { params: { product: 'guard' }, ...entity(id) });
    expect(rows).toHaveLength(100_000);
    expect(new Set(rows.map(({ url }) => url)).size).toBe(100_000);
    expect((await demo.refused('scan.debug-links', { params: { product: 'other' }, ...entity(id) }))[0]).toBe(
      404,
    );
  });

  it('serves the extremes: 3 MB of HTML, no body, an encrypted mail', async () => {
    const body = (subject: string) =>
      demo.call('email.body', entity(demo.one(`SELECT entity_id FROM emails WHERE subject = '${subject}'`)));
    expect((await body('Stock list of all warehouses')).html?.length).toBeGreaterThan(3_000_000);
    expect(await body('(forwarded without text)')).toMatchObject({ html: null, text: '' });
    const id = demo.one("SELECT entity_id FROM emails WHERE subject LIKE 'Contract draft%'");
    expect((await profile(id)).encryption_status).toBe('encrypted');
  });

  it('lists clicks with user, time and whether they were blocked', async () => {
    const id = demo.one('SELECT e.entity_id FROM clicks k JOIN emails e ON e.id = k.email_id LIMIT 1');
    const { rows } = await demo.call('scan.clicks', entity(id));
    expect(rows.length).toBeGreaterThan(0);
    expect(await types(id)).toContain('clicked');
  });

  it('[spec 7] classifies emails by the anti-phishing tool', async () => {
    const ids = demo.store.db.prepare('SELECT entity_id FROM emails LIMIT 300').pluck().all() as string[];
    const { rows } = await demo.call('emails.classification', {
      params: { product: 'guard' },
      body: { entity_ids: [...ids, 'nothing'] },
    });
    expect(rows).toHaveLength(300);
    const words = new Set(rows.map(({ classification }) => classification));
    for (const word of ['clean', 'phishing', 'spam', 'bulk', 'suspicious']) expect(words).toContain(word);
  });
});

describe('files', () => {
  const files = () => demo.store.db.prepare('SELECT entity_id FROM files').pluck().all() as string[];

  it('[spec 3, spec 7] sql_queries/{saas}/entity/file: every field', async () => {
    const answer = await demo.call('file.profile', { params: SAAS, ...entity(files()[0] ?? '') });
    for (const field of [
      'title',
      'size',
      'path',
      'mime_type',
      'md5',
      'sha1',
      'sha256',
      'owner',
      'created',
      'modified',
      'is_quarantined',
      'is_vault',
      'is_deleted',
      'is_shared_externally',
      'is_shared_publicly',
    ])
      expect(answer[field], field).toBeDefined();
    expect(answer.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect((await demo.refused('file.profile', { params: SAAS, ...entity('x') }))[0]).toBe(404);
  });

  it('[spec 3] permissions: pages of 20 that join up, the owner first, eight flags', async () => {
    const params = { ...SAAS, type: 'file' };
    let longest = { id: '', total: 0 };
    for (const id of files()) {
      const { rows, total_rows } = await demo.call('entity.permissions', { params, ...entity(id) });
      expect(rows).toHaveLength(Math.min(20, total_rows ?? 0));
      if ((total_rows ?? 0) > longest.total) longest = { id, total: total_rows ?? 0 };
    }
    expect(longest.total).toBeGreaterThan(20);
    const permissions: string[] = [];
    for (let page = 0; permissions.length < longest.total; page += 1) {
      const { rows } = await demo.call('entity.permissions', {
        params,
        query: { entity_id: longest.id, page },
      });
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) {
        for (const flag of PERMISSION_FLAGS) expect(typeof row[flag]).toBe('boolean');
        expect(row.roles.length).toBeGreaterThan(0);
        permissions.push(row.userId);
      }
    }
    expect(permissions).toHaveLength(longest.total);
    expect(
      (await demo.refused('entity.permissions', { params, query: { entity_id: longest.id, page: -1 } }))[0],
    ).toBe(400);
    expect(
      (
        await demo.refused('entity.permissions', {
          params: { ...SAAS, type: 'group' },
          ...entity(longest.id),
        })
      )[1],
    ).toMatchObject({ field: 'type' });
  });

  it('permissions agree with the sharing flags', async () => {
    const id = demo.one('SELECT entity_id FROM files WHERE is_shared_publicly = 1');
    const { rows } = await demo.call('entity.permissions', {
      params: { ...SAAS, type: 'file' },
      ...entity(id),
    });
    expect(rows.map(({ userId }) => userId)).toContain('anyone');
  });

  it('[spec 7] events: pages of 100, newest first, re-evaluated ones flagged', {
    timeout: 30_000,
  }, async () => {
    let flagged = 0;
    let most = 0;
    for (const id of files().slice(0, 60)) {
      const times: string[] = [];
      for (let page = 0; ; page += 1) {
        const { rows, total_rows } = await demo.call('file.events', {
          params: SAAS,
          query: { entity_id: id, page },
        });
        expect(rows.length).toBeLessThanOrEqual(100);
        times.push(...rows.map(({ time }) => time));
        flagged += rows.filter((row) => row.re_evaluated).length;
        for (const row of rows) expect(row.re_evaluated).toBe(row.type === 're_evaluated');
        if (rows.length === 0 || times.length >= (total_rows ?? 0)) {
          expect(times).toHaveLength(total_rows ?? -1);
          most = Math.max(most, times.length);
          break;
        }
      }
      expect(times.toSorted().reverse()).toEqual(times);
    }
    expect(flagged).toBeGreaterThan(0);
    expect(most).toBeGreaterThan(100);
  });

  it('scan details of a file agree with its verdict', async () => {
    for (const verdict of ['found', 'suspicious', 'not-scanned', 'clean']) {
      const id = demo.one(`SELECT coalesce((SELECT entity_id FROM files WHERE verdict = '${verdict}'), '')`);
      if (id === '') continue;
      const { rows } = await demo.call('scan.details', entity(id));
      const applicable = rows.filter((row) => row.applicable).map(({ tool }) => tool);
      expect(applicable).toContain('checkpoint_te');
      expect(applicable).not.toContain('clicktime_protection');
      if (verdict === 'not-scanned') expect(rows.some(({ error }) => error)).toBe(true);
      if (verdict === 'found') expect(rows.some(({ matches }) => (matches ?? 0) > 0)).toBe(true);
    }
  });
});

describe('chat messages', () => {
  it('scan details agree with the verdict of the message', async () => {
    for (const verdict of ['found', 'suspicious', 'clean']) {
      const id = demo.one(`SELECT entity_id FROM messages WHERE verdict = '${verdict}'`);
      const { rows } = await demo.call('scan.details', entity(id));
      const anti = rows.find(({ tool }) => tool === 'ap_guard');
      expect(anti).toMatchObject({ applicable: true, suspicious: verdict === 'suspicious' });
      expect((anti?.matches ?? 0) > 0).toBe(verdict === 'found');
    }
  });
});

describe('matched files', () => {
  const matched = () =>
    demo.store.db
      .prepare(
        "SELECT e.entity_id || '-a' || a.position FROM attachments a JOIN emails e ON e.id = a.email_id WHERE a.verdict_code = 'malw'",
      )
      .pluck()
      .all() as string[];
  const probe = (id: string) =>
    demo.raw('file.matched', { params: { type: 'attachment', id }, query: { test_only: true } });

  it('probes: ready at once, at the third attempt, or never', async () => {
    const outcomes = new Set<string>();
    for (const id of matched()) {
      const tries: (boolean | number)[] = [];
      for (let i = 0; i < 3; i += 1) {
        const response = await probe(id);
        const answer = (await response.json()) as { success?: boolean };
        tries.push(response.status === 200 ? answer.success === true : response.status);
      }
      outcomes.add(JSON.stringify(tries));
    }
    expect([...outcomes].sort()).toEqual(['[503,503,503]', '[false,false,true]', '[true,true,true]']);
  });

  it('[spec 7] serves the bytes by a signed link, with the hash of the profile; a changed or old link is refused', async () => {
    const id = matched()[0] ?? '';
    const answer = await demo.call('file.matched', { params: { type: 'attachment', id } });
    expect(answer).toMatchObject({ success: true, id, hash: expect.stringMatching(/^\/signed\//) });
    const { hash, token } = answer;
    const params = { hash, token, id };
    const response = await demo.raw('entity.signed-link', { params });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes).toHaveLength(answer.size ?? -1);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(answer.sha256);
    expect((await demo.at(answer.url ?? '')).status).toBe(200);
    const other = matched().find((match) => match !== id) ?? '';
    expect((await demo.raw('entity.signed-link', { params: { ...params, id: other } })).status).toBe(410);
    const before = demo.now;
    demo.now += 6 * 60_000;
    expect((await demo.raw('entity.signed-link', { params })).status).toBe(410);
    demo.now = before;
    expect((await demo.raw('entity.signed-link', { params }, 'help_desk')).status).toBe(403);
    expect((await demo.at('/signed/%ff')).status).toBe(404);
  });

  it('provides only files that a tool matched', async () => {
    const clean = demo.one("SELECT entity_id FROM files WHERE verdict = 'clean'");
    const answer = await demo.call('file.matched', {
      params: { type: 'file', id: clean },
      query: { test_only: true },
    });
    expect(answer).toMatchObject({ success: false, reason: expect.stringContaining('No tool matched') });
    expect((await demo.refused('file.matched', { params: { type: 'file', id: 'x' } }))[0]).toBe(404);
  });
});

describe('manual actions', () => {
  const restorable = async (id: string) =>
    (await demo.call('entity.quarantine-restorable', { params: { id } })).restorable;

  it('quarantine, restore request, decline with a reason, restore: each state shows, and the timeline keeps all', async () => {
    const id = demo.one(`${INBOX} LIMIT 1 OFFSET 20`);
    expect(await restorable(id)).toBe(false);
    expect(
      await demo.call('manual-actions.create', act('quarantine', [id], { reason: 'Looks bad' })),
    ).toEqual({
      success: true,
      outcomes: [{ entity_id: id, success: true, error: null }],
    });
    expect(await profile(id)).toMatchObject({
      folder: 'Quarantined',
      quarantine_info: { quarantined: true, by: 'tester', by_label: 'admin', reason: 'Looks bad' },
    });
    expect(await restorable(id)).toBe(true);

    const request = await demo.raw(
      'manual-actions.create',
      act('request_restore', [id], { reason: 'Mine' }),
      'end_user',
    );
    expect(request.status).toBe(200);
    const props = await demo.call('entity.props', entity(id));
    expect(props).toMatchObject({
      restore_state: 'requested',
      restore_info: { requested: true, restored: false, by_label: 'end_user', reason: 'Mine' },
    });

    expect((await demo.refused('manual-actions.create', act('decline', [id])))[1]).toMatchObject({
      field: 'data.reason',
    });
    await demo.call('manual-actions.create', act('decline', [id], { reason: 'Malicious' }));
    expect(await demo.call('entity.props', entity(id))).toMatchObject({
      restore_state: 'declined',
      decline_info: { declined: true, reason: 'Malicious' },
    });

    await demo.call('manual-actions.create', act('restore', [id]));
    expect(await profile(id)).toMatchObject({
      folder: 'Inbox',
      quarantine_info: { quarantined: false },
      restore_info: { requested: true, restored: true, restored_by: 'tester' },
      decline_info: { declined: false },
    });
    expect(await types(id)).toEqual(
      expect.arrayContaining([
        'received',
        'scanned',
        'quarantined',
        'restore_requested',
        'declined',
        'restored',
      ]),
    );
  });

  it('a deleted email that was quarantined is restored to where it was, not to the inbox', async () => {
    const id = demo.one(
      "SELECT entity_id FROM emails WHERE state = 'Deleted' AND direction = 'incoming' LIMIT 1",
    );
    await demo.call('manual-actions.create', act('quarantine', [id]));
    expect((await profile(id)).folder).toBe('Quarantined');
    await demo.call('manual-actions.create', act('restore', [id]));
    expect((await profile(id)).folder).toBe('Deleted');
  });

  it('says for each target why it was left unchanged', async () => {
    const inbox = demo.one(`${INBOX} LIMIT 1 OFFSET 21`);
    const held = demo.one("SELECT entity_id FROM emails WHERE state = 'Quarantined' LIMIT 1");
    const sent = demo.one("SELECT entity_id FROM emails WHERE direction = 'outgoing' LIMIT 1");
    const answer = await demo.call(
      'manual-actions.create',
      act('quarantine', [inbox, held, sent, 'nothing', inbox]),
    );
    expect(answer.success).toBe(false);
    expect(answer.outcomes?.map(({ success }) => success)).toEqual([true, false, false, false]);
    expect(answer.outcomes?.[1]?.error).toBe('It is in quarantine already');
  });

  it('acts on one delivered copy alone', async () => {
    const id = demo.one(
      "SELECT entity_id FROM emails WHERE state = 'Inbox' AND direction = 'incoming' AND recipients_count = 2 LIMIT 1",
    );
    const folders = async () =>
      (await demo.call('email.recipients', { params: SAAS, ...entity(id) })).rows.map(({ folder }) => folder);
    await demo.call('manual-actions.create', act('quarantine', [`${id}.1`]));
    expect(await folders()).toEqual(['Inbox', 'Quarantined']);
    expect((await profile(id)).folder).toBe('Inbox');
    await demo.call('manual-actions.create', act('quarantine', [`${id}.0`]));
    expect((await profile(id)).folder).toBe('Quarantined');
    await demo.call('manual-actions.create', act('restore', [`${id}.0`]));
    expect(await folders()).toContain('Quarantined');
  });

  it('files: quarantine, restore, delete', async () => {
    const id = demo.one(
      "SELECT entity_id FROM files WHERE is_quarantined = 0 AND is_deleted = 0 AND verdict = 'clean'",
    );
    const file = () => demo.call('file.profile', { params: SAAS, ...entity(id) });
    await demo.call('manual-actions.create', act('quarantine', [id], { reason: 'R' }, 'file'));
    expect(await file()).toMatchObject({
      is_quarantined: true,
      quarantine_info: { by: 'tester', reason: 'R' },
    });
    expect(await restorable(id)).toBe(true);
    await demo.call('manual-actions.create', act('restore', [id], {}, 'file'));
    await demo.call('manual-actions.create', act('delete', [id], {}, 'file'));
    expect(await file()).toMatchObject({ is_quarantined: false, is_deleted: true });
    expect((await types(id)).slice(0, 3)).toEqual(['deleted', 'restored', 'quarantined']);
  });

  it('[spec 7] waits for its date, is visible meanwhile, and then happens, dated as planned', async () => {
    const id = demo.one(`${INBOX} LIMIT 1 OFFSET 22`);
    const date_trigger = new Date(demo.now + 3_600_000).toISOString();
    const { outcomes } = await demo.call('manual-actions.create', act('quarantine', [id], { date_trigger }));
    expect(outcomes).toMatchObject([{ success: true, scheduled: date_trigger }]);
    expect(await profile(id)).toMatchObject({
      folder: 'Inbox',
      pending_actions: [{ action: 'quarantine', time: date_trigger, by: 'tester' }],
    });
    demo.now += 3_700_000;
    expect(await profile(id)).toMatchObject({
      folder: 'Quarantined',
      pending_actions: [],
      quarantine_info: { time: date_trigger },
    });
  });

  it('says in the timeline when a planned action could not be carried out', async () => {
    const id = demo.one(
      "SELECT entity_id FROM emails WHERE state = 'Quarantined' AND quarantined = 1 LIMIT 1 OFFSET 2",
    );
    const date_trigger = new Date(demo.now + 1_000).toISOString();
    await demo.call('manual-actions.create', act('quarantine', [id], { date_trigger }));
    demo.now += 2_000;
    expect(await types(id)).toContain('action_failed');
  });

  it.each([
    [act('explode', ['x']), 400, 'data.action'],
    [act('quarantine', []), 400, 'entity_ids'],
    [act('quarantine', ['x'], { date_trigger: 'tomorrow' }), 400, 'date_trigger'],
    [act('quarantine', ['x'], { date_trigger: '2020-01-01T00:00:00Z' }), 400, 'date_trigger'],
    [act('quarantine', ['x'], { reason: 7 }), 400, 'data.reason'],
  ])('refuses %j', async (call, status, field) => {
    const [code, answer] = await demo.refused('manual-actions.create', call);
    expect([code, answer]).toEqual([status, expect.objectContaining({ field })]);
  });
});

describe('rescans', () => {
  const scans = async (id: string) => (await demo.call('scan.details', entity(id))).rows;

  it('take time, keep the old result meanwhile, change verdicts, and are flagged as re-evaluated', async () => {
    const ids = demo.store.db
      .prepare("SELECT entity_id FROM emails WHERE verdict = 'suspicious' LIMIT 25")
      .pluck()
      .all() as string[];
    for (const entity_id of ids) {
      const before = await scans(entity_id);
      const answer = await demo.call('entity.rescan', {
        body: { src_entity_type: 'email', entity_id, app_names: ['ap_guard'] },
      });
      expect(answer).toMatchObject({ success: true, app_names: ['ap_guard'] });
      const during = (await scans(entity_id)).find(({ tool }) => tool === 'ap_guard');
      const old = before.find(({ tool }) => tool === 'ap_guard');
      expect(during).toEqual({ ...old, rescan: { state: 'running', until: expect.any(String) } });
    }
    demo.now += 60_000;
    let changed = 0;
    for (const entity_id of ids) {
      const row = (await scans(entity_id)).find(({ tool }) => tool === 'ap_guard');
      expect(row?.rescan).toBeUndefined();
      if (!row?.re_evaluated) continue;
      changed += 1;
      expect(await types(entity_id)).toEqual(expect.arrayContaining(['rescan_requested', 're_evaluated']));
      const { verdict, re_evaluated_at } = await profile(entity_id);
      expect(re_evaluated_at).toBe(row.scanned_at);
      if ((row.matches ?? 0) > 0) expect(verdict).toBe('found');
    }
    expect(changed).toBeGreaterThan(0);
  });

  it('an empty list means every tool that applies to the entity; files have theirs', async () => {
    const entity_id = demo.one("SELECT entity_id FROM files WHERE verdict = 'not-scanned'");
    const { app_names } = await demo.call('entity.rescan', {
      body: { src_entity_type: 'file', entity_id, app_names: [] },
    });
    expect(app_names).toEqual(expect.arrayContaining(['checkpoint_te', 'checkpoint_av', 'dlp_checkpoint']));
    demo.now += 60_000;
    expect((await scans(entity_id)).filter(({ rescan }) => rescan)).toEqual([]);
    expect(await types(entity_id)).toContain('rescan_requested');
  });

  it.each([
    [{ src_entity_type: 'email', app_names: ['dlp_gtb'] }, 400, 'app_names'],
    [{ src_entity_type: 'file', app_names: [] }, 404, 'entity_id'],
  ])('refuses %j', async (body, status, field) => {
    const entity_id = demo.one(INBOX);
    const [code, answer] = await demo.refused('entity.rescan', { body: { ...body, entity_id } });
    expect([code, answer]).toEqual([status, expect.objectContaining({ field })]);
  });
});

describe('reports', () => {
  it('POST suspicious_report counts each recipient once and shows in profile and timeline', async () => {
    const id = demo.one(`${INBOX} LIMIT 1 OFFSET 30`);
    const report = (word: string, comment?: string) =>
      demo.call('email.report', { body: { entity_id: id, report: word, ...(comment ? { comment } : {}) } });
    await report('phishing', 'Asks for a password');
    await report('spam');
    expect((await profile(id)).report_phishing_info).toMatchObject({
      reported: true,
      count: 1,
      by: ['tester'],
      comment: 'Asks for a password',
    });
    await report('clean');
    expect((await types(id)).filter((type) => type === 'reported')).toHaveLength(3);
    expect((await demo.refused('email.report', { body: { entity_id: id, report: 'x' } }))[1]).toMatchObject({
      field: 'report',
    });
    expect((await demo.refused('email.report', { body: { entity_id: 'x', report: 'spam' } }))[0]).toBe(404);
  });
});

describe('exceptions status and findings', () => {
  it('[spec 7] names every tool that applies to the entity', async () => {
    const id = demo.one(INBOX);
    const { rows } = await demo.call('scan.exceptions-status', entity(id));
    const { rows: scans } = await demo.call('scan.details', entity(id));
    expect(rows.map(({ sec_type }) => sec_type)).toEqual(
      scans.filter((scan) => scan.applicable).map(({ tool }) => tool),
    );
  });

  it('[spec 7] counts what it lists, by widget and by entity, with links', async () => {
    const { rows: widgets } = await demo.call('findings.widgets');
    expect(widgets.length).toBeGreaterThan(3);
    for (const { id, count } of widgets) {
      const { rows } = await demo.call('findings.list', { query: { widget: id } });
      expect(rows).toHaveLength(count ?? -1);
    }
    const { rows } = await demo.call('findings.list', { query: { widget: 'public-files' } });
    const [first] = rows;
    const findings = await demo.call('findings.list', { query: { entity_id: String(first?.['entity_id']) } });
    expect(findings.rows.map(({ id }) => id)).toContain(first?.id);
    const links = await demo.call('findings.links', { query: { ids: `${first?.id},none:x` } });
    expect(links.rows).toEqual([{ id: first?.id, url: expect.stringContaining('https://') }]);
    expect((await demo.refused('findings.list', { query: { widget: 'x' } }))[0]).toBe(404);
  });
});

describe('roles', () => {
  const id = () => demo.one(`${INBOX} LIMIT 1 OFFSET 40`);
  it.each<[RoleName, EndpointName, () => Call, number]>([
    ['admin', 'email.headers', () => entity(id()), 200],
    ['provider_analyst', 'email.headers', () => entity(id()), 200],
    ['help_desk', 'email.headers', () => entity(id()), 403],
    ['end_user', 'email.headers', () => entity(id()), 403],
    ['end_user', 'email.body', () => entity(id()), 403],
    ['end_user', 'email.profile', () => ({ params: SAAS, ...entity(id()) }), 200],
    ['read_only', 'manual-actions.create', () => act('quarantine', [id()]), 403],
    ['end_user', 'manual-actions.create', () => act('restore', [id()]), 403],
    ['end_user', 'email.report', () => ({ body: { entity_id: id(), report: 'phishing' } }), 200],
    [
      'end_user',
      'entity.rescan',
      () => ({ body: { src_entity_type: 'email', entity_id: id(), app_names: [] } }),
      403,
    ],
    ['provider_analyst', 'entity.identify', () => ({ body: { entity_id: id(), identifier: 'x' } }), 403],
  ])('%s: %s', async (role, name, call, status) => {
    const response = await demo.raw(name, call(), role);
    expect(response.status).toBe(status);
    if (status === 403)
      expect(await response.json()).toMatchObject({
        error: expect.stringMatching(/^The role .+ may not .+/),
      });
  });

  it('[spec 6] gives the caller its role and permissions', async () => {
    const response = await demo.raw('entity.props', entity(id()), 'help_desk');
    expect(await response.json()).toMatchObject({
      role: { role_id: 'help_desk', role_name: 'Help desk', label: 'admin' },
      permissions: ['answer-requests', 'rescan', 'own-queries', 'export-results', 'portal'],
    });
  });
});

describe('many targets', () => {
  it('accepts a thousand targets at once, each counted once', async () => {
    const ids = demo.store.db
      .prepare("SELECT entity_id FROM emails WHERE verdict = 'clean' ORDER BY id DESC LIMIT 500")
      .pluck()
      .all() as string[];
    const { outcomes } = await demo.call('manual-actions.create', act('delete', [...ids, ...ids]));
    expect(outcomes).toHaveLength(500);
    const deletedIds = outcomes?.filter(({ success }) => success).map(({ entity_id }) => entity_id) ?? [];
    expect((await profile(deletedIds[0] ?? '')).is_deleted).toBe(true);
    const again = await demo.call('manual-actions.create', act('delete', deletedIds));
    expect(again.outcomes?.every(({ error }) => error === 'It is deleted already')).toBe(true);
  });
});

describe('evidence', () => {
  const service = new Served(ANCHOR, openEvidence({ path: ':memory:' }));
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-profiles-'));
  const file = Buffer.from('Column A;Column B\r\n1;2\r\n');
  const mail = [
    'From: Anna <anna@sender.example>',
    'To: Ben <ben@reader.example>',
    'Date: Tue, 17 Nov 2026 08:00:00 +0000',
    'Message-ID: <1@sender.example>',
    'Subject: Table',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'From the office, see https://docs.sender.example/t',
    '--b',
    'Content-Type: text/csv; name=t.csv',
    'Content-Disposition: attachment; filename=t.csv',
    'Content-Transfer-Encoding: base64',
    '',
    file.toString('base64'),
    '--b--',
    '',
  ].join('\r\n');
  let ids: string[] = [];

  beforeAll(async () => {
    writeFileSync(path.join(folder, 'a.eml'), mail);
    writeFileSync(
      path.join(folder, 'b.mbox'),
      `From x\n${mail.replaceAll('\r\n', '\n').replace('Table', 'Boxed').replace('\nFrom the', '\n>From the')}\n`,
    );
    await ingestEvidence(service.store, folder);
    ids = service.store.db.prepare('SELECT entity_id FROM emails ORDER BY id').pluck().all() as string[];
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('[promise] invents nothing: no tool ran, no exceptions, no debug links, no clicks, no findings', async () => {
    expect(ids).toHaveLength(2);
    for (const id of ids) {
      const { rows } = await service.call('scan.details', entity(id));
      expect(rows.filter((row) => row.applicable).every(({ status }) => status === null)).toBe(true);
      expect((await service.call('scan.exceptions-status', entity(id))).rows).toEqual([]);
      expect(
        (await service.call('scan.debug-links', { params: { product: 'guard' }, ...entity(id) })).rows,
      ).toEqual([]);
      expect((await service.call('scan.clicks', entity(id))).rows).toEqual([]);
      const events = await service.call('file.events', { params: { saas: 'all' }, ...entity(id) });
      // Newest first; within the same second, received comes after sent.
      expect(events.rows.map(({ type }) => type)).toEqual(['received', 'sent']);
      const { rows: words } = await service.call('emails.classification', {
        params: { product: 'guard' },
        body: { entity_ids: [id] },
      });
      expect(words[0]?.classification).toBe('not_scanned');
    }
    for (const { count } of (await service.call('findings.widgets')).rows) expect(count).toBe(0);
  });

  it('is read-only: actions, rescans and reports say so', async () => {
    const id = ids[0] ?? '';
    const answer = await service.call('manual-actions.create', act('quarantine', [id]));
    expect(answer.outcomes?.[0]).toMatchObject({
      success: false,
      error: expect.stringContaining('only read'),
    });
    expect(
      (
        await service.refused('entity.rescan', {
          body: { src_entity_type: 'email', entity_id: id, app_names: [] },
        })
      )[0],
    ).toBe(409);
    expect((await service.refused('email.report', { body: { entity_id: id, report: 'spam' } }))[0]).toBe(409);
    expect(await service.call('entity.quarantine-restorable', { params: { id } })).toMatchObject({
      restorable: false,
    });
  });

  it('returns the attachments of .eml and .mbox unchanged, until the file changes', async () => {
    for (const id of ids) {
      const { rows } = await service.call('email.attachments', {
        params: { saas: 'all' },
        ...entity(id),
      });
      const {
        hash,
        token,
        id: fileId,
        sha256,
      } = await service.call('file.matched', {
        params: { type: 'attachment', id: rows[0]?.entity_id },
      });
      const params = { hash, token, id: fileId };
      const response = await service.raw('entity.signed-link', { params });
      expect(Buffer.from(await response.arrayBuffer())).toEqual(file);
      expect(sha256).toBe(rows[0]?.sha256);
    }
    writeFileSync(path.join(folder, 'a.eml'), mail.replace('Column', 'column').replace('Table', 'Tablf'));
    const { rows } = await service.call('email.attachments', {
      params: { saas: 'all' },
      ...entity(ids[0] ?? ''),
    });
    const { hash, token, id } = await service.call('file.matched', {
      params: { type: 'attachment', id: rows[0]?.entity_id },
    });
    const [status, answer] = await service.refused('entity.signed-link', { params: { hash, token, id } });
    expect([status, answer]).toEqual([410, { error: expect.stringContaining('changed since') }]);
  });
});

describe('a tenant opened days later', () => {
  it('shifts past actions along with the mail, never into the future', async () => {
    const later = new Served(ANCHOR);
    await generate(later.store, { emails: 300, seed: 3, anchor: ANCHOR });
    later.now = ANCHOR + 20 * 3_600_000;
    const id = later.one(INBOX);
    await later.call('manual-actions.create', act('quarantine', [id]));
    later.now = ANCHOR + 30 * 3_600_000;
    await catchUp(later.store, later.now);
    const { quarantine_info, received } = await later.call('email.profile', { params: SAAS, ...entity(id) });
    const time = Date.parse(quarantine_info?.time ?? '');
    expect(time).toBeLessThanOrEqual(later.now);
    expect(time).toBeGreaterThanOrEqual(Date.parse(received ?? ''));
    await later.close();
  });
});
