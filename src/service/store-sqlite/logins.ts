/** get_cache_query: login events of one SaaS, a compressed page of them in the map's format. */

import { deflateSync } from 'node:zlib';
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { HEAT_MAP_PAGE_MAX, HEAT_MAP_USERS_MOST } from '#shared/model/constants.ts';
import type { Key, LoginAsk, LoginMatch, LoginPage } from '../store/logins.ts';
import { loginKey } from '../store/logins.ts';
import type { LoginRecord } from '../store/records.ts';
import { aliveSql } from './functions.ts';
import type { SqliteStore } from './sqlite-store.ts';

interface LoginRow extends Omit<LoginRecord, 'saas' | 'failed'> {
  id: number;
  file_id: number | null;
}

/** The value of `logins.failed`. */
export const outcomeCode = (failed: boolean | null): number => (failed === null ? 2 : failed ? 1 : 0);

/** Of the rows of one sign-in in several logs, one is listed. */
const LISTED = 'saas = @saas AND failed = @failed AND listed = 1';

const keyText = ({ at, id }: Key): string => `${at ?? ''}.${id}`;

/**
 * Rows after a key, as conditions that are each one range of an index: the same instant, earlier ones, and rows
 * without a time.
 */
const rangesAfter = ({ at }: Key): string[] =>
  at === null ? ['at IS NULL AND id < @id'] : ['at = @at AND id < @id', 'at < @at', 'at IS NULL'];

/**
 * Newest first, those without a time last, at most 5 000 (specification section 9). `failed` is null if not recorded.
 * Rows without a location have no coordinates.
 */
