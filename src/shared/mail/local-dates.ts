/** Dates with names of months and days in the languages of mail programs, although mail requires English. */
import { dictionary } from '#shared/dictionary.ts';

/** A month from 0, or a weekday from Sunday, as a language names it, exactly or only by its first letters. */
interface Name {
  language: string;
  position: number;
  isExact: boolean;
}

interface Names {
  months: Map<string, Name[]>;
  weekdays: Map<string, Name[]>;
  afternoon: Set<string>;
}

/** The parts of a date: months count from 0, and `clock` has hours, minutes, seconds and am or pm. */
export interface DateParts {
  year: string;
  month: number;
  day: number;
  clock: (string | undefined)[];
  zone: string;
}

const LANGUAGES =
  'af ar az be bg bn bs ca cs da de de-AT el es et eu fa fi fr gl he hi hr hu hy id is it ja ka kk ko lt lv mk ms nb nl nn pl pt pt-PT ro ru sk sl sq sr sr-Latn sv ta th tr uk ur vi zh zh-TW';

/** Abbreviations that are not the first letters: German of Windows, Czech of Linux, Indonesian. */
const SHORT: Readonly<Record<string, string>> = dictionary({
  mrz: 'marz',
  cen: 'cerven',
  cec: 'cervenec',
  agt: 'agustus',
});

/** Without accents, dots and case, in which writers differ. */
function plain(text: string): string {
  const letters = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f.'’׳״॰]/g, '')
    .toLowerCase()
    .replaceAll('ı', 'i')
    .trim();
  return SHORT[letters] ?? letters;
}

function addName(names: Map<string, Name[]>, language: string, position: number, name: string): void {
  if (!/^\p{L}/u.test(name)) return;
  for (let length = Math.min(3, name.length); length <= name.length; length++) {
    const key = name.slice(0, length);
    const entry = { language, position, isExact: length === name.length };
    const list = names.get(key);
    if (list === undefined) names.set(key, [entry]);
    else list.push(entry);
  }
}

export const ENGLISH_MONTHS =
  'january february march april may june july august september october november december'.split(' ');
const ENGLISH_DAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const positionIn = (names: readonly string[], word: string): number =>
  word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word));

const MONTHS = Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 5));
/** 4 February 2024 is a Sunday. */
const DAYS = Array.from({ length: 7 }, (_, day) => Date.UTC(2024, 1, 4 + day));
const AFTERNOON = Date.UTC(2024, 1, 4, 15);

function collected(): Names {
  const names: Names = { months: new Map(), weekdays: new Map(), afternoon: new Set() };
  for (const language of LANGUAGES.split(' ')) {
    const format = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(`${language}-u-ca-gregory`, { timeZone: 'UTC', ...options });
    const name = (type: string, time: number, form: Intl.DateTimeFormat): string =>
      plain(form.formatToParts(time).find((part) => part.type === type)?.value ?? '');
    // The case of a name differs beside a day.
    for (const month of ['long', 'short'] as const)
      for (const beside of [{}, { day: 'numeric', weekday: month } as const]) {
        const form = format({ month, ...beside });
        for (const [index, time] of MONTHS.entries())
          addName(names.months, language, index, name('month', time, form));
        for (const [index, time] of DAYS.entries())
          addName(names.weekdays, language, index, name('weekday', time, form));
      }
    names.afternoon.add(name('dayPeriod', AFTERNOON, format({ hour: 'numeric', hour12: true })));
  }
  return names;
}

let namesOfAll: Names | null = null;
/** Collected only when a mail needs them, which takes 0.2 s: most dates read here are English, with another fault. */
function allNames(): Names {
  namesOfAll ??= collected();
  return namesOfAll;
}

/** The zeros of the scripts whose digits mail programs write. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
const withDigits = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (char) => {
    const code = char.charCodeAt(0);
    const zero = ZEROS.find((first) => code >= first && code < first + 10);
    return zero === undefined ? char : `${code - zero}`;
  });

const CLOCK = /(?<![\d.:])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?:\s*([ap])\.?\s?m\b\.?)?/i;
const CLOCK_WITH_DOTS = /(?<=\s)(\d{1,2})\.(\d{2})(?:\.(\d{2}))?(?![.\d])()/;
const ZONE =
  /(?<![+-])(?:\b(?:UTC?|GMT)\s?)?[+-]\d{1,2}(?::?\d{2})?(?!\d)|(?<=\s)(?:Z|UT|[A-Z]{3,5})(?=\s|$)/;

/** A month by its number, as in Chinese, Japanese and Korean, or in Vietnamese. */
const NUMBERED = /(\d{1,2})\s?[月월]|\b(?:(?:thg|tháng)\s?|th)(\d{1,2})/i;
const WITH_DOTS = /(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)/;
/** The same with the year first, as in Hungarian. */
const YEAR_FIRST = /(?<![\d.])(\d{4})\.\s?(\d{1,2})\.\s?(\d{1,2})(?!\d)/;
/** Weekdays of Vietnamese by their number. */
const NUMBERED_DAY = /\bT[2-7]\b/;

