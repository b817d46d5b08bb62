/** The times of sign-in logs, as the tools that write them do. */
import { epochInstant, instantOfWall, toInstant } from '#shared/model/clock.ts';

/** How a log writes dates such as 03/04/2026. */
export type DateOrder = 'day first' | 'month first';

/** A time that can be read if the order of day and month is known. */
export const AMBIGUOUS = Symbol('ambiguous');

/** A time that can be read if its zone is known. */
export const ZONELESS = Symbol('zoneless');

/** `20261118093000.123`, as in event log files of Salesforce. As milliseconds since 1970, it would be the year 2612. */
const COMPACT = /^((?:19|20)\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?$/;

/** `/Date(1794994200000)/`, as Windows PowerShell writes times in JSON; an offset in it is not part of the instant. */
const DATE_CALL = /^\/Date\((-?\d{1,16})(?:[+-]\d{4})?\)\/$/;

/** A date in digits, in any order, with a time of day. */
const DIGITS =
  /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:,? |T)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?([ap])\.? ?m\.?)?(?: ?(Z|[+-]\d\d:\d\d))?$/i;

const two = (part: string): string => part.padStart(2, '0');

interface Digits {
  year: string;
  /** Month and day; or, if their order is not given, as the text has them. */
  first: string;
  second: string;
  /** Null if the digits allow both. */
  order: DateOrder | 'year first' | null;
  /** `T09:30:00.123+01:00`; UTC if no zone is named. */
  rest: string;
}

function digitsOf(text: string): Digits | null {
  const [, a = '', separator, b = '', c = '', hour = '', minute, second = '00', fraction = '0', half, zone] =
    DIGITS.exec(text) ?? [];
  if (separator === undefined || (half !== undefined && (Number(hour) < 1 || Number(hour) > 12))) return null;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const rest = `T${two(String(hours))}:${minute}:${second}.${fraction}${zone?.toUpperCase() ?? 'Z'}`;
  if (a.length === 4 && c.length <= 2) return { year: a, first: b, second: c, order: 'year first', rest };
  if (a.length > 2 || c.length !== 4) return null;
  // No language writes the month first with dots between (CLDR).
  const isDayFirst = separator === '.' || Number(a) > 12;
  const order = isDayFirst ? 'day first' : Number(b) > 12 ? 'month first' : null;
  return { year: c, first: a, second: b, order, rest };
}

/** English writes AM and PM in capitals, after a comma, where it writes the month first (CLDR). */
const MONTH_FIRST = /, .*[AP]M/;

function digitsInstant(text: string, order: DateOrder | null): number | null | typeof AMBIGUOUS {
  const digits = digitsOf(text);
  if (digits === null) return null;
  const { year, first, second, rest } = digits;
  // Reads no 30 February as 2 March.
  const instant = (month: string, day: string): number | null =>
    toInstant(`${year}-${two(month)}-${two(day)}${rest}`);
  const dayOrder = digits.order ?? order ?? (MONTH_FIRST.test(text) ? 'month first' : null);
  if (dayOrder !== null) return dayOrder === 'day first' ? instant(second, first) : instant(first, second);
  const either = instant(first, second);
  return either === instant(second, first) ? either : AMBIGUOUS;
}

/** Spaces as some browsers and languages write them, and zones in words or without minutes, as ISO 8601. */
const plainText = (text: string): string =>
  text
    .replace(/[\u200e\u200f]/g, '')
    .replace(/[\u00a0\u202f]/g, ' ')
    .replace(/(?: ?\+00:?00)? ?\(?\b(?:UTC|GMT)\)?$/i, 'Z')
    .replace(
      /(:\d\d(?:[.,]\d+)?(?: [AP]M)?) ?([+-]\d\d)(?::?(\d\d))?$/i,
      (_, before, hours, minutes = '00') => [before, hours, ':', minutes].join(''),
    );

