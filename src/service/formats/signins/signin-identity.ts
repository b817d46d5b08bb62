/** What makes two lines of sign-in logs the same sign-in. */
import { hash } from 'node:crypto';
import type { SigninIdentity } from '../../store/evidence.ts';
import type { LoginRecord } from '../../store/records.ts';
import { hasMarks, textIn, type Values, WHOLE_LINE, WITH_IDS } from './vendors.ts';

const GUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const NO_GUID = /^[0-]+$/;

/** The id that the vendor gave an event, after its name, or null without one that is known to be unique. */
function eventIdOf(values: Values): string | null {
  const source = WITH_IDS.find(([, marks]) => hasMarks(values, marks));
  if (source === undefined) return null;
  const [vendor, , parts] = source;
  const [id = '', ...others] = parts.map((part) => textIn(values, part)?.trim() ?? '');
  if (id === '') return null;
  if (vendor !== 'entra') return [vendor, id, ...others].join(' ');
  return GUID.test(id) && !NO_GUID.test(id) ? `entra ${id.toLowerCase()}` : null;
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
