/** Lines of sign-in logs, one after another: JSON as a list, as an answer of Graph or one object a line; CSV. */
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { jsonDepth } from '../http/input.ts';
import { looksLikeSignins, type SigninMapping, signinValues } from './signin-row.ts';

/** A JSON list is read as a whole: larger ones are exported one object a line, or as CSV. */
const MAX_JSON = 256 * 1024 * 1024;
const MAX_LINE = 4 * 1024 * 1024;
const MAX_DEPTH = 200;
const SNIFF = 64 * 1024;
/** Names the columns of the CSV logs beside it, e.g. {"time": "When", "user": "Who"}. */
export const MAPPING_FILE = 'signin-columns.json';

export class SigninFileError extends Error {}

export const isLogName = (name: string): boolean =>
  /\.(?:json|jsonl|ndjson|csv|tsv)$/i.test(name) && name !== MAPPING_FILE;

/** The analyst's own names for columns; {}: there is no such file. Throws SigninFileError when it is not one. */
export async function mappingBeside(file: string): Promise<SigninMapping> {
  let text: string;
  try {
    text = await readFile(path.join(path.dirname(file), MAPPING_FILE), 'utf8');
  } catch {
    return {};
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

async function head(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF), 0, SNIFF, 0);
    return buffer.toString('utf8', 0, bytesRead).replace(/^\ufeff/, '');
  } finally {
    await handle.close();
  }
}

const delimiterOf = (line: string): string =>
  [',', ';', '\t'].sort((a, b) => line.split(b).length - line.split(a).length)[0] ?? ',';

export type SigninFormat = { kind: 'json' | 'lines' } | { kind: 'csv'; delimiter: string };

/** What a file is by its beginning; null: no sign-in log. */
export async function formatOf(file: string, mapping: SigninMapping): Promise<SigninFormat | null> {
  const start = (await head(file)).trimStart();
  const first = start.split(/\r?\n/, 1)[0] ?? '';
  if (/\.(?:csv|tsv)$/i.test(file)) {
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
  file: string,
  format: SigninFormat,
  size: number,
): AsyncGenerator<ReturnType<typeof signinValues>> {
  if (format.kind === 'csv') yield* csvLines(file, format.delimiter);
  else if (format.kind === 'lines') yield* jsonLines(file);
  else yield* jsonList(file, size);
}

async function* csvLines(file: string, delimiter: string): AsyncGenerator<ReturnType<typeof signinValues>> {
  const rows = createReadStream(file).pipe(
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
  if (text.length > MAX_LINE || jsonDepth(text) > MAX_DEPTH) return null;
  try {
    return signinValues(JSON.parse(text));
  } catch {
    return null;
  }
}

async function* jsonLines(file: string): AsyncGenerator<ReturnType<typeof signinValues>> {
  const lines = createInterface({
    input: createReadStream(file, 'utf8'),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) if (line.trim() !== '') yield parsed(line.replace(/^\ufeff/, ''));
}

async function* jsonList(file: string, size: number): AsyncGenerator<ReturnType<typeof signinValues>> {
  if (size > MAX_JSON)
    throw new SigninFileError(
      'it is one JSON list of more than 256 MB; export it one object a line, or as CSV',
    );
  const text = (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
  if (jsonDepth(text) > MAX_DEPTH) throw new SigninFileError('its JSON nests too deep');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SigninFileError('it is cut short, or no JSON');
  }
  const list = Array.isArray(value) ? value : (value as { value?: unknown } | null)?.value;
  if (!Array.isArray(list)) throw new SigninFileError('its JSON is no list of sign-ins');
  for (const one of list) yield signinValues(one);
}
