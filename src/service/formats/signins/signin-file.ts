/** The lines of sign-in logs: JSON as a list, as a Graph response or one object per line; CSV. */
import type { FileHandle } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse';
import { isZone } from '#shared/model/clock.ts';
import { codeOf } from '#shared/model/disk-errors.ts';
import { isTooDeep } from '#shared/model/json-depth.ts';
import { requireBytes } from '../files/bytes.ts';
import { openRegular, readStart } from '../files/open-regular.ts';
import { besideOf, type FilePath } from '../files/paths.ts';
import { reasonOf } from '../files/reason.ts';
import { JsonList } from './json-list.ts';
import { looksLikeSignins, type SigninMapping } from './signin-columns.ts';
import { dateOrderReader } from './signin-row.ts';
import type { DateOrder } from './signin-time.ts';
import { signinValues } from './signin-values.ts';
import { WesternBytes } from './western-bytes.ts';

const MAX_LINE = 4 * 1024 * 1024;
const SNIFF = 64 * 1024;
const CHUNK = 256 * 1024;
const MAX_MAPPING = 64 * 1024;
/** Maps the columns of the CSV logs beside it, e.g. {"time": "When", "user": "Who"}. */
const MAPPING_FILE = 'signin-columns.json';

export class SigninFileError extends Error {}

export const isLogName = (name: string): boolean =>
  /\.(?:json|jsonl|ndjson|log|csv|tsv)$/i.test(name) && name !== MAPPING_FILE;

