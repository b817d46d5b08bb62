/// <reference path="./iconv-lite.d.ts" />
import moreSingleByte from 'iconv-lite/encodings/sbcs-data.js';
import singleByte from 'iconv-lite/encodings/sbcs-data-generated.js';
import { dictionary } from '#shared/dictionary.ts';
import { TextDecoder } from '../platform.ts';
import { remembering } from '../remember.ts';
import { ebcdicCharacters } from './ebcdic.ts';
import { hz, iso2022cn, iso2022kr } from './shifted-charsets.ts';

/** Decodes bytes of a named charset. Never throws, even for an unknown charset. */
export interface DecodeBytes {
  (bytes: Uint8Array, charset: string): string;
  /** Takes a sentence about what had to be guessed. */
  guessed?: (sentence: string) => void;
}

export interface Charset {
  encoding: string;
  /** Whether the bytes of ASCII mean the same in it. */
  isAscii: boolean;
  decode(bytes: Uint8Array): string;
}

/** Labels seen in real mail that the WHATWG Encoding Standard does not list, by their squeezed form. */
const ALIASES: Readonly<Record<string, string>> = dictionary({
  utf7: 'utf-7',
  unicode11utf7: 'utf-7',
  ascii: 'windows-1252',
  usascii: 'windows-1252',
  ansix341968: 'windows-1252',
  iso646us: 'windows-1252',
  cp819: 'windows-1252',
  iso88598i: 'iso-8859-8-i',
  iso88598e: 'iso-8859-8',
  shiftjis: 'shift_jis',
  windows31j: 'shift_jis',
  cp932: 'shift_jis',
  ms932: 'shift_jis',
  mskanji: 'shift_jis',
  macjapanese: 'shift_jis',
  eucjp: 'euc-jp',
  cp51932: 'euc-jp',
  iso2022jp: 'iso-2022-jp',
  iso2022jp1: 'iso-2022-jp',
  iso2022jp2: 'iso-2022-jp',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
  cp50222: 'iso-2022-jp',
  euckr: 'euc-kr',
  uhc: 'euc-kr',
  cp949: 'euc-kr',
  ksc56011987: 'euc-kr',
  mackorean: 'euc-kr',
  cp936: 'gbk',
  ms936: 'gbk',
  windows936: 'gbk',
  macchinesesimp: 'gbk',
  gb18030: 'gb18030',
  cp950: 'big5',
  windows950: 'big5',
  macchinesetrad: 'big5',
  tis620: 'windows-874',
  cp874: 'windows-874',
  macroman: 'macintosh',
  macintosh: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
  macce: 'maccenteuro',
  maccentraleurope: 'maccenteuro',
  maccentralroman: 'maccenteuro',
  ucs2: 'utf-16',
  iso10646ucs2: 'utf-16',
  utf32: 'utf-32',
  ucs4: 'utf-32',
  iso10646ucs4: 'utf-32',
  utf32le: 'utf-32le',
  ucs4le: 'utf-32le',
  utf32be: 'utf-32be',
  ucs4be: 'utf-32be',
  iso2022kr: 'iso-2022-kr',
  iso2022cn: 'iso-2022-cn',
  iso2022cnext: 'iso-2022-cn',
  csiso2022cn: 'iso-2022-cn',
  hzgb2312: 'hz',
  cp1361: 'johab',
  ksc56011992: 'johab',
});

const squeezed = (label: string): string =>
  label.replace(/^(?:x-ms-|x-|cs(?=[a-z]))/, '').replace(/[\s._-]+/g, '');

/**
 * The label to try first for a charset name found in mail: trimmed, lowercased, without language tag and quotes,
 * aliases resolved. An empty name gives 'utf-8', a superset of US-ASCII.
 */
function charsetLabel(name: string): string {
  const label = name
    .trim()
    .toLowerCase()
    .replace(/^["']+|(?<!["'])["']+$/g, '')
    .replace(/\*.*$/, '');
  if (label === '') return 'utf-8';
  const short = squeezed(label);
  const alias = ALIASES[short];
  if (alias !== undefined) return alias;
  const page = /^(?:cp|windows|ms|win)(125\d)$/.exec(short);
  if (page) return `windows-${page[1]}`;
  const iso = /^iso8859(\d{1,2})$/.exec(short);
  return iso ? `iso-8859-${iso[1]}` : label;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SEXTET = new Int8Array(128).fill(-1);
for (let i = 0; i < BASE64.length; i++) SEXTET[BASE64.charCodeAt(i)] = i;

/** Base64 text to bytes; characters outside the alphabet are skipped, padding ends a group. */
export function base64Bytes(text: string): Uint8Array {
  const out = new Uint8Array(Math.floor((text.length * 3) / 4) + 3);
  let length = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x3d) {
      bits = 0;
      held = 0;
      continue;
    }
    const sextet = code < 128 ? (SEXTET[code] ?? -1) : -1;
    if (sextet < 0) continue;
    held = ((held << 6) | sextet) & 0xfff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[length++] = (held >> bits) & 0xff;
    }
  }
  return out.subarray(0, length);
}

