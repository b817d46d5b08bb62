/**
 * Renders rows of a worksheet (ECMA-376 part 1, 18.3.1.73) from the cells that chunk-sql.ts delivers: UTF-8, each cell
 * ended by NUL. Copies four or eight bytes at a time where nothing needs escaping, single bytes elsewhere. Texts become
 * inline strings, never formulas.
 */
import { zoneOffsetMs } from '#shared/model/clock.ts';
import type { Cell } from '#shared/model/entities.ts';
import type { OutColumn, WriterData } from './protocol.ts';

/** Excel's limit for one cell, in UTF-16 units. */
export const CELL_MAX = 32_767;
export const DATE_STYLE = 2;
/** Days from 1899-12-30, the serial number 0, to 1970-01-01. */
const EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;
/** 1900-03-01: the 1900 date system counts a 29 February 1900 that did not exist. */
const FIRST_YEAR = 1900;
const FIRST_DATE = Date.UTC(FIRST_YEAR, 2, 1);
const LAST_DATE = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const ascii = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
export const ROW_END = ascii('</row>');
const HEX = ascii('0123456789ABCDEF');

/** A tag as bytes, eight at a time in doubles, which is safe because no ASCII bytes form a NaN. */
interface Tag {
  length: number;
  words: readonly number[];
}
const WORD = 8;
function tag(text: string): Tag {
  const bytes = new DataView(new ArrayBuffer(Math.ceil(text.length / WORD) * WORD));
  for (const [index, byte] of ascii(text).entries()) bytes.setUint8(index, byte);
  const words = Array.from({ length: bytes.byteLength / WORD }, (_, index) => bytes.getFloat64(index * WORD));
  return { length: text.length, words };
}
const ROW = tag('<row>');
const ROW_OVER = tag('</row>');
const EMPTY = tag('<c/>');
const TEXT = tag('<c t="inlineStr"><is><t>');
const TEXT_SPACED = tag('<c t="inlineStr"><is><t xml:space="preserve">');
const TEXT_END = tag('</t></is></c>');
const NUMBER = tag('<c><v>');
const DATE = tag(`<c s="${DATE_STYLE}"><v>`);
const BOOLEAN = tag('<c t="b"><v>');
const VALUE_END = tag('</v></c>');
const AMP = tag('&amp;');
const LT = tag('&lt;');
const GT = tag('&gt;');

const viewOf = ({ buffer, byteOffset, length }: Uint8Array) => new DataView(buffer, byteOffset, length);
/** A byte repeated four times. */
const four = (byte: number) => Math.imul(byte, 0x01010101);
const ONES = four(0x01);
const TOPS = four(0x80);
const SPACES = four(0x20);
const AMPS = four(0x26);
/** `<` and `>` differ only in this bit. */
const ANGLE_BIT = four(0x3c ^ 0x3e);
const ANGLES = four(0x3e);
const LINES = four(0x5f);
const hasNul = (word: number): boolean => ((word - ONES) & ~word & TOPS) !== 0;
/**
 * Bytes handled one by one before trying four at a time again, since text outside ASCII rarely has four plain bytes in
 * a row.
 */
const BY_BYTE = 8;
/** Whether four ASCII bytes all need no escaping. Control characters, and bytes after one, count as not plain. */
const isPlain = (word: number): boolean =>
  ((word |
    (word - SPACES) |
    ((word ^ AMPS) - ONES) |
    (((word | ANGLE_BIT) ^ ANGLES) - ONES) |
    ((word ^ LINES) - ONES)) &
    TOPS) ===
  0;

/** 0: plain. 1: & < >. 2: not a character of XML 1.0, or CR, which a parser would turn into LF. 3: `_`. 4: 0xEF. */
const KIND = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) KIND[byte] = byte === 9 || byte === 10 ? 0 : 2;
for (const char of '&<>') KIND[char.charCodeAt(0)] = 1;
KIND[0x5f] = 3;
KIND[0xef] = 4;

const isHex = (byte: number | undefined) =>
  byte !== undefined &&
  ((byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102));
const isSpace = (byte: number | undefined) => byte === 32 || byte === 9 || byte === 10 || byte === 13;

/** Text at `index` that looks like an escape and must be escaped itself (ECMA-376 part 1, 22.9.2.19). */
const looksEscaped = (source: Uint8Array, index: number, to: number): boolean =>
  index + 6 < to &&
  source[index + 1] === 0x78 &&
  isHex(source[index + 2]) &&
  isHex(source[index + 3]) &&
  isHex(source[index + 4]) &&
  isHex(source[index + 5]) &&
  source[index + 6] === 0x5f;