/** The analyst's column mapping; {}: no such file. Throws SigninFileError for an invalid one. */
export async function mappingBeside(file: FilePath): Promise<SigninMapping> {
  let text: string;
  try {
    const { handle, size } = await openRegular(besideOf(file, MAPPING_FILE));
    try {
      if (size > MAX_MAPPING) throw new SigninFileError(`${MAPPING_FILE} beside it is larger than 64 KB`);
      const bytes = await readStart(handle, MAX_MAPPING);
      text = new TextDecoder(charsetOf(bytes)).decode(bytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SigninFileError) throw error;
    if (codeOf(error) === 'ENOENT') return {};
    throw new SigninFileError(`${MAPPING_FILE} beside it cannot be read: ${reasonOf(error)}`);
  }
  try {
    const value = JSON.parse(text) as unknown;
    if (
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((entry) => typeof entry === 'string')
    ) {
      const mapping = value as SigninMapping;
      const { dates, zone } = mapping;
      if (
        (dates === undefined || /^(?:day|month) first$/.test(dates)) &&
        (zone === undefined || isZone(zone))
      )
        return mapping;
    }
  } catch {
    // Reported below.
  }
  throw new SigninFileError(
    `${MAPPING_FILE} is no JSON object that names columns, or its “dates” are neither “day first” nor “month first”, or its “zone” is no time zone such as “Europe/Berlin”`,
  );
}

const delimiterOf = (line: string): string =>
  [',', ';', '\t'].sort((a, b) => line.split(b).length - line.split(a).length)[0] ?? ',';

/** Line ends, including those of old Macs, and mixed, as in concatenated logs: a parser for one kind would lose lines. */
const LINE_ENDS = ['\r\n', '\n', '\r'];
const LINE_END = /\r\n|\n|\r/;
const LINE_ENDS_WITHIN = new RegExp(LINE_END, 'g');

/** `from` is the line number of the headings. */
export type SigninFormat = { kind: 'json' | 'lines' } | { kind: 'csv'; delimiter: string; from: number };

/**
 * The charset of a text that begins in ASCII: UTF-8, or UTF-16 as PowerShell writes it, also without its byte order
 * mark.
 */
function charsetOf([first, second]: Buffer): string {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : 'utf-8';
}

/** The field with the list of a Graph response, a hunting query, CloudTrail, Azure Monitor or Google's reports. */
const LIST_FIRST =
  /^\{\s*(?:"@?[\w.@]{1,80}"\s*:\s*(?:"[^"]{0,2000}"|[\w.-]{1,40}|\[[^[\]]{0,20000}\])\s*,\s*){0,20}"(?:value|[Rr]ecords|[Rr]esults|items)"\s*:\s*\[/;
const LISTS = ['value', 'Records', 'records', 'Results', 'results', 'items'] as const;

/** The records of a list, or of an object that contains some, or null for anything else. */
function listIn(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return null;
  const holder = value as Partial<Record<string, unknown>>;
  const lists = LISTS.map((name) => holder[name]).filter((list) => Array.isArray(list));
  return lists.length > 0 ? lists.flat() : null;
}

/** The names of fields in JSON, also where it is a text in JSON or in a table. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/"([\w@ .()[\]-]{2,60})\\*"+\s*:/g)].map((match) => match[1] ?? '');

/** The format of a file by its beginning, or null if it is not a sign-in log. Throws if the file got shorter than `size`. */
export async function formatOf(
  handle: FileHandle,
  name: string,
  mapping: SigninMapping,
  size = 0,
): Promise<SigninFormat | null> {
  const bytes = await readStart(handle, SNIFF);
  requireBytes(bytes.length, SNIFF, 0, size);
  const text = new TextDecoder(charsetOf(bytes)).decode(bytes);
  const start = text.trimStart();
  const lines = start.split(LINE_END, 3);
  const [first = ''] = lines;
  if (/\.(?:csv|tsv)$/i.test(name)) {
    const blank = text.slice(0, -start.length).split(LINE_END).length - 1;
    // Skips PowerShell's type line and a line that names the separator for spreadsheets.
    const typed = first.startsWith('#TYPE ') ? 1 : 0;
    const named = /^"?sep=(.)"?$/i.exec(lines[typed] ?? '')?.[1];
    const before = typed + (named === undefined ? 0 : 1);
    const headings = lines[before] ?? '';
    const delimiter = named ?? delimiterOf(headings);
    const names = headings.split(delimiter).map((name) => name.replace(/^"|"$/g, ''));
    // Splunk's table has the events as their log wrote them in one column.
    if (names.includes('_raw')) names.push(...namesIn(start));
    return looksLikeSignins(names, mapping) ? { kind: 'csv', delimiter, from: blank + before + 1 } : null;
  }
  // Web servers log requests with a status, too.
  if (!looksLikeSignins(namesIn(start), {}, /\.log$/i.test(name))) return null;
  return { kind: start.startsWith('{') && !LIST_FIRST.test(start) && isWhole(first) ? 'lines' : 'json' };
}

function isWhole(line: string): boolean {
  // A line longer than the sample counts as JSON, since pretty-printed JSON never starts with one.
  if (line.length > SNIFF / 2) return true;
  try {
    return listIn(JSON.parse(line)) === null;
  } catch {
    return false;
  }
}

/** Lines in which dates in digits are looked for: a log without any in these has none. */
const DATES_WITHIN = 1_000;

/**
 * Whether a log writes the day or the month first, as shown by its dates that only allow one order, or null if none does, or
 * dates of both orders. Throws on abort only.
 */
export async function dateOrderOf(
  file: FileHandle,
  format: SigninFormat,
  mapping: SigninMapping,
  signal?: AbortSignal,
): Promise<DateOrder | null> {
  if (mapping.dates !== undefined) return mapping.dates;
  const read = dateOrderReader(mapping);
  const orders = new Set<DateOrder>();
  let hasDates = false;
  let lines = 0;
  try {
    for await (const { content } of signinLines(file, format, 0)) {
      const order = typeof content === 'string' ? undefined : read(content);
      hasDates ||= order !== undefined;
      lines += 1;
      if (order != null) orders.add(order);
      if (orders.size > 1 || (!hasDates && lines >= DATES_WITHIN)) break;
      signal?.throwIfAborted();
    }
  } catch (error) {
    // The reading of the sign-ins reports a damaged log.
    if (signal?.aborted) throw error;
  }
  return orders.size === 1 ? ([...orders][0] ?? null) : null;
}

/** A line as values, or why it is skipped. */
type LineContent = NonNullable<ReturnType<typeof signinValues>> | string;

interface SigninLine {
  content: LineContent;
  /** Number of its first line in the file, from 1. */
  line: number;
}

const NO_OBJECT = 'are no object with named values';

/**
 * The values of every line, or why it is unreadable; `reached` receives the bytes read so far, and how many characters
 * were not UTF-8; `size` is that of the file. Throws SigninFileError if the rest of the file is unreadable.
 */
export async function* signinLines(
  file: FileHandle,
  format: SigninFormat,
  size: number,
  reached: (bytes: number, western: number) => void = () => undefined,
): AsyncGenerator<SigninLine> {
  const chunks = chunksOf(file, size, reached);
  if (format.kind === 'csv') yield* csvLines(chunks, format);
  else if (format.kind === 'lines') yield* jsonLines(chunks);
  else yield* jsonList(chunks);
}

const CUT_SHORT = 'are cut short by the end of the file';
const MORE_VALUES = 'have more values than there are headings';
const NOT_CLOSED = 'are inside a quoted value that does not end where it should';

/** A row by its headings; of equal headings, the first with a value counts. */
function recordOf(headings: readonly string[], row: readonly string[]): Record<string, string> {
  const record = Object.create(null) as Record<string, string>;
  for (const [index, heading] of headings.entries()) record[heading] ||= row[index] ?? '';
  return record;
}

/** A row as a line of the log, or as the lines that an unexpected quote has put into one of its values. */
function* rowLines(
  { row, line }: CsvRow,
  headings: readonly string[],
  delimiter: string,
): Generator<SigninLine> {
  for (const value of row) {
    // The parser leaves the first quote of a value that has an unexpected one.
    const lines = value.startsWith('"') ? value.split(LINE_END) : [];
    if (lines.length < 2 || lines.every((line) => line.split(delimiter).length < headings.length)) continue;
    for (const _ of lines) yield { content: NOT_CLOSED, line };
    return;
  }
  const hasMore = row.slice(headings.length).some((value) => value.trim() !== '');
  const content = hasMore ? MORE_VALUES : (signinValues(recordOf(headings, row), row) ?? NO_OBJECT);
  yield { content, line };
}

interface CsvRow {
  row: string[];
  line: number;
}

/** The lines in which rows begin. The parser counts where they end, and CR LF in a value as two lines. */
function lineCounter(): (row: readonly string[], end: number) => number {
  let before = 0;
  let excess = 0;
  return (row, end) => {
    const isLonger = end - before > 1;
    before = end;
    const breaks = isLonger ? row.flatMap((value) => value.match(LINE_ENDS_WITHIN) ?? []) : [];
    const doubled = breaks.filter((lineBreak) => lineBreak === '\r\n').length;
    excess += doubled;
    return end - excess - breaks.length;
  };
}

/** Throws CsvError where the rest is unreadable, after all rows before it. */
async function* csvRows(
  chunks: AsyncIterable<Buffer>,
  { delimiter, from }: { delimiter: string; from: number },
): AsyncGenerator<CsvRow> {
  let batch: CsvRow[] = [];
  const take = (): CsvRow[] => {
    const rows = batch;
    batch = [];
    return rows;
  };
  const lineOf = lineCounter();
  const parser = parse({
    bom: true,
    delimiter,
    from_line: from,
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE,
    // An error would discard the rows that wait to be read from the stream.
    on_record: (row: string[], { lines }) => {
      batch.push({ row, line: lineOf(row, lines) });
      return null;
    },
  });
  parser.on('error', () => undefined);
  const failureOf = (step: (callback: (error?: Error | null) => void) => void) =>
    new Promise<Error | null>((resolve) => step((error) => resolve(error ?? null)));
  for await (const chunk of chunks) {
    const failure = await failureOf((callback) => parser.write(chunk, callback));
    yield* take();
    if (failure !== null) throw failure;
  }
  const failure = await failureOf((callback) => parser.end(callback));
  yield* take();
  if (failure !== null) throw failure;
}

async function* csvLines(
  chunks: AsyncIterable<Buffer>,
  format: { delimiter: string; from: number },
): AsyncGenerator<SigninLine> {
  let end = 0;
  const watched = async function* () {
    for await (const chunk of chunks) {
      end = chunk.at(-1) ?? end;
      yield chunk;
    }
  };
  let headings: string[] = [];
  let last: CsvRow | null = null;
  let count = 0;
  try {
    for await (const row of csvRows(watched(), format)) {
      if (count === 0) headings = row.row;
      if (last !== null) yield* rowLines(last, headings, format.delimiter);
      if (count > 0) last = row;
      count += 1;
    }
  } catch (error) {
    if (last !== null) yield* rowLines(last, headings, format.delimiter);
    if (!(error instanceof CsvError)) throw error;
    throw new SigninFileError(
      `after ${count.toLocaleString('en-GB')} rows a quote is not closed, or a row is longer than 4 MB: the rest was not read`,
    );
  }
  if (last === null) return;
  const named = headings.findLastIndex((heading) => heading.trim() !== '') + 1;
  if (last.row.length < named && end !== 0x0a && end !== 0x0d) yield { content: CUT_SHORT, line: last.line };
  else yield* rowLines(last, headings, format.delimiter);
}

function parsed(text: string): LineContent[] {
  if (isTooDeep(text)) return ['nest too deep'];
  try {
    const value = JSON.parse(text) as unknown;
    // A list of responses, each with a list.
    const records = Array.isArray(value) ? null : listIn(value);
    return (records ?? [value]).map((record) => signinValues(record) ?? NO_OBJECT);
  } catch {
    return ['are no JSON'];
  }
}

const TOO_LONG = 'are longer than 4 MB';

/** Reads a file of this size from start to end, as UTF-8; the handle stays open. Throws if it got shorter. */
async function* chunksOf(
  file: FileHandle,
  size: number,
  reached: (bytes: number, western: number) => void,
): AsyncGenerator<Buffer> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  const western = new WesternBytes();
  let position = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, position);
    requireBytes(bytesRead, 1, position, size);
    if (bytesRead === 0) break;
    const bytes = buffer.subarray(0, bytesRead);
    const charset = position === 0 ? charsetOf(bytes) : 'utf-8';
    if (charset !== 'utf-8') decoder = new TextDecoder(charset);
    position += bytesRead;
    const text =
      decoder === null ? western.take(bytes) : Buffer.from(decoder.decode(bytes, { stream: true }), 'utf8');
    reached(position, western.count);
    yield text;
  }
  const rest = western.end();
  if (rest.length === 0) return;
  reached(position, western.count);
  yield rest;
}