const windows1252 = new TextDecoder('windows-1252');
const utf16be = new TextDecoder('utf-16be', { ignoreBOM: true });
const utf16le = new TextDecoder('utf-16le', { ignoreBOM: true });

const textOf = (units: Uint16Array): string =>
  utf16le.decode(new Uint8Array(units.buffer, units.byteOffset, units.byteLength));

/** UTF-7 (RFC 2152), which browsers do not support and mail still uses to hide text. */
const utf7 = (bytes: Uint8Array): string =>
  windows1252.decode(bytes).replace(/\+([A-Za-z0-9+/]*)-?/g, (whole, code: string) => {
    if (code === '') return whole === '+-' ? '+' : whole;
    const units = base64Bytes(code);
    return utf16be.decode(units.subarray(0, units.length & ~1));
  });

/** UTF-32, in the order of its mark, or else the one in which its first character exists. */
function utf32(bytes: Uint8Array, order?: 'le' | 'be'): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length & ~3);
  const isLittle = order === undefined ? view.byteLength > 0 && view.getUint32(0) > 0x10ffff : order === 'le';
  const units = new Uint16Array(view.byteLength / 2 + 1);
  let length = 0;
  for (let index = 0; index < view.byteLength; index += 4) {
    const code = view.getUint32(index, isLittle);
    if (index === 0 && code === 0xfeff) continue;
    if (code > 0xffff && code <= 0x10ffff) {
      units[length++] = 0xd7c0 + (code >> 10);
      units[length++] = 0xdc00 + (code & 0x3ff);
    } else units[length++] = code <= 0xffff ? code : 0xfffd;
  }
  if (bytes.length > view.byteLength) units[length++] = 0xfffd;
  return textOf(units.subarray(0, length));
}

const INITIALS = 'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ';
const FINALS = 'ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ';
const FIRST_VOWEL = 0x314f;
const VOWELS = 21;

/** A Korean syllable or letter of Johab, which has five bits for each of up to three letters; 0 if there is none. */
function johabSyllable(code: number): number {
  const [initial, medial, final] = [(code >> 10) & 31, (code >> 5) & 31, code & 31];
  const first = initial - 2;
  const vowel = medial < 3 || medial % 8 < 2 ? -1 : medial - 3 - 2 * Math.floor(medial / 8);
  const last = final === 18 ? -1 : final - (final < 18 ? 2 : 3);
  const hasFirst = first >= 0 && first < INITIALS.length;
  const hasVowel = vowel >= 0 && vowel < VOWELS;
  const hasLast = last >= 0 && last < FINALS.length;
  // These numbers stand for no letter.
  const [noFirst, noVowel, noLast] = [initial === 1, medial === 2, final === 1];
  if (hasFirst && hasVowel && (hasLast || noLast)) return 0xac00 + (first * VOWELS + vowel) * 28 + last + 1;
  if (hasFirst && noVowel && noLast) return INITIALS.charCodeAt(first);
  if (noFirst && hasVowel && noLast) return FIRST_VOWEL + vowel;
  return noFirst && noVowel && hasLast ? FINALS.charCodeAt(last) : 0;
}

