import { describe, expect, it } from 'vitest';
import {
  furtherPages,
  matchAskOf,
  type PageState,
  planOf,
  requestOf,
  usersAlone,
  usersOf,
} from './choices.ts';

describe('the further pages of a layer', () => {
  const chain: Record<string, { next: string | null }> = { a: { next: 'b' }, b: { next: 'c' } };
  const answerAt = (page: string) => chain[page];

  it('become known one by one: each page names the key of the next', () => {
    expect(furtherPages({ total_rows: 99_999, next: 'a' }, answerAt)).toEqual(['a', 'b', 'c']);
    expect(furtherPages({ total_rows: 5_000, next: null }, answerAt)).toEqual([]);
    expect(furtherPages({ next: 'x' }, () => ({ next: 'x' }))).toEqual(['x']);
  });

  it('[limit 200 pages] cover all of 857 142 rows', () => {
    const pages = Math.ceil(857_142 / 5_000);
    const answer = (page: string) => ({ next: Number(page) + 1 < pages ? String(Number(page) + 1) : null });
    expect(furtherPages({ total_rows: 857_142, next: '1' }, answer)).toHaveLength(pages - 1);
  });

  it('are numbered if the service gives no key', () => {
    expect(furtherPages({ total_rows: 10_001 }, answerAt)).toEqual([1, 2]);
    expect(furtherPages({ total_rows: 10_000 }, answerAt)).toEqual([1]);
    expect(furtherPages({}, answerAt)).toEqual([]);
    expect(furtherPages(undefined, answerAt)).toEqual([]);
  });

  it('are requested by number or by key', () => {
    const layer = { module: 'slack', failed: null };
    expect(requestOf(layer, 0).query).toEqual({ module: 'slack', fail: 'unknown' });
    expect(requestOf(layer, 2).query).toEqual({ module: 'slack', fail: 'unknown', page: 2 });
    expect(requestOf(layer, '5.1').query).toEqual({ module: 'slack', fail: 'unknown', after: '5.1' });
    expect(requestOf(layer, '5.1', 'ann@corp.example').query).toMatchObject({ user: 'ann@corp.example' });
  });
});

describe('the users whose logins are enough', () => {
  it.each([
    [undefined, null],
    [[], null],
    [[''], null],
    [
      ['Ann@corp.example ', 'ann@corp.example', 'Al@corp.example'],
      ['al@corp.example', 'ann@corp.example'],
    ],
    // The service does not ignore the case of these letters, so some of the logins would be missing.
    [['jürgen@corp.example'], null],
    [['x'.repeat(1_001)], null],
    [
      Array.from({ length: 8 }, (_, index) => `${index}`),
      Array.from({ length: 8 }, (_, index) => `${index}`),
    ],
    [Array.from({ length: 9 }, (_, index) => `${index}`), null],
  ])('of a filter for %j: %j', (users, alone) => {
    expect(usersAlone(users)).toEqual(alone);
  });
});

describe('the parts of a filter by which the service looks up users', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `192.0.2.${index}`);
  it.each([
    [{}, null],
    [{ text: '  ' }, null],
    [{ ips: [] }, null],
    [
      { ips: ['192.0.2.1'], countries: ['GB'], text: ' Ann[.]x ' },
      { ips: ['192.0.2.1'], countries: ['GB'], text: 'Ann.x' },
    ],
    // The users are given already.
    [{ users: ['ann'], ips: ['192.0.2.1'] }, null],
    // These leave out rows that rarity and the other views need.
    [{ time: { from: 0, to: 1 }, hours: [1], box: [0, 0, 1, 1] as const }, null],
    [{ not: { ips: ['192.0.2.1'] } }, null],
    [{ countries: ['Österreich'] }, null],
    [{ text: 'jürgen' }, null],
    [{ text: 'x'.repeat(1_001) }, null],
    [{ ips: many(100) }, { ips: many(100) }],
    [{ ips: many(101) }, null],
  ])('of %j: %j', (filter, query) => {
    expect(matchAskOf(filter)).toEqual(query);
  });

  it.each([
    [[], []],
    [[[], []], []],
    [
      [['Bob'], ['ann', 'bob']],
      ['ann', 'bob'],
    ],
    [[['ann'], null], null],
    [[['ann ']], null],
    [[['jürgen']], null],
    [
      [
        ['1', '2', '3', '4', '5'],
        ['5', '6', '7', '8', '9'],
      ],
      null,
    ],
  ])('the layers’ answers %j are %j together', (answers, users) => {
    expect(usersOf(answers)).toEqual(users);
  });
});

