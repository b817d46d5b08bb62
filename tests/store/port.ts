/** What every store must do, driven by the port alone: give it to another store by one line (docs/adr/0029-store-port.md). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emailRows } from '#service/store/email-rows.ts';
import { type EvidenceBatch, entityIdOf, type KeptMail, type Reached } from '#service/store/evidence.ts';
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

const sha = (id: number): string => String(id).padStart(16, '0').repeat(4);
/** A mail of evidence at the start of a file, with those attached to it. */
const evidenceMail = (
  id: number,
  attached: readonly number[] = [],
): EvidenceBatch<KeptMail>['messages'][number] => ({
  ...storedMail(id),
  attached: attached.map((inner) => ({
    part: `${inner}`,
    sha256: sha(inner),
    content: { ...storedMail(inner), attached: [] },
  })),
  source: placeOf(id),
});
const storedMail = (id: number): KeptMail & { sha256: string } => ({
  rows: emailRows(mail(id, { entityId: entityIdOf(sha(id)) }), true),
  thread: { keys: [`m${id}`], subject: null },
  campaignKeys: [],
  sha256: sha(id),
});
const placeOf = (id: number, file = `${id}.eml`) => ({
  ...{ file, entry: '', offset: 0, length: 100, mbox: false, sha256: sha(id), isRead: null },
});
const stateOf = (file: string) => ({ file, size: 100, mtimeMs: 1, ctimeMs: 2, ino: 3 });
const batchOf = (batch: Partial<EvidenceBatch<KeptMail>>): EvidenceBatch<KeptMail> => ({
  ...{ messages: [], copies: [], problems: [], files: [], ...batch },
});
const filesOf = (...files: string[]) => files.map((file) => ({ ...stateOf(file), messages: 1 }));
const reached = (fields: Partial<Reached>): Reached => ({
  ...{ seen: [], blocked: [], mounts: [], logs: { seen: new Set(), unread: [], begun: new Set() } },
  ...fields,
});
const READ = { reader: '1', verifies: false, queues: false };
const logOf = (file: string) => ({ ...stateOf(file), columns: '{}', reader: '1' });
const signin = (line: number, user: string) => ({
  login: {
    ...{ saas: 'evidence', failed: false, at: NOW, user, ip: '192.0.2.1', lat: null, lon: null },
    ...{ country: null, city: null, count: 1 },
  },
  ...{ identity: { hex: sha(user.length), isUnique: true }, line, entry: null },
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
      const login = (time: number, user: string) => ({
        ...{ saas: 'office365_emails', failed: false, at: time, user, ip: '192.0.2.1', lat: null, lon: null },
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

  describe(`evidence in ${name}`, () => {
    let opened: OpenedStore;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      ({ store } = opened);
      await store.records.complete();
    });
    afterEach(() => opened.close());
    const reading = (fields: Partial<typeof READ> = {}) =>
      store.evidence.reading('/mail', { ...READ, ...fields });
    /** Reads files with one mail each. */
    async function read(...ids: number[]) {
      const first = await reading();
      const files = ids.map((id) => `${id}.eml`);
      await first.add(batchOf({ messages: ids.map((id) => evidenceMail(id)), files: filesOf(...files) }));
      return first.end(reached({ seen: files }));
    }

    it('knows what it read, until the file, the reader or the wish changes', async () => {
      const first = await reading();
      expect([await first.hasFile(stateOf('1.eml')), await first.hasMail(sha(1))]).toEqual([false, false]);
      const copies = [placeOf(1, 'copy.eml')];
      await first.add(
        batchOf({ messages: [evidenceMail(1, [2])], copies, files: filesOf('1.eml', 'copy.eml') }),
      );
      expect(await first.hasMail(sha(2))).toBe(true);
      expect(await first.end(reached({ seen: ['1.eml', 'copy.eml'] }))).toMatchObject({
        imported: 2,
        known: 0,
      });
      const { id = 0 } = (await store.mails.find(entityIdOf(sha(1)))) ?? {};
      expect((await store.mails.places(id)).map(({ file }) => file)).toEqual(['1.eml', 'copy.eml']);
      const inner = await store.mails.find(entityIdOf(sha(2)));
      expect(await store.mails.parents(inner?.id ?? 0)).toEqual([id]);
      const again = await reading();
      expect(await again.hasFile(stateOf('1.eml'))).toBe(true);
      expect(await again.hasFile({ ...stateOf('1.eml'), ctimeMs: 9 })).toBe(false);
      expect(await (await reading({ verifies: true })).hasFile(stateOf('1.eml'))).toBe(false);
      const newer = await reading({ reader: '2' });
      expect([await newer.hasFile(stateOf('1.eml')), await newer.hasMail(sha(1))]).toEqual([false, false]);
    });

    it('stores a batch whole or not at all', async () => {
      const first = await reading();
      const broken = evidenceMail(2);
      broken.rows.emails.values = [[]];
      const batch = batchOf({ messages: [evidenceMail(1), broken], files: filesOf('1.eml') });
      const failure = await first.add(batch).then(
        () => null,
        (error: unknown) => error,
      );
      expect(store.isFailure(new Error('of a file'))).toBe(false);
      expect(failure).not.toBeNull();
      expect([await store.mails.count(), await (await reading()).hasFile(stateOf('1.eml'))]).toEqual([
        0,
        false,
      ]);
    });

    it('removes a few missing mails, and lets the analyst decide on many', async () => {
      const ids = Array.from({ length: 12 }, (_, index) => index + 1);
      await read(...ids);
      const files = ids.slice(1).map((id) => `${id}.eml`);
      expect(await (await reading()).end(reached({ seen: files }))).toMatchObject({
        removed: 1,
        gone: 0,
        known: 12,
      });
      const blocked = await (await reading()).end(reached({ blocked: [''] }));
      expect(blocked).toMatchObject({ removed: 0, gone: 0, unreachable: 11 });
      expect(await (await reading()).end(reached({}))).toMatchObject({
        removed: 0,
        gone: 11,
        unreachable: 0,
      });
      expect(await store.evidence.resolve('keep')).toBe(0);
      expect(await store.evidence.report()).toMatchObject({ gone: 0, known: 11 });
    });

    it('removes what the analyst gave up', async () => {
      await read(1, 2);
      await (await reading()).end(reached({}));
      expect(await store.evidence.resolve('remove')).toBe(2);
      expect([await store.mails.count(), (await store.evidence.report()).known]).toEqual([0, 0]);
    });

    it('reports problems until their file is read again', async () => {
      const first = await reading();
      const problem = { file: '1.mbox', offset: 7, kind: 'unparsable', reason: 'cut short' } as const;
      await first.add(batchOf({ problems: [problem], files: filesOf('1.mbox') }));
      await first.end(reached({ seen: ['1.mbox'] }));
      const { problems } = await store.evidence.report();
      expect(problems).toEqual([{ file: '1.mbox', offset: 7, reason: 'cut short' }]);
      await (await reading()).beginFile('1.mbox');
      expect((await store.evidence.report()).problems).toEqual([]);
    });

    it('lists a sign-in once, however many logs have it, and says which logs it could not read', async () => {
      const first = await reading();
      for (const file of ['a.csv', 'b.csv']) {
        expect(await first.stateOfLog(logOf(file))).toBeNull();
        const log = await first.beginLog(logOf(file));
        await first.addSignins(log, [signin(2, 'ann')]);
        await first.endLog(log, file, file === 'a.csv' ? [signin(3, 'robert')] : [], []);
      }
      await first.refuseLog('c.csv', 'it is cut short');
      const logs = { seen: new Set(['a.csv', 'b.csv']), unread: ['c.csv'], begun: new Set<string>() };
      await first.end(reached({ logs }));
      const page = await store.logins.page('evidence', false, {});
      expect(page.rows).toBe(2);
      const report = await store.evidence.report();
      expect(report).toMatchObject({ known: 2, unreadable: 1, problems: [{ file: 'c.csv' }] });
      const again = await reading();
      expect(await again.stateOfLog(logOf('a.csv'))).toBe('same');
      expect(await again.stateOfLog({ ...logOf('a.csv'), size: 7 })).toBe('changed');
      // Its sign-ins leave with it, except those that another log has.
      await again.beginLog(logOf('a.csv'));
      expect(await store.logins.page('evidence', false, {})).toMatchObject({ rows: 1 });
      expect(await again.stateOfLog(logOf('a.csv'))).toBeNull();
    });

    it('derives authentication anew when other servers are trusted', async () => {
      const first = await reading();
      const raw = { headers: Buffer.from('From: a@x'), html: null, text: null, inline: {}, truncated: false };
      const rows = emailRows(
        mail(1, { entityId: entityIdOf(sha(1)), raw, detail: { evidence: {} } as never }),
        true,
      );
      await first.add(batchOf({ messages: [{ ...evidenceMail(1), rows }] }));
      const headerBlocks: string[] = [];
      const derive = (headers: Buffer) => {
        headerBlocks.push(headers.toString());
        return { spf: 'pass', dkim: null, dmarc: 'fail', trusted: true };
      };
      await store.evidence.trust([], derive);
      expect(headerBlocks).toEqual([]);
      await store.evidence.trust(['mx.example'], derive);
      await store.evidence.trust(['mx.example'], derive);
      expect(headerBlocks).toEqual(['From: a@x']);
      expect(await store.mails.find(entityIdOf(sha(1)))).toMatchObject({
        spf: 'pass',
        dkim: null,
        dmarc: 'fail',
      });
    });
  });
}
