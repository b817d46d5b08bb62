import { domainToUnicode } from 'node:url';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSlowMailbox } from '#service/demo/source.ts';
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { Row } from '#shared/model/entities.ts';
import type { ConditionGroup, ConditionValue } from '#shared/query/tree.ts';
import { type Call, Served } from '#tests/support/served.ts';

const ANCHOR = Date.UTC(2026, 10, 19, 8);
let served: Served;

beforeAll(async () => {
  served = await Served.demo(ANCHOR, 3_000, 3);
});
afterAll(() => served.close());

const where = (field: string, operator: string, ...values: ConditionValue[]): ConditionGroup => ({
  operator: 'and',
  conditions: [{ field, operator, values }],
});
const everything: ConditionGroup = { operator: 'and', conditions: [] };

async function rowsOf(domain: string, condition: ConditionGroup, columns: string[] = []): Promise<Row[]> {
  const answer = await served.call('query.execute', {
    body: {
      query_domain: domain,
      saas_id: 'all',
      query_entity_type: domain,
      condition,
      columns,
      sort_by: [],
      size: 10_000,
      include_copies: false,
      count_only: false,
    },
  });
  return answer.rows;
}
const idsOf = (rows: readonly Row[]) => rows.map((row) => String(row['entity_id']));

const actionBody = (
  domain: string,
  action: string,
  condition: ConditionGroup,
  params: Record<string, unknown> = {},
) => ({
  query_domain: domain,
  saas_id: 'all',
  condition,
  query_label: 'Test',
  columns: [],
  action_id: action,
  action_params: params,
});
const act = (...args: Parameters<typeof actionBody>) =>
  served.call('query.action', { params: { id: 'unsaved' }, body: actionBody(...args) });
const configOf = (domain: string) =>
  served.call('query.config', { query: { saas_id: 'all', query_domain: domain } });

const DOMAINS = ['file', 'email', 'user', 'group', 'message', 'click'];

describe('query/config', () => {
  it('[spec 3] offers every kind of operator', async () => {
    const configs = await Promise.all(DOMAINS.map(configOf));
    const operators = configs.flatMap((config) => config.operators);
    expect(new Set(operators.map(({ arity }) => arity))).toEqual(new Set([-1, 0, 1, 2]));
    expect(operators.some(({ regex }) => regex)).toBe(true);
    expect(new Set(operators.map(({ analyzer }) => analyzer ?? null))).toEqual(
      new Set(['words', 'phrase', null]),
    );
    expect(new Set(operators.filter(({ list }) => list).map(({ id }) => id))).toEqual(
      new Set(['in_custom_list', 'not_in_custom_list']),
    );
    for (const { template } of operators) expect(template).toContain('{field}');
    const fields = configs.flatMap((config) => config.fields);
    expect(new Set(fields.map(({ type }) => type))).toEqual(
      new Set(['text', 'email', 'domain', 'url', 'ip', 'hash', 'enum', 'number', 'bytes', 'date', 'boolean']),
    );
    expect(fields.some(({ multiValues }) => multiValues)).toBe(true);
    expect(fields.some(({ unit }) => unit === 'bytes')).toBe(true);
    expect(fields.some(({ size }) => size === 64)).toBe(true);
  });

  it.each(DOMAINS)(
    '[spec 3] of %s: every column and condition is a field, every action has a name',
    async (domain) => {
      const config = await configOf(domain);
      const ids = new Set(config.fields.map(({ id }) => id));
      expect(config.columns.map(({ id }) => ids.has(id))).not.toContain(false);
      for (const { field, operator, label } of config.conditions) {
        expect(config.fields.find(({ id }) => id === field)?.operators).toContain(operator);
        expect(label).not.toBe('');
      }
      expect(config.actions.length).toBeGreaterThan(2);
      expect(ids.has(config.entityField ?? '')).toBe(true);
      expect((await rowsOf(domain, everything)).length).toBeGreaterThan(50);
    },
  );

  it('[spec 3, spec 5] answers conditions on custom lists', async () => {
    const { lists = [] } = await configOf('email');
    expect(lists?.find(({ id }) => id === 'campaign-senders')?.count).toBeGreaterThan(1);
    const rows = await rowsOf('email', everything, ['from_domain']);
    const listed = new Set(
      served.store.db
        .prepare("SELECT value FROM list_values WHERE list_id = 'campaign-senders'")
        .pluck()
        .all()
        .map((value) => domainToUnicode(String(value))),
    );
    const inside = await rowsOf('email', where('from_domain', 'in_custom_list', 'campaign-senders'));
    const outside = await rowsOf('email', where('from_domain', 'not_in_custom_list', 'campaign-senders'));
    expect(inside.length).toBe(
      rows.filter((row) => listed.has(domainToUnicode(String(row['from_domain'])))).length,
    );
    expect(inside.length).toBeGreaterThan(0);
    expect(inside.length + outside.length).toBe(rows.length);
    const [status, body] = await served.refused('query.execute', {
      body: {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition: where('from_domain', 'in_custom_list', 'nobody'),
        columns: [],
        sort_by: [],
        size: 1,
        include_copies: false,
        count_only: false,
      },
    });
    expect([status, body]).toMatchObject([400, { field: 'condition.conditions.0' }]);
  });
});

