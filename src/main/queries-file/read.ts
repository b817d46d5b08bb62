/**
 * Reads and validates a query file before anything is sent: its format, where it is malformed, and what is unusual
 * about it.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { QUERY_FILE_VERSION } from '#shared/api/catalogue/queries.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { type NewQuery, newQuery } from '#shared/model/entities.ts';
import { parseShown, writeSent } from '#shared/model/exact-numbers.ts';
import { isTooDeep } from '#shared/model/json-depth.ts';
import { jsonErrorAt, placeOf } from '#shared/query/json-place.ts';
import { MAX_FILE_NESTING, type QueryFrame, queriesIn, readFileQuery } from '#shared/query/query-file.ts';
import { fileError } from '../files/temp-file.ts';
import type { ChosenPath } from '../kernel/ports.ts';

/** Milliseconds of reading and comparing before other work on this thread gets a turn. */
const SLICE_MS = 8;

export interface FileQuery {
  label: string;
  /** null when it is not a complete query. */
  query: NewQuery | null;
  /** As written in the file, where that differs from `query`, or null if it does not. */
  asRead: object | null;
  /** Why `query` is null. */
  reason: string | null;
  /** It has the fields of a query, whether or not a service would accept it. */
  isQuery: boolean;
}

export interface QueryFileContent {
  queries: FileQuery[];
  frame: QueryFrame;
  notes: string[];
}

const bad = (message: string, data?: Record<string, number | string>) =>
  new ParapetError('bad-file', message, data === undefined ? {} : { data });

/** Reads a file of at most `max` bytes; larger ones are rejected unread. */
export async function readCapped(
  { path, name }: ChosenPath,
  max: number,
  what = 'a query file',
): Promise<Uint8Array> {
  try {
    // Opening a pipe without a writer must not block before it is recognised as one.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const info = await handle.stat();
      if (!info.isFile()) throw bad(`${name} is not a regular file. Choose ${what}.`);
      const { size } = info;
      if (size > max)
        throw bad(
          `${name} is ${Math.ceil(size / 1024 / 1024)} MB; ${what} has up to ${max / 1024 / 1024} MB.`,
        );
      const bytes = Buffer.alloc(size);
      let position = 0;
      while (position < size) {
        const { bytesRead } = await handle.read(bytes, position, size - position, position);
        if (bytesRead === 0) break;
        position += bytesRead;
      }
      return bytes.subarray(0, position);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const explained = fileError(error, name);
    if (explained instanceof ParapetError && explained.code === 'path-missing')
      throw new ParapetError('path-missing', `${name} is no longer there.`, { cause: error });
    if (explained instanceof ParapetError && explained.code === 'permission-denied')
      throw new ParapetError('permission-denied', `Parapet may not read ${name}.`, { cause: error });
    throw explained;
  }
}

function parse(text: string, name: string): unknown {
  if (isTooDeep(text, MAX_FILE_NESTING)) throw bad(`${name} nests too deep to be a query file.`);
  try {
    return parseShown(text);
  } catch {
    const { line, column } = placeOf(text, jsonErrorAt(text) ?? text.length);
    throw bad(`${name} is not valid JSON: it breaks at line ${line}, column ${column}.`, { line, column });
  }
}

const KNOWN = new Set(Object.keys(newQuery.shape));

/** Like map, in slices between which other work on the thread can run. Rejects on abort. */
export async function inSlices<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R,
  signal?: AbortSignal,
): Promise<R[]> {
  const out: R[] = [];
  let began = performance.now();
  for (const [index, item] of items.entries()) {
    out.push(map(item, index));
    if (performance.now() - began < SLICE_MS) continue;
    await nextTurn();
    signal?.throwIfAborted();
    began = performance.now();
  }
  return out;
}

/** Parses a query file; rejects `bad-file` with what is wrong and where. */
export async function readQueryFile(
  bytes: Uint8Array,
  name: string,
  signal?: AbortSignal,
): Promise<QueryFileContent> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bad(`${name} is not UTF-8 text.`);
  }
  await nextTurn();
  const foundQueries = queriesIn(parse(text, name));
  if (!foundQueries.ok) throw bad(`${name} cannot be imported: ${foundQueries.message}`);
  const unknown = new Set<string>();
  const labels = new Set<string>();
  const doubles = new Set<string>();
  const queries = await inSlices(
    foundQueries.queries,
    (value, index): FileQuery => {
      const read = readFileQuery(value, index);
      const label = read.ok ? read.query.name : read.label;
      if (labels.has(label)) doubles.add(label);
      labels.add(label);
      if (!read.ok) {
        const reason = `${read.problem.message}.`;
        return { label, query: null, asRead: null, reason, isQuery: read.isQuery };
      }
      for (const key of Object.keys(read.query)) if (!KNOWN.has(key)) unknown.add(key);
      const isSame = JSON.stringify(value) === JSON.stringify(read.query);
      return { label, query: read.query, asRead: isSame ? null : Object(value), reason: null, isQuery: true };
    },
    signal,
  );
  const notes: string[] = [];
  if (doubles.size > 0)
    notes.push(`These names occur more than once in the file: ${[...doubles].slice(0, 10).join(', ')}.`);
  if (unknown.size > 0)
    notes.push(
      `Fields that this version does not know are kept as they are: ${[...unknown].slice(0, 10).join(', ')}.`,
    );
  return { queries, frame: foundQueries.frame, notes };
}

/** Of Parapet's own files. */
const OWN_FRAME = { kind: 'parapet-queries', version: QUERY_FILE_VERSION };

/** A query file with these queries. */
export function writeQueryFile(queries: readonly object[], frame: QueryFrame = OWN_FRAME): Uint8Array {
  const [first] = queries;
  const value =
    frame === 'list'
      ? queries
      : frame === 'one' && queries.length === 1
        ? first
        : { ...(typeof frame === 'string' ? OWN_FRAME : frame), queries };
  return new TextEncoder().encode(writeSent(value, 2));
}