export function loginPage(
  store: SqliteStore,
  saas: string,
  failed: boolean | null,
  { page = 0, after, user, since, until }: LoginAsk = {},
): LoginPage {
  const key = after === undefined ? null : loginKey(after);
  const fits = [
    LISTED,
    ...(user === undefined ? [] : ['user = @user COLLATE NOCASE']),
    ...(since === undefined ? [] : ['at >= @since']),
    ...(until === undefined ? [] : ['at < @until']),
  ].join(' AND ');
  const parameters = Object.fromEntries(
    Object.entries({ saas, failed: outcomeCode(failed), user, since, until }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const rows: LoginRow[] = [];
  // One row more than the page, to know whether there is a next one.
  const most = HEAT_MAP_PAGE_MAX + 1;
  for (const range of key === null ? ['true'] : rangesAfter(key)) {
    if (rows.length === most) break;
    const foundRows = store.db
      .prepare<unknown[], LoginRow>(
        `SELECT id, at, user, ip, lat, lon, country, city, count, file_id FROM logins
         WHERE ${fits} AND ${range} ORDER BY at DESC, id DESC LIMIT @limit OFFSET @offset`,
      )
      .all({
        ...parameters,
        ...(range.includes('@at') ? { at: key?.at } : {}),
        ...(range.includes('@id') ? { id: key?.id } : {}),
        limit: most - rows.length,
        offset: key === null ? page * HEAT_MAP_PAGE_MAX : 0,
      });
    for (const row of foundRows) rows.push(row);
  }
  const shown = rows.slice(0, HEAT_MAP_PAGE_MAX);
  const last = rows.length > shown.length ? shown.at(-1) : undefined;
  const cells = shown.map(({ lat, lon, count, country, ip, user: who, at, city, id, file_id }) => [
    lat,
    lon,
    count,
    country,
    ip,
    who,
    at === null ? null : new Date(at).toISOString(),
    city,
    ...(file_id === null ? [] : [id]),
  ]);
  const count = (where: string, values: object): number | null =>
    key === null
      ? Number(store.db.prepare(`SELECT count(*) FROM logins WHERE ${where}`).pluck().get(values))
      : null;
  return {
    data: deflateSync(JSON.stringify(cells)).toString('base64'),
    rows: shown.length,
    total_rows: count(fits, parameters),
    unknown_rows: count(LISTED, { saas, failed: outcomeCode(null) }),
    page,
    next: last === undefined ? null : keyText(last),
  };
}

/** Maximum number of places that are named; all are counted. */
const NAMED = 100;

/** Rows of the sign-in `l`: of the same event, and of the same country unless one names none. */
const SAME =
  '(p.id = l.id OR (p.event = l.event AND p.listed IN (0, 1) AND coalesce(p.country = l.country, 1)))';

/**
 * Where a sign-in is in logs, existing ones first; none: it comes from no log. Null if there is no such sign-in any
 * more. A log that was read again has other ids, so user and time are compared if they are given.
 */
export function loginPlaces(
  { db }: SqliteStore,
  saas: string,
  { id, user, time }: { id: number; user?: string | undefined; time?: number | undefined },
): AnswerOf<'logins.places'> | null {
  const row = db
    .prepare<unknown[], Pick<LoginRow, 'at' | 'user'>>(
      'SELECT at, user FROM logins WHERE id = ? AND saas = ? AND listed = 1',
    )
    .get(id, saas);
  const isOther = (row?.user ?? '').toLowerCase() !== (user ?? row?.user ?? '').toLowerCase();
  if (row === undefined || isOther || row.at !== (time ?? row.at)) return null;
  const from = `FROM logins l JOIN logins p ON ${SAME} JOIN evidence_logs f ON f.id = p.file_id
    LEFT JOIN evidence_absent a ON a.kind = 'log' AND a.id = f.id WHERE l.id = ?`;
  const places = db
    .prepare<unknown[], AnswerOf<'logins.places'>['places'][number]>(
      `SELECT f.path AS file, p.line, p.entry, iif(a.state = 'kept', 'gone', a.state) AS absent ${from}
       ORDER BY a.state IS NOT NULL, f.path, p.line, p.entry LIMIT ${NAMED}`,
    )
    .all(id);
  return { places, total: Number(db.prepare(`SELECT count(*) ${from}`).pluck().get(id)) };
}

/** SQL: the column has letters whose lower case is k or i although they are not ASCII: the Kelvin sign, and I with a dot. */
const hasOddLetters = (column: string) => `${column} GLOB '*[\u212a\u0130]*'`;
const mayMatchOddLetters = (text: string): boolean => /[ik]/i.test(text);

/**
 * The users with a matching sign-in, or null if there are more than HEAT_MAP_USERS_MOST, or a matching sign-in names
 * no user. Never fewer than the map itself would find, as it loads the sign-ins of these alone.
 */
export function loginUsers(
  { db }: SqliteStore,
  saas: string,
  failed: boolean | null,
  { ips, countries, text }: LoginMatch,
): string[] | null {
  const listed = (column: string, name: string, values: readonly string[]) => {
    const isListed = `lower(trim(${column})) IN (SELECT lower(trim(value)) FROM json_each(@${name}))`;
    return values.some(mayMatchOddLetters) ? `(${isListed} OR ${hasOddLetters(column)})` : isListed;
  };
  const columns = ['user', 'ip', 'country'];
  const contains = columns.map((column) => `${column} LIKE @like ESCAPE '\\'`);
  const fits = [
    LISTED,
    aliveSql('id'),
    ...(ips === undefined ? [] : [listed('ip', 'ips', ips)]),
    ...(countries === undefined ? [] : [listed('country', 'countries', countries)]),
    ...(text === undefined
      ? []
      : [`(${[...contains, ...(mayMatchOddLetters(text) ? columns.map(hasOddLetters) : [])].join(' OR ')})`]),
  ].join(' AND ');
  const parameters = {
    saas,
    failed: outcomeCode(failed),
    ...(ips === undefined ? {} : { ips: JSON.stringify(ips) }),
    ...(countries === undefined ? {} : { countries: JSON.stringify(countries) }),
    ...(text === undefined ? {} : { like: `%${text.replace(/[\\%_]/g, '\\$&')}%` }),
  };
  const users = db
    .prepare<unknown[], string | null>(
      `SELECT DISTINCT user COLLATE NOCASE FROM logins WHERE ${fits} LIMIT ${HEAT_MAP_USERS_MOST + 1}`,
    )
    .pluck()
    .all(parameters);
  const named = users.filter((user) => user !== null && user.trim() !== '');
  return named.length < users.length || users.length > HEAT_MAP_USERS_MOST ? null : (named as string[]);
}