describe('query/{id}/action', () => {
  it('quarantines exactly the named emails, says which were left unchanged, and restores', async () => {
    const rows = await rowsOf('email', where('state', 'is', 'Inbox'));
    const ids = idsOf(rows).slice(0, 400);
    const before = (await rowsOf('email', where('quarantined', 'is_true'))).length;
    const condition = where('entity_id', 'in_list', ...ids);
    const first = await act('email', 'quarantine', condition, { reason: 'a test' });
    expect(first.outcomes?.map(({ entity_id }) => entity_id).sort()).toEqual([...ids].sort());
    const slow = ids.filter(isSlowMailbox);
    expect(slow.length).toBeGreaterThan(0);
    expect(
      first.outcomes
        ?.filter(({ success }) => !success)
        .map(({ entity_id }) => entity_id)
        .sort(),
    ).toEqual([...slow].sort());
    expect([first.success, first.affected]).toEqual([false, ids.length - slow.length]);
    const again = await act('email', 'quarantine', where('entity_id', 'in_list', ...slow));
    expect([again.success, again.affected]).toEqual([true, slow.length]);
    expect((await rowsOf('email', where('quarantined', 'is_true'))).length).toBe(before + ids.length);
    const twice = await act('email', 'quarantine', where('entity_id', 'is', ids[0] ?? ''));
    expect(twice).toMatchObject({ affected: 0, outcomes: [{ error: 'It is in quarantine already' }] });
    await act('email', 'restore', condition);
    const back = await act('email', 'restore', condition);
    expect(back.affected).toBe(slow.length);
    expect((await rowsOf('email', where('quarantined', 'is_true'))).length).toBe(before);
    const log = served.store.db
      .prepare("SELECT count(*) FROM action_log WHERE by = 'tester' AND action = 'quarantine'")
      .pluck()
      .get();
    expect(log).toBe(ids.length + slow.length + 1);
  });

  it('acts on delivered copies by their ids', async () => {
    const email = (await rowsOf('email', where('state', 'is', 'Inbox')))
      .map((row) => String(row['entity_id']))
      .find((id) => !isSlowMailbox(`${id}.0`));
    const body = {
      ...actionBody('email', 'quarantine', where('entity_id', 'is', `${email}.0`)),
      include_copies: true,
    };
    const answer = await served.call('query.action', { params: { id: 'unsaved' }, body });
    expect(answer).toMatchObject({ affected: 1, outcomes: [{ entity_id: `${email}.0`, success: true }] });
  });

  it.each<[string, string, Record<string, string>, string, ConditionValue]>([
    ['email', 'tag', { tag: 'case-17' }, 'tags', 'case-17'],
    ['file', 'vault', {}, 'is_vault', true],
    ['user', 'disable', {}, 'state', 'disabled'],
    ['group', 'make_private', {}, 'is_public', false],
    ['message', 'delete', {}, 'state', 'deleted'],
    ['click', 'block', {}, 'blocked', true],
  ])('%s: %s changes the row', async (domain, action, params, column, value) => {
    const rows = await rowsOf(domain, everything, [column]);
    const targets = idsOf(rows.filter((row) => row[column] !== value)).slice(0, 30);
    const condition = where('entity_id', 'in_list', ...targets);
    const { outcomes } = await act(domain, action, condition, { ...params, reason: 'a test' });
    expect(outcomes).toHaveLength(targets.length);
    const ids = new Set(outcomes?.filter(({ success }) => success).map(({ entity_id }) => entity_id));
    expect(ids.size).toBeGreaterThan(0);
    for (const row of await rowsOf(domain, condition, [column])) {
      const cell = row[column];
      const has = Array.isArray(cell) ? cell.includes(value) : cell === value;
      expect([row['entity_id'], has]).toEqual([row['entity_id'], ids.has(String(row['entity_id']))]);
    }
  });

  it('[spec 3] runs every action of every config', async () => {
    const values: Record<string, string> = {
      email: 'soc@aldermoor.example',
      owner: 'l.brandt@aldermoor.example',
      text: 'Hello',
      tag: 'seen',
      folder: 'Archive',
      extent: 'external',
    };
    for (const domain of DOMAINS) {
      const target = idsOf(await rowsOf(domain, everything))[7] ?? '';
      for (const { id, params } of (await configOf(domain)).actions) {
        const actionParams = Object.fromEntries((params ?? []).map((param) => [param.id, values[param.id]]));
        const answer = await act(domain, id, where('entity_id', 'is', target), actionParams);
        expect([domain, id, answer.outcomes]).toMatchObject([domain, id, [{ entity_id: target }]]);
        expect(answer.outcomes?.[0]?.error ?? '').not.toMatch(/no such action/i);
      }
    }
  });

  it.each<[string, object, string]>([
    ['an unknown action', { action_id: 'explode' }, 'action_id'],
    ['an action of another domain', { action_id: 'disable' }, 'action_id'],
    ['a missing parameter', { action_id: 'tag' }, 'action_params.tag'],
    [
      'a parameter that is not an address',
      { action_id: 'notify', action_params: { email: 'x' } },
      'action_params.email',
    ],
    ['a custom folder', { action_id: 'move', action_params: { folder: 'Attic' } }, 'action_params.folder'],
    ['a parameter it does not have', { action_params: { force: 'yes' } }, 'action_params.force'],
    ['an unknown app', { saas_id: 'fax' }, 'saas_id'],
    ['a wrong condition', { condition: where('nope', 'is', 1) }, 'condition.conditions.0'],
  ])('refuses %s', async (_, change, field) => {
    const body = { ...actionBody('email', 'quarantine', everything), ...change };
    expect(await served.refused('query.action', { params: { id: 'unsaved' }, body })).toMatchObject([
      400,
      { field },
    ]);
  });

  it('knows which query it comes from', async () => {
    const body = actionBody('email', 'quarantine', where('entity_id', 'is', 'nobody'));
    expect((await served.refused('query.action', { params: { id: 'q-none' }, body }))[0]).toBe(404);
    const answer = await served.call('query.action', { params: { id: 'q-0001' }, body });
    expect(answer).toEqual({ success: true, affected: 0, outcomes: [] });
  });
});

