/** Pages of login events for benches: some 2 000 users at 30 000 places over 30 days. */
import { deflateSync } from 'node:zlib';
import { HEAT_MAP_PAGE_MAX } from '#shared/model/constants.ts';

export const PAGES = 40;
export const NOW = Date.parse('2026-11-20T12:00:00Z');
export const HOUR = 3_600_000;
const COUNTRIES = ['GB', 'DE', 'FR', 'US', 'JP', 'NG', 'IN', 'BR'];

/** A page as the service sends it. */
export const pageOf = (page: number): string =>
  packed(Array.from({ length: HEAT_MAP_PAGE_MAX }, (_, index) => page * HEAT_MAP_PAGE_MAX + index));

const USERS = 2_000;
export const userOf = (number: number): string => `user${number % USERS}@corp.example`;

/** The logins with these numbers, as the service sends them. */
export function packed(numbers: readonly number[]): string {
  const rows = numbers.map((number) => {
    const place = (number * 7919) % 30_000;
    return [
      ((place * 37) % 12_000) / 100 - 50,
      ((place * 101) % 36_000) / 100 - 180,
      1 + (number % 9),
      COUNTRIES[place % COUNTRIES.length],
      `203.0.113.${place % 256}`,
      userOf(number),
      new Date(NOW - ((number * 13) % (720 * 60)) * (HOUR / 60)).toISOString(),
      `Town ${place % 900}`,
    ];
  });
  return deflateSync(JSON.stringify(rows)).toString('base64');
}
