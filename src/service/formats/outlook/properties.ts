/** Properties of Outlook's objects (MS-OXPROPS), from their bytes in a file. */
import { dictionary } from '#shared/dictionary.ts';
import { decodeBytes } from '#shared/mail/charsets.ts';

export const TYPE = {
  int: 0x0003,
  object: 0x000d,
  text8: 0x001e,
  text16: 0x001f,
  time: 0x0040,
  bytes: 0x0102,
} as const;

/** By number; the first property of a number applies. */
export type Properties = Map<number, { type: number; bytes: Buffer }>;

/** Named properties used to compose mails (MS-OXPROPS), under keys that no numbered property has. */
export const NAMED = { location: 0x18208, start: 0x1820d, end: 0x1820e, reminderSound: 0x2851f } as const;
const NAMED_KEYS: ReadonlySet<number> = new Set(Object.values(NAMED));
/** The property sets of appointments and of all items. */
const SETS: Record<string, number> = dictionary({
  '0220060000000000c000000000000046': 0x10000,
  '0820060000000000c000000000000046': 0x20000,
});

/** The key of a property named by a set and a number, or null if not used for mails. */
export function namedKey(set: Buffer, number: number): number | null {
  const key = (SETS[set.toString('hex')] ?? 0) + number;
  return NAMED_KEYS.has(key) ? key : null;
}

/**
 * Keys by the numbers that a file assigns to named properties; `names` are their list, `sets` those it refers to.
 */
export function namedKeys(sets: Buffer, names: Buffer): ReadonlyMap<number, number> {
  const out = new Map<number, number>();
  for (let offset = 0; offset + 8 <= names.length; offset += 8) {
    const kind = names.readUInt16LE(offset + 4);
    // The lowest bit means named by a text; sets below 3 are predefined and not in the list.
    const set = sets.subarray(((kind >> 1) - 3) * 16, ((kind >> 1) - 2) * 16);
    if ((kind & 1) !== 0 || kind >> 1 < 3 || set.length < 16) continue;
    const key = namedKey(set, names.readUInt32LE(offset));
    if (key !== null) out.set(0x8000 + names.readUInt16LE(offset + 6), key);
  }
  return out;
}

const CHARSETS: Record<number, string> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1200: 'utf-16le',
  10000: 'macintosh',
  20127: 'us-ascii',
  20866: 'koi8-r',
  20932: 'euc-jp',
  21866: 'koi8-u',
  50220: 'iso-2022-jp',
  50221: 'iso-2022-jp',
  50222: 'iso-2022-jp',
  50225: 'iso-2022-kr',
  51932: 'euc-jp',
  51936: 'gb2312',
  51949: 'euc-kr',
  54936: 'gb18030',
  65000: 'utf-7',
  65001: 'utf-8',
};

/** Code page by primary language (of an LCID), if it is not 1252; for Chinese by its two scripts. */
const LANGUAGES: Record<number, number> = {
  1: 1256,
  2: 1251,
  5: 1250,
  8: 1253,
  13: 1255,
  14: 1250,
  17: 932,
  18: 949,
  21: 1250,
  24: 1250,
  25: 1251,
  26: 1250,
  27: 1250,
  30: 874,
  31: 1254,
  34: 1251,
  36: 1250,
  37: 1257,
  38: 1257,
  39: 1257,
  41: 1256,
  42: 1258,
};

/** The code page used by programs for this language (LCID). */
export const codePageOf = (language: number): number =>
  (language & 0x3ff) === 4
    ? [0x804, 0x1004].includes(language)
      ? 936
      : 950
    : (LANGUAGES[language & 0x3ff] ?? 1252);

export function charsetOf(codePage: number): string {
  if (codePage >= 1250 && codePage <= 1258) return `windows-${codePage}`;
  if (codePage >= 28591 && codePage <= 28605) return `iso-8859-${codePage - 28590}`;
  return CHARSETS[codePage] ?? `cp${codePage}`;
}

export function numberOf(properties: Properties, id: number): number | null {
  const property = properties.get(id);
  return property !== undefined && property.bytes.length >= 4 ? property.bytes.readUInt32LE() : null;
}

/** ms since 1970, from 100 ns since 1601. */
export function timeOf(properties: Properties, id: number): number | null {
  const property = properties.get(id);
  if (property === undefined || property.bytes.length < 8) return null;
  const time = Number(property.bytes.readBigUInt64LE() / 10_000n) - 11_644_473_600_000;
  return Math.abs(time) <= 8.64e15 ? time : null;
}

/** Some programs store UTF-16 with the type of 8-bit text; truncated at its first NUL, one letter would remain. */
const isWide = ([a = 0, b, c = 0, d]: Uint8Array): boolean => a > 0 && b === 0 && c > 0 && d === 0;

function decoded({ type, bytes }: { type: number; bytes: Buffer }, charset: string): string {
  if (type === TYPE.text16 || (type === TYPE.text8 && isWide(bytes)))
    return bytes
      .subarray(0, bytes.length & ~1)
      .toString('utf16le')
      .toWellFormed();
  return type === TYPE.text8 || type === TYPE.bytes ? decodeBytes(bytes, charset) : '';
}

/** Up to the first NUL; '' if the value is missing. */
export function textOf(properties: Properties, id: number, charset: string): string {
  const property = properties.get(id);
  if (property === undefined) return '';
  const text = decoded(property, charset);
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** Whether a text continues after its first NUL, where programs stop reading. */
export function isCutShort(properties: Properties, id: number, charset: string): boolean {
  const property = properties.get(id);
  return property !== undefined && /\0[^\0]/.test(decoded(property, charset));
}

export const bytesOf = (properties: Properties, id: number): Buffer | null => {
  const property = properties.get(id);
  return property?.type === TYPE.bytes ? property.bytes : null;
};