const draft = {
  type: 'query',
  subType: 'report',
  domain: 'user',
  entityType: 'user',
  name: 'Disabled accounts',
  status: 'running',
  columns: [
    { id: 'email', label: 'Address', order: 1 },
    { id: 'name', label: 'Name', order: 0 },
  ],
  filter: where('department', 'is', 'Finance'),
};
const schedule = {
  emails: ['soc@aldermoor.example'],
  format: 'csv',
  frequency: 'weekly',
  day: 1,
  time: '07:30',
};
const save = (change: object = {}) => served.call('query.save', { body: { ...draft, ...change } });

describe('scheduled exports', () => {
  it.each<[string, object, string]>([
    ['no recipient', { emails: [] }, 'scheduledExport.emails'],
    ['an invalid recipient', { emails: ['a@b.example', 'nobody'] }, 'scheduledExport.emails.1'],
    ['an unknown format', { format: 'pdf' }, 'scheduledExport.format'],
    ['the fifth week', { frequency: 'monthly', week: 5 }, 'scheduledExport.week'],
    ['no week', { frequency: 'monthly' }, 'scheduledExport.week'],
    ['day 7', { day: 7 }, 'scheduledExport.day'],
    ['an invalid time', { time: '7:30' }, 'scheduledExport.time'],
    ['a password that is too short', { password: 'short' }, 'scheduledExport.password'],
  ])('refuses %s, naming its field', async (_, change, field) => {
    const body = { ...draft, scheduledExport: { ...schedule, ...change } };
    expect(await served.refused('query.save', { body })).toMatchObject([
      400,
      { field, error: expect.any(String) },
    ]);
  });

  it.each<[string, object, string]>([
    ['a name that is too long', { name: 'x'.repeat(201) }, 'name'],
    ['an unknown kind', { subType: 'poem' }, 'subType'],
    ['an unknown severity', { severity: 9 }, 'severity'],
    ['a column twice', { columns: [draft.columns[0], draft.columns[0]] }, 'columns'],
    ['a template that is scheduled', { subType: 'template', scheduledExport: schedule }, 'scheduledExport'],
  ])('refuses to save %s', async (_, change, field) => {
    expect(await served.refused('query.save', { body: { ...draft, ...change } })).toMatchObject([
      400,
      { field },
    ]);
  });

  it('[spec 3] keeps a field that the config lacks', async () => {
    const filter = where('gone_field', 'odd_operator', 1, null);
    const saved = await save({ filter, columns: [{ id: 'gone', label: 'Gone', order: 0 }] });
    expect(saved.filter).toEqual(filter);
    expect(saved.columns[0]?.id).toBe('gone');
  });

  it('says when it last ran and runs next, and never returns a password', async () => {
    const saved = await save({ scheduledExport: { ...schedule, password: 'correct horse' } });
    expect(saved.scheduledExport).toMatchObject({
      has_password: true,
      next_run: '2026-11-23T07:30:00.000Z',
      last_sent: null,
    });
    served.now += 8 * 86_400_000;
    const later = await served.call('query.get', { params: { id: saved.id } });
    // A new name, and a pause, do not undo what was sent.
    const renamed = await served.call('query.update', {
      params: { id: saved.id },
      body: { ...later, name: 'Another name' },
    });
    expect(renamed.scheduledExport?.['last_sent']).toBe('2026-11-23T07:30:00.000Z');
    const paused = await served.call('query.update', {
      params: { id: saved.id },
      body: { ...renamed, status: 'paused' },
    });
    expect(paused.scheduledExport).toMatchObject({ last_sent: '2026-11-23T07:30:00.000Z', next_run: null });
    served.now -= 8 * 86_400_000;
    expect(later.scheduledExport).toMatchObject({
      last_sent: '2026-11-23T07:30:00.000Z',
      next_run: '2026-11-30T07:30:00.000Z',
    });
    const { queries } = await served.call('query.list');
    expect(JSON.stringify(queries)).not.toContain('correct horse');
    const stored = served.store.db.prepare('SELECT group_concat(body) FROM queries').pluck().get();
    expect(String(stored)).not.toContain('correct horse');
    const exported = await (await served.raw('query.export', { body: { ids: [saved.id] } })).text();
    expect(exported).not.toContain('correct horse');
  });

  it('[spec 3] keeps a password that is not sent again, removes it when it is cleared', async () => {
    const saved = await save({ scheduledExport: { ...schedule, password: 'correct horse' } });
    const params = { id: saved.id };
    const query = await served.call('query.update', { params, body: saved });
    expect(query.scheduledExport?.['has_password']).toBe(true);
    expect(await served.call('policies.send-result', { params })).toMatchObject({ sealed: true });
    const emptied = { ...saved, scheduledExport: { ...schedule, password: '' } };
    const dropped = await served.call('query.update', { params, body: emptied });
    expect(dropped.scheduledExport?.['has_password']).toBe(false);
    expect(await served.call('policies.send-result', { params })).toMatchObject({ sealed: false });
  });
});

