/**
 * Query files: their format, and which queries a service refuses. The dry run and the importing service share these
 * rules, so that what is announced as new is accepted.
 */

import { QUERY_FILE_VERSION } from '../api/catalogue/queries.ts';
import { type NewQuery, newQuery } from '../model/entities.ts';
import { DOMAINS, SEVERITIES, SUB_TYPES } from '../model/enums.ts';
import { isOneOf, isRecord } from '../model/narrow.ts';
import { scheduleProblems } from '../model/schedule.ts';
import { parseSeverity } from '../model/severity.ts';
import { queryForm, renamed } from './query-form.ts';
import { withDisabled } from './switched-off.ts';
import { depthOf, MAX_DEPTH } from './tree.ts';

/** Maximum size of a file. */
export const MAX_QUERY_FILE = 20 * 1024 * 1024;
export const MAX_FILE_QUERIES = 10_000;
/** Nesting of a file: its own three levels, two per group of a tree, and some for unknown fields. */
export const MAX_FILE_NESTING = 2 * MAX_DEPTH + 20;
export const MAX_QUERY_NAME = 200;
const MAX_DESCRIPTION = 10_000;
const MAX_COLUMNS = 200;

export type QueryItems =
  | { ok: true; queries: unknown[]; frame: QueryFrame }
  | { ok: false; problem: 'not-queries' | 'version' | 'count' | 'empty'; message: string };

const refused = (problem: Extract<QueryItems, { ok: false }>['problem'], message: string): QueryItems => ({
  ok: false,
  problem,
  message,
});

function listOf(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value.length === 0 || value.some(isRecord) ? value : null;
  if (!isRecord(value)) return null;
  if (Array.isArray(value['queries'])) return value['queries'];
  const content = renamed(value);
  return typeof content['name'] === 'string' && typeof content['domain'] === 'string' ? [value] : null;
}

/** The wrapper of a file's queries: a list, none for a single query, or an object with these other fields. */
export type QueryFrame = 'list' | 'one' | Readonly<Record<string, unknown>>;

function frameOf(value: unknown): QueryFrame {
  if (Array.isArray(value)) return 'list';
  if (!isRecord(value) || !Array.isArray(value['queries'])) return 'one';
  const { queries: _, ...rest } = value;
  return rest;
}

/** The queries of a file: a list, an object with the list as `queries`, or a single query. */
export function queriesIn(value: unknown): QueryItems {
  if (isRecord(value) && value['kind'] === 'parapet-queries' && value['version'] !== QUERY_FILE_VERSION)
    return refused(
      'version',
      `it has version ${String(value['version']).slice(0, 20)}, but only version ${QUERY_FILE_VERSION} can be read. Export the queries again with a matching version of Parapet.`,
    );
  const queries = listOf(value);
  if (queries === null)
    return refused(
      'not-queries',
      'it is JSON, but not a query file: expected a list of queries, an object with a "queries" list, or one query.',
    );
  if (queries.length === 0) return refused('empty', 'it holds no queries.');
  if (queries.length > MAX_FILE_QUERIES)
    return refused(
      'count',
      `it holds ${queries.length} queries; ${MAX_FILE_QUERIES} can be imported at once. Split it.`,
    );
  return { ok: true, queries, frame: frameOf(value) };
}

export interface QueryProblem {
  field: string;
  message: string;
}

/** Why a service would refuse to save it, or null if it would not. Unknown fields are kept. */
export function savedProblem(query: NewQuery): QueryProblem | null {
  const refuse = (field: string, message: string): QueryProblem => ({ field, message });
  if (query.name.trim() === '') return refuse('name', 'The name is empty');
  if (query.name.length > MAX_QUERY_NAME)
    return refuse('name', `The name can have at most ${MAX_QUERY_NAME} characters`);
  if ((query.description ?? '').length > MAX_DESCRIPTION)
    return refuse('description', `The description can have at most ${MAX_DESCRIPTION} characters`);
  if (!isOneOf(DOMAINS, query.domain))
    return refuse('domain', `Unknown domain: ${query.domain.slice(0, 100)}`);
  if (query.subType != null && !isOneOf(SUB_TYPES, query.subType))
    return refuse('subType', `Unknown kind of query: ${query.subType.slice(0, 100)}`);
  if (query.severity != null && parseSeverity(query.severity) === null)
    return refuse('severity', `The severity must be ${SEVERITIES[0]} to ${SEVERITIES.at(-1)} or its name`);
  for (const field of ['columns', 'reportColumns'] as const) {
    const columns = query[field] ?? [];
    if (columns.length > MAX_COLUMNS) return refuse(field, `A query can have at most ${MAX_COLUMNS} columns`);
    const names = new Set<string>();
    for (const { id } of columns) {
      if (names.has(id)) return refuse(field, `Duplicate column: ${id.slice(0, 100)}`);
      names.add(id);
    }
  }
  for (const field of ['filter', 'reportCondition'] as const) {
    const group = query[field];
    if (group && depthOf(group) > MAX_DEPTH)
      return refuse(field, `Groups can be nested ${MAX_DEPTH} deep at most`);
  }
  if (query.scheduledExport) {
    const problem = scheduleProblems(query.scheduledExport)[0];
    if (problem) return refuse(`scheduledExport.${problem.field}`, problem.message);
    if (query.subType === 'template')
      return refuse('scheduledExport', 'Templates don’t run, so they can’t be scheduled');
  }
  return null;
}

export type FileItem =
  | { ok: true; query: NewQuery }
  /** isQuery: it has the fields of a query, but a service would not save it. */
  | { ok: false; label: string; problem: QueryProblem; isQuery: boolean };

/** One query of a file with all unknown fields; or why no service would accept it. */
export function readFileQuery(value: unknown, index: number): FileItem {
  const label = (isRecord(value) && typeof value['name'] === 'string' && value['name'].trim()) || '';
  const no = (problem: QueryProblem, isQuery = false): FileItem => ({
    ok: false,
    isQuery,
    label: label === '' ? `Query ${index + 1} of the file` : label.slice(0, MAX_QUERY_NAME),
    problem,
  });
  if (!isRecord(value)) return no({ field: '', message: 'It is not a query' });
  const whole = withDisabled(queryForm(value));
  const checked = newQuery.safeParse(whole);
  if (!checked.success) {
    const field = checked.error.issues[0]?.path.map(String).join('.').slice(0, 100) ?? '';
    return no({ field, message: `The field ${field} is missing or has the wrong type` });
  }
  // The value as read, not the schema's copy, to keep the order of fields and unknown ones.
  const query = whole as NewQuery;
  const problem = savedProblem(query);
  return problem === null ? { ok: true, query } : no(problem, true);
}
