import { dictionary } from '#shared/dictionary.ts';

/**
 * Decodes bytes of a named charset. Supplied by the host (TextDecoder), because shared code has neither Node nor DOM
 * types. Must never throw, even for an unknown charset.
 */
export type DecodeBytes = (bytes: Uint8Array, charset: string) => string;

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
  eucjp: 'euc-jp',
  cp51932: 'euc-jp',
  iso2022jp: 'iso-2022-jp',
  iso2022jp1: 'iso-2022-jp',
  iso2022jp2: 'iso-2022-jp',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
  cp50222: 'iso-2022-jp',
  iso2022kr: 'iso-2022-kr',
  euckr: 'euc-kr',
  uhc: 'euc-kr',
  cp949: 'euc-kr',
  ksc56011987: 'euc-kr',
  cp936: 'gbk',
  ms936: 'gbk',
  windows936: 'gbk',
  gb18030: 'gb18030',
  cp950: 'big5',
  windows950: 'big5',
  tis620: 'windows-874',
  cp874: 'windows-874',
  macroman: 'macintosh',
  macintosh: 'macintosh',
});

/**
 * The label to try first for a charset name found in mail: trimmed, lowercased, without language tag and quotes,
 * aliases resolved. An empty name gives 'utf-8', a superset of US-ASCII.
 */
export function charsetLabel(name: string): string {
  const label = name
    .trim()
    .toLowerCase()
    .replace(/^["']+|(?<!["'])["']+$/g, '')
    .replace(/\*.*$/, '');
  if (label === '') return 'utf-8';
  const squeezed = label.replace(/^(?:x-ms-|x-|cs(?=[a-z]))/, '').replace(/[\s._-]+/g, '');
  const alias = ALIASES[squeezed];
  if (alias !== undefined) return alias;
  const page = /^(?:cp|windows|ms|win)(125\d)$/.exec(squeezed);
  if (page) return `windows-${page[1]}`;
  const iso = /^iso8859(\d{1,2})$/.exec(squeezed);
  return iso ? `iso-8859-${iso[1]}` : label;
}

/** `Decoder`: the TextDecoder of the host. Bytes in an unknown charset are read as Windows-1252. */
export const decoderOf =
  (Decoder: new (label: string) => { decode: (bytes: Uint8Array) => string }): DecodeBytes =>
  (bytes, charset) => {
    try {
      return new Decoder(charsetLabel(charset)).decode(bytes);
    } catch {
      return new Decoder('windows-1252').decode(bytes);
    }
  };