describe('policies', () => {
  it('[spec 3] sends the result of a schedule now, and reports it', async () => {
    const saved = await save({ scheduledExport: schedule });
    const params = { id: saved.id };
    const finance = (await rowsOf('user', draft.filter)).length;
    expect(await served.call('policies.send-result', { params })).toMatchObject({
      success: true,
      sent_at: new Date(served.now).toISOString(),
      rows: finance,
      recipients: schedule.emails,
      format: 'csv',
    });
    const after = await served.call('query.get', { params });
    expect(after.scheduledExport?.['last_sent']).toBe(new Date(served.now).toISOString());
    const plain = await save();
    expect(await served.refused('policies.send-result', { params: { id: plain.id } })).toMatchObject([
      400,
      { field: 'scheduledExport' },
    ]);
    expect((await served.refused('policies.send-result', { params: { id: 'none' } }))[0]).toBe(404);
  });

  it('asks again for a password that was lost when it restarted', async () => {
    const saved = await save();
    const body = JSON.stringify({ ...saved, scheduledExport: { ...schedule, has_password: true } });
    served.store.db.prepare('UPDATE queries SET body = ? WHERE id = ?').run(body, saved.id);
    expect(await served.refused('policies.send-result', { params: { id: saved.id } })).toMatchObject([
      409,
      { field: 'scheduledExport.password' },
    ]);
  });

  it('operates on several at once, each with its outcome', async () => {
    const plain = await save({ status: 'stopped', scheduledExport: schedule });
    const two = await save({ subType: 'template' });
    const ids = [plain.id, two.id, 'none'];
    const operate = (operator: string, policies_ids: string[] = ids) =>
      served.call('policies.operation', { body: { operator, policies_ids } });
    const status = async () => (await served.call('query.get', { params: { id: plain.id } })).status;
    expect(await operate('enable')).toEqual({
      success: false,
      outcomes: [
        { id: plain.id, success: true },
        { id: two.id, success: false, error: 'A template does not run' },
        { id: 'none', success: false, error: 'There is no such policy' },
      ],
    });
    expect(await status()).toBe('running');
    for (const [operator, expected] of [
      ['pause', 'paused'],
      ['resume', 'running'],
      ['disable', 'stopped'],
    ] as const) {
      expect((await operate(operator, [plain.id])).success).toBe(true);
      expect(await status()).toBe(expected);
    }
    expect((await operate('unschedule', [plain.id])).success).toBe(true);
    expect((await served.call('query.get', { params: { id: plain.id } })).scheduledExport).toBeNull();
    const refusal = await served.refused('policies.operation', {
      body: { operator: 'juggle', policies_ids: ids },
    });
    expect(refusal).toMatchObject([400, { field: 'operator' }]);
    expect(
      (await served.refused('policies.operation', { body: { operator: 'enable', policies_ids: [] } }))[0],
    ).toBe(400);
  });
});

