/** How a column of a result set is stored: maps the types of a query config to what SQLite can sort and count. */

import { ParapetError } from '#shared/bridge/errors.ts';
import type { ResultColumn } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import type { Storage, StoredColumn } from '../store/tasks.ts';

/** Columns per set; SQLite's own limit is 2000. */
const MAX_COLUMNS = 500;

const STORAGE: Readonly<Record<string, Storage>> = dictionary({
  text: 'text',
  words: 'text',
  id: 'text',
  string: 'text',
  enum: 'text',
  email: 'text',
  domain: 'text',
  url: 'text',
  ip: 'text',
  hash: 'text',
  number: 'number',
  integer: 'number',
  int: 'number',
  float: 'number',
  count: 'number',
  bytes: 'number',
  size: 'number',
  boolean: 'boolean',
  bool: 'boolean',
  date: 'date',
  datetime: 'date',
  time: 'date',
  timestamp: 'date',
  object: 'json',
  json: 'json',
  list: 'json',
  array: 'json',
});

const DECLARED: Readonly<Record<Storage, string>> = {
  text: 'TEXT',
  date: 'TEXT',
  json: 'TEXT',
  number: 'NUMERIC',
  boolean: 'NUMERIC',
  any: '',
};

/** Whether every cell is a text or NULL, because SQLite converts everything stored in it. */
export const holdsTexts = ({ storage }: StoredColumn): boolean => DECLARED[storage] === 'TEXT';

const storageOf = (column: ResultColumn): Storage =>
  column.multiValues ? 'json' : (STORAGE[column.type.toLowerCase()] ?? 'any');

/** The columns with their SQL names; throws `invalid-input` for more than MAX_COLUMNS. */
export function storedColumns(columns: readonly ResultColumn[]): StoredColumn[] {
  if (columns.length > MAX_COLUMNS)
    throw new ParapetError('invalid-input', `A result can have up to ${MAX_COLUMNS} columns.`);
  return columns.map((column, index) => ({ ...column, storage: storageOf(column), sql: `c${index}` }));
}

/** The columns as a set's record stores them. */
export const storedForm = (columns: readonly StoredColumn[]): string =>
  JSON.stringify(
    columns.map(({ id, label, type, multiValues, long }) => ({ id, label, type, multiValues, long })),
  );

/** The column declarations for CREATE TABLE. */
export const declarations = (columns: readonly StoredColumn[]): string =>
  columns.map((column) => `, ${column.sql} ${DECLARED[column.storage]}`).join('');

/** The column of that id; throws `invalid-input` naming it. */
export function columnOf(columns: readonly StoredColumn[], id: string): StoredColumn {
  const match = columns.find((column) => column.id === id);
  if (match === undefined)
    throw new ParapetError('invalid-input', `This result has no column "${id.slice(0, 100)}".`);
  return match;
}

export type { LongNumbers, Storage, StoredColumn } from '../store/tasks.ts';
