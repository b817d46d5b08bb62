/** Filters of logins against a plain model, over random logins: rows, totals, and the counts of each linked view. */
import { expect, it } from 'vitest';
import { refang } from '../model/defang.ts';
import type { LoginFilter } from './login-filter.ts';
import { indexLogins } from './login-index.ts';
import { summarise } from './summary.ts';
import { LoginTableBuilder } from './table.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const HOUR = 3_600_000;
const ROUNDS = process.env['PARAPET_LONG'] === '1' ? 5_000 : 300;

interface Login {
  lat: number | null;
  lon: number | null;
  logins: number;
  country: string;
  ip: string;
  user: string;
  at: number | null;
}

let seed = 20_261_126;
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const some = <T>(list: readonly T[]): T[] => list.filter(() => random() < 0.4);

const USERS = [
  'Ann@Corp.example',
  'ann@corp.example ',
  'bob',
  'ÉMILE@corp.example',
  'istanbul@corp.example',
  '',
];
const IPS = ['192.0.2.1', '2001:DB8::1', '2001:db8::1', '203.0.113.7', ''];
const COUNTRIES = ['GB', 'gb', 'NG', 'Nowhere, at all', ''];
const PLACES: readonly [number | null, number | null][] = [
  [51.5, -0.12],
  [6.45, 3.4],
  [-90, 180],
  [90, -180],
  [0, 12],
  [null, null],
];

function login(): Login {
  const [lat, lon] = pick(PLACES);
  return {
    lat,
    lon,
    logins: 1 + Math.floor(random() * 3),
    country: pick(COUNTRIES),
    ip: pick(IPS),
    user: pick(USERS),
    // Half of them on the hour, where ranges begin and end.
    at: random() < 0.1 ? null : NOW - Math.floor(random() * 12) * HOUR - pick([0, 0, 1, HOUR - 1]),
  };
}

function filter(): LoginFilter {
  const from = NOW - Math.floor(random() * 12) * HOUR;
  const west = pick([-180, -1, 0, 3.4]);
  const south = pick([-90, 0, 6.45]);
  return {
    ...(random() < 0.4 ? { time: { from, to: from + Math.floor(random() * 6) * HOUR } } : {}),
    ...(random() < 0.2 ? { hours: some(Array.from({ length: 168 }, (_, hour) => hour)) } : {}),
    ...(random() < 0.3 ? { users: some([...USERS, 'nobody']) } : {}),
    ...(random() < 0.3 ? { ips: some([...IPS, '10.0.0.1']) } : {}),
    ...(random() < 0.3 ? { countries: some(COUNTRIES) } : {}),
    ...(random() < 0.3 ? { not: { users: some(USERS), ips: some(IPS), countries: some(COUNTRIES) } } : {}),
    ...(random() < 0.2
      ? { text: pick(['ANN', '192[.]0[.]2', 'corp.example', ' gb ', 'émile', '::1', 'x']) }
      : {}),
    ...(random() < 0.2
      ? { box: [west, south, west + pick([0, 5, 360]), south + pick([0, 60, 180])] as const }
      : {}),
  };
}

type Part = 'time' | 'hours' | 'users' | 'ips' | 'countries' | 'not' | 'text' | 'box';
const fold = (text: string) => text.trim().toLowerCase();

/** Whether a login passes one part of the filter; an absent or empty part passes everything. */
const PASSES: Readonly<Record<Part, (login: Login, filter: LoginFilter) => boolean>> = {
  time: ({ at }, { time }) => !time || (at !== null && at >= time.from && at < time.to),
  hours: ({ at }, { hours }) => {
    if (!hours?.length) return true;
    if (at === null) return false;
    const date = new Date(at);
    return hours.includes(((date.getUTCDay() + 6) % 7) * 24 + date.getUTCHours());
  },
  users: ({ user }, { users }) => !users?.length || users.map(fold).includes(fold(user)),
  ips: ({ ip }, { ips }) => !ips?.length || ips.map(fold).includes(fold(ip)),
  countries: ({ country }, { countries }) => !countries?.length || countries.includes(country.trim()),
  not: ({ user, ip, country }, { not }) =>
    !not?.users?.map(fold).includes(fold(user)) &&
    !not?.ips?.map(fold).includes(fold(ip)) &&
    !not?.countries?.includes(country.trim()),
  text: ({ user, ip, country }, { text }) => {
    const sought = refang(text?.trim() ?? '').toLowerCase();
    return [fold(user), fold(ip), country.trim().toLowerCase()].some((item) => item.includes(sought));
  },
  box: ({ lat, lon }, { box }) =>
    !box ||
    (lat !== null && lon !== null && lon >= box[0] && lat >= box[1] && lon <= box[2] && lat <= box[3]),
};
const PARTS = Object.keys(PASSES) as Part[];
const passes = (login: Login, filter: LoginFilter, except?: Part) =>
  PARTS.every((part) => part === except || PASSES[part](login, filter));

const sum = (list: readonly Login[]) => list.reduce((total, { logins }) => total + logins, 0);
function byValue(list: readonly Login[], nameOf: (login: Login) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of list) {
    const value = nameOf(item);
    if (value !== '') counts[value] = (counts[value] ?? 0) + item.logins;
  }
  return counts;
}

it('rows, counts and linked views match a plain evaluation', () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const logins = Array.from({ length: Math.floor(random() * 40) }, login);
    const builder = new LoginTableBuilder(NOW);
    builder.add(
      logins.map(({ lat, lon, logins: count, country, ip, user, at }) => [
        lat,
        lon,
        count,
        country,
        ip,
        user,
        at === null ? null : new Date(at).toISOString(),
      ]),
      0,
      false,
    );
    const index = indexLogins(builder.build(), 'utc');
    const expected = filter();
    const summary = summarise(index, expected);
    const why = JSON.stringify(expected);
    const passing = logins.flatMap((login, row) => (passes(login, expected) ? [row] : []));
    expect(
      [...summary.order].sort((a, b) => a - b),
      why,
    ).toEqual(passing);
    expect([summary.rows, summary.logins], why).toEqual([
      passing.length,
      sum(logins.filter((login) => passes(login, expected))),
    ]);
    const besides = (part: Part) => logins.filter((login) => passes(login, expected, part));
    for (const [part, nameOf] of [
      ['users', ({ user }: Login) => fold(user)],
      ['ips', ({ ip }: Login) => fold(ip)],
      ['countries', ({ country }: Login) => country.trim()],
    ] as const) {
      const ranked = summary[part].slice(0, 100);
      expect(
        Object.fromEntries(ranked.map(({ value, logins: count }) => [value, count])),
        `${part} ${why}`,
      ).toEqual(byValue(besides(part), nameOf));
      expect(summary[part].distinct).toBe(ranked.length);
    }
    const timed = (part: Part) => sum(besides(part).filter(({ at }) => at !== null));
    expect(
      summary.histogram.logins.reduce((a, b) => a + b, 0),
      why,
    ).toBe(timed('time'));
    expect(
      summary.week.reduce((a, b) => a + b, 0),
      why,
    ).toBe(timed('hours'));
    const placed = besides('box').filter(({ lat }) => lat !== null);
    expect(
      summary.places.logins.reduce((a, b) => a + b, 0),
      why,
    ).toBe(sum(placed));
    expect(summary.unplaced, why).toBe(
      logins.filter((login) => login.lat === null && passes(login, expected)).length,
    );
  }
});
