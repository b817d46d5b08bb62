import { dictionary } from '#shared/dictionary.ts';
import { ENGLISH_MONTHS, localDateParts } from './local-dates.ts';

/** Zone names RFC 5322 section 4.3 defines, and others that mean one thing in real mail; minutes east of UTC. */
const ZONES: Readonly<Record<string, number>> = dictionary({
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  bst: 60,
  cet: 60,
  cest: 120,
  met: 60,
  mest: 120,
  wet: 0,
  west: 60,
  eet: 120,
  eest: 180,
  msk: 180,
  aest: 600,
  aedt: 660,
  nzst: 720,
  nzdt: 780,
  akst: -540,
  akdt: -480,
  hst: -600,
  jst: 540,
});

/** A weekday in any language and encoding; the date already implies it. */
const WEEKDAY = String.raw`(?:[a-z]{2,9}\.?,?\s*|[^\d,]{1,40},\s*)?`;
const TIME = String.raw`(\d{1,2})[:.](\d{1,2})(?:[:.](\d{1,2})(?:[.,]\d+)?)?(?:\s*([ap]m)\b)?`;
const DAY_FIRST = new RegExp(
  String.raw`^${WEEKDAY}(\d{1,2})[\s-]*([a-z]{3,9})\.?[\s-]*(\d{2,4}),?\s+${TIME}`,
  'i',
);
const MONTH_FIRST = new RegExp(
  String.raw`^${WEEKDAY}([a-z]{3,9})\.?,?\s*(\d{1,2}),?\s+(\d{4}),?\s+${TIME}`,
  'i',
);
const ASCTIME = new RegExp(
  String.raw`^[a-z]{3}\s+([a-z]{3})\s+(\d{1,2})\s+${TIME}\s+((?:[a-z]{1,5}|[+-]\d{4})\s+)?(\d{4})(?!\d)`,
  'i',
);
const ISO = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})[T ]${TIME}`, 'i');

export interface MailDate {
  /** Milliseconds since 1970; negative before. */
  time: number;
  /** 'missing': the text names no zone and `time` assumes UTC, which must be shown. */
  zone: 'stated' | 'missing';
  /** The text is not in the form of mail, as with names of months in another language. */
  isGuessed: boolean;
}

/** Minutes east of UTC from the text after a time; null when there is none, undefined when it is unreadable. */
function zoneMinutes(text: string): number | null | undefined {
  // Go appends the reading of its monotonic clock.
  const rest = text.trim().replace(/\sm=[+-][\d.]+$/, '');
  if (rest === '') return null;
  // Mass mailers append numbers of their own to a whole offset: "+0000-62495-238", "+0200 . 286071244".
  const offset =
    /^(?:utc?|gmt)?\s*([+-])(\d{1,2})(?::?(\d{2}))?(?!\d)(?:\s+[a-z]{1,5})?$/i.exec(rest) ??
    /^([+-])(\d{2})(\d{2})\s?[-.]/.exec(rest);
  if (offset) {
    const [, sign, hours, minutes = '0'] = offset;
    if (Number(minutes) > 59) return undefined;
    const east = Number(hours) * 60 + Number(minutes);
    return sign === '-' ? -east : east;
  }
  return ZONES[rest.toLowerCase().replace(/^greenwich (?:mean|standard) time$/, 'gmt')];
}

function fullYear(text: string): number {
  const year = Number(text);
  if (text.length === 4) return year;
  // RFC 5322 section 4.3: 00 to 49 are 2000s, other two digits and three digits add 1900.
  return text.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

/** null for impossible dates and times, such as 31 February. */
function instant(
  year: number,
  month: number,
  day: number,
  clock: readonly (string | undefined)[],
  zoneText: string,
): MailDate | null {
  const [hours = '0', minutes = '0', seconds = '0', half] = clock;
  const twelve = half !== undefined && Number(hours) <= 12;
  const hour = twelve ? (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : Number(hours);
  const zone = zoneMinutes(zoneText);
  if (zone === undefined || Math.abs(zone ?? 0) > 18 * 60) return null;
  if (year < 1900 || year > 9998 || hour > 23 || Number(minutes) > 59 || Number(seconds) > 60) return null;
  const date = new Date(Date.UTC(year, month, day));
  if (month < 0 || date.getUTCMonth() !== month || date.getUTCDate() !== day) return null;
  const time = date.getTime() + ((hour * 60 + Number(minutes) - (zone ?? 0)) * 60 + Number(seconds)) * 1000;
  return { time, zone: zone === null ? 'missing' : 'stated', isGuessed: false };
}

/** Comments may nest, and hold brackets behind a backslash (RFC 5322 section 3.2.2). */
function withoutComments(text: string): string {
  if (!text.includes('(')) return text;
  let out = '';
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (depth > 0 && char === '\\') index += 1;
    else if (char === '(') depth += 1;
    else if (char === ')' && depth > 0) {
      depth -= 1;
      out += ' ';
    } else if (depth === 0) out += char;
  }
  return out;
}

/** White space that is not one space. */
const UNEVEN = /[^\S ]|\s{2}/;

const monthOf = (name = ''): number =>
  ENGLISH_MONTHS.findIndex((month) => month.startsWith(name.toLowerCase()));
/** Misspelt beyond its first letters. */
const monthLike = (name = ''): number => monthOf(name.slice(0, 3));

/**
 * Parses a mail date: RFC 5322 section 3.3 and its obsolete forms, asctime, ISO 8601, names in other languages, and the
 * usual damage. null for anything else, for impossible dates, and for an unreadable zone. Never uses the zone of this
 * machine.
 */
export function readMailDate(text: string): MailDate | null {
  const bare = withoutComments(text.slice(0, 200)).trim();
  const plain = UNEVEN.test(bare) ? bare.replace(/\s+/g, ' ') : bare;
  const read = englishDate(plain, monthOf);
  if (read !== null) return read;
  const parts = localDateParts(plain);
  const local = parts && instant(fullYear(parts.year), parts.month, parts.day, parts.clock, parts.zone);
  const guess = local ?? englishDate(plain, monthLike);
  return guess && { ...guess, isGuessed: true };
}

function englishDate(plain: string, monthOf: (name?: string) => number): MailDate | null {
  const after = (match: RegExpExecArray) => plain.slice(match[0].length);
  const dayFirst = DAY_FIRST.exec(plain);
  if (dayFirst) {
    const [, day, month, year = '', ...clock] = dayFirst;
    return instant(fullYear(year), monthOf(month), Number(day), clock, after(dayFirst));
  }
  const asctime = ASCTIME.exec(plain);
  if (asctime) {
    const [, month, day, hour, minute, second, half, zone, year] = asctime;
    return instant(
      Number(year),
      monthOf(month),
      Number(day),
      [hour, minute, second, half],
      zone ?? after(asctime),
    );
  }
  const monthFirst = MONTH_FIRST.exec(plain);
  if (monthFirst) {
    const [, month, day, year, ...clock] = monthFirst;
    return instant(Number(year), monthOf(month), Number(day), clock, after(monthFirst));
  }
  const iso = ISO.exec(plain);
  if (iso) {
    const [, year, month, day, ...clock] = iso;
    return instant(Number(year), Number(month) - 1, Number(day), clock, after(iso));
  }
  return null;
}
