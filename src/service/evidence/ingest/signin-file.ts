/** The lines of sign-in logs: JSON as a list, as a Graph response or one object per line; CSV. */
import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { isTooDeep } from '#shared/model/json-depth.ts';
import { openRegular, readStart } from '../reader/open-regular.ts';
import { besideOf, type FilePath } from '../reader/paths.ts';
import { reasonOf } from '../reader/reason.ts';
import { JsonList } from './json-list.ts';
import { looksLikeSignins, type SigninMapping, signinValues } from './signin-row.ts';
import { WesternBytes } from './western-bytes.ts';

const MAX_LINE = 4 * 1024 * 1024;
const SNIFF = 64 * 1024;
const CHUNK = 256 * 1024;
const MAX_MAPPING = 64 * 1024;
/** Maps the columns of the CSV logs beside it, e.g. {"time": "When", "user": "Who"}. */
const MAPPING_FILE = 'signin-columns.json';

export class SigninFileError extends Error {}

export const isLogName = (name: string): boolean =>
  /\.(?:json|jsonl|ndjson|csv|tsv)$/i.test(name) && name !== MAPPING_FILE;

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
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new SigninFileError(`${MAPPING_FILE} beside it cannot be read: ${reasonOf(error)}`);
  }
  try {
    const value = JSON.parse(text) as unknown;
    if (
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((one) => typeof one === 'string')
    )
      return value as SigninMapping;
  } catch {
    // Reported below.
  }
  throw new SigninFileError(`${MAPPING_FILE} is no JSON object that names columns`);
}

const delimiterOf = (line: string): string =>
  [',', ';', '\t'].sort((a, b) => line.split(b).length - line.split(a).length)[0] ?? ',';

/** Line ends, including those of old Macs, and mixed, as in concatenated logs: a parser for one kind would lose lines. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

/** `from`: the line number of the headings. */
export type SigninFormat = { kind: 'json' | 'lines' } | { kind: 'csv'; delimiter: string; from: number };

/** The charset of a text by its byte order mark: UTF-8, or UTF-16 as PowerShell writes it. */
const charsetOf = (start: Buffer): string =>
  start[0] === 0xff && start[1] === 0xfe
    ? 'utf-16le'
    : start[0] === 0xfe && start[1] === 0xff
      ? 'utf-16be'
      : 'utf-8';

