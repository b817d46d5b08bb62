/** Who may make which call of the embedded service, over HTTP: every role, every call, and the owners of queries. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type RoleName } from '#service/roles.ts';
import { callRefusal } from '#shared/api/access.ts';
import { type AnswerOf, type EndpointName, endpointNames } from '#shared/api/catalogue.ts';
import type { Query } from '#shared/model/entities.ts';
import { Served } from '#tests/support/served.ts';

const demo = await Served.demo(Date.UTC(2026, 4, 4, 12), 200);
afterAll(() => demo.close());
const roles = Object.keys(ROLES) as RoleName[];

const plain = { type: 'query', domain: 'email', entityType: 'email', name: 'Mine', columns: [] };
const schedule = { emails: ['out@elsewhere.example'], format: 'csv', frequency: 'daily', time: '08:00' };
const ids: Record<'mine' | 'theirs' | 'mail', string> = { mine: '', theirs: '', mail: '' };

beforeAll(async () => {
  ids.mine = (await demo.call('query.save', { body: plain })).id;
  ids.theirs = (
    await demo.call('query.save', { body: { ...plain, name: 'Theirs', createdBy: 'another' } })
  ).id;
  ids.mail = String(demo.store.db.prepare('SELECT entity_id FROM emails LIMIT 1').pluck().get());
});

/** Calls that a role is refused whatever they concern; written by hand, to check the service's own table. */
const ACT: EndpointName[] = ['policies.operation', 'exceptions.create', 'exceptions.create-external'];
const RAW: EndpointName[] = ['email.headers', 'email.body', 'entity.message-body'];
const FETCH: EndpointName[] = ['file.matched', 'entity.signed-link'];
const SEND: EndpointName[] = ['policies.send-result', 'query.export-active-users'];
/** Reads of administration: an End User acts by email, an Admin in the portal (specification section 6). */
const PORTAL: EndpointName[] = [
  'entity.permissions',
  'scan.debug-links',
  'scan.exceptions-status',
  'exceptions.search',
  'exceptions.search2',
  'exceptions.combo-options',
  'exceptions.options',
  'exceptions.blacklist-options',
];
const REFUSED: Record<RoleName, EndpointName[]> = {
  admin: [],
  provider_analyst: ['entity.identify'],
  help_desk: [...ACT, ...RAW, ...FETCH, ...SEND, 'entity.identify'],
  read_only: [
    ...ACT,
    ...RAW,
    ...FETCH,
    ...SEND,
    'entity.identify',
    'entity.rescan',
    'query.save',
    'query.import',
    'query.update',
    'query.delete',
  ],
  end_user: [
    ...ACT,
    ...RAW,
    ...FETCH,
    ...SEND,
    ...PORTAL,
    'entity.identify',
    'entity.rescan',
    'query.export-results',
  ],
};

const params = (name: EndpointName): Record<string, string> => ({
  id: name.startsWith('query.') || name.startsWith('policies.') ? ids.theirs : ids.mail,
  type: name === 'entity.permissions' ? 'file' : 'email',
  saas: 'all',
  product: 'guard',
  hash: `/signed/${'0'.repeat(32)}/`,
  token: 'zz~',
});

/** Sends a call without its fields: roles are checked before them. */
async function status(name: EndpointName, role: RoleName): Promise<number> {
  const bare = { params: params(name), query: {} };
  const withBody = /^(?:POST|PUT)$/.test((await import('#shared/api/catalogue.ts')).endpointOf(name).method);
  return (await demo.raw(name, withBody ? { ...bare, body: {} } : bare, role)).status;
}

