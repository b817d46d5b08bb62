/**
 * Counts the records of a file as a recipient would: takes bytes in pieces of any size, returns the number of records
 * and the first and last of them. Shares no code with the writer, keeps only a few records in memory, and scans every
 * byte once.
 */

import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import { dictionary } from '#shared/dictionary.ts';
import { isRecord } from '#shared/model/narrow.ts';
import { Marks } from './record-scanner.ts';

export interface Scanned {
  /** Records, without a header. */
  records: number;
  /** Labels of the header, or keys of the first object; null when there is neither. */
  header: string[] | null;
  /** Entity id of the first and the last record; null when there is no such column, record or value. */
  firstId: string | null;
  lastId: string | null;
  /** The last record in full, and the entity id of the one before it: a PARTIAL file says so in its last record. */
  last: string[] | null;
  beforeLastId: string | null;
}

export interface Scanner {
  /** A buffer for the next bytes, valid until they are pushed; bytes from there need no copy. */
  room(length: number): Uint8Array;
  push(bytes: Uint8Array): void;
  /** Throws `Torn` for a file that ends too early or is not of its format. */
  end(): Scanned;
}

/** A file that is not what its name says. The message completes "The file …". */
export class MalformedFile extends Error {}

/** Index or key of the column that holds the entity id; null when none does. */
export type IdColumn = { index: number; key: string } | null;

const QUOTE = 0x22;
const COMMA = 0x2c;
const LF = 0x0a;
const CR = 0x0d;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Throws on invalid UTF-8. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textOf = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new MalformedFile('is not UTF-8');
  }
};

/** Common to all formats: tracking where records begin and end across pieces that may be cut anywhere. */
abstract class Records implements Scanner {
  protected count = 0;
  /** The bytes in memory: what is kept of earlier pieces, then the new piece. Offsets below refer to it. */
  protected readonly marks = new Marks();
  #filled = 0;
  readonly #firsts: Buffer[] = [];
  #from = 0;
  #lastFrom = 0;
  #lastEnd = 0;
  #beforeFrom = 0;
  #beforeEnd = 0;

  /** Scans `bytes` from an offset on. */
  protected abstract scan(bytes: Buffer, position: number): void;
  abstract end(): Scanned;

