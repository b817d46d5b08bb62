/** What every store must do, driven by the port alone: give it to another store by one line (docs/adr/0029-store-port.md). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MailSource, Tenant } from '#service/store/mail-source.ts';
import type { AppRecord, EmailRecord, UserRecord } from '#service/store/records.ts';
import { ConditionError, type RowQuery } from '#service/store/rows.ts';
import type { Store } from '#service/store/store.ts';
import { EVERY_SAAS } from '#shared/api/catalogue/queries.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';
import { bareRecord } from '#tests/support/bare-record.ts';

const NOW = Date.UTC(2026, 10, 30, 12);
const DAY = 86_400_000;
const ADMIN = { name: 'a.admin@x.example', role: 'admin' } as const;

const tenant: Tenant = {
  scanDetail: () => ({}),
  fileScans: () => [],
  messageScans: () => [],
  rescanTime: () => 1_000,
  rescan: ({ tool, run }) => ({ tool, status: 'finished', code: run === 1 ? 'phsh' : 'clean' }),
  isSlowMailbox: () => false,
  restoreServiceAnswers: () => true,
  loginsAnswer: () => true,
  userFields: () => ({}),
  debugLinks: () => [],
  filePermissions: async () => ({ rows: [], total_rows: 0 }),
  fileEvents: async () => ({ rows: [], total_rows: 0 }),
};

/** A tenant that generates nothing. */
export const tenantSource: MailSource = {
  texts: false,
  headers: async () => '',
  body: async () => ({ html: null, text: null, inline: {}, truncated: false }),
  message: () => null,
  matchedFile: async () => null,
  tenant,
};

const mail = (id: number, fields: Partial<EmailRecord> = {}): EmailRecord => ({
  ...bareRecord(id),
  saas: 'office365_emails',
  receivedAt: NOW - id * DAY,
  subject: `Invoice ${id}`,
  state: 'Inbox',
  direction: 'incoming',
  ...fields,
});
const recipient = (email: string) => ({
  ...{ name: null, email, kind: 'to', state: 'Inbox', isRead: false, clicks: 0, department: null },
});
const user = (id: number): UserRecord => ({
  ...{ entityId: `user-${id}`, saas: 'office365_emails', name: `U ${id}`, email: `u${id}@x.example` },
  ...{ department: 'Finance', title: '', country: 'GB', isAdmin: false, mfa: true, state: 'active' },
  ...{ createdAt: NOW, lastLoginAt: NOW, risk: 0, manager: null, failedLogins: 0, lastIp: null },
  ...{ mailboxSize: null, roles: [] },
});
const app = (name: string, isSaas: boolean): AppRecord => ({
  ...{ name, label: name, state: 'enabled', category: 'Email', family: null, is_saas: isSaas },
  ...{ license_info: null, options: {}, app_store_order: 0, security_stack_order: isSaas ? null : 1 },
});
const query = (name: string): NewQuery => ({
  ...{ type: 'query', subType: null, description: '', domain: 'email', entityType: 'email', name },
  ...{ saas: EVERY_SAAS, severity: 'low', status: 'saved', columns: [], sort: [], scheduledExport: null },
  filter: { operator: 'and', conditions: [] },
});
const all = (...conditions: Condition[]): ConditionGroup => ({ operator: 'and', conditions });
const mails = (condition: ConditionGroup) => ({
  ...{ domain: 'email', copies: false, condition, saas: null, now: NOW },
});
const page = (condition: ConditionGroup, fields: Partial<RowQuery> = {}): RowQuery => ({
  ...mails(condition),
  ...{ sort: [{ id: 'received', descending: true }], columns: ['subject'], size: 2 },
  ...{ after: null, countOnly: false, countedAtOnce: null },
  ...fields,
});

export interface OpenedStore {
  store: Store;
  close(): Promise<void>;
}

