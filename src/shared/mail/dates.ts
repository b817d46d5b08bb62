const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Zone names RFC 5322 section 4.3 defines, and the two others seen in real mail; minutes east of UTC. */
const ZONES: Readonly<Record<string, number>> = {
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
  jst: 540,
};

const FULL =
  /^(?:[a-z]{2,9}\.?,?\s+)?(\d{1,2})[\s-]+([a-z]{3,9})\.?[\s-]+(\d{2,4})\s+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:\.\d+)?\s*([ap]m)?\s*(?:([+-]\d{4}|[+-]\d{2}:\d{2})|([a-z]{1,5}))?/i;
const ASCTIME =
  /^[a-z]{3}\s+([a-z]{3})\s+(\d{1,2})\s+(\d{1,2}):(\d{2}):(\d{2})\s+(?:([a-z]{1,5})\s+|([+-]\d{4})\s+)?(\d{4})(?:\s+([+-]\d{4}))?/i;
const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?/;

function zoneMinutes(offset: string | undefined, name: string | undefined): number {
  if (offset) {
    const digits = offset.replace(':', '');
    const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
    return digits[0] === '-' ? -minutes : minutes;
  }
  // RFC 5322: an unknown zone counts as -0000, that is UTC without knowledge of the local zone.
  return ZONES[(name ?? '').toLowerCase()] ?? 0;
}

function instant(parts: readonly number[], zone: number): number | null {
  const [year = 0, month = -1, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (month < 0 || month > 11 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60) return null;
  if (Math.abs(zone) > 18 * 60) return null;
  const time = Date.UTC(year, month, day, hour, minute, second) - zone * 60_000;
  return Number.isFinite(time) && year >= 1970 && year < 9999 ? time : null;
}

function fullYear(text: string): number {
  const year = Number(text);
  if (text.length === 4) return year;
  // RFC 5322 section 4.3: 00 to 49 are 2000s, other two digits and three digits add 1900.
  return text.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

/**
 * A mail date (RFC 5322 section 3.3 and its obsolete forms, asctime, ISO 8601) as milliseconds since 1970,
 * or null. A missing or unknown zone counts as UTC. Never uses the zone of this machine.
 */
export function parseMailDate(text: string): number | null {
  const plain = text
    .slice(0, 200)
    .replace(/\([^()]*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const full = FULL.exec(plain);
  if (full) {
    const month = MONTHS.indexOf((full[2] ?? '').slice(0, 3).toLowerCase());
    let hour = Number(full[4]);
    const half = full[7]?.toLowerCase();
    if (half && hour <= 12) hour = (hour % 12) + (half === 'pm' ? 12 : 0);
    return instant(
      [fullYear(full[3] ?? ''), month, Number(full[1]), hour, Number(full[5]), Number(full[6] ?? 0)],
      zoneMinutes(full[8], full[9]),
    );
  }
  const asctime = ASCTIME.exec(plain);
  if (asctime) {
    const [, name = '', day, hour, minute, second, zone, before, year, after] = asctime;
    return instant(
      [
        Number(year),
        MONTHS.indexOf(name.toLowerCase()),
        Number(day),
        Number(hour),
        Number(minute),
        Number(second),
      ],
      zoneMinutes(before ?? after, zone),
    );
  }
  const iso = ISO.exec(plain);
  if (iso) {
    const time = Date.parse(
      iso[1] ? iso[0].replace(' ', 'T').replace(/\s/g, '') : `${iso[0].trim().replace(' ', 'T')}Z`,
    );
    return Number.isFinite(time) ? time : null;
  }
  return null;
}
