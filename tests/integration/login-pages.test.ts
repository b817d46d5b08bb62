/** The pages of the login map: by key and by number they equal the plain list, whatever its length, ties and gaps. */
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import type { LoginAsk, LoginMatch } from '#service/store/logins.ts';
import { ingestInto } from '#service/store-sqlite/ingest.ts';
import { loginPage, loginUsers } from '#service/store-sqlite/logins.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { passing } from '#shared/logins/login-filter.ts';
import { indexLogins } from '#shared/logins/login-index.ts';
import { LoginTableBuilder } from '#shared/logins/table.ts';

const PAGE = 5_000;
const START = Date.UTC(2026, 0, 1);

let store: SqliteStore;
beforeEach(() => {
  store = openEvidence({ path: ':memory:' });
});
afterEach(() => store.close());

/** Several at the same moment; every 50th without a time; each with its own address. */
const loginsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    saas: 'office365_emails',
    failed: false,
    at: index % 50 === 7 ? null : START + Math.floor(((index * 7919) % count) / 3) * 1_000,
    user: `User${index % 13}@corp.example`,
    ip: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    lat: null,
    lon: null,
    country: null,
    city: null,
    count: 1,
  }));
type Login = ReturnType<typeof loginsOf>[number];

function fill(count: number): Login[] {
  const logins = loginsOf(count);
  ingestInto(store).logins(logins);
  return logins;
}

/** The reference order: newest first, then last arrived first; those without a time at the end. */
const plain = (logins: readonly Login[]): string[] =>
  logins
    .map(({ at, ip }, index) => ({ at, ip, index }))
    .sort((a, b) => (b.at ?? -Infinity) - (a.at ?? -Infinity) || b.index - a.index)
    .map(({ ip }) => ip);

const page = (ask: LoginAsk) => {
  const { data, ...rest } = loginPage(store, 'office365_emails', false, ask);
  const rows = JSON.parse(inflateSync(Buffer.from(data, 'base64')).toString()) as unknown[][];
  expect(rest.rows).toBe(rows.length);
  return { ...rest, ips: rows.map((row) => String(row[4])) };
};

function allPages(ask: LoginAsk = {}): { sizes: number[]; ips: string[] } {
  const sizes: number[] = [];
  const ips: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const answer = page({ ...ask, ...(after === undefined ? {} : { after }) });
    sizes.push(answer.ips.length);
    ips.push(...answer.ips);
    after = answer.next;
  }
  return { sizes, ips };
}

describe('pages of sign-ins', () => {
  it.each([
    [0, [0]],
    [1, [1]],
    [PAGE - 1, [PAGE - 1]],
    [PAGE, [PAGE]],
    [PAGE + 1, [PAGE, 1]],
    [2 * PAGE, [PAGE, PAGE]],
    [2 * PAGE + 1, [PAGE, PAGE, 1]],
  ])('%i rows', (count, sizes) => {
    const logins = fill(count);
    const paged = allPages();
    expect(paged.sizes).toEqual(sizes);
    expect(paged.ips).toEqual(plain(logins));
    const numbered = sizes.map((_, number) => page({ page: number }));
    expect(numbered.flatMap(({ ips }) => ips)).toEqual(plain(logins));
    expect(numbered[0]?.total_rows).toBe(count);
    expect(page({ page: sizes.length }).ips).toEqual([]);
  });

  it('are neither repeated nor skipped when rows are added between them', () => {
    const before = fill(PAGE + 500);
    const first = page({});
    ingestInto(store).logins([
      { ...before[0], saas: 'office365_emails', failed: false, at: START + 1e9, ip: '192.0.2.1' } as Login,
    ]);
    const rest = page({ after: first.next ?? '' });
    expect([...first.ips, ...rest.ips]).toEqual(plain(before));
  });

  it.each([
    ['a user, in either case', { user: 'uSER5@corp.EXAMPLE' }],
    ['from a moment on', { since: START + 400_000 }],
    ['before a moment', { until: START + 400_000 }],
    ['both, and a user', { since: START + 100_000, until: START + 2_000_000, user: 'User6@corp.example' }],
    ['nobody', { user: 'nobody@corp.example' }],
  ] satisfies [string, LoginAsk][])('of %s are what a plain filter yields', (_, ask: LoginAsk) => {
    const logins = fill(2 * PAGE + 1_234);
    const { user, since = -Infinity, until = Infinity } = ask;
    const isTimed = ask.since !== undefined || ask.until !== undefined;
    const fits = (it: Login) =>
      (user === undefined || it.user.toLowerCase() === user.toLowerCase()) &&
      (!isTimed || (it.at !== null && it.at >= since && it.at < until));
    const order = plain(logins);
    const expected = new Set(logins.filter(fits).map(({ ip }) => ip));
    expect(allPages(ask).ips).toEqual(order.filter((ip) => expected.has(ip)));
    expect(page(ask).total_rows).toBe(expected.size);
  });

  it('come from an index in order: no page is sorted, and no page key scans rows', () => {
    fill(PAGE + 1);
    const { next } = page({});
    const statements: string[] = [];
    const prepare = store.db.prepare.bind(store.db);
    Object.defineProperty(store.db, 'prepare', {
      value: (sql: string) => {
        statements.push(sql);
        return prepare(sql);
      },
    });
    for (const filter of [{}, { user: 'User1@corp.example' }, { since: START, until: START + 1e9 }])
      for (const key of [{}, { after: next ?? '' }, { after: '.5' }]) page({ ...filter, ...key });
    const values = { saas: '', failed: 0, user: '', since: 0, until: 0, at: 0, id: 0, limit: 1, offset: 0 };
    for (const sql of statements.filter((statement) => statement.includes('ORDER BY'))) {
      const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[];
      expect(plan.map(({ detail }) => detail).join('; '), sql).toMatch(
        /^SEARCH logins USING INDEX logins_\w+ [^;]*$/,
      );
    }
  });
});