/** `open` makes a new, empty store over `tenantSource`. */
export function describeStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(`the store in ${name}`, () => {
    let opened: OpenedStore;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      ({ store } = opened);
      await store.records.apps([app('office365_emails', true), app('ap_guard', false)]);
      await store.records.emails([
        mail(1, {
          threadId: 'c1',
          recipients: [recipient('u1@x.example'), recipient('u2@x.example')],
          scans: [{ tool: 'ap_guard', status: 'finished', code: 'clean' }],
        }),
        mail(2, { threadId: 'c1', subject: 'Re: Invoice 1' }),
        mail(3, { subject: 'Holidays' }),
      ]);
      await store.records.users([user(1), user(2)]);
      await store.records.complete();
    });
    afterEach(() => opened.close());

    it('finds a mail by its id and by that of a delivered copy, with its parts', async () => {
      const row = await store.mails.find('mail-1');
      expect(row).toMatchObject({ entity_id: 'mail-1', subject: 'Invoice 1' });
      expect(await store.mails.find('mail-1.1')).toEqual(row);
      expect(await store.mails.find('mail-9')).toBeNull();
      const id = row?.id ?? 0;
      expect((await store.mails.recipients(id)).map(({ email }) => email)).toEqual([
        'u1@x.example',
        'u2@x.example',
      ]);
      const conversation = await store.mails.conversation('c1', 10);
      expect(conversation.map(({ entity_id }) => entity_id)).toEqual(['mail-2', 'mail-1']);
      expect(await store.mails.conversation('c1', 1)).toHaveLength(1);
    });

    it('knows people, and the kind of any entity', async () => {
      expect(await store.people.count()).toBe(2);
      expect((await store.people.range(1, 5)).map(({ entity_id }) => entity_id)).toEqual(['user-2']);
      const owners = await store.people.owners(['u2@x.example', 'nobody@x.example']);
      expect([...owners]).toEqual([['u2@x.example', { entity_id: 'user-2', name: 'U 2' }]]);
      expect(await store.entities.typeOf('mail-1.0')).toEqual({ type: 'email', id: 'mail-1' });
      expect(await store.entities.typeOf('user-1')).toEqual({ type: 'user', id: 'user-1' });
      expect(await store.entities.typeOf('other')).toBeNull();
      await store.entities.identify('mail-1', 'case 7');
      expect(await store.entities.state('mail-1')).toEqual({ identifier: 'case 7' });
    });

    it('pages rows by key, without those that arrive meanwhile', async () => {
      const first = await store.rows.page(page(all()));
      expect(first).toMatchObject({
        total: 3,
        rows: [{ subject: 'Invoice 1' }, { subject: 'Re: Invoice 1' }],
      });
      await store.records.emails([mail(4)]);
      const after = { key: first.key ?? [], total: first.total, newest: first.newest };
      const second = await store.rows.page(page(all(), { after }));
      expect(second.rows).toEqual([{ entity_id: 'mail-3', subject: 'Holidays' }]);
      expect(await store.rows.count(mails(all()))).toBe(4);
    });

    it('answers conditions as the console words them, and refuses others with their place', async () => {
      const invoices = all({ field: 'subject', operator: 'contains_text', values: ['INVOICE'] });
      expect(await store.rows.count(mails(invoices))).toBe(2);
      expect(await store.rows.count({ ...mails(invoices), saas: 'google_mail' })).toBe(0);
      const negated = { ...invoices, negate: true };
      expect((await store.rows.page(page(negated))).rows).toMatchObject([{ entity_id: 'mail-3' }]);
      const wrong = store.rows.count(mails(all({ field: 'no_such', operator: 'is', values: ['x'] })));
      await expect(wrong).rejects.toThrow(ConditionError);
      await expect(wrong).rejects.toMatchObject({ problem: { path: [0], field: 'no_such' } });
      expect(store.rows.shape('no_such', false)).toBeNull();
    });

    it('acts on entities, each with its outcome and its event', async () => {
      const request = {
        ...{ entityType: 'email', data: { action: 'quarantine', reason: 'phish' }, actor: ADMIN, at: NOW },
        due: null,
      };
      expect(await store.actions.perform(['mail-1', 'mail-9'], request)).toEqual([
        { success: true },
        { success: false, error: 'There is no such email' },
      ]);
      expect(await store.mails.find('mail-1')).toMatchObject({ state: 'Quarantined', quarantined: 1 });
      expect(await store.entities.events('mail-1')).toMatchObject([
        { type: 'quarantined', actor: ADMIN.name, detail: 'phish' },
      ]);
    });

    it('keeps what is planned until it is due', async () => {
      const request = {
        entityType: 'email',
        data: { action: 'delete' },
        actor: ADMIN,
        at: NOW,
        due: NOW + DAY,
      };
      const [planned] = await store.actions.perform(['mail-2'], request);
      expect(planned).toEqual({ success: true, scheduled: new Date(NOW + DAY).toISOString() });
      expect(await store.entities.pending('mail-2')).toHaveLength(1);
      await store.actions.applyDue(NOW + DAY - 1);
      expect(await store.mails.find('mail-2')).toMatchObject({ state: 'Inbox' });
      expect(await store.actions.isAnyDue(NOW + DAY)).toBe(true);
      await store.actions.applyDue(NOW + DAY);
      expect(await store.mails.find('mail-2')).toMatchObject({ state: 'Deleted' });
      expect(await store.actions.isAnyDue(NOW + DAY)).toBe(false);
    });

    it('acts on everything that a condition matches, or on nothing if that is too much', async () => {
      const what = { action: 'quarantine', params: {}, actor: ADMIN, at: NOW };
      expect(await store.actions.performOn(mails(all()), 2, what)).toBeNull();
      expect(await store.mails.find('mail-3')).toMatchObject({ state: 'Inbox' });
      const outcomes = await store.actions.performOn(mails(all()), 3, what);
      expect(outcomes?.map(({ success }) => success)).toEqual([true, true, true]);
    });

    it('scans again, and has the result when it is due', async () => {
      expect(await store.actions.rescannable('email', 'mail-1')).toEqual(['ap_guard']);
      const until = await store.actions.rescan('email', 'mail-1', ['ap_guard'], ADMIN, NOW);
      expect([...(await store.entities.rescans('mail-1'))]).toEqual([['ap_guard', until]]);
      await store.actions.applyDue(until);
      expect(await store.mails.find('mail-1')).toMatchObject({ verdict: 'found' });
      expect((await store.entities.rescans('mail-1')).size).toBe(0);
    });

    it('adds an exception once, and says which one holds', async () => {
      const entry = {
        ...{ type: 'whitelist', string: 'boss@x.example', comment: null, is_exclusive: false },
        payload: { field: 'from_email', matching: 'exact' },
      };
      const add = () => store.exceptions.add([{ tool: 'ap_guard', entry, of: 'mail-1' }], ADMIN, NOW);
      const [first] = await add();
      expect(first?.isNew).toBe(true);
      expect(await add()).toEqual([{ id: first?.id, isNew: false }]);
      const listed = await store.exceptions.search({ tool: 'ap_guard', search: 'BOSS', from: 0, to: NOW });
      expect(listed).toMatchObject({ total: 1, rows: [{ id: first?.id, list: 'allow' }] });
      expect(await store.entities.events('mail-1')).toMatchObject([{ type: 'exception_created' }]);
      const subject = { fromEmail: 'boss@x.example' };
      expect(await store.exceptions.ruling('ap_guard', subject)).toMatchObject({ list: 'allow' });
      expect(await store.exceptions.ruling('checkpoint_te', subject)).toBeNull();
    });

    it('changes queries together: a change that throws leaves all as they were', async () => {
      const time = new Date(NOW).toISOString();
      const stamp = { time, by: ADMIN.name };
      const saved = await store.queries.add(
        ['a', 'b'].map((name) => ({ query: query(name), stamp })),
        NOW,
      );
      const ids = saved.map(({ id }) => id);
      const renamed = (refused: string) => (before: NewQuery) => {
        if (before.name === refused) throw new Error('refused');
        return { ...before, name: `${before.name}2` };
      };
      await expect(store.queries.change(ids, renamed('b'), time, NOW)).rejects.toThrow('refused');
      expect(await store.queries.names()).toEqual(new Set(['a', 'b']));
      const changed = await store.queries.change([...ids, 'none'], renamed(''), time, NOW);
      expect(changed).toMatchObject([{ name: 'a2', createdBy: ADMIN.name }, { name: 'b2' }, null]);
      expect(await store.queries.change([ids[0] ?? ''], () => 'No', time, NOW)).toEqual(['No']);
      expect(await store.queries.remove(ids[0] ?? '')).toBe(true);
      expect((await store.queries.list({}, NOW)).map(({ name }) => name)).toEqual(['b2']);
    });

    it('keeps a password out of what it lists', async () => {
      const scheduledExport = {
        ...{ emails: ['soc@x.example'], format: 'csv', frequency: 'daily', week: null, day: null },
        ...{ time: '08:00', password: 'correct horse' },
      };
      const stamp = { time: new Date(NOW).toISOString(), by: null };
      const [saved] = await store.queries.add([{ query: { ...query('a'), scheduledExport }, stamp }], NOW);
      if (saved === undefined) throw new Error('not saved');
      expect(JSON.stringify(await store.queries.list({}, NOW))).not.toContain('correct horse');
      expect(await store.queries.password(saved)).toBe('correct horse');
    });

    it('counts what the apps and tools saw', async () => {
      const span = { from: NOW - 2 * DAY, to: NOW, bucket: DAY };
      const counts = await store.stack.counts(span, true);
      const count = counts.verdicts.reduce((sum, { n }) => sum + n, 0);
      expect([count, counts.stacks.length > 0]).toEqual([1, true]);
      expect((await store.stack.counts(span, false)).stacks).toEqual([]);
    });

    it('lists sign-ins by time, newest first, and who signed in', async () => {
      const login = (at: number, user: string) => ({
        ...{ saas: 'office365_emails', failed: false, at, user, ip: '192.0.2.1', lat: null, lon: null },
        ...{ country: 'GB', city: null, count: 1 },
      });
      await store.records.logins([login(NOW - 2, 'u1'), login(NOW - 1, 'u2')]);
      const logins = await store.logins.page('office365_emails', false, {});
      expect(logins).toMatchObject({ rows: 2, total_rows: 2, next: null });
      expect(await store.logins.page('office365_emails', true, {})).toMatchObject({ rows: 0 });
      const users = await store.logins.users('office365_emails', false, { countries: ['gb'] });
      expect(users?.sort()).toEqual(['u1', 'u2']);
    });

    it('keeps lists folded and settings as given, and moves all instants together', async () => {
      await store.lists.add('vip', 'VIP', ['B@X.example', 'a@x.example']);
      expect(await store.lists.all()).toEqual([{ id: 'vip', label: 'VIP', count: 2 }]);
      expect(await store.lists.values('vip')).toEqual(['a@x.example', 'b@x.example']);
      expect(await store.lists.values('none')).toBeUndefined();
      await store.records.shift(DAY, NOW + DAY, { anchor: 'later' });
      expect(await store.settings.get('anchor')).toBe('later');
      expect(await store.settings.get('none')).toBeNull();
      expect((await store.mails.find('mail-1'))?.received_at).toBe(NOW);
    });
  });
}