const two = (source: Uint8Array, index: number) => (source[index]! - 48) * 10 + source[index + 1]! - 48;
/** Epoch milliseconds of `2026-11-19T08:41:07Z` or `….123Z`; null for any other text and for impossible dates. */
const instantOf = (source: Uint8Array, from: number, end: number): number | null => {
  const length = end - from;
  if ((length !== 20 && length !== 24) || source[end - 1] !== 0x5a) return null;
  for (let index = 0; index < length - 1; index++) {
    const byte = source[from + index]!;
    const wanted =
      index === 4 || index === 7 ? 45 : index === 10 ? 84 : index === 13 || index === 16 ? 58 : 0;
    if (index === 19 ? byte !== 46 : wanted === 0 ? byte < 48 || byte > 57 : byte !== wanted) return null;
  }
  const year = two(source, from) * 100 + two(source, from + 2);
  const day = two(source, from + 8);
  // Date.UTC maps years below 100 to the twentieth century; Excel starts at 1900.
  if (year < FIRST_YEAR) return null;
  const hours = two(source, from + 11);
  const minutes = two(source, from + 14);
  const seconds = two(source, from + 17);
  const month = two(source, from + 5) - 1;
  if (month < 0 || month > 11 || day < 1 || hours > 23 || minutes > 59 || seconds > 59) return null;
  // Every month has 28 days; only later ones need the calendar.
  if (day > 28 && day > new Date(Date.UTC(year, month + 1, 0)).getUTCDate()) return null;
  const ms = length === 24 ? two(source, from + 20) * 10 + source[from + 22]! - 48 : 0;
  return Date.UTC(year, month, day, hours, minutes, seconds, ms);
};

export interface XlsxRows {
  /**
   * Renders `count` rows of cells, from offset `from`; `next` is the offset after them. The XML is valid until the next
   * call.
   */
  fromCells(cells: Uint8Array, from: number, count: number): { xml: Uint8Array; next: number };
  /** Renders one row of decoded values. */
  fromValues(values: readonly Cell[], text: (value: Cell) => string): Uint8Array;
  /** Cells cut at CELL_MAX so far. */
  readonly cut: number;
}

