/** Reads a line of a sign-in log as a login. */
import { placeOf } from '#shared/logins/place.ts';
import { isIp, plainIp } from '#shared/model/ip.ts';
import type { SigninIdentity } from '../../store/evidence.ts';
import { EVIDENCE_APP, type LoginRecord } from '../../store/records.ts';
import { cityNamed, countryCode } from './cities.ts';
import { leafOf, pickerOf, SIGNIN_COLUMNS, type SigninColumn, type SigninMapping } from './signin-columns.ts';
import { identityOf } from './signin-identity.ts';
import { cellText, INTERRUPTED, outcomeOf, textOf } from './signin-outcome.ts';
import { AMBIGUOUS, type DateOrder, orderOf, timeOf, ZONELESS } from './signin-time.ts';
import { isAzureSignin, type Values } from './vendors.ts';

function degrees(value: unknown, limit: number): number | null {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && value.trim() !== ''
        ? Number(cellText(value).replace(',', '.'))
        : Number.NaN;
  return Math.abs(number) <= limit ? number : null;
}

/** `HOST (198.51.100.7)`, `198.51.100.7 (HOST)` and `HOST [198.51.100.7]`, also in brackets as a whole. */
const NAMED_ADDRESS = [
  /^\[?([^()]{0,255}?) ?\(([^()]{1,255})\)\]?$/,
  /^([^()[\]]{1,255}) \[([^()[\]]{1,60})\]$/,
];

/**
 * An IP address without the name of a computer, brackets, port, zone or the length of a network of one, IPv4 also where
 * it is written as IPv6. Null if it is invalid, or several.
 */
function addressOf(value: unknown): string | null {
  const whole = textOf(value)?.toLowerCase() ?? '';
  const named = NAMED_ADDRESS.flatMap((form) => form.exec(whole)?.slice(1) ?? []);
  if (named.length === 0) return plainAddress(whole);
  const [address = null, ...others] = named.flatMap((part) => plainAddress(part.trim()) ?? []);
  return others.length === 0 ? address : null;
}

function plainAddress(written: string): string | null {
  const text = written.replace(/(?<=\.\d{1,3})\/32$|(?<=:.{0,40})\/128$/, '');
  const [, bracketed, v4, port] = /^(?:\[([^\]]*)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && Number(port) > 65_535) return null;
  const plain = (bracketed ?? v4 ?? text).replace(/%[\w.-]+$/, '');
  if (!isIp(plain)) return null;
  const ip = plainIp(plain);
  // One spelling for each address (RFC 5952), as the URL standard has it.
  return ip.includes(':') ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip;
}

/** A location as the portal exports it, e.g. `Paris, Ile-de-France, FR`. */
const PORTAL_PLACE = /^([^,]{1,100}), [^,]{1,100}, ([A-Z]{2})$/;

const OTHER_EVENTS = 'are other events than sign-ins';

export interface SigninRow {
  login: LoginRecord;
  identity: SigninIdentity;
  placed: 'coordinates' | 'city' | 'no';
  /** It was stopped for a further step, such as a second factor. */
  isInterrupted: boolean;
  /** It has an address, which cannot be read. */
  lacksAddress: boolean;
  /** Nothing but its capital AM or PM says that its month comes first. */
  guessesDate: boolean;
}

/** What a line's time says about the order of its day and month: see `orderOf`. */
export function dateOrderReader(mapping: SigninMapping): (values: Values) => DateOrder | null | undefined {
  const pick = pickerOf(mapping);
  return (values) => orderOf(textOf(pick(values, 'time')) ?? '');
}

/** Of a date in an order that the log does not show, with what helps. */
export const NO_ORDER =
  'have a date whose day and month cannot be told apart (“dates” in signin-columns.json can say “day first” or “month first”)';

/** Of a time as Kibana and Azure's tables show it, with what helps. */
const NO_ZONE =
  'have a time of whoever exported the log, without its zone (“zone” in signin-columns.json can name it, such as “Europe/Berlin”)';

/**
 * A reader for one log; a text says why the line is not read, after “3 of 10 lines”. `order` is how it writes dates that
 * allow both orders, if known.
 */
export function signinReader(
  mapping: SigninMapping = {},
  order: DateOrder | null = null,
): (values: Values) => SigninRow | string {
  const pickFrom = pickerOf(mapping);
  const zone = mapping.zone ?? null;
  const outcomes = mapping.result === undefined ? SIGNIN_COLUMNS.result : [leafOf(mapping.result)];
  return (values) => {
    const pick = (column: SigninColumn): unknown => pickFrom(values, column);
    const outcome = outcomeOf(values, outcomes);
    if (outcome === undefined) return OTHER_EVENTS;
    const time = textOf(pick('time')) ?? '';
    // Azure itself writes the month first in every language; its portal writes a comma, and the reader's language.
    const dateOrder = order ?? (isAzureSignin(values) && !time.includes(',') ? 'month first' : null);
    const instant = timeOf(time, dateOrder, zone);
    const name = textOf(pick('user'));
    // So the audit log writes an account that it does not know.
    const user = name?.toLowerCase() === 'not available' ? null : name;
    const address = pick('ip');
    const ip = addressOf(address);
    if (instant === AMBIGUOUS) return NO_ORDER;
    if (instant === ZONELESS) return NO_ZONE;
    if (instant === null) return 'name no time that can be read';
    if (user === null && ip === null) return 'name neither a user nor an address';
    const where = textOf(pick('country'));
    const portal = PORTAL_PLACE.exec(where ?? '');
    const country = portal?.[2] ?? where;
    const city = textOf(pick('city')) ?? portal?.[1] ?? null;
    const [lat, lon] = [degrees(pick('lat'), 90), degrees(pick('lon'), 180)];
    const loggedPlace = placeOf(lat, lon);
    const short = country === null ? null : countryCode(country);
    const named =
      loggedPlace || city === null || (country !== null && short === null) ? null : cityNamed(city, short);
    const place = loggedPlace ?? named;
    const login: LoginRecord = {
      saas: EVIDENCE_APP,
      failed: outcome === INTERRUPTED ? null : outcome,
      at: instant,
      user,
      ip,
      lat: place?.lat ?? null,
      lon: place?.lon ?? null,
      country: short ?? country ?? named?.country ?? null,
      city,
      count: 1,
    };
    return {
      login,
      identity: identityOf(values, login),
      placed: loggedPlace ? 'coordinates' : named ? 'city' : 'no',
      isInterrupted: outcome === INTERRUPTED,
      lacksAddress: ip === null && textOf(address) !== null,
      guessesDate:
        dateOrder === null && orderOf(time) === null && timeOf(time, 'day first', zone) !== instant,
    };
  };
}