describe.each(roles)('%s', (role) => {
  const byOwner = new Set<EndpointName>(['query.update', 'query.delete']);
  it.each(endpointNames.filter((name) => !(byOwner.has(name) && role !== 'read_only')))(
    '%s',
    async (name) => {
      if (byOwner.has(name)) {
        const body = name === 'query.update' ? { body: plain } : {};
        expect((await demo.raw(name, { params: { id: ids.theirs }, ...body }, role)).status).toBe(403);
        return;
      }
      const answer = await status(name, role);
      if (REFUSED[role].includes(name)) expect(answer).toBe(403);
      else expect(answer).not.toBe(403);
    },
  );

  it('[spec 6] learns its identity and permissions with the list of queries; a screen that relies on them is right', async () => {
    const list = (await (await demo.raw('query.list', {}, role)).json()) as AnswerOf<'query.list'>;
    expect(list.caller).toMatchObject({ id: 'tester', role: { role_id: role, role_name: ROLES[role].name } });
    const allowed = endpointNames.filter(
      (name) => callRefusal(list.caller, name, { query: { createdBy: 'another' } }) !== null,
    );
    const refused = role === 'admin' || role === 'provider_analyst' ? [] : ['query.update', 'query.delete'];
    const owned = role === 'end_user' ? ['query.export'] : [];
    expect(new Set(allowed)).toEqual(new Set([...REFUSED[role], ...refused, ...owned]));
  });
});

describe('queries have owners', () => {
  const refused = async (name: EndpointName, role: RoleName, call: object) =>
    expect((await demo.raw(name, call, role)).status, `${role} ${name}`).toBe(403);
  const allowed = async (name: EndpointName, role: RoleName, call: object) => {
    const answer = await demo.raw(name, call, role);
    expect([`${role} ${name}`, answer.status]).toEqual([`${role} ${name}`, 200]);
    return answer;
  };
  const of = (id: string) => ({ params: { id } });

  it.each(['end_user', 'help_desk'] as const)(
    '%s: own queries can be changed, those of others cannot',
    async (role) => {
      const savedQuery = (await (
        await allowed('query.save', role, { body: { ...plain, createdBy: 'another' } })
      ).json()) as Query;
      expect(savedQuery.createdBy).toBe('tester');
      await allowed('query.update', role, {
        ...of(savedQuery.id),
        body: { ...plain, name: 'Mine, renamed' },
      });
      await allowed('query.export', role, { body: { ids: [savedQuery.id] } });
      await allowed('query.export-results', role, { ...of(savedQuery.id), body: { format: 'csv' } });
      await refused('query.update', role, { ...of(ids.theirs), body: { ...plain, name: 'Taken' } });
      await refused('query.delete', role, of(ids.theirs));
      if (role === 'end_user') {
        await refused('query.export', role, { body: { ids: [savedQuery.id, ids.theirs] } });
        await refused('query.export-results', role, { ...of(ids.theirs), body: { format: 'csv' } });
      }
      await allowed('query.delete', role, of(savedQuery.id));
      expect((await demo.call('query.get', of(ids.theirs))).name).toBe('Theirs');
    },
  );

  it.each(['end_user', 'help_desk'] as const)('%s: no schedule is set or redirected', async (role) => {
    await refused('query.save', role, { body: { ...plain, scheduledExport: schedule } });
    await demo.call('query.update', {
      ...of(ids.mine),
      body: { ...plain, scheduledExport: { ...schedule, emails: ['soc@aldermoor.example'] } },
    });
    const before = await demo.call('query.get', of(ids.mine));
    await refused('query.update', role, { ...of(ids.mine), body: { ...before, scheduledExport: schedule } });
    await refused('query.update', role, {
      ...of(ids.mine),
      body: { ...before, scheduledExport: { ...before.scheduledExport, password: 'known-to-me' } },
    });
    // Sending a query back unchanged changes nothing.
    await allowed('query.update', role, { ...of(ids.mine), body: { ...before, name: 'Mine still' } });
    await refused('policies.send-result', role, of(ids.mine));
    expect((await demo.call('query.get', of(ids.mine))).scheduledExport?.emails).toEqual([
      'soc@aldermoor.example',
    ]);
  });

  it('an import creates queries of the caller, and none with a schedule', async () => {
    const text = JSON.stringify({
      kind: 'parapet-queries',
      version: 1,
      queries: [
        { ...plain, name: 'Brought', createdBy: 'another' },
        { ...plain, name: 'Sends', scheduledExport: schedule },
      ],
    });
    const form = new FormData();
    form.set('file', new File([text], 'q.json'));
    const answer = (await (await demo.form('query.import', form, 'end_user')).json()) as {
      imported: string[];
      error: string[];
    };
    expect(answer).toMatchObject({ imported: ['Brought'], error: ['Sends'] });
    const { queries } = await demo.call('query.list');
    expect(queries.find(({ name }) => name === 'Brought')?.createdBy).toBe('tester');
  });
});