export function createXlsxRows(
  columns: readonly Pick<OutColumn, 'storage'>[],
  { zone, spans, until = Number.POSITIVE_INFINITY }: Pick<WriterData, 'zone' | 'spans' | 'until'>,
): XlsxRows {
  let out: Uint8Array<ArrayBuffer> = new Uint8Array(1024 * 1024);
  let outView = new DataView(out.buffer);
  let at = 0;
  let cut = 0;
  let span = 0;
  const kinds = columns.map(({ storage }) => storage);

  const room = (more: number) => {
    if (at + more <= out.length) return;
    const larger = new Uint8Array(Math.max(out.length * 2, at + more));
    larger.set(out.subarray(0, at));
    out = larger;
    outView = new DataView(out.buffer);
  };
  /** Writes whole words, so up to seven bytes after the tag must be writable. */
  const put = ({ length, words: all }: Tag) => {
    const target = outView;
    let offset = at;
    for (let index = 0; index < all.length; index++) {
      target.setFloat64(offset, all[index]!);
      offset += WORD;
    }
    at += length;
  };
  /**
   * Excel's serial number of a local time in epoch milliseconds. Ten decimals are finer than a millisecond and within a
   * double's precision.
   */
  const putSerial = (wall: number) => {
    const days = Math.floor(wall / DAY_MS);
    putDigits(days + EPOCH_DAYS, 0);
    // 10¹⁰ / DAY_MS in integers: exact, and never halfway between two decimals.
    let rest = Math.round(((wall - days * DAY_MS) * 3125) / 27);
    if (rest === 0) return;
    out[at++] = 0x2e;
    let digits = 10;
    for (; rest % 10 === 0; digits--) rest /= 10;
    putDigits(rest, digits);
  };
  /** A non-negative integer, padded with zeros to `wanted` digits. */
  const putDigits = (value: number, wanted: number) => {
    let digits = 1;
    for (let power = 10; power <= value; power *= 10) digits++;
    const end = at + Math.max(digits, wanted);
    let left = value;
    for (let place = end - 1; place >= at; place--) {
      const rest = Math.floor(left / 10);
      out[place] = 48 + left - rest * 10;
      left = rest;
    }
    at = end;
  };
  const putHex = (unit: number) => {
    out[at++] = 0x5f;
    out[at++] = 0x78;
    for (let shift = 12; shift >= 0; shift -= 4) out[at++] = HEX[(unit >> shift) & 15]!;
    out[at++] = 0x5f;
  };

  /** Where the first CELL_MAX UTF-16 units end. */
  const limit = (source: Uint8Array, from: number, to: number): number => {
    if (to - from <= CELL_MAX) return to;
    let units = 0;
    for (let index = from; index < to; index++) {
      const byte = source[index]!;
      if ((byte & 0xc0) === 0x80) continue;
      units += byte >= 0xf0 ? 2 : 1;
      if (units > CELL_MAX) {
        cut++;
        return index;
      }
    }
    return to;
  };

  const putText = (source: Uint8Array, view: DataView, from: number, end: number) => {
    if (from === end) return put(EMPTY);
    const to = limit(source, from, end);
    // One byte may expand to seven.
    room((to - from) * 7 + 100);
    put(isSpace(source[from]) || isSpace(source[to - 1]) ? TEXT_SPACED : TEXT);
    for (let index = from; index < to; index++) {
      // Most bytes are plain. Variables local to the loop are several times as fast as captured ones.
      const target = out;
      const targetView = outView;
      let offset = at;
      for (;;) {
        for (; index + 4 <= to; index += 4, offset += 4) {
          const word = view.getInt32(index);
          if (!isPlain(word)) break;
          targetView.setInt32(offset, word);
        }
        const few = Math.min(to, index + BY_BYTE);
        while (index < few && KIND[source[index]!] === 0) target[offset++] = source[index++]!;
        if (index < few || index === to) break;
      }
      at = offset;
      if (index === to) break;
      const byte = source[index]!;
      const kind = KIND[byte];
      if (kind === 1) put(byte === 0x26 ? AMP : byte === 0x3c ? LT : GT);
      else if (kind === 2) putHex(byte);
      else if (kind === 3) {
        if (looksEscaped(source, index, to)) putHex(0x5f);
        else out[at++] = byte;
      } else if (source[index + 1] === 0xbf && source[index + 2]! >= 0xbe && index + 2 < to) {
        putHex(source[index + 2] === 0xbe ? 0xfffe : 0xffff);
        index += 2;
      } else out[at++] = byte;
    }
    put(TEXT_END);
  };

  const offsetAt = (instant: number): number => {
    if (spans === null) return 0;
    // The spans cover recent times; instants outside of them are looked up one by one.
    if (instant < spans[0]!.from || instant >= until) return zoneOffsetMs(instant, { tenant: zone });
    while (span > 0 && instant < spans[span]!.from) span--;
    while (span + 1 < spans.length && instant >= spans[span + 1]!.from) span++;
    return spans[span]!.minutes * 60_000;
  };
  /** Writes a date in the time zone; false when Excel has no such date and nothing was written. */
  const putDate = (source: Uint8Array, from: number, end: number): boolean => {
    const instant = instantOf(source, from, end);
    if (instant === null) return false;
    const wall = instant + offsetAt(instant);
    if (wall < FIRST_DATE || wall > LAST_DATE) return false;
    put(DATE);
    putSerial(wall);
    put(VALUE_END);
    return true;
  };
  const putRaw = (kind: Tag, source: Uint8Array, from: number, end: number) => {
    put(kind);
    for (let index = from; index < end; index++) out[at++] = source[index]!;
    put(VALUE_END);
  };

  const putCell = (
    kind: OutColumn['storage'],
    source: Uint8Array,
    view: DataView,
    from: number,
    end: number,
  ) => {
    if (from === end) return put(EMPTY);
    if (kind === 'number') return putRaw(NUMBER, source, from, end);
    if (kind === 'boolean') return putRaw(BOOLEAN, source, from, end);
    if (kind === 'any') {
      if (source[from] === 0x6e) return putRaw(NUMBER, source, from + 1, end);
      return putText(source, view, from + 1, end);
    }
    if (kind !== 'date' || !putDate(source, from, end)) putText(source, view, from, end);
  };

  const utf8 = new TextEncoder();
  return {
    get cut() {
      return cut;
    },
    fromCells(cells, from, count) {
      at = 0;
      const view = viewOf(cells);
      let start = from;
      for (let row = 0; row < count; row++) {
        room(200);
        put(ROW);
        for (let column = 0; column < kinds.length; column++) {
          // A call of indexOf() costs more than scanning the few bytes of a cell.
          let end = start;
          while (end + 4 <= cells.length && !hasNul(view.getInt32(end))) end += 4;
          while (end < cells.length && cells[end] !== 0) end++;
          if (end === cells.length) throw new Error('a row of the workbook ends too early');
          room(end - start + 200);
          putCell(kinds[column]!, cells, view, start, end);
          start = end + 1;
        }
        put(ROW_OVER);
      }
      return { xml: out.subarray(0, at), next: start };
    },
    fromValues(values, text) {
      at = 0;
      put(ROW);
      for (let column = 0; column < kinds.length; column++) {
        const value = values[column] ?? null;
        room(200);
        if (value === null) put(EMPTY);
        else if (typeof value === 'boolean') putRaw(BOOLEAN, ascii(value ? '1' : '0'), 0, 1);
        else if (typeof value === 'number') {
          const bytes = ascii(String(value));
          putRaw(NUMBER, bytes, 0, bytes.length);
        } else {
          // XML cannot contain NUL, which is escaped, nor UTF-8 a lone surrogate, which is replaced.
          const bytes = utf8.encode(text(value));
          const isDate = kinds[column] === 'date' && typeof value === 'string';
          if (!isDate || !putDate(bytes, 0, bytes.length)) putText(bytes, viewOf(bytes), 0, bytes.length);
        }
      }
      room(20);
      put(ROW_OVER);
      return out.slice(0, at);
    },
  };
}
