/** A query domain over the store: its fields and their SQL. */

import { dictionary } from '#shared/dictionary.ts';
import type { ActionConfig, Cell, Column, FieldConfig, Sort } from '#shared/model/entities.ts';
import { fieldTypeOf, operatorsForType } from '#shared/query/operators.ts';
import type { Test } from '#shared/query/predicate.ts';
import { type FieldMapping, foldSql } from '#shared/query/predicate-sql.ts';
import type { StoredForm } from '#shared/query/values.ts';
import { ENTITY_FIELD, LIST_OPERATORS } from '../../store/rows.ts';
import type { SqlValue } from '../../store/stored-values.ts';
import type { IdSet } from '../id-set.ts';
import type { SqliteStore } from '../sqlite-store.ts';

export interface DomainField {
  config: FieldConfig;
  /** SQL of the cell's value. */
  select: string;
  read: (value: SqlValue) => Cell;
  /** Sort expressions, in order; absent: not sortable. */
  sort?: readonly string[];
  filter: FieldMapping;
  /** The filter for testing rows one by one, where `filter` would first collect all matches. */
  byRow?: FieldMapping;
  /** Finds all rows that fulfil a test by an index, or null if no index can answer it. */
  search?: (test: Test) => Search | null;
}

/** A search by an index. Only rows with ids up to `newest` count. */
export interface Search {
  ids(store: SqliteStore, newest: number): IdSet;
  /** For the first of many rows: as far as the search goes without reading texts. */
  start?(store: SqliteStore, newest: number): StartedSearch;
}

export interface StartedSearch {
  /** Rows that fulfil the test. */
  matches: IdSet;
  /** Other rows that may fulfil it. */
  open: IdSet;
  /** The ones of these rows that fulfil it, in any order. */
  compare(ids: readonly number[]): number[];
}

export interface Domain {
  domain: string;
  source: string;
  /** Unique integers that complete every order, and the id of the main table for snapshots. */
  keys: readonly [id: string, ...string[]];
  entityId: string;
  saas: string;
  fields: readonly DomainField[];
  columns: readonly Column[];
  sort: readonly Sort[];
  conditions: readonly { field: string; operator: string }[];
  actions: readonly ActionConfig[];
}

export interface FieldOptions {
  id: string;
  /** Its name in sort orders, if it is not the id. */
  dbId?: string;
  label: string;
  type: string;
  group: string;
  width?: number;
  unit?: string;
  size?: number;
  /** SQL of the value; the helpers below default to `e.id` for a column of the same name. */
  sql: string;
  sort?: readonly string[] | false;
  read?: (value: SqlValue) => Cell;
  filter?: Partial<FieldMapping>;
  byRow?: FieldMapping;
  search?: DomainField['search'];
  /**
   * Several values: `sql` is a JSON array, read by `asJson`; `filter.value` is one of them, `filter.some` matches any.
   */
  multi?: boolean;
  operators?: readonly string[];
  /** Shows where conditions on that field match: the only parameter of `sql` is their search terms, as JSON. */
  matchOf?: string;
  /** How the values are stored, if that differs from how a mail shows them. */
  stored?: StoredForm;
  /** An example value, if the format is not obvious. */
  example?: string;
  allowed?: readonly (readonly [value: string | number, label: string])[];
}

const asIs = (value: SqlValue): Cell => (value instanceof Uint8Array ? null : value);
const asFlag = (value: SqlValue): Cell => (value === null ? null : value === 1);
const asInstant = (value: SqlValue): Cell =>
  typeof value === 'number' ? new Date(value).toISOString() : null;
export const asJson = (value: SqlValue): Cell =>
  typeof value === 'string' ? (JSON.parse(value) as Cell) : [];
export const asPacked = (value: SqlValue): Cell =>
  typeof value === 'string' ? value.split('|').filter((part) => part !== '') : [];

/** Fields that support lists of values support custom lists. */
const withLists = (operators: readonly string[]): string[] => {
  const position = operators.indexOf('not_in_list') + 1;
  return position === 0
    ? [...operators]
    : [...operators.slice(0, position), ...LIST_OPERATORS, ...operators.slice(position)];
};

/** The field of a row's id: conditions on it match exactly the chosen rows. */
export const entityField = (group: string, sql: string): DomainField =>
  field({
    id: ENTITY_FIELD,
    label: 'Entity ID',
    type: 'text',
    group,
    width: 240,
    sql,
    operators: ['is', 'is_not', 'in_list', 'not_in_list'],
    // Ids are stored folded: hex, or a word of this service and a number.
    filter: { folded: sql },
  });

const READERS: Readonly<Record<string, (value: SqlValue) => Cell>> = dictionary({
  boolean: asFlag,
  date: asInstant,
});

/** A stored text in the form for comparing (store/schema.ts). */
export const foldedColumn = (column: string): string => `coalesce(${column}_folded, ${column})`;

const PLAIN_TYPES: ReadonlySet<string> = new Set(['number', 'bytes', 'date', 'boolean']);
/** Texts sort by their folds and then by code points; anything else as it is. */
function sortOf({ type, sql, filter, sort }: FieldOptions): readonly string[] {
  if (sort) return sort;
  if (PLAIN_TYPES.has(fieldTypeOf(type))) return [sql];
  const folded = filter?.folded ?? foldSql(sql);
  return folded === sql ? [sql] : [folded, sql];
}

export function field(options: FieldOptions): DomainField {
  const { id, label, type, group, sql, allowed } = options;
  const sortable = options.sort !== false && !options.multi;
  return {
    config: {
      id,
      dbId: options.dbId ?? id,
      label,
      type,
      group,
      unit: options.unit ?? null,
      size: options.size ?? null,
      width: options.width ?? 120,
      multiValues: options.multi ?? false,
      operators: [...(options.operators ?? withLists(operatorsForType(type, options.multi)))],
      allowedValues: allowed ? allowed.map(([value, name]) => ({ value, label: name })) : null,
      sortable,
      ...(options.matchOf === undefined ? {} : { matchOf: options.matchOf }),
      ...(options.stored === undefined ? {} : { stored: options.stored }),
      ...(options.example === undefined ? {} : { example: options.example }),
    },
    select: sql,
    read: options.read ?? READERS[type] ?? asIs,
    ...(sortable ? { sort: sortOf(options) } : {}),
    filter: { value: sql, ...options.filter },
    ...(options.byRow ? { byRow: options.byRow } : {}),
    ...(options.search ? { search: options.search } : {}),
  };
}

export const line = (
  group: string,
  id: string,
  label: string,
  type: string,
  sql: string,
  width: number,
  more?: Partial<FieldOptions>,
): DomainField => field({ group, id, label, type, sql, width, ...more });

/** Allowed values; one whose label differs comes with it. */
export const valuesOf = (...values: readonly (string | readonly [value: string, label: string])[]) =>
  values.map((value): readonly [string, string] => (typeof value === 'string' ? [value, value] : value));

/** The default columns, in this order, with the labels and widths of their fields. */
export function columnsOf(fields: readonly DomainField[], ids: readonly string[]): Column[] {
  return ids.map((id, order) => {
    const field = fields.find(({ config }) => config.id === id);
    if (!field) throw new TypeError(`No field ${id}`);
    return { id, label: field.config.label, order, width: field.config.width ?? 120 };
  });
}
