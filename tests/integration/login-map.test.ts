/**
 * get_cache_query as the embedded service answers it, read the way the map reads it (specification sections 7, 8 and
 * 9).
 */
import { inflateSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { type FurtherPage, planOf, requestOf, usersAlone } from '#renderer/features/login-map/choices.ts';
import { catchUp } from '#service/demo/open-demo.ts';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestInto } from '#service/store-sqlite/ingest.ts';
import { LoginTableBuilder } from '#shared/logins/table.ts';
import { impossibleTravel } from '#shared/logins/travel.ts';
import { Served } from '../support/served.ts';

const ANCHOR = Date.UTC(2026, 10, 19, 8);
const DAY = 86_400_000;
// Enough emails to give the organisation a few hundred people.
const demo = await Served.demo(ANCHOR, 6_000);
afterAll(() => demo.close());

const rowsOf = (data: string) =>
  JSON.parse(inflateSync(Buffer.from(data, 'base64')).toString()) as unknown[][];
const ask = async (module: string, fail: boolean, page?: number) => {
  const query = { module, fail, ...(page === undefined ? {} : { page }) };
  const answer = await demo.call('logins.heat-map', { query });
  return { ...answer, rows: rowsOf(answer.data) };
};
const SAAS = [
  'office365_emails',
  'google_mail',
  'office365_onedrive',
  'office365_sharepoint',
  'office365_teams',
];

describe('the login map', () => {
  it('[spec 7] has a full page for one SaaS, and for another one row too many to zoom in', async () => {
    expect((await ask('office365_emails', false)).rows).toHaveLength(5_000);
    expect((await ask('google_mail', false)).rows).toHaveLength(3_001);
    for (const module of SAAS.slice(2)) expect((await ask(module, false)).rows.length).toBeLessThan(3_000);
  });

  it('returns rows that all fit, newest first, none in the future', async () => {
    for (const module of SAAS)
      for (const fail of [false, true]) {
        const { rows } = await ask(module, fail);
        const table = new LoginTableBuilder(demo.now);
        expect(table.add(rows, 0, fail)).toBe(rows.length);
        const { dropped, doubts, time } = table.build();
        expect([...Object.values(dropped), ...Object.values(doubts)].filter((count) => count !== 0)).toEqual(
          [],
        );
        expect([...time].every((instant, index) => index === 0 || instant <= (time[index - 1] ?? 0))).toBe(
          true,
        );
        expect(Math.max(...time)).toBeLessThanOrEqual(ANCHOR);
      }
  });

  it('contains a password spray and one account take-over', async () => {
    const failed = (await ask('office365_emails', true)).rows;
    const byAddress = Map.groupBy(failed, (row) => String(row[4]));
    const sprayers = [...byAddress].filter(
      ([, rows]) => rows.length > 40 && new Set(rows.map((row) => row[5])).size > 35,
    );
    expect(sprayers.length).toBeGreaterThan(3);
    const table = new LoginTableBuilder(demo.now);
    for (const module of SAAS) table.add((await ask(module, false)).rows, 0, false);
    const built = table.build();
    const pairs = impossibleTravel(built, () => true);
    const fast = pairs.filter(({ km }) => km > 4_000).map(({ from }) => built.users[built.user[from] ?? 0]);
    expect(fast).toContain('m.okafor@aldermoor.example');
    expect(pairs.length).toBeLessThan(40);
  });

  it('[spec 9] returns further pages on request, with the total number of rows', async () => {
    const beyond = await ask('office365_emails', false, 1);
    expect([beyond.rows.length, beyond.total_rows]).toEqual([0, 5_000]);
  });

  it('fails for one SaaS alone', async () => {
    const query = { module: 'dropbox', fail: true };
    const [status, answer] = await demo.refused('logins.heat-map', { query });
    expect([status, answer]).toEqual([
      500,
      expect.objectContaining({ error: expect.stringContaining('Dropbox') }),
    ]);
    expect((await ask('dropbox', false)).rows.length).toBeGreaterThan(100);
    expect((await ask('slack', false)).rows).toEqual([]);
  });

  it.each(['../../etc/passwd', 'nobody', '', 'checkpoint_te', '__proto__'])(
    'knows no SaaS %j',
    async (module) => {
      expect((await demo.refused('logins.heat-map', { query: { module, fail: false } }))[0]).toBe(404);
    },
  );

  it('refuses to find users of an unknown SaaS, or by non-ASCII text', async () => {
    const refused = async (body: object) => (await demo.refused('logins.users', { body: body as never }))[0];
    expect(await refused({ module: 'nobody', fail: false })).toBe(404);
    expect(await refused({ module: 'google_mail', fail: false, text: 'jürgen' })).toBe(400);
    expect(await refused({ module: 'dropbox', fail: true, text: 'a' })).toBe(500);
  });

  it.each([{ module: 'google_mail' }, { module: 'google_mail', fail: 'perhaps' }, { fail: true }])(
    'refuses %j',
    async (query) => {
      expect((await demo.refused('logins.heat-map', { query }))[0]).toBe(400);
    },
  );

  it('shifts its times along with the tenant', async () => {
    const other = await Served.demo(ANCHOR, 300);
    await catchUp(other.store, ANCHOR + 3 * DAY + 5_000);
    expect(Number(other.one('SELECT max(at) FROM logins'))).toBeGreaterThan(ANCHOR + DAY);
    expect(Number(other.one('SELECT max(created_at) FROM exceptions'))).toBeGreaterThan(ANCHOR + DAY);
    await other.close();
  });
});