/** A line longer than MAX_LINE is dropped while reading, and counts as unreadable. */
async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SigninLine> {
  let parts: Buffer[] = [];
  let length = 0;
  let line = 0;
  const add = (part: Buffer) => {
    length += part.length;
    if (length <= MAX_LINE) parts.push(part);
    else parts = [];
  };
  const take = (): SigninLine[] => {
    const [part] = parts;
    // Trimming also removes a byte order mark.
    const text = (part && parts.length === 1 ? part : Buffer.concat(parts)).toString('utf8').trim();
    const tooLong = length > MAX_LINE;
    parts = [];
    length = 0;
    line += 1;
    const contents = tooLong ? [TOO_LONG] : text === '' ? [] : parsed(text);
    return contents.map((content) => ({ content, line }));
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      yield* take();
    }
    add(Buffer.from(chunk.subarray(from)));
  }
  yield* take();
}

/** The entries of lists of any length, and objects outside them, one at a time. */
async function* jsonList(chunks: AsyncIterable<Buffer>): AsyncGenerator<SigninLine> {
  const list = new JsonList(LISTS, MAX_LINE);
  for await (const chunk of chunks)
    for (const entry of list.take(chunk))
      for (const content of entry === null ? [TOO_LONG] : parsed(entry)) yield { content, line: list.line };
  if (!list.isWhole()) throw new SigninFileError('it is cut short, or no JSON');
}
