/** What makes two lines of sign-in logs the same sign-in. */
import { hash } from 'node:crypto';
import type { LoginRecord } from '../../store/records.ts';

/** The name under which the values of a line hold the whole line, which no column can have. */
export const WHOLE_LINE = '\0line';

const GUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const NO_GUID = /^[0-]+$/;

type Values = ReadonlyMap<string, unknown>;

/**
 * The id that the source of an event gave it, after the name of the source; null: none that is known to be unique. The
 * unified audit log has Entra's id of the request, so that both logs name the same sign-in.
 */
function eventIdOf(values: Values): string | null {
  const has = (...names: string[]): boolean => names.some((name) => values.has(name));
  const text = (name: string): string | null => {
    const value = values.get(name);
    return (typeof value === 'string' && value.trim() !== '') || typeof value === 'number'
      ? String(value).trim()
      : null;
  };
  const of = (source: string, name: string): string | null => {
    const id = text(name);
    return id === null ? null : `${source} ${id}`;
  };
  const guid = (name: string): string | null => {
    const id = text(name)?.toLowerCase() ?? '';
    return GUID.test(id) && !NO_GUID.test(id) ? `entra ${id}` : null;
  };
  if (has('eventversion') && has('eventsource')) return of('cloudtrail', 'eventid');
  if (has('uniquequalifier')) return of('google', 'uniquequalifier');
  if (has('uuid') && has('eventtype') && has('actoralternateid', 'alternateid')) return of('okta', 'uuid');
  if (has('txid') && has('isotimestamp')) return of('duo', 'txid');
  if (has('operation', 'operations') && has('recordtype')) return guid('id');
  // The portal's table, then Graph, Azure Monitor and Sentinel.
  if (has('requestid') && has('correlationid')) return guid('requestid');
  if (has('createddatetime') && has('correlationid', 'appid', 'appdisplayname')) return guid('id');
  return null;
}

/** Hex of SHA-256. */
export interface SigninIdentity {
  hex: string;
  /** Of an id that no other sign-in has. Otherwise, the log may have several sign-ins in equal lines. */
  isUnique: boolean;
}

/** Of a sign-in, in seconds since 1970. */
export const secondOf = ({ at }: LoginRecord): number => Math.floor((at ?? 0) / 1_000);

/**
 * The same for the same sign-in in any log: of its id, or without one of the whole line, and of its user, second, address
 * and outcome, so that a false id hides no other sign-in. Formats write times to the second or more exactly, and users in
 * any case.
 */
export function identityOf(values: Values, login: LoginRecord): SigninIdentity {
  const id = eventIdOf(values);
  const source = id ?? JSON.stringify(values.get(WHOLE_LINE) ?? [...values]);
  const { user, ip, failed } = login;
  return {
    hex: hash('sha256', `${source}\0${user?.toLowerCase()}\0${secondOf(login)}\0${ip}\0${failed}`),
    isUnique: id !== null,
  };
}

/** The identity of a line after this many equal ones in its log. */
export const repeatedIdentity = ({ hex }: SigninIdentity, repeat: number): string =>
  repeat === 0 ? hex : hash('sha256', `${hex}\0${repeat}`);