describe('the users with a matching sign-in', () => {
  const SAAS = 'office365_emails';
  type Of = Partial<Pick<Login, 'user' | 'ip'>> & {
    country?: string | null;
    failed?: boolean;
    saas?: string;
  };
  const put = (...all: Of[]) =>
    ingestInto(store).logins(
      all.map((login) => ({ ...(loginsOf(1)[0] as Login), user: 'ann@corp.example', ...login })),
    );
  const users = (match: LoginMatch) => loginUsers(store, SAAS, false, match)?.toSorted() ?? null;

  it('are found by address, country and words, each alone and together', () => {
    put(
      { user: 'Ann@corp.example', ip: '192.0.2.1', country: 'GB' },
      { user: 'ann@CORP.example', ip: '192.0.2.2', country: 'GB' },
      { user: 'bob@corp.example', ip: '2001:DB8::1', country: 'FR' },
      { user: 'eve@other.example', ip: '192.0.2.1', country: 'FR', failed: true },
      { user: 'dan@other.example', ip: '192.0.2.1', country: 'FR', saas: 'slack' },
    );
    expect(users({ ips: ['192.0.2.1'] })).toEqual(['Ann@corp.example']);
    expect(users({ ips: ['192.0.2.1', '2001:db8::1'] })).toEqual(['Ann@corp.example', 'bob@corp.example']);
    expect(users({ countries: ['FR'] })).toEqual(['bob@corp.example']);
    expect(users({ countries: ['FR'], ips: ['192.0.2.1'] })).toEqual([]);
    expect(users({ text: 'CORP.' })).toEqual(['Ann@corp.example', 'bob@corp.example']);
    expect(users({ text: '2001' })).toEqual(['bob@corp.example']);
    expect(users({ text: 'gb' })).toEqual(['Ann@corp.example']);
    // LIKE wildcards are literal.
    expect(users({ text: '%' })).toEqual([]);
    expect(users({ text: '_' })).toEqual([]);
  });

  it.each([
    [8, 8],
    [9, null],
  ])('[limit 8 users] %d are %s', (count, expected) => {
    put(
      ...Array.from({ length: count }, (_, index) => ({ user: `u${index}@corp.example`, ip: '192.0.2.1' })),
    );
    expect(users({ ips: ['192.0.2.1'] })?.length ?? null).toBe(expected);
  });

  it.each([null, '', ' '])('are unknown if one of these sign-ins has no user: %j', (user) => {
    put({ ip: '192.0.2.1' }, { ip: '192.0.2.1', user: user as string });
    expect(users({ ips: ['192.0.2.1'] })).toBeNull();
  });

  it('include letters whose lower case is an ASCII letter, as the map compares them', () => {
    put({ user: '\u212aate@corp.example' }, { user: '\u0130an@corp.example' }, { user: 'bob@corp.example' });
    expect(users({ text: 'kate' })).toContain('\u212aate@corp.example');
    expect(users({ text: 'i' })).toContain('\u0130an@corp.example');
    expect(users({ text: 'kate' })).not.toContain('bob@corp.example');
  });

  it('are never fewer than those whose sign-ins pass the filter of the map', () => {
    const word = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'K', 'k', 'i', '.', ' ', '@', '%') },
      fc.constantFrom('\u212a', '\u0130', 'ß', 'É', 'é', '😀'),
    );
    const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(''));
    const ascii = text.map((value) => value.replace(/[^ -~]/gu, '')).filter((value) => value.trim() !== '');
    const login = fc.record({ user: text, ip: text, country: fc.option(text) });
    const filter = fc.record(
      {
        ips: fc.array(ascii, { minLength: 1, maxLength: 2 }),
        countries: fc.array(ascii, { minLength: 1 }),
        text: ascii,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(login, { maxLength: 8 }), filter, (logins, match) => {
        store.db.exec('DELETE FROM logins');
        put(...logins);
        const builder = new LoginTableBuilder(START);
        builder.add(
          logins.map(({ user, ip, country }) => [null, null, 1, country, ip, user, null]),
          0,
          false,
        );
        const index = indexLogins(builder.build(), 'utc');
        const passes = passing(index, match);
        const shown = logins.flatMap((_, row) =>
          passes(row) ? [index.table.users[index.table.user[row] ?? 0] ?? ''] : [],
        );
        const trimmed = { ...match, ...(match.text === undefined ? {} : { text: match.text.trim() }) };
        const users = loginUsers(store, SAAS, false, trimmed)?.map((user) => user.trim().toLowerCase());
        if (users !== undefined) expect(users).toEqual(expect.arrayContaining(shown));
      }),
      { numRuns: 300 },
    );
  });
});
