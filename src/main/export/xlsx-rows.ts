/**
 * Renders rows of a worksheet (ECMA-376 part 1, 18.3.1.73) from the cells that chunk-sql.ts delivers: UTF-8, each cell
 * ended by NUL. Copies four or eight bytes at a time where nothing needs escaping, single bytes elsewhere. Texts become
 * inline strings, never formulas.
 */
import { toInstant, zoneOffsetMs } from '#shared/model/clock.ts';
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
const [OPENS = 0, CELL_TAG, ROW_TAG, SPACE, ZERO = 0] = ascii('<cr 0');
const HEX = ascii('0123456789ABCDEF');
const UTF8 = new TextEncoder();

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
const ROW = tag('<row r="');
const ROW_BEGUN = tag('">');
const ROW_OVER = tag('</row>');
/** What follows a cell's reference. Gnumeric reads no cell that has none, though the standard allows it. */
const EMPTY = tag('"/>');
const TEXT = tag('" t="inlineStr"><is><t>');
const TEXT_SPACED = tag('" t="inlineStr"><is><t xml:space="preserve">');
const TEXT_END = tag('</t></is></c>');
const NUMBER = tag('"><v>');
const DATE = tag(`" s="${DATE_STYLE}"><v>`);
const BOOLEAN = tag('" t="b"><v>');
const VALUE_END = tag('</v></c>');
const AMP = tag('&amp;');
const LT = tag('&lt;');
const GT = tag('&gt;');

/** From A to XFD. */
export function columnName(index: number): string {
  let name = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}

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

/** U+FFFE or U+FFFF, which are not characters of XML 1.0. */
const isNoCharacter = (source: Uint8Array, index: number, to: number): boolean =>
  index + 2 < to && source[index] === 0xef && source[index + 1] === 0xbf && source[index + 2]! >= 0xbe;

/**
 * Text at `index` that would be read as an escape and must be escaped itself (ECMA-376 part 1, 22.9.2.19): _x0041_, or
 * _x0041 before a character that is escaped, since every escape begins with the missing `_`.
 */
const looksEscaped = (source: Uint8Array, index: number, to: number): boolean => {
  const end = index + 6;
  return (
    end < to &&
    source[index + 1] === 0x78 &&
    isHex(source[index + 2]) &&
    isHex(source[index + 3]) &&
    isHex(source[index + 4]) &&
    isHex(source[index + 5]) &&
    (source[end] === 0x5f || KIND[source[end]!] === 2 || isNoCharacter(source, end, to))
  );
};

