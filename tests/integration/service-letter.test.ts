/** Points that the specification leaves open, as seen by a caller who knows only the specification. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EndpointName } from '#shared/api/catalogue.ts';
import { DEFAULT_PAGE_SIZE } from '#shared/model/constants.ts';
import type { QueryConfig, Row } from '#shared/model/entities.ts';
import { flagsOf } from '#shared/model/flags.ts';
import { allowedHashes } from '#shared/model/hashes.ts';
import { Served } from '../support/served.ts';

const ANCHOR = Date.UTC(2026, 10, 19, 8);
let served: Served;
beforeAll(async () => {
  served = await Served.demo(ANCHOR);
});
afterAll(() => served.close());

const missing = (kind: string) => [404, { error: expect.stringContaining(`No such ${kind}`) }];
const first = (table: string, where = '1') =>
  served.one(`SELECT entity_id FROM ${table} WHERE ${where} ORDER BY id`);

describe('fields that the specification does not require', () => {
  it('[spec 7] have defaults: execute with only a domain returns a page of 25', async () => {
    const bare = await served.call('query.execute', { body: { query_domain: 'email' } });
    expect([bare.rows.length, bare.total_rows]).toEqual([DEFAULT_PAGE_SIZE, 600]);
    const explicit = await served.call('query.execute', {
      body: {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition: { operator: 'and', conditions: [] },
        columns: [],
        sort_by: [],
        size: 25,
        include_copies: false,
        count_only: false,
      },
    });
    expect(bare.rows).toEqual(explicit.rows);
  });

  it('[spec 7] an action without a date is taken now', async () => {
    const id = first('emails', 'quarantined = 0');
    const outcome = await served.call('manual-actions.create', {
      body: { entity_ids: [id], entity_type: 'email', data: { action: 'quarantine' } },
    });
    expect(outcome.success).toBe(true);
    expect(served.one('SELECT quarantined FROM emails WHERE entity_id = ?', id)).toBe('1');
  });

  it.each<[EndpointName, () => { params?: Record<string, unknown>; body: unknown }]>([
    ['query.save', () => ({ body: { name: 'A name and a domain', domain: 'user' } })],
    ['query.export', () => ({ body: {} })],
    ['query.export-active-users', () => ({ body: {} })],
    [
      'query.action',
      () => ({
        params: { id: 'unsaved' },
        body: {
          query_domain: 'email',
          action_id: 'quarantine',
          condition: {
            operator: 'and',
            conditions: [{ field: 'entity_id', operator: 'is', values: [first('emails')] }],
          },
        },
      }),
    ],
    ['entity.rescan', () => ({ body: { src_entity_type: 'email', entity_id: first('emails') } })],
    ['email.report', () => ({ body: { entity_id: first('emails') } })],
  ])('%s accepts the minimum', async (name, options) => {
    const response = await served.raw(name, options());
    expect([name, response.status]).toEqual([name, 200]);
  });

  it('a query saved with the minimum is complete', async () => {
    const saved = await served.call('query.save', { body: { name: 'Least', domain: 'group' } });
    expect(saved).toMatchObject({ type: 'query', entityType: 'group', columns: [], domain: 'group' });
  });
});

describe('[spec 7] a refusal is explained in words', () => {
  it.each<[string, EndpointName, object, string, string]>([
    ['nothing', 'query.execute', {}, 'query_domain', 'query_domain: It is missing'],
    [
      'a number instead of a text',
      'query.execute',
      { query_domain: 7 },
      'query_domain',
      'query_domain: It must be text',
    ],
    [
      'a page too large',
      'query.execute',
      { query_domain: 'email', size: 10_001 },
      'size',
      'size: It takes at most 10,000',
    ],
    [
      'an invalid direction',
      'query.execute',
      { query_domain: 'email', sort_by: [{ dbId: 'received', direction: 'up' }] },
      'sort_by.0.direction',
      'sort_by.0.direction: It must be asc or desc',
    ],
  ])('%s', async (_, name, body, field, error) => {
    expect(await served.refused(name, { body })).toEqual([400, { error, field }]);
  });
});

describe('{saas} of a path', () => {
  const elsewhere = (saas: string) => (saas === 'google_mail' ? 'office365_emails' : 'google_mail');
  it.each<EndpointName>([
    'email.profile',
    'email.recipients',
    'email.attachments',
    'email.conversation',
    'email.splits',
    'file.events',
  ])('[spec 7] %s: an email of another app does not exist', async (name) => {
    const id = first('emails');
    const saas = served.one('SELECT saas FROM emails WHERE entity_id = ?', id);
    const query = { entity_id: id };
    expect((await served.raw(name, { params: { saas }, query })).status).toBe(200);
    expect((await served.raw(name, { params: { saas: 'all' }, query })).status).toBe(200);
    for (const other of [elsewhere(saas), 'nowhere'])
      expect(await served.refused(name, { params: { saas: other }, query })).toMatchObject(missing('email'));
  });

  it.each<EndpointName>(['file.profile', 'file.events', 'entity.permissions'])(
    '%s: a file of another app does not exist',
    async (name) => {
      const id = first('files');
      const saas = served.one('SELECT saas FROM files WHERE entity_id = ?', id);
      const ask = (app: string) => ({ params: { saas: app, type: 'file' }, query: { entity_id: id } });
      expect((await served.raw(name, ask(saas))).status).toBe(200);
      expect(await served.refused(name, ask('google_mail'))).toMatchObject(missing('file'));
    },
  );
});

describe('{type}_permissions', () => {
  it('[spec 7] for an email: who has it in a mailbox, and who cannot open it', async () => {
    const id = first('emails', "direction = 'incoming' AND quarantined = 0 AND recipients_count > 1");
    const ask = { params: { saas: 'all', type: 'email' }, query: { entity_id: id } };
    const { rows, total_rows } = await served.call('entity.permissions', ask);
    expect(total_rows).toBeGreaterThan(0);
    const people = served.store.db.prepare('SELECT count(*) FROM users WHERE email = ?').pluck();
    for (const { email, userId, roles, can_edit } of rows) {
      expect([people.get(email), roles, can_edit]).toEqual([1, ['mailbox_owner'], false]);
      expect(userId).toMatch(/^[0-9a-f]{32}$/);
    }
    expect(rows.some(({ can_view }) => can_view)).toBe(true);
    await served.call('manual-actions.create', {
      body: { entity_ids: [id], entity_type: 'email', data: { action: 'quarantine' } },
    });
    const after = await served.call('entity.permissions', ask);
    expect(after.rows.map(({ can_view }) => can_view)).toEqual(rows.map(() => false));
  });

  it('for anything else is refused with the field', async () => {
    const ask = { params: { saas: 'all', type: 'group' }, query: { entity_id: first('groups') } };
    expect(await served.refused('entity.permissions', ask)).toMatchObject([400, { field: 'type' }]);
  });
});

describe('entity/{type}/{id}', () => {
  it.each(['email', 'file', 'user', 'group', 'message', 'click'])(
    '[spec 7] %s returns every id that execute returned',
    async (type) => {
      const { rows } = await served.call('query.execute', { body: { query_domain: type, size: 5 } });
      expect(rows.length).toBeGreaterThan(0);
      for (const { entity_id } of rows) {
        const entity = await served.call('entity.get', { params: { type, id: String(entity_id) } });
        expect(entity).toMatchObject({ entity_id, entity_type: type });
      }
    },
  );

  it('[spec 3] a click says what its row says; one that never happened does not exist', async () => {
    const { rows } = await served.call('query.execute', { body: { query_domain: 'click', size: 1 } });
    const row = rows[0] as Row;
    const click = await served.call('entity.get', {
      params: { type: 'click', id: String(row['entity_id']) },
    });
    for (const field of ['click_time', 'user', 'url', 'host', 'ip', 'blocked', 'subject'])
      expect([field, click[field]]).toEqual([field, row[field]]);
    for (const id of ['click-999999999', 'click-', 'click-1x', '1'])
      expect(await served.refused('entity.get', { params: { type: 'click', id } })).toMatchObject(
        missing('click'),
      );
  });

  it('[promise] a user has roles and security training', async () => {
    const user = await served.call('entity.get', { params: { type: 'user', id: first('users') } });
    expect(user).toMatchObject({
      roles: [{ role_id: expect.any(Number), role_name: expect.any(String) }],
      security_training: { assigned: expect.any(Number), completed: expect.any(Number) },
    });
  });
});

it('[spec 7] a chat message is quarantined and restored by manual_actions', async () => {
  const id = first('messages', "state = 'posted'");
  const take = (action: string) =>
    served.call('manual-actions.create', {
      body: { entity_ids: [id], entity_type: 'message', data: { action } },
    });
  const state = () => served.one('SELECT state FROM messages WHERE entity_id = ?', id);
  expect([(await take('quarantine')).success, state()]).toEqual([true, 'quarantined']);
  const again = await take('quarantine');
  expect([again.success, again.outcomes?.[0]?.error]).toEqual([
    false,
    'It is quarantined or deleted already',
  ]);
  expect([(await take('restore')).success, state()]).toEqual([true, 'posted']);
});

describe('a field whose dbId is not its id', () => {
  const DOMAINS = ['file', 'email', 'user', 'message'];
  const configOf = (query_domain: string): Promise<QueryConfig> =>
    served.call('query.config', { query: { saas_id: 'all', query_domain } });

  it.each(DOMAINS)(
    '[spec 3] %s has one: sorted by dbId, queried and compared by id',
    async (query_domain) => {
      const config = await configOf(query_domain);
      const field = config.fields.find(({ id, dbId }) => id !== dbId);
      if (!field) throw new Error(`${query_domain} has none`);
      const column = async (direction: 'asc' | 'desc', condition?: object) => {
        const { rows } = await served.call('query.execute', {
          body: {
            query_domain,
            columns: [field.id],
            sort_by: [{ dbId: field.dbId, direction }],
            size: 50,
            ...(condition ? { condition } : {}),
          },
        });
        return rows.map((row) => row[field.id] as number | string);
      };
      const down = await column('desc');
      expect(down.length).toBeGreaterThan(5);
      expect(down).toEqual([...down].sort((a, b) => (a < b ? 1 : -1)));
      const operator = field.type === 'date' ? 'before' : 'less_than';
      expect(field.operators).toContain(operator);
      const condition = {
        operator: 'and',
        conditions: [{ field: field.id, operator, values: [down[3]] }],
      };
      for (const value of await column('desc', condition)) expect(value < (down[3] ?? '')).toBe(true);
      const unknown = { operator: 'and', conditions: [{ ...condition.conditions[0], field: field.dbId }] };
      expect(
        await served.refused('query.execute', { body: { query_domain, condition: unknown } }),
      ).toMatchObject([400, { field: 'condition.conditions.0' }]);
    },
  );

  it.each(['file', 'user', 'message'])('%s: its own order uses the dbId', async (query_domain) => {
    const config = await configOf(query_domain);
    const [sort] = config.sort ?? [];
    expect(config.fields.some(({ dbId, id }) => dbId === sort?.dbId && id !== dbId)).toBe(true);
  });
});

describe('hash rules', () => {
  const sha256 = 'ab'.repeat(32);
  const make = (sec_type: string) => ({
    body: {
      sec_type,
      exception:
        sec_type === 'ap_guard'
          ? { type: 'blacklist', string: sha256, payload: { field: 'md5', matching: 'exact' } }
          : { type: 'hash', string: sha256, payload: { field: 'hash', matching: 'exact', list: 'block' } },
    },
  });

  it.each([
    ['ap_guard', 'ap_{product}', 'sha256_anti_phishing_exceptions'],
    ['dlp_checkpoint', 'dlp_checkpoint', 'sha256_dlp_exceptions'],
    ['checkpoint_te', 'checkpoint_te', 'sha256_exceptions'],
  ])(
    '[spec 5] %s: the service accepts what the console offers, by the connection’s flag',
    async (tool, canonical, flag) => {
      for (const on of [false, true]) {
        served.flags = { [flag]: on };
        const allowed = allowedHashes(canonical, flagsOf(served.flags)).sha256;
        expect(allowed).toBe(on);
        const response = await served.raw('exceptions.create-external', make(tool));
        expect([on, response.status]).toEqual([on, on ? 200 : 400]);
        if (!on)
          expect(await response.json()).toMatchObject({
            error: expect.stringContaining('invalidMd5'),
            field: 'exception.string',
          });
      }
      served.flags = {};
    },
  );
});