  room(length: number): Uint8Array {
    return this.marks.bytes(this.#filled + length).subarray(this.#filled, this.#filled + length);
  }

  push(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const start = this.#filled;
    const filled = start + piece.length;
    const bytes = this.marks.bytes(filled);
    const isThere = piece.buffer === bytes.buffer && piece.byteOffset === bytes.byteOffset + start;
    if (!isThere) bytes.set(piece, start);
    this.scan(bytes.subarray(0, filled), start);
    const keep = this.count > 1 ? this.#beforeFrom : this.count > 0 ? this.#lastFrom : this.#from;
    if (keep > 0) bytes.copyWithin(0, keep, filled);
    this.#filled = filled - keep;
    this.#from -= keep;
    this.#lastFrom -= keep;
    this.#lastEnd -= keep;
    this.#beforeFrom -= keep;
    this.#beforeEnd -= keep;
  }

  /** A record ends at `end`, and the next one begins at `next`. */
  protected ended(bytes: Buffer, end: number, next: number): void {
    if (this.count < 2) this.#firsts.push(Buffer.from(bytes.subarray(this.#from, end)));
    this.count++;
    this.#beforeFrom = this.#lastFrom;
    this.#beforeEnd = this.#lastEnd;
    this.#lastFrom = this.#from;
    this.#lastEnd = end;
    this.#from = next;
  }
  /** Starts the first record; what comes before it is skipped. */
  protected begin(position: number): void {
    this.#from = position;
  }
  protected get recordFrom(): number {
    return this.#from;
  }
  /** The first (0) or second (1) record. */
  protected first(index: number): string | null {
    const bytes = this.#firsts[index];
    return bytes === undefined ? null : textOf(bytes);
  }
  protected last(): string | null {
    return this.count < 1 ? null : textOf(this.#bytesOf(this.#lastFrom, this.#lastEnd));
  }
  protected beforeLast(): string | null {
    return this.count < 2 ? null : textOf(this.#bytesOf(this.#beforeFrom, this.#beforeEnd));
  }
  /** Bytes after the last record. */
  protected rest(): Buffer {
    return this.#bytesOf(this.#from, this.#filled);
  }
  #bytesOf(from: number, end: number): Buffer {
    return this.marks.bytes(this.#filled).subarray(from, end);
  }
}

/** The fields of one CSV record, RFC 4180. */
function fieldsOf(record: string): string[] {
  const fields: string[] = [];
  for (let position = 0; ; position++) {
    let field = '';
    if (record[position] === '"') {
      for (;;) {
        const close = record.indexOf('"', position + 1);
        if (close < 0) throw new MalformedFile('has a quoted field that does not end');
        field += record.slice(position + 1, close);
        position = close + 1;
        if (record[position] !== '"') break;
        field += '"';
      }
    } else {
      const comma = record.indexOf(',', position);
      const end = comma < 0 ? record.length : comma;
      field = record.slice(position, end);
      position = end;
    }
    fields.push(field);
    if (position >= record.length) return fields;
    if (record[position] !== ',') throw new MalformedFile('has text after a quoted field');
  }
}

class CsvRecords extends Records {
  readonly #id: IdColumn;
  constructor(id: IdColumn) {
    super();
    this.#id = id;
  }
  protected scan(bytes: Buffer, from: number): void {
    // A doubled quote closes and reopens the field, so counting quotes suffices.
    this.marks.each({ quote: QUOTE, comma: COMMA, end: LF }, [from, bytes.length], (offset) =>
      this.ended(bytes, offset > 0 && bytes[offset - 1] === CR ? offset - 1 : offset, offset + 1),
    );
  }
  end(): Scanned {
    if (this.marks.quoted || this.rest().length > 0)
      throw new MalformedFile('ends in the middle of a record');
    const head = this.first(0);
    if (head === null) throw new MalformedFile('has no header');
    const header = fieldsOf(head.startsWith('\u{feff}') ? head.slice(1) : head);
    if (this.marks.commas !== (header.length - 1) * this.count)
      throw new MalformedFile(`has records that do not have ${header.length} fields`);
    const idOf = (record: string | null) =>
      record === null || this.#id === null ? null : fieldsOf(record)[this.#id.index] || null;
    const last = this.count > 1 ? this.last() : null;
    return {
      records: this.count - 1,
      header,
      firstId: idOf(this.first(1)),
      lastId: idOf(last),
      last: last === null ? null : fieldsOf(last),
      beforeLastId: this.count > 2 ? idOf(this.beforeLast()) : null,
    };
  }
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MalformedFile('has a record that is not JSON');
  }
  if (!isRecord(value)) throw new MalformedFile('has a record that is not an object');
  return value;
}

/** The keys of an object in the order of its text; Object.keys moves integer keys to the front. */
function keysOf(text: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  let wantsKey = false;
  for (let position = 0; position < text.length; position++) {
    const char = text[position];
    if (char === '{' || char === '[') {
      depth++;
      wantsKey = depth === 1;
    } else if (char === '}' || char === ']') depth--;
    else if (char === ',') wantsKey = depth === 1;
    else if (char === '"') {
      const from = position++;
      while (position < text.length && text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
      if (wantsKey) keys.push(JSON.parse(text.slice(from, position + 1)) as string);
      wantsKey = false;
    }
  }
  return keys;
}

function scannedObjects(
  count: number,
  [first, beforeLast, last]: readonly [string | null, string | null, string | null],
  id: IdColumn,
): Scanned {
  const idOf = (text: string | null) => {
    const value = text === null || id === null ? null : objectOf(text)[id.key];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  if (first !== null) objectOf(first);
  return {
    records: count,
    header: first === null ? null : keysOf(first),
    firstId: idOf(first),
    lastId: idOf(last),
    last: last === null ? null : Object.entries(objectOf(last)).map((entry) => entry.join(': ')),
    beforeLastId: idOf(beforeLast),
  };
}

/** One object per line: JSON cannot contain a raw line feed, so lines are found by searching for one. */
class NdjsonRecords extends Records {
  readonly #id: IdColumn;
  constructor(id: IdColumn) {
    super();
    this.#id = id;
  }
  protected scan(bytes: Buffer, from: number): void {
    for (let offset = bytes.indexOf(LF, from); offset >= 0; offset = bytes.indexOf(LF, offset + 1)) {
      const begin = this.recordFrom;
      if (offset - begin < 2 || bytes[begin] !== OPEN || bytes[offset - 1] !== CLOSE)
        throw new MalformedFile(`has a line that is not an object: line ${this.count + 1}`);
      this.ended(bytes, offset, offset + 1);
    }
  }
  end(): Scanned {
    if (this.rest().length > 0) throw new MalformedFile('ends in the middle of a line');
    return scannedObjects(this.count, [this.first(0), this.beforeLast(), this.last()], this.#id);
  }
}

/** An array of objects, with any whitespace between them. */
class JsonRecords extends Records {
  readonly #id: IdColumn;
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #closed = false;
  /** What may come next; after a comma an element has to follow. */
  #wants: 'first' | 'comma' | 'element' = 'first';
  constructor(id: IdColumn) {
    super();
    this.#id = id;
  }
  protected scan(bytes: Buffer, from: number): void {
    const end = bytes.length;
    let depth = this.#depth;
    let quoted = this.#quoted;
    for (let offset = from; offset < end; offset++) {
      if (quoted) {
        if (this.#escaped) {
          this.#escaped = false;
          offset++;
        }
        while (offset < end && bytes[offset] !== QUOTE) offset += bytes[offset] === BACKSLASH ? 2 : 1;
        if (offset < end) quoted = false;
        // The backslash was the last byte of the piece, so the escaped character is the first of the next.
        else this.#escaped = offset > end;
        continue;
      }
      const byte = bytes[offset]!;
      if (depth > 1) {
        if (byte === QUOTE) quoted = true;
        else if (byte === OPEN || byte === 0x5b) depth++;
        else if (byte === CLOSE || byte === 0x5d) {
          depth--;
          if (depth === 1) {
            this.ended(bytes, offset + 1, offset + 1);
            this.#wants = 'comma';
          }
        }
        continue;
      }
      if (byte <= 0x20) continue;
      if (depth === 0) {
        if (byte !== 0x5b || this.#closed) throw new MalformedFile('is not one JSON array');
        depth = 1;
      } else if (byte === 0x5d && this.#wants !== 'element') {
        depth = 0;
        this.#closed = true;
        this.begin(offset + 1);
      } else if (byte === COMMA && this.#wants === 'comma') this.#wants = 'element';
      else if (byte === OPEN && this.#wants !== 'comma') {
        this.begin(offset);
        depth = 2;
      } else throw new MalformedFile(`has something other than an object after record ${this.count}`);
    }
    this.#depth = depth;
    this.#quoted = quoted;
  }
  end(): Scanned {
    if (!this.#closed) throw new MalformedFile('ends before its array does');
    return scannedObjects(this.count, [this.first(0), this.beforeLast(), this.last()], this.#id);
  }
}

const ENTITY: Readonly<Record<string, string>> = dictionary({
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
});
const unescapeXml = (text: string): string =>
  text
    .replace(/&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g, (whole, hex, decimal, name) =>
      hex !== undefined || decimal !== undefined
        ? String.fromCodePoint(hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal))
        : (ENTITY[name] ?? whole),
    )
    // ECMA-376 part 1, 22.9.2.19.
    .replace(/_x([0-9a-fA-F]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Cells of one worksheet row: texts of inline strings, values of others, '' for none. */
function cellsOf(row: string): string[] {
  const cells: string[] = [];
  for (const [, body = ''] of row.matchAll(/<c(?:\s[^<>]*?)?(?:\/>|>((?:(?!<c[\s/>]).)*?)<\/c>)/gs)) {
    const [, text] = /<t(?:\s[^<>]*)?>([^<]*)<\/t>/.exec(body) ?? /<v>([^<]*)<\/v>/.exec(body) ?? [];
    cells.push(text === undefined ? '' : unescapeXml(text));
  }
  return cells;
}

/** A letter that occurs in no tags but those of rows. */
const LETTER = 0x77;

/** The rows of one worksheet. Its texts have no unescaped `<`, so a closing row tag always ends a row. */
class SheetRecords extends Records {
  readonly #id: IdColumn;
  constructor(id: IdColumn) {
    super();
    this.#id = id;
  }
  protected scan(bytes: Buffer, from: number): void {
    // The last byte is scanned again with the next piece, since the byte after the letter is needed.
    const area = [Math.max(this.recordFrom, from - 1), bytes.length] as const;
    this.marks.all(LETTER, area, (offset) => {
      if (
        bytes[offset + 1] === 0x3e &&
        bytes[offset - 1] === 0x6f &&
        bytes[offset - 2] === 0x72 &&
        bytes[offset - 3] === 0x2f &&
        bytes[offset - 4] === 0x3c
      )
        this.ended(bytes, offset + 2, offset + 2);
    });
  }
  end(): Scanned {
    if (!textOf(this.rest()).trimEnd().endsWith('</worksheet>'))
      throw new MalformedFile('has a sheet that does not end');
    const head = this.first(0);
    if (head === null) throw new MalformedFile('has a sheet without a header');
    const idOf = (row: string | null) =>
      row === null || this.#id === null ? null : cellsOf(row)[this.#id.index] || null;
    const last = this.count > 1 ? this.last() : null;
    return {
      records: this.count - 1,
      header: cellsOf(head),
      firstId: idOf(this.first(1)),
      lastId: idOf(last),
      last: last === null ? null : cellsOf(last),
      beforeLastId: this.count > 2 ? idOf(this.beforeLast()) : null,
    };
  }
}

/** A workbook is read sheet by sheet. */
export function createScanner(format: Exclude<ExportFormat, 'xlsx'> | 'sheet', id: IdColumn): Scanner {
  switch (format) {
    case 'csv':
      return new CsvRecords(id);
    case 'ndjson':
      return new NdjsonRecords(id);
    case 'json':
      return new JsonRecords(id);
    case 'sheet':
      return new SheetRecords(id);
  }
}