describe('the pages to load for a layer', () => {
  const first = { total_rows: 12_000, next: 'a' };
  const planned = (
    states: Record<string, PageState>,
    users: string[] | 'asking' | null = ['ann', 'bob'],
    from = first,
  ) => {
    const { shown, requested, users: only } = planOf(from, users, (page, user) => states[`${page} ${user}`]);
    const names = (pages: typeof shown) => pages.map(({ page, user }) => `${page} ${user}`);
    return { shown: names(shown), requested: names(requested), only };
  };

  it('are all pages without a filter, or once all are loaded', () => {
    const states = { 'a null': { next: 'b' }, 'b null': { next: null } };
    const everything = { shown: ['a null', 'b null'], requested: ['a null', 'b null'], only: null };
    expect(planned(states, null)).toEqual(everything);
    expect(planned(states)).toEqual(everything);
  });

  it('are those of each filtered user, even if some of everybody’s are loaded', () => {
    const states = { 'a null': { next: 'b' }, 'a ann': { next: 'c' }, 'c ann': { next: null } };
    const theirs = ['a ann', 'c ann', 'a bob'];
    expect(planned(states)).toEqual({ shown: theirs, requested: theirs, only: ['ann', 'bob'] });
  });

  it('are none if nobody matches, or while the matching users are looked up', () => {
    expect(planned({}, [])).toEqual({ shown: [], requested: [], only: [] });
    expect(planned({}, 'asking')).toEqual({ shown: [], requested: [], only: null });
    const whole = { 'a null': { next: null } };
    expect(planned(whole, 'asking')).toEqual({ shown: ['a null'], requested: ['a null'], only: null });
  });

  it('are all pages if a user’s are missing while offline', () => {
    const states = { 'a null': { next: null }, 'a ann': { next: null }, 'a bob': { missing: true as const } };
    expect(planned({ ...states, 'a null': { next: 'b' } })).toEqual({
      shown: ['a null', 'b null'],
      requested: ['a ann', 'a bob', 'a null', 'b null'],
      only: null,
    });
  });

  it('are incomplete if the last page read names one that is not read', () => {
    const endless = (page: string): PageState => ({ next: `${page}a` });
    expect(planOf(first, null, endless)).toMatchObject({ isOpen: true });
    expect(
      planOf(
        first,
        ['ann', 'bob'],
        (page, user) => (user === 'bob' ? { next: null } : user && endless(page)) || undefined,
      ),
    ).toMatchObject({ users: ['ann', 'bob'], isOpen: true });
    // The page names itself as the next one.
    expect(planOf(first, null, () => ({ next: 'a' }))).toMatchObject({ isOpen: true });
    expect(planOf(first, null, () => ({ next: null }))).toMatchObject({ isOpen: false });
    // The rest is still loading.
    expect(planOf(first, null, () => undefined)).toMatchObject({ isOpen: false });
  });

  it('are all pages if pages are numbered, or if there is only one', () => {
    const none = { shown: [], requested: [], only: null };
    expect(planOf({ total_rows: 10_001 }, ['ann'], () => undefined)).toMatchObject({
      shown: [{ page: 1 }, { page: 2 }],
      users: null,
    });
    expect(planned({}, ['ann'], { total_rows: 3, next: null } as never)).toEqual(none);
    expect(planOf(undefined, ['ann'], () => undefined)).toMatchObject({ shown: [], users: null });
  });
});