/** Johab (KS X 1001, annex 3): Korean syllables by their letters, and other characters of EUC-KR in another order. */
function johab(bytes: Uint8Array): string {
  const korean = new TextDecoder('euc-kr');
  const units = new Uint16Array(bytes.length);
  let length = 0;
  for (let offset = 0; offset < bytes.length; offset++) {
    const lead = bytes[offset] ?? 0;
    const trail = bytes[offset + 1] ?? 0;
    let unit = lead < 0x80 ? lead : 0;
    if (lead >= 0x84 && lead <= 0xd3) unit = johabSyllable((lead << 8) | trail);
    else if (
      ((lead >= 0xd9 && lead <= 0xde) || (lead >= 0xe0 && lead <= 0xf9)) &&
      ((trail >= 0x31 && trail <= 0x7e) || (trail >= 0x91 && trail < 0xff))
    ) {
      const row = lead < 0xe0 ? 2 * (lead - 0xd9) : 2 * lead - 0x197;
      const cell = trail < 0x91 ? trail - 0x31 : trail - 0x43;
      const next = cell < 0x5e ? 0 : 1;
      unit = korean.decode(Uint8Array.of(row + next + 0xa1, cell - next * 0x5e + 0xa1)).charCodeAt(0);
    }
    if (lead >= 0x80 && unit > 0) offset += 1;
    units[length++] = unit > 0 || lead === 0 ? unit : 0xfffd;
  }
  return textOf(units.subarray(0, length));
}

const OWN: Readonly<Record<string, (bytes: Uint8Array) => string>> = dictionary({
  'utf-7': utf7,
  'utf-32': (bytes: Uint8Array) => utf32(bytes),
  'utf-32le': (bytes: Uint8Array) => utf32(bytes, 'le'),
  'utf-32be': (bytes: Uint8Array) => utf32(bytes, 'be'),
  'iso-2022-kr': iso2022kr,
  'iso-2022-cn': iso2022cn,
  hz,
  johab,
});

/** Windows names some code pages of EBCDIC by 20000 more than their number. */
const EBCDIC = /^(?:cp|ibm|ccsid|ebcdic|ibmebcdic)?0*(?:20(?=\d{3}$)|2(?=10\d\d$))?(\d{2,4})$/;
const EBCDIC_COUNTRIES = new Map(
  Object.entries({
    us: 37,
    ca: 37,
    nl: 37,
    wt: 37,
    de: 273,
    dk: 277,
    no: 277,
    fi: 278,
    se: 278,
    it: 280,
    es: 284,
    gb: 285,
    fr: 297,
    he: 424,
    be: 500,
    ch: 500,
    roece: 870,
    yu: 870,
    is: 871,
    gr: 875,
    tr: 1026,
  }),
);

function ebcdic(label: string): string | null {
  const country = EBCDIC_COUNTRIES.get(/^ebcdic(?:cp)?([a-z]+)$/.exec(label)?.[1] ?? '');
  const page = country ?? EBCDIC.exec(label)?.[1];
  return page === undefined ? null : ebcdicCharacters(Number(page));
}

const ASCII = String.fromCharCode(...Array(128).keys());

/** The characters of a single-byte charset that browsers do not know, or null for another charset. */
function charactersOf(label: string): string | null {
  const short = squeezed(label);
  const tables = [singleByte, moreSingleByte];
  const first = short.replace(/^(?:cp|ibm|windows|dos)(?=\d+$)/, '');
  for (let name: string | undefined = first, steps = 0; name !== undefined && steps < 3; steps += 1) {
    const key: string = name;
    const table = tables.find((table) => Object.hasOwn(table, key))?.[key];
    if (typeof table === 'object')
      return table.chars === undefined ? null : table.chars.length < 256 ? ASCII + table.chars : table.chars;
    name = table;
  }
  return ebcdic(short);
}

function decoderOf(label: string): Pick<Charset, 'encoding' | 'decode'> | null {
  const decode = OWN[label];
  if (decode !== undefined) return { encoding: label, decode };
  try {
    return new TextDecoder(label);
  } catch {
    const characters = charactersOf(label);
    if (characters === null) return null;
    const units = Uint16Array.from(characters, (character) => character.charCodeAt(0));
    return {
      encoding: label,
      decode: (bytes) => textOf(Uint16Array.from(bytes, (byte) => units[byte] ?? 0)),
    };
  }
}

function findCharset(label: string): Charset | null {
  const decoder = decoderOf(label);
  if (decoder === null) return null;
  const decode = (bytes: Uint8Array): string => decoder.decode(bytes);
  return { encoding: decoder.encoding, decode, isAscii: decode(Uint8Array.of(0x41)) === 'A' };
}

/** The charset with a name as in mail, or null if it is unknown. Few are kept: mails can invent names. */
export const charsetOf = remembering(200, (name) => findCharset(charsetLabel(name)));

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as UTF-8, or null if they are not. */
export function utf8Of(bytes: Uint8Array): string | null {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return null;
  }
}

/** UTF-8 if the bytes are valid UTF-8, otherwise the given charset or Windows-1252. */
export const decodeGuess = (bytes: Uint8Array): string => utf8Of(bytes) ?? windows1252.decode(bytes);

