/** Reads and checks a query file before anything is sent: what it is, where it breaks, what is odd about it. */
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { QUERY_FILE_VERSION } from '#shared/api/catalogue/queries.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { newQuery } from '#shared/model/entities.ts';
import type { ChosenPath } from '../core/ports.ts';
import { fileError } from '../export/target.ts';

export const MAX_QUERY_FILE = 20 * 1024 * 1024;

export interface QueryFileCheck {
  bytes: Uint8Array;
  labels: string[];
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

/** Line and column, from 1, of a character of a text. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const told = /at position (\d+)/.exec(message)?.[1];
    // "Unexpected end of JSON input" has no position: it is the end.
    const { line, column } = placeOf(text, told === undefined ? text.length : Number(told));
    throw bad(`${name} is not valid JSON: it breaks at line ${line}, column ${column}.`, { line, column });
  }
}

const envelope = z.looseObject({ kind: z.string(), version: z.number(), queries: z.array(z.unknown()) });
const KNOWN = new Set(Object.keys(newQuery.shape));

const labelOf = (value: unknown, index: number): string => {
  const name = z.looseObject({ name: z.string() }).safeParse(value);
  return name.success && name.data.name !== '' ? name.data.name : `Query ${index + 1}`;
};

/** Checks the bytes; throws `bad-file` with what is wrong and where. */
export function checkQueryFile(bytes: Uint8Array, name: string): QueryFileCheck {
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
  const notes: string[] = [];
  const labels: string[] = [];
  const problems: string[] = [];
  const unknown = new Set<string>();
  for (const [index, value] of file.data.queries.entries()) {
    const label = labelOf(value, index);
    const checked = newQuery.safeParse(value);
    if (!checked.success) {
      const issue = checked.error.issues[0];
      const field = issue?.path.join('.') ?? '';
      problems.push(`"${label}"${field === '' ? '' : `, field ${field}`}`);
      continue;
    }
    labels.push(label);
    for (const key of Object.keys(checked.data)) if (!KNOWN.has(key)) unknown.add(key);
  }
  if (problems.length > 0) {
    const more = problems.length > 3 ? ` and ${problems.length - 3} more` : '';
    throw bad(
      `${name} has queries that are not whole: ${problems.slice(0, 3).join('; ')}${more}. Nothing was imported.`,
    );
  }
  if (labels.length === 0) throw bad(`${name} holds no queries.`);
  const doubles = [...new Set(labels.filter((label, index) => labels.indexOf(label) !== index))];
  if (doubles.length > 0)
    notes.push(`These names occur more than once in the file: ${doubles.slice(0, 10).join(', ')}.`);
  if (unknown.size > 0)
    notes.push(
      `Fields that this version does not know are kept as they are: ${[...unknown].slice(0, 10).join(', ')}.`,
    );
  return { bytes, labels, notes };
}