describe('a map of more logins than a page, with a filter for users', () => {
  const COUNT = 60_000;
  const LAYER = { module: 'evidence', failed: false };
  const user = (index: number) => `User${index % 2_000}@corp.example`;

  /** Loads a layer as the window does. Every call to the service is counted. */
  async function load(served: Served, users: string[] | undefined) {
    const answers = new Map<string, { next?: string | null | undefined; data: string }>();
    const callFor = async ({ page, user: only }: FurtherPage) => {
      const answer = await served.call('logins.heat-map', requestOf(LAYER, page, only));
      answers.set(`${page} ${only}`, answer);
      return answer;
    };
    const first = await callFor({ page: 0, user: null });
    const plan = () => planOf(first, usersAlone(users), (page, only) => answers.get(`${page} ${only}`));
    const missing = () => plan().requested.find(({ page, user: only }) => !answers.has(`${page} ${only}`));
    for (let next = missing(); next; next = missing()) await callFor(next);
    const rows = [
      first,
      ...plan().shown.map(({ page, user: only }) => answers.get(`${page} ${only}`)),
    ].flatMap((answer) => rowsOf(answer?.data ?? ''));
    return { calls: answers.size, rows };
  }

  it('requests the pages of these users instead of every page, and misses none of their logins', async () => {
    const store = openEvidence({ path: ':memory:' });
    ingestInto(store).logins(
      Array.from({ length: COUNT }, (_, index) => ({
        saas: 'evidence',
        failed: false,
        at: index % 50 === 7 ? null : ANCHOR - index * 1_000,
        user: user(index),
        ip: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
        lat: null,
        lon: null,
        country: null,
        city: null,
        count: 1,
      })),
    );
    const served = new Served(ANCHOR, store);
    try {
      const everybody = await load(served, undefined);
      expect([everybody.calls, everybody.rows.length]).toEqual([12, COUNT]);
      const names = ['user7@CORP.example', 'User8@corp.example'];
      const logins = await load(served, names);
      expect(logins.calls).toBe(3);
      const of = ({ rows }: typeof logins) =>
        rows
          .filter((row) => names.some((user) => user.toLowerCase() === String(row[5]).toLowerCase()))
          .map((row) => String(row[4]));
      expect(of(logins)).toHaveLength(COUNT / 1_000);
      expect(new Set(of(logins))).toEqual(new Set(of(everybody)));
      // The same by IP address: the service resolves it to users.
      const ips = ['10.0.0.7', '10.0.0.8'];
      const { users } = await served.call('logins.users', { body: { module: 'evidence', fail: false, ips } });
      const named = await load(served, users ?? undefined);
      expect(named.calls).toBe(3);
      expect(of(named)).toEqual(of(logins));
      const first = await served.call('logins.heat-map', requestOf(LAYER, 0));
      expect(first.finds_users).toBe(true);
    } finally {
      await served.close();
    }
  });
});