const two = (source: Uint8Array, index: number) => (source[index]! - 48) * 10 + source[index + 1]! - 48;
/** Epoch milliseconds of `2026-11-19T08:41:07Z` or `….123Z`; null for any other text and for impossible dates. */
const instantOf = (source: Uint8Array, from: number, end: number): number | null => {
  const length = end - from;
  if ((length !== 20 && length !== 24) || source[end - 1] !== 0x5a) return null;
  for (let index = 0; index < length - 1; index++) {
    const byte = source[from + index]!;
    const separator =
      index === 4 || index === 7 ? 45 : index === 10 ? 84 : index === 13 || index === 16 ? 58 : 0;
    if (index === 19 ? byte !== 46 : separator === 0 ? byte < 48 || byte > 57 : byte !== separator)
      return null;
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

export class XlsxRows {
  readonly #kinds: readonly OutColumn['storage'][];
  /** What begins the cells of each column, as a tag of two words. */
  readonly #references: readonly Tag[];
  readonly #referenceWords: Float64Array;
  readonly #zone: string;
  readonly #spans: WriterData['spans'];
  readonly #until: number;
  /** The zone's span that the last date was in. */
  #span = 0;
  #out: Uint8Array<ArrayBuffer> = new Uint8Array(1024 * 1024);
  #view = new DataView(this.#out.buffer);
  #offset = 0;
  #cut = 0;
  /** The digits of the current row's number, at most seven, as one word. */
  #number = 0;
  #numberLength = 0;

  constructor(
    columns: readonly Pick<OutColumn, 'storage'>[],
    { zone, spans, until = Number.POSITIVE_INFINITY }: Pick<WriterData, 'zone' | 'spans' | 'until'>,
  ) {
    this.#kinds = columns.map(({ storage }) => storage);
    this.#references = columns.map((_, index) => tag(`<c r="${columnName(index)}`));
    this.#referenceWords = Float64Array.from(this.#references, ({ words }) => words[0] ?? 0);
    this.#zone = zone;
    this.#spans = spans;
    this.#until = until;
  }

  /** Cells cut at CELL_MAX so far. */
  get cut(): number {
    return this.#cut;
  }

  /**
   * Renders `count` rows of cells, from offset `from`, as those of a sheet from the row `first` on; `next` is the offset
   * after them. The XML is valid until the next call.
   */
  fromCells(
    cells: Uint8Array,
    from: number,
    count: number,
    first: number,
  ): { xml: Uint8Array; next: number } {
    this.#offset = 0;
    const view = viewOf(cells);
    let start = from;
    for (let row = 0; row < count; row++) {
      this.#makeRoom(200);
      this.#beginRow(first + row);
      for (let column = 0; column < this.#kinds.length; column++) {
        // A call of indexOf() costs more than scanning the few bytes of a cell.
        let end = start;
        while (end + 4 <= cells.length && !hasNul(view.getInt32(end))) end += 4;
        while (end < cells.length && cells[end] !== 0) end++;
        if (end === cells.length) throw new Error('a row of the workbook ends too early');
        this.#makeRoom(end - start + 200);
        this.#beginCell(column);
        this.#putCell(this.#kinds[column]!, cells, view, start, end);
        start = end + 1;
      }
      this.#put(ROW_OVER);
    }
    return { xml: this.#out.subarray(0, this.#offset), next: start };
  }

  /** Renders one row of decoded values; without `row`, its place in the sheet is given by `numbered`. */
  fromValues(values: readonly Cell[], text: (value: Cell) => string, row = 0): Uint8Array {
    this.#offset = 0;
    this.#beginRow(row);
    for (let column = 0; column < this.#kinds.length; column++) {
      const value = values[column] ?? null;
      this.#makeRoom(200);
      this.#beginCell(column);
      if (value === null) this.#put(EMPTY);
      else if (typeof value === 'boolean') this.#putRaw(BOOLEAN, ascii(value ? '1' : '0'), 0, 1);
      else if (typeof value === 'number') {
        const bytes = ascii(String(value));
        this.#putRaw(NUMBER, bytes, 0, bytes.length);
      } else {
        // The service may send an offset, microseconds or no zone: CSV in local time reads those, too.
        const instant = this.#kinds[column] === 'date' && typeof value === 'string' ? toInstant(value) : null;
        if (instant !== null && this.#putInstant(instant)) continue;
        // XML cannot contain NUL, which is escaped, nor UTF-8 a lone surrogate, which is replaced.
        const bytes = UTF8.encode(text(value));
        this.#putText(bytes, viewOf(bytes), 0, bytes.length);
      }
    }
    this.#makeRoom(20);
    this.#put(ROW_OVER);
    return this.#out.slice(0, this.#offset);
  }

  /** Rows of `fromValues` as those of a sheet from the row `first` on. The XML is valid until the next call. */
  numbered(xml: Uint8Array, first: number): Uint8Array {
    this.#offset = 0;
    let row = first - 1;
    let copied = 0;
    const copyTo = (end: number) => {
      this.#makeRoom(end - copied + 20);
      this.#out.set(xml.subarray(copied, end), this.#offset);
      this.#offset += end - copied;
    };
    // No text contains a bracket, and no column's name a zero.
    for (let position = xml.indexOf(OPENS); position >= 0; position = xml.indexOf(OPENS, position + 1)) {
      const isRow = xml[position + 1] === ROW_TAG;
      if (!isRow && (xml[position + 1] !== CELL_TAG || xml[position + 2] !== SPACE)) continue;
      if (isRow) this.#setNumber(++row);
      const zero = xml.indexOf(ZERO, position);
      copyTo(zero);
      this.#putNumber();
      copied = zero + 1;
    }
    copyTo(xml.length);
    return this.#out.subarray(0, this.#offset);
  }

  #setNumber(row: number): void {
    this.#makeRoom(20);
    const from = this.#offset;
    this.#putDigits(row, 0);
    this.#number = this.#view.getFloat64(from);
    this.#numberLength = this.#offset - from;
    this.#offset = from;
  }

  #putNumber(): void {
    this.#view.setFloat64(this.#offset, this.#number);
    this.#offset += this.#numberLength;
  }

  #beginRow(row: number): void {
    this.#setNumber(row);
    this.#put(ROW);
    this.#putNumber();
    this.#put(ROW_BEGUN);
  }

  #beginCell(column: number): void {
    const reference = this.#references[column]!;
    if (reference.length > WORD) this.#put(reference);
    else {
      this.#view.setFloat64(this.#offset, this.#referenceWords[column]!);
      this.#offset += reference.length;
    }
    this.#putNumber();
  }

  #putCell(kind: OutColumn['storage'], source: Uint8Array, view: DataView, from: number, end: number): void {
    if (from === end) this.#put(EMPTY);
    else if (kind === 'number') this.#putRaw(NUMBER, source, from, end);
    else if (kind === 'boolean') this.#putRaw(BOOLEAN, source, from, end);
    else if (kind === 'any') {
      if (source[from] === 0x6e) this.#putRaw(NUMBER, source, from + 1, end);
      else this.#putText(source, view, from + 1, end);
    } else if (kind !== 'date' || !this.#putDate(source, from, end)) this.#putText(source, view, from, end);
  }

  #putText(source: Uint8Array, view: DataView, from: number, end: number): void {
    if (from === end) {
      this.#put(EMPTY);
      return;
    }
    const to = this.#limit(source, from, end);
    // One byte may expand to seven.
    this.#makeRoom((to - from) * 7 + 100);
    this.#put(isSpace(source[from]) || isSpace(source[to - 1]) ? TEXT_SPACED : TEXT);
    for (let index = from; index < to; index++) {
      // Most bytes are plain. Variables local to the loop are several times as fast as fields.
      const target = this.#out;
      const targetView = this.#view;
      let offset = this.#offset;
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
      this.#offset = offset;
      if (index === to) break;
      const byte = source[index]!;
      const kind = KIND[byte];
      if (kind === 1) this.#put(byte === 0x26 ? AMP : byte === 0x3c ? LT : GT);
      else if (kind === 2) this.#putHex(byte);
      else if (kind === 3) {
        if (looksEscaped(source, index, to)) this.#putHex(0x5f);
        else this.#out[this.#offset++] = byte;
      } else if (isNoCharacter(source, index, to)) {
        this.#putHex(source[index + 2] === 0xbe ? 0xfffe : 0xffff);
        index += 2;
      } else this.#out[this.#offset++] = byte;
    }
    this.#put(TEXT_END);
  }

  /** Where the first CELL_MAX UTF-16 units end. */
  #limit(source: Uint8Array, from: number, to: number): number {
    if (to - from <= CELL_MAX) return to;
    let units = 0;
    for (let index = from; index < to; index++) {
      const byte = source[index]!;
      if ((byte & 0xc0) === 0x80) continue;
      units += byte >= 0xf0 ? 2 : 1;
      if (units > CELL_MAX) {
        this.#cut++;
        return index;
      }
    }
    return to;
  }

  #putDate(source: Uint8Array, from: number, end: number): boolean {
    const instant = instantOf(source, from, end);
    return instant !== null && this.#putInstant(instant);
  }

  /** Writes a date in the time zone; false when Excel has no such date and nothing was written. */
  #putInstant(instant: number): boolean {
    const wall = instant + this.#offsetAt(instant);
    if (wall < FIRST_DATE || wall > LAST_DATE) return false;
    this.#put(DATE);
    this.#putSerial(wall);
    this.#put(VALUE_END);
    return true;
  }

  #offsetAt(instant: number): number {
    const spans = this.#spans;
    if (spans === null) return 0;
    // The spans cover recent times; instants outside of them are looked up one by one.
    if (instant < spans[0]!.from || instant >= this.#until)
      return zoneOffsetMs(instant, { tenant: this.#zone });
    while (this.#span > 0 && instant < spans[this.#span]!.from) this.#span--;
    while (this.#span + 1 < spans.length && instant >= spans[this.#span + 1]!.from) this.#span++;
    return spans[this.#span]!.minutes * 60_000;
  }

  #putRaw(kind: Tag, source: Uint8Array, from: number, end: number): void {
    this.#put(kind);
    for (let index = from; index < end; index++) this.#out[this.#offset++] = source[index]!;
    this.#put(VALUE_END);
  }

  /**
   * Excel's serial number of a local time in epoch milliseconds. Ten decimals are finer than a millisecond and within a
   * double's precision.
   */
  #putSerial(wall: number): void {
    const days = Math.floor(wall / DAY_MS);
    this.#putDigits(days + EPOCH_DAYS, 0);
    // 10¹⁰ / DAY_MS in integers: exact, and never halfway between two decimals.
    let rest = Math.round(((wall - days * DAY_MS) * 3125) / 27);
    if (rest === 0) return;
    this.#out[this.#offset++] = 0x2e;
    let digits = 10;
    for (; rest % 10 === 0; digits--) rest /= 10;
    this.#putDigits(rest, digits);
  }

  /** A non-negative integer, padded with zeros to `width` digits. */
  #putDigits(value: number, width: number): void {
    let digits = 1;
    for (let power = 10; power <= value; power *= 10) digits++;
    const end = this.#offset + Math.max(digits, width);
    let remaining = value;
    for (let place = end - 1; place >= this.#offset; place--) {
      const rest = Math.floor(remaining / 10);
      this.#out[place] = 48 + remaining - rest * 10;
      remaining = rest;
    }
    this.#offset = end;
  }

  #putHex(unit: number): void {
    this.#out[this.#offset++] = 0x5f;
    this.#out[this.#offset++] = 0x78;
    for (let shift = 12; shift >= 0; shift -= 4) this.#out[this.#offset++] = HEX[(unit >> shift) & 15]!;
    this.#out[this.#offset++] = 0x5f;
  }

  /** Writes whole words, so up to seven bytes after the tag must be writable. */
  #put({ length, words }: Tag): void {
    const target = this.#view;
    let offset = this.#offset;
    for (let index = 0; index < words.length; index++) {
      target.setFloat64(offset, words[index]!);
      offset += WORD;
    }
    this.#offset += length;
  }

  #makeRoom(more: number): void {
    if (this.#offset + more <= this.#out.length) return;
    const larger = new Uint8Array(Math.max(this.#out.length * 2, this.#offset + more));
    larger.set(this.#out.subarray(0, this.#offset));
    this.#out = larger;
    this.#view = new DataView(this.#out.buffer);
  }
}