/** Signs of a text that was read in another charset than it was written in; the punctuation of East Asia is none. */
const ODD = [
  '[^\\p{L}\\p{M}\\p{N}\\0-\\x7f\\u3000-\\u303f\\uff00-\\uffef]',
  '[\\0-\\x08\\x0e-\\x1f\\x7f]',
  '\\p{Ll}(?=\\p{Lu})',
  '[\\xc0-\\u024f](?=[\\xc0-\\u024f])',
  '\\p{Script=Latin}(?=(?!\\p{Script=Latin})\\p{L})',
  '(?!\\p{Script=Latin})\\p{L}(?=\\p{Script=Latin})',
].join('|');
const oddities = (text: string): number => text.match(new RegExp(ODD, 'gu'))?.length ?? 0;

/** Whether a text has fewer signs than another of having been read in the wrong charset. */
export const isLikelier = (text: string, other: string): boolean => oddities(text) < oddities(other);

const WESTERN = /^(?:windows-1252|iso-8859-15|macintosh)$/;
const EAST_ASIAN = /^(?:gbk|gb18030|big5|euc-|shift_jis|johab)/;
/** So many characters beyond ASCII are valid UTF-8 by chance in less than one of a thousand texts. */
const ENOUGH = 4;
/** So many bytes of a text in UTF-16 include one beyond ASCII, or a zero. */
const ENOUGH_ASCII = 32;

/** A loop, which takes a fifth of the time of a callback. */
function isAsciiOnly(bytes: Uint8Array): boolean {
  for (let offset = 0; offset < bytes.length; offset++) if ((bytes[offset] ?? 0) > 0x7f) return false;
  return true;
}

/**
 * The text of bytes that are UTF-8 although they are labelled as another charset, or null if they are not. Short
 * texts may be valid UTF-8 by chance: in Western charsets only if letters stand next to each other that never do, in
 * those of East
 * Asia never with three bytes for a character. Otherwise the likelier reading counts, and the label in case of doubt.
 */
function utf8Instead(bytes: Uint8Array, charset: Charset): string | null {
  const { encoding, isAscii } = charset;
  if (encoding === 'utf-8') return null;
  if (isAsciiOnly(bytes)) {
    const isPlain =
      !isAscii && (bytes.length >= ENOUGH_ASCII || !encoding.startsWith('utf-16')) && !bytes.includes(0);
    return isPlain && bytes.length > 0 ? utf8Of(bytes) : null;
  }
  const text = encoding.startsWith('utf-16') ? null : utf8Of(bytes);
  if (text === null) return null;
  const wide = text.match(/[^\0-\x7f]/gu) ?? [];
  if (wide.length >= ENOUGH || WESTERN.test(encoding)) return text;
  if (EAST_ASIAN.test(encoding) && wide.some((character) => character > '\u07ff')) return text;
  const labelled = charset.decode(bytes);
  return labelled.includes('\ufffd') || isLikelier(text, labelled) ? text : null;
}

/** The text of bytes labelled as `name`, also where the label is unknown or wrong; then `guess` says how it was read. */
export function readLabelled(
  bytes: Uint8Array,
  name: string,
  what: string,
): { text: string; guess: string | null } {
  const label = name.trim().slice(0, 40);
  const charset = charsetOf(name);
  if (charset === null) {
    const utf8 = utf8Of(bytes);
    return {
      text: utf8 ?? windows1252.decode(bytes),
      guess: `unknown charset "${label}"; read as ${utf8 === null ? 'windows-1252' : 'UTF-8'}`,
    };
  }
  const utf8 = utf8Instead(bytes, charset);
  if (utf8 !== null) return { text: utf8, guess: `${what} is UTF-8, not ${label} as the mail says` };
  const text = charset.decode(bytes);
  return {
    text,
    guess: text.includes('\ufffd') ? `some characters of ${what} are not valid ${charset.encoding}` : null,
  };
}

/** Decodes what stands in headers, and tells `guessed` where it had to guess. */
export function headerDecoder(guessed?: (sentence: string) => void): DecodeBytes {
  const decode: DecodeBytes = (bytes, charset) => {
    const { text, guess } = readLabelled(bytes, charset, 'a header');
    if (guess !== null) guessed?.(guess);
    return text;
  };
  return guessed === undefined ? decode : Object.assign(decode, { guessed });
}

export const decodeBytes = headerDecoder();