/** The day and the year among the numbers: the year has four digits, or stands last. */
function dayAndYear(text: string): { day: number; year: string } | null {
  const numbers = text.match(/\d+/g) ?? [];
  const long = numbers.findIndex((number) => number.length === 4);
  const position = long >= 0 ? long : 1;
  const day = numbers.find((number, index) => index !== position && number.length < 3);
  const year = numbers[position];
  return numbers.length !== 2 || day === undefined || year === undefined || year.length % 2 > 0
    ? null
    : { day: Number(day), year };
}

const areEnglish = (words: readonly string[]): boolean =>
  words.every((word) => [ENGLISH_MONTHS, ENGLISH_DAYS].some((names) => positionIn(names, word) >= 0));

/**
 * The month that the words name, in any language. One name can be two months (listopad is October in Croatian, November in
 * Polish): a weekday in the same language then decides.
 */
function monthOfWords(
  words: readonly string[],
  isOn: (month: number, weekday: number) => boolean,
): number | null {
  if (areEnglish(words)) {
    const [month = null, ...others] = new Set(
      words.map((word) => positionIn(ENGLISH_MONTHS, word)).filter((position) => position >= 0),
    );
    return others.length === 0 ? month : null;
  }
  const { months, weekdays } = allNames();
  // Short words are more often others: 'ag' is August in Catalan only.
  const all = words.flatMap((word) => (/^[a-z]{1,2}$/.test(word) ? [] : (months.get(word) ?? [])));
  const days = words.flatMap((word) => weekdays.get(word) ?? []);
  const dated = all.filter(({ language, position }) =>
    days.some((day) => day.language === language && isOn(position, day.position)),
  );
  for (const names of [dated, all])
    for (const isExact of [true, false]) {
      const positions = new Set(
        names.filter((name) => name.isExact === isExact).map(({ position }) => position),
      );
      const [month = null] = positions;
      if (month !== null) return positions.size === 1 ? month : null;
    }
  return null;
}

/** Reads a date with names in another language than English, or null if it is none, or the month is ambiguous. */
export function localDateParts(dateText: string): DateParts | null {
  const text = withDigits(dateText.normalize('NFC'));
  const clock = CLOCK.exec(text) ?? CLOCK_WITH_DOTS.exec(text);
  if (clock === null) return null;
  const after = text.slice(clock.index + clock[0].length);
  const zone = ZONE.exec(after)?.[0] ?? '';
  const date = `${text.slice(0, clock.index)} ${after.replace(zone, ' ')}`;
  const words = date
    .split(/[^\p{L}\p{M}.'’׳״]+/u)
    .map(plain)
    .filter((word) => word !== '');
  const [, hours, minutes, seconds, half] = clock;
  const isAfternoon =
    half === undefined &&
    Number(hours) <= 12 &&
    !areEnglish(words) &&
    words.some((word) => allNames().afternoon.has(word));
  const rest = { clock: [hours, minutes, seconds, isAfternoon ? 'pm' : half && `${half}m`], zone };
  const dotted = WITH_DOTS.exec(date);
  if (dotted) {
    const [, day, month, year = ''] = dotted;
    return { year, month: Number(month) - 1, day: Number(day), ...rest };
  }
  const yearFirst = YEAR_FIRST.exec(date);
  if (yearFirst) {
    const [, year = '', month, day] = yearFirst;
    return { year, month: Number(month) - 1, day: Number(day), ...rest };
  }
  const numbered = NUMBERED.exec(date);
  const numbers = dayAndYear(numbered ? date.replace(numbered[0], ' ').replace(NUMBERED_DAY, ' ') : date);
  if (numbers === null) return null;
  if (numbered) return { ...numbers, month: Number(numbered[1] ?? numbered[2]) - 1, ...rest };
  const { day, year } = numbers;
  const century = year.length === 4 ? 0 : Number(year) < 50 ? 2000 : 1900;
  const isOn = (month: number, weekday: number) =>
    new Date(Date.UTC(Number(year) + century, month, day)).getUTCDay() === weekday;
  const month = monthOfWords(words, isOn);
  return month === null ? null : { ...numbers, month, ...rest };
}
