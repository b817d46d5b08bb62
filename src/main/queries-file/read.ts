/** Reads and checks a query file before anything is sent: what it is, where it breaks, what is odd about it. */
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { QUERY_FILE_VERSION } from '#shared/api/catalogue/queries.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { type NewQuery, newQuery } from '#shared/model/entities.ts';
import { jsonErrorAt, placeOf } from '#shared/query/json-place.ts';
import { nesting } from '#shared/query/raw.ts';
import { depthOf, MAX_DEPTH } from '#shared/query/tree.ts';
import type { ChosenPath } from '../core/ports.ts';
import { fileError } from '../files/part.ts';

export const MAX_QUERY_FILE = 20 * 1024 * 1024;
/** Levels of a file: its own three, two for each group of a tree, and room for fields that are not known. */
const MAX_NESTING = 2 * MAX_DEPTH + 20;

export interface FileQuery {
  label: string;
  /** As the file has it; null when it is not a whole query. */
  query: NewQuery | null;
  /** Why it is not. */
  reason: string | null;
}

export interface QueryFileContent {
  queries: FileQuery[];
  notes: string[];
}

const bad = (message: string, data?: Record<string, number | string>) =>
  new ParapetError('bad-file', message, data === undefined ? {} : { data });

/** The bytes of a file, at most `max`; larger ones are refused unread. */
export async function readCapped({ path, name }: ChosenPath, max: number): Promise<Uint8Array> {
  try {
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      if (size > max)
        throw bad(
          `${name} is ${Math.ceil(size / 1024 / 1024)} MB; a query file has up to ${max / 1024 / 1024} MB.`,
        );
      const bytes = Buffer.alloc(size);
      let at = 0;
      while (at < size) {
        const { bytesRead } = await handle.read(bytes, at, size - at, at);
        if (bytesRead === 0) break;
        at += bytesRead;
      }
      return bytes.subarray(0, at);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const told = fileError(error, name);
    if (told instanceof ParapetError && told.code === 'path-missing')
      throw new ParapetError('path-missing', `${name} is no longer there.`, { cause: error });
    if (told instanceof ParapetError && told.code === 'permission-denied')
      throw new ParapetError('permission-denied', `Parapet may not read ${name}.`, { cause: error });
    throw told;
  }
}

function parse(text: string, name: string): unknown {
  if (nesting(text) > MAX_NESTING) throw bad(`${name} nests too deep to be a query file.`);
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = placeOf(text, jsonErrorAt(text) ?? text.length);
    throw bad(`${name} is not valid JSON: it breaks at line ${line}, column ${column}.`, { line, column });
  }
}

const envelope = z.looseObject({ kind: z.string(), version: z.number(), queries: z.array(z.unknown()) });
const KNOWN = new Set(Object.keys(newQuery.shape));

const labelOf = (value: unknown, index: number): string => {
  const name = z.looseObject({ name: z.string() }).safeParse(value);
  return name.success && name.data.name !== '' ? name.data.name : `Query ${index + 1}`;
};

/** What keeps a value from being a query; null: nothing does. */
function problemOf(value: unknown): string | null {
  const checked = newQuery.safeParse(value);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    const field = issue?.path.join('.') ?? '';
    return field === '' ? 'It is not a query.' : `Its field ${field} is missing or of another kind.`;
  }
  const { name, filter, reportCondition } = checked.data;
  if (name.trim() === '') return 'It has no name.';
  if ([filter, reportCondition].some((tree) => tree && depthOf(tree) > MAX_DEPTH))
    return `Its groups nest more than ${MAX_DEPTH} deep.`;
  return null;
}

/** Reads the bytes of a query file; throws `bad-file` with what is wrong and where when it is none. */
export function readQueryFile(bytes: Uint8Array, name: string): QueryFileContent {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bad(`${name} is not UTF-8 text.`);
  }
  const file = envelope.safeParse(parse(text, name));
  if (!file.success || file.data.kind !== 'parapet-queries')
    throw bad(
      `${name} is JSON, but not a query file: its kind must be "parapet-queries", with a version and queries.`,
    );
  if (file.data.version !== QUERY_FILE_VERSION)
    throw bad(
      `${name} has version ${file.data.version}; this Parapet reads version ${QUERY_FILE_VERSION}. Export the queries again with a version that fits.`,
      { version: file.data.version },
    );
  if (file.data.queries.length === 0) throw bad(`${name} holds no queries.`);
  const unknown = new Set<string>();
  const queries = file.data.queries.map((value, index): FileQuery => {
    const label = labelOf(value, index);
    const reason = problemOf(value);
    if (reason !== null) return { label, query: null, reason };
    const query = value as NewQuery;
    for (const key of Object.keys(query)) if (!KNOWN.has(key)) unknown.add(key);
    return { label, query, reason: null };
  });
  const labels = queries.map(({ label }) => label);
  const doubles = [...new Set(labels.filter((label, index) => labels.indexOf(label) !== index))];
  const notes: string[] = [];
  if (doubles.length > 0)
    notes.push(`These names occur more than once in the file: ${doubles.slice(0, 10).join(', ')}.`);
  if (unknown.size > 0)
    notes.push(
      `Fields that this version does not know are kept as they are: ${[...unknown].slice(0, 10).join(', ')}.`,
    );
  return { queries, notes };
}

/** The bytes of a query file with these queries. */
export const writeQueryFile = (queries: readonly NewQuery[]): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ kind: 'parapet-queries', version: QUERY_FILE_VERSION, queries }, null, 2),
  );
