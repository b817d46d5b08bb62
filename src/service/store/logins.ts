/** get_cache_query: login events of one SaaS, a compressed page of them in the map's format. */
import { deflateSync } from 'node:zlib';
import { HEAT_MAP_PAGE_MAX } from '#shared/model/constants.ts';
import type { Store } from './store.ts';

export type LoginPage = {
  /** base64 of zlib of a JSON list of `[lat, lon, count, country, ip, user, time, city]`. */
  data: string;
  /** Rows in `data`. */
  rows: number;
  /** Number of all rows. */
  total_rows: number;
  /** Rows of the SaaS whose outcome is not recorded; requested with `fail` "unknown". */
  unknown_rows: number;
  page: number;
};

interface LoginRow {
  at: number | null;
  user: string | null;
  ip: string | null;
  lat: number | null;
  lon: number | null;
  country: string | null;
  city: string | null;
  count: number;
}

/** The value of `logins.failed`. */
export const outcomeCode = (failed: boolean | null): number => (failed === null ? 2 : failed ? 1 : 0);

/**
 * Newest first, at most 5 000 (specification section 9); `page` from 0; `failed` null: outcome not recorded. Rows
 * without a location have no coordinates.
 */
export function loginPage(store: Store, saas: string, failed: boolean | null, page = 0): LoginPage {
  const which = { saas, failed: outcomeCode(failed) };
  const count = store.db
    .prepare('SELECT count(*) FROM logins WHERE saas = @saas AND failed = @failed')
    .pluck();
  const rows = store.db
    .prepare<unknown[], LoginRow>(
      `SELECT at, user, ip, lat, lon, country, city, count FROM logins
       WHERE saas = @saas AND failed = @failed ORDER BY at DESC, id LIMIT @limit OFFSET @offset`,
    )
    .all({ ...which, limit: HEAT_MAP_PAGE_MAX, offset: page * HEAT_MAP_PAGE_MAX });
  const cells = rows.map(({ lat, lon, count, country, ip, user, at, city }) => [
    lat,
    lon,
    count,
    country,
    ip,
    user,
    at === null ? null : new Date(at).toISOString(),
    city,
  ]);
  return {
    data: deflateSync(JSON.stringify(cells)).toString('base64'),
    rows: rows.length,
    total_rows: Number(count.get(which)),
    unknown_rows: Number(count.get({ saas, failed: outcomeCode(null) })),
    page,
  };
}