/** The field with the list of a Graph response, of CloudTrail or of Google's reports, after possible other fields. */
const LIST_FIRST =
  /^\{\s*(?:"@?[\w.@]{1,80}"\s*:\s*(?:"[^"]{0,2000}"|[\w.-]{1,40})\s*,\s*){0,20}"(?:value|Records|items)"\s*:\s*\[/;
const LISTS = ['value', 'Records', 'items'] as const;

/** The records of a list, or of an object that contains one; null: neither. */
function listIn(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return null;
  const holder = value as Partial<Record<string, unknown>>;
  for (const name of LISTS) {
    const list = holder[name];
    if (Array.isArray(list)) return list;
  }
  return null;
}

/** The format of a file by its beginning; null: not a sign-in log. */
export async function formatOf(
  handle: FileHandle,
  name: string,
  mapping: SigninMapping,
): Promise<SigninFormat | null> {
  const bytes = await readStart(handle, SNIFF);
  const start = new TextDecoder(charsetOf(bytes)).decode(bytes).trimStart();
  const lines = start.split(/\r\n|\n|\r/, 3);
  const [first = ''] = lines;
  if (/\.(?:csv|tsv)$/i.test(name)) {
    // Skips PowerShell's type line and a line that names the separator for spreadsheets.
    const typed = first.startsWith('#TYPE ') ? 1 : 0;
    const named = /^"?sep=(.)"?$/i.exec(lines[typed] ?? '')?.[1];
    const before = typed + (named === undefined ? 0 : 1);
    const headings = lines[before] ?? '';
    const delimiter = named ?? delimiterOf(headings);
    const names = headings.split(delimiter).map((name) => name.replace(/^"|"$/g, ''));
    return looksLikeSignins(names, mapping) ? { kind: 'csv', delimiter, from: before + 1 } : null;
  }
  const names = [...start.matchAll(/"([\w [\]]{2,40})"\s*:/g)].map((found) => found[1] ?? '');
  if (!looksLikeSignins(names)) return null;
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

/** A line as values, or why it is skipped. */
type SigninLine = NonNullable<ReturnType<typeof signinValues>> | string;

const NO_OBJECT = 'are no object with named values';

/**
 * The values of every line, or why it is unreadable; `reached` receives the bytes read so far, and how many characters
 * were not UTF-8. Throws SigninFileError if the rest of the file is unreadable.
 */
export async function* signinLines(
  file: FileHandle,
  format: SigninFormat,
  reached: (bytes: number, western: number) => void = () => undefined,
): AsyncGenerator<SigninLine> {
  const chunks = chunksOf(file, reached);
  if (format.kind === 'csv') yield* csvLines(chunks, format);
  else if (format.kind === 'lines') yield* jsonLines(chunks);
  else yield* jsonList(chunks);
}

async function* csvLines(
  chunks: AsyncIterable<Buffer>,
  { delimiter, from }: { delimiter: string; from: number },
): AsyncGenerator<SigninLine> {
  const rows = parse({
    bom: true,
    columns: true,
    delimiter,
    from_line: from,
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE,
  });
  // Unlike `pipe`, this passes read errors on; otherwise the loop would wait forever.
  pipeline(Readable.from(chunks), rows, () => undefined);
  try {
    for await (const row of rows) yield signinValues(row) ?? NO_OBJECT;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new SigninFileError(`it is not CSV: ${error.message}`);
  }
}

function parsed(text: string): SigninLine[] {
  if (isTooDeep(text)) return ['nest too deep'];
  try {
    const value = JSON.parse(text) as unknown;
    // A list of responses, each with a list.
    const records = Array.isArray(value) ? null : listIn(value);
    return (records ?? [value]).map((one) => signinValues(one) ?? NO_OBJECT);
  } catch {
    return ['are no JSON'];
  }
}

const TOO_LONG = 'are longer than 4 MB';

/** Reads a file from start to end, as UTF-8; the handle stays open. */
async function* chunksOf(
  file: FileHandle,
  reached: (bytes: number, western: number) => void,
): AsyncGenerator<Buffer> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  const western = new WesternBytes();
  let at = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
    if (bytesRead === 0) break;
    const bytes = buffer.subarray(0, bytesRead);
    const charset = at === 0 ? charsetOf(bytes) : 'utf-8';
    if (charset !== 'utf-8') decoder = new TextDecoder(charset);
    at += bytesRead;
    const text =
      decoder === null ? western.take(bytes) : Buffer.from(decoder.decode(bytes, { stream: true }), 'utf8');
    reached(at, western.count);
    yield text;
  }
  const rest = western.end();
  if (rest.length === 0) return;
  reached(at, western.count);
  yield rest;
}

/** A line longer than MAX_LINE is dropped while reading, and counts as unreadable. */
async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SigninLine> {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    length += part.length;
    if (length <= MAX_LINE) parts.push(part);
    else parts = [];
  };
  const take = (): SigninLine[] => {
    const text = Buffer.concat(parts)
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .trim();
    const tooLong = length > MAX_LINE;
    parts = [];
    length = 0;
    return tooLong ? [TOO_LONG] : text === '' ? [] : parsed(text);
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

/** The entries of a list of any length, one at a time. */
async function* jsonList(chunks: AsyncIterable<Buffer>): AsyncGenerator<SigninLine> {
  const list = new JsonList(LISTS, MAX_LINE);
  for await (const chunk of chunks)
    for (const entry of list.take(chunk)) yield* entry === null ? [TOO_LONG] : parsed(entry);
  const end = list.end();
  if (end === 'cut') throw new SigninFileError('it is cut short, or no JSON');
  if (end === 'none') throw new SigninFileError('its JSON is no list of sign-ins');
}