async function unzip(bytes: Uint8Array, password: string): Promise<{ name: string; bytes: Uint8Array }> {
  const reader = new ZipReader(new Uint8ArrayReader(bytes), { password, useWebWorkers: false });
  const [entry] = await reader.getEntries();
  if (!entry || entry.directory) throw new Error('The zip is empty');
  const out = { name: entry.filename, bytes: await entry.getData(new Uint8ArrayWriter()) };
  await reader.close();
  return out;
}

describe('files of results', () => {
  const bytesOf = async (name: EndpointName, options: Call) => {
    const response = await served.raw(name, options);
    expect([name, response.status]).toEqual([name, 200]);
    return {
      bytes: new Uint8Array(await response.arrayBuffer()),
      type: response.headers.get('content-type'),
    };
  };

  it('[spec 3] contains the report: its columns in order, its condition, all rows', async () => {
    const saved = await save({
      reportColumns: [{ id: 'email', label: '=Address', order: 0 }],
      reportCondition: where('state', 'is', 'active'),
    });
    const params = { id: saved.id };
    const expected = (
      await rowsOf('user', { operator: 'and', conditions: [draft.filter, where('state', 'is', 'active')] }, [
        'email',
      ])
    ).map((row) => row['email']);
    const csv = Buffer.from((await bytesOf('query.export-results', { params, body: {} })).bytes).toString();
    expect(csv.split('\r\n').slice(0, -1)).toEqual(["'=Address", ...expected]);
    const json = await bytesOf('query.export-results', { params, body: { format: 'json' } });
    expect(JSON.parse(Buffer.from(json.bytes).toString())).toMatchObject(
      expected.map((email) => ({ email })),
    );
    const xlsx = await bytesOf('query.export-results', { params, body: { format: 'xlsx' } });
    const { sheets } = await readXlsx(xlsx.bytes);
    expect(sheets[0]?.rows.map((row) => row[0])).toEqual(["'=Address", ...expected]);
  });

  it('[spec 1] labels values by their known names: no identifier of an app or a tool', async () => {
    const body = {
      name: 'Words',
      domain: 'email',
      columns: ['received', 'verdict', 'stack', 'saas'].map((id, order) => ({ id, label: id, order })),
      filter: where('verdict', 'is', 'found'),
    };
    const { id } = await served.call('query.save', { body });
    for (const format of ['csv', 'json']) {
      const { bytes } = await bytesOf('query.export-results', { params: { id }, body: { format } });
      const text = Buffer.from(bytes).toString();
      expect(text).not.toMatch(/checkpoint|lastline|office365_|google_mail|ap_guard/);
      for (const word of ['Microsoft 365 Mail', 'Sandbox: ', 'Anti-phishing: Found'])
        expect([format, word, text.includes(word)]).toEqual([format, word, true]);
    }
  });

  it('seals the file with a password', async () => {
    const password = 'correct horse';
    const body = { saas: 'google_mail', format: 'csv', password };
    const { bytes, type } = await bytesOf('query.export-active-users', { body });
    expect(type).toBe('application/zip');
    expect(Buffer.from(bytes).includes('aldermoor.example')).toBe(false);
    await expect(unzip(bytes, 'wrong horse')).rejects.toThrow();
    const inner = await unzip(bytes, password);
    expect(inner.name).toBe('active-users.csv');
    const lines = Buffer.from(inner.bytes).toString().split('\r\n').slice(1, -1);
    const active = await rowsOf('user', {
      operator: 'and',
      conditions: [
        { field: 'state', operator: 'is', values: ['active'] },
        { field: 'saas', operator: 'is', values: ['google_mail'] },
        { field: 'last_login', operator: 'is_not_empty', values: [] },
      ],
    });
    expect(lines).toHaveLength(active.length);
  });

  it.each<[EndpointName, Call, number, string]>([
    ['query.export-results', { params: { id: 'none' }, body: {} }, 404, 'id'],
    ['query.export-results', { params: { id: 'q-0001' }, body: { format: 'pdf' } }, 400, 'format'],
    ['query.export-results', { params: { id: 'q-0001' }, body: { password: 'short' } }, 400, 'password'],
    ['query.export-active-users', { body: { saas: 'fax' } }, 400, 'saas'],
  ])('%s refuses %j', async (name, options, status, field) => {
    expect(await served.refused(name, options)).toMatchObject([status, { field }]);
  });
});
