/** Lines of sign-in logs, one after another: JSON as a list, as an answer of Graph or one object a line; CSV. */
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { isTooDeep } from '#shared/model/json-depth.ts';
import { openRegular, readStart } from '../reader/open-regular.ts';
import { reasonOf } from '../reader/walk.ts';
import { looksLikeSignins, type SigninMapping, signinValues } from './signin-row.ts';

/** A JSON list is read as a whole: larger ones are exported one object a line, or as CSV. */
const MAX_JSON = 256 * 1024 * 1024;
const MAX_LINE = 4 * 1024 * 1024;
const SNIFF = 64 * 1024;
const CHUNK = 256 * 1024;
const MAX_MAPPING = 64 * 1024;
/** Names the columns of the CSV logs beside it, e.g. {"time": "When", "user": "Who"}. */
const MAPPING_FILE = 'signin-columns.json';

export class SigninFileError extends Error {}

export const isLogName = (name: string): boolean =>
  /\.(?:json|jsonl|ndjson|csv|tsv)$/i.test(name) && name !== MAPPING_FILE;

/** The analyst's own names for columns; {}: there is no such file. Throws SigninFileError when it cannot be used. */
export async function mappingBeside(file: string): Promise<SigninMapping> {
  let text: string;
  try {
    const { handle, size } = await openRegular(path.join(path.dirname(file), MAPPING_FILE));
    try {
      if (size > MAX_MAPPING) throw new SigninFileError(`${MAPPING_FILE} beside it is larger than 64 KB`);
      text = (await readStart(handle, MAX_MAPPING)).toString('utf8');
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
    // Said below.
  }
  throw new SigninFileError(`${MAPPING_FILE} is no JSON object that names columns`);
}

const delimiterOf = (line: string): string =>
  [',', ';', '\t'].sort((a, b) => line.split(b).length - line.split(a).length)[0] ?? ',';

export type SigninFormat = { kind: 'json' | 'lines' } | { kind: 'csv'; delimiter: string };

/** What a file is by its beginning; null: no sign-in log. */
export async function formatOf(
  handle: FileHandle,
  name: string,
  mapping: SigninMapping,
): Promise<SigninFormat | null> {
  const start = (await readStart(handle, SNIFF))
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  const first = start.split(/\r?\n/, 1)[0] ?? '';
  if (/\.(?:csv|tsv)$/i.test(name)) {
    const delimiter = delimiterOf(first);
    const names = first.split(delimiter).map((name) => name.replace(/^"|"$/g, ''));
    return looksLikeSignins(names, mapping) ? { kind: 'csv', delimiter } : null;
  }
  const names = [...start.matchAll(/"([\w [\]]{2,40})"\s*:/g)].map((found) => found[1] ?? '');
  if (!looksLikeSignins(names)) return null;
  return { kind: start.startsWith('{') && isWhole(first) ? 'lines' : 'json' };
}

function isWhole(line: string): boolean {
  // A line longer than what was read is taken for one: pretty-printed JSON never begins with one.
  if (line.length > SNIFF / 2) return true;
  try {
    const value = JSON.parse(line) as { value?: unknown };
    return !Array.isArray(value.value);
  } catch {
    return false;
  }
}

/** Every line as its values; null: a line that cannot be read. Throws SigninFileError for a file that cannot. */
export async function* signinLines(
  file: FileHandle,
  format: SigninFormat,
  size: number,
): AsyncGenerator<ReturnType<typeof signinValues>> {
  if (format.kind === 'csv') yield* csvLines(file, format.delimiter);
  else if (format.kind === 'lines') yield* jsonLines(file);
  else yield* jsonList(file, size);
}

async function* csvLines(
  file: FileHandle,
  delimiter: string,
): AsyncGenerator<ReturnType<typeof signinValues>> {
  const rows = Readable.from(chunksOf(file)).pipe(
    parse({
      bom: true,
      columns: true,
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: MAX_LINE,
    }),
  );
  try {
    for await (const row of rows) yield signinValues(row);
  } catch (error) {
    throw new SigninFileError(`it is no CSV: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parsed(text: string): ReturnType<typeof signinValues> {
  if (text.length > MAX_LINE || isTooDeep(text)) return null;
  try {
    return signinValues(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A file from its beginning to its end; the handle stays open. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A line longer than MAX_LINE is dropped while it is read, and counts as unreadable. */
async function* jsonLines(file: FileHandle): AsyncGenerator<ReturnType<typeof signinValues>> {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    length += part.length;
    if (length <= MAX_LINE) parts.push(part);
    else parts = [];
  };
  const take = (): ReturnType<typeof signinValues> | undefined => {
    const text = Buffer.concat(parts)
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .trim();
    const tooLong = length > MAX_LINE;
    parts = [];
    length = 0;
    return tooLong ? null : text === '' ? undefined : parsed(text);
  };
  for await (const chunk of chunksOf(file)) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    add(Buffer.from(chunk.subarray(from)));
  }
  const last = take();
  if (last !== undefined) yield last;
}

async function* jsonList(file: FileHandle, size: number): AsyncGenerator<ReturnType<typeof signinValues>> {
  if (size > MAX_JSON)
    throw new SigninFileError(
      'it is one JSON list of more than 256 MB; export it one object a line, or as CSV',
    );
  const bytes = await readStart(file, size);
  if (isTooDeep(bytes)) throw new SigninFileError('its JSON nests too deep');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch {
    throw new SigninFileError('it is cut short, or no JSON');
  }
  const list = Array.isArray(value) ? value : (value as { value?: unknown } | null)?.value;
  if (!Array.isArray(list)) throw new SigninFileError('its JSON is no list of sign-ins');
  for (const one of list) yield signinValues(one);
}