/** `Jun 29, 2020 @ 14:00:00.000`: Kibana's tables have the zone of their reader, and do not name it. */
const KIBANA = /^([A-Z][a-z]{2}) (\d{1,2}), (\d{4}) @ (\d\d:\d\d:\d\d\.\d{1,9})$/;
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** As if it were UTC, or null if there is no such time. */
function kibanaTime(text: string): number | null {
  const [, month = '', day = '', year, time] = KIBANA.exec(text) ?? [];
  const place = MONTHS.indexOf(month);
  if (time === undefined || place % 3 !== 0) return null;
  return toInstant(`${year}-${two(String(place / 3 + 1))}-${two(day)}T${time}Z`);
}

/** The zone of whoever exported the log, which its heading does not name so that it can be known. */
const LOCAL = 'local time';
/** A time in the zone that the heading of its column says. */
export const inHeadedZone = (text: string, zone: string): string => `${text} [${zone}]`;
const HEADED = / \[([\w/+:-]{1,60}|local time)\]$/;
function wallOf(written: string): { text: string; headed: string | null } {
  const [suffix, headed = null] = HEADED.exec(written) ?? [];
  return { text: suffix === undefined ? written : written.slice(0, -suffix.length), headed };
}
export const isInLocalTime = (written: unknown): boolean =>
  typeof written === 'string' && wallOf(written).headed === LOCAL;

/** `UTC+2`, `GMT-05:30` */
const OFFSET = /^(?:utc|gmt)? ?([+-])(\d{1,2})(?::?(\d\d))?$/i;
const MOST_HOURS = 14;

/**
 * The zone that the heading of a time names, as IANA name or offset; LOCAL if it names none that can be known, such as
 * CST, which has several meanings.
 */
export function zoneNamed(words: string): string {
  if (/^(?:utc|gmt|z|zulu)$/i.test(words)) return 'UTC';
  const [, sign, hours = '', minutes = '00'] = OFFSET.exec(words) ?? [];
  if (sign !== undefined)
    return Number(hours) <= MOST_HOURS && Number(minutes) < 60 ? `${sign}${two(hours)}:${minutes}` : LOCAL;
  if (!words.includes('/')) return LOCAL;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: words }).resolvedOptions().timeZone;
  } catch {
    return LOCAL;
  }
}

const ZONED = /(?:Z|:\d\d(?:[.,]\d+)?(?: ?[ap]\.? ?m\.?)? ?[+-]\d\d:?(?:\d\d)?)$/i;

/**
 * Epoch milliseconds of a time as a log writes it, or null if it is no time. `order` is how the log writes dates that
 * allow both, if known. `zone` is the IANA zone for times without one, otherwise UTC, as in most of these logs.
 */
export function timeOf(
  written: string,
  order: DateOrder | null,
  zone: string | null = null,
): number | null | typeof AMBIGUOUS | typeof ZONELESS {
  const { text, headed } = wallOf(written);
  const writtenZone = headed === null || headed === LOCAL ? zone : headed;
  const compact = headed === null ? COMPACT.exec(text) : null;
  if (compact) {
    const [, year, month, day, hour, minute, second, fraction = '0'] = compact;
    return toInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}Z`);
  }
  if (/^\d+(?:\.\d+)?$/.test(text)) return epochInstant(Number(text));
  const call = DATE_CALL.exec(text)?.[1];
  if (call !== undefined) return toInstant(Number(call));
  const plain = plainText(text);
  const time = toInstant(plain) ?? digitsInstant(plain, order);
  if (time === null) {
    const wall = kibanaTime(text);
    return wall === null
      ? null
      : writtenZone === null
        ? ZONELESS
        : instantOfWall(wall, { tenant: writtenZone });
  }
  if (time === AMBIGUOUS || ZONED.test(plain)) return time;
  if (writtenZone === null) return headed === LOCAL ? ZONELESS : time;
  return instantOfWall(time, { tenant: writtenZone });
}

/** What the digits of a date say about the order of day and month, or null if they allow both; undefined for other texts. */
export function orderOf(text: string): DateOrder | null | undefined {
  const order = digitsOf(plainText(wallOf(text).text))?.order;
  return order === 'year first' ? undefined : order;
}
