/**
 * Reads the response of a service. The specification names fields but leaves the form of most responses open, so one that
 * does not match the catalogue is converted: bare lists and values, other spellings, absent fields with an obvious
 * meaning, changes confirmed only by their status. Nothing is invented: a missing verdict, count or outcome stays unknown
 * or is refused, and the error names what the catalogue expects.
 */
import { z } from 'zod';
import { dictionary } from '#shared/dictionary.ts';
import { entityIdIn } from '#shared/model/field-names.ts';
import { type Checked, readShape } from '#shared/model/schema-check.ts';
import { isRecord } from '../model/narrow.ts';
import { type Asked, CHANGED, DEFAULTS, FORMS, KEEPS_ASIDE, PREPARED } from './answer-forms.ts';
import type { Endpoint } from './endpoint.ts';
import { isComplaint } from './list-end.ts';
import { each, type Fields, repaired, spelledOtherwise } from './repair.ts';
import { respell } from './respell.ts';

/** The catalogue's names of lists in responses. */
const LISTS = ['rows', 'queries', 'types', 'options'] as const;

/** Names of lists that are about the rows and do not contain them. */
const ASIDE = /^(search_?after|errors?|warnings?|messages?|notes?|columns|fields|sort)$/i;
/** Names of objects in which a service may wrap every response. */
const WRAPPERS = /^(data|response|result|results|payload|response_?data)$/i;
/** Other names of a list's total, besides the specification's. */
const TOTALS = ['total', 'total_count', 'total_results', 'count'] as const;

/** The meaning of a 204 for a read: an empty list, or nothing recorded. For other reads the requested thing is missing. */
const EMPTY: Readonly<Record<string, unknown>> = dictionary<unknown>({
  'entity.props': {},
  'email.body': {},
  'entity.message-body': {},
  'logins.heat-map': { data: '' },
});

const shapeOf = ({ response }: Endpoint): Readonly<Record<string, unknown>> =>
  response instanceof z.ZodObject ? response.shape : {};

/** The response that a 204 stands for, or undefined if the call must return content. */
export function emptyAnswer(name: string, declared: Endpoint, request: Asked = {}): unknown {
  if (declared.effect === 'write') return readForm(name, declared, null, request);
  const list = LISTS.find((key) => key in shapeOf(declared));
  return list === undefined ? EMPTY[name] : { [list]: [] };
}

/** Whether the response to a change only confirms it. */
export const isConfirmed = (value: unknown): boolean => {
  const changed = CHANGED(value);
  return isRecord(changed) && changed['success'] === true;
};

export function readAnswer(
  name: string,
  declared: Endpoint,
  value: unknown,
  request: Asked = {},
): Checked<unknown> {
  if (reportsFailure(declared, value)) return { ok: false, path: [], message: 'It reports a failure' };
  const content = opened(name, declared, value);
  const prepared = PREPARED[name]?.(content) ?? content;
  const first = readShape(declared.response, prepared);
  if (first.ok) return first;
  const read = repaired(declared.response, readForm(name, declared, prepared, request), {
    defaults: DEFAULTS[name] ?? {},
    keepsAside: KEEPS_ASIDE.has(name),
    leavesOut: leavesOut(name, declared),
  });
  return read === null ? first : { ok: true, value: read };
}

/**
 * What is sent back, or says what can be sent, is read as a whole or not at all: queries, fields of conditions, actions,
 * exceptions. Rows missing from a page of results would be missing from the run.
 */
function leavesOut(name: string, declared: Endpoint): 'inner' | 'outer' | null {
  if (declared.effect === 'write' || 'search_after' in shapeOf(declared)) return null;
  if (name === 'query.get') return null;
  return /^(query|exceptions)\./.test(name) ? 'outer' : 'inner';
}

function readForm(name: string, declared: Endpoint, value: unknown, request: Asked): unknown {
  const shape = shapeOf(declared);
  const list = LISTS.find((key) => key in shape);
  const form = FORMS[name];
  const content = form === undefined ? value : form(value, request);
  if (declared.effect === 'write' && 'success' in shape) return CHANGED(content);
  return list === undefined ? content : listed(content, list);
}

/** A bare list, or the only list in the response, under the catalogue's name. */
function listed(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return { [name]: value };
  if (!isRecord(value) || Array.isArray(value[name])) return value;
  if (value[name] === null) return Number(value['total_rows'] ?? 1) === 0 ? { ...value, [name]: [] } : value;
  const lists = Object.entries(value).filter(([key, held]) => Array.isArray(held) && !ASIDE.test(key));
  const [only, ...others] = lists;
  if (only === undefined || others.length > 0) return value;
  const { [only[0]]: held, ...beside } = value;
  return { ...beside, [name]: held };
}

/** A list with its total, if the service gives that under another name. */
function counted(value: unknown): unknown {
  if (!isRecord(value) || !Array.isArray(value['rows']) || (value['total_rows'] ?? null) !== null)
    return value;
  const total = TOTALS.map((key) => value[key] ?? spelledOtherwise(value, key)).find(
    (count) => typeof count === 'number' || (typeof count === 'string' && /^\d+$/.test(count)),
  );
  return total === undefined ? value : { ...value, total_rows: Number(total) };
}

/** The response to a read, unwrapped; other fields of the wrapper are kept beside its own. */
function unwrapped(shape: Readonly<Record<string, unknown>>, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const isOwn = (key: string): boolean =>
    key in shape ||
    Object.keys(shape).some((name) => name !== key && spelledOtherwise({ [key]: true }, name));
  const wrappers = Object.entries(value).filter(([key, held]) => WRAPPERS.test(key) && isRecord(held));
  const [only, ...others] = wrappers;
  if (only === undefined || others.length > 0 || Object.keys(value).some(isOwn)) return value;
  const [key, inner] = only;
  const { [key]: _, ...beside } = value;
  return { ...beside, ...(inner as Fields) };
}

/** The response to a read under the catalogue's names, without other spellings and wrappers. */
function opened(name: string, declared: Endpoint, value: unknown): unknown {
  if (declared.effect === 'write' || declared.response instanceof z.ZodAny) return value;
  const shape = shapeOf(declared);
  const inner = unwrapped(shape, value);
  if (name === 'query.list') return listed(inner, 'queries');
  if (name === 'query.execute') {
    const withId = (row: Fields): Fields => ({ ...row, entity_id: entityIdIn(row) });
    const isOther = (row: unknown) =>
      isRecord(row) && row['entity_id'] == null && entityIdIn(row) !== undefined;
    const list = listed(inner, 'rows');
    const rows = isRecord(list) ? list['rows'] : undefined;
    return Array.isArray(rows) && rows.some(isOther) ? { ...Object(list), rows: each(rows, withId) } : list;
  }
  // A saved query is sent back in the spelling of its service.
  if (name.startsWith('query.')) return inner;
  const named = 'rows' in shape ? counted(listed(inner, 'rows')) : inner;
  respell(declared.response, named);
  return named;
}

const FAILURE_WORD = /^\s*(error|failed|failure|fail)\s*$/i;

/**
 * Whether the response to a read reports a failure. An empty list beside a failure is not known to be empty; a list with
 * rows is incomplete (`isOpenList`).
 */
export function reportsFailure(declared: Endpoint, value: unknown): boolean {
  const shape = shapeOf(declared);
  if (declared.effect === 'write' || 'success' in shape) return false;
  return [value, unwrapped(shape, value)].some((form) => isRecord(form) && tellsFailure(shape, form));
}

function tellsFailure(shape: Readonly<Record<string, unknown>>, value: Fields): boolean {
  const list = LISTS.find((key) => key in shape);
  const hasRows = Object.entries(value).some(
    ([key, held]) => Array.isArray(held) && held.length > 0 && !ASIDE.test(key),
  );
  // Rows missing from a page would be missing from the run permanently.
  if (list !== undefined && hasRows && !('search_after' in shape)) return false;
  const isFailed = typeof value['status'] === 'string' && FAILURE_WORD.test(value['status']);
  return (
    value['success'] === false ||
    (isFailed && !('status' in shape)) ||
    (list !== undefined && isComplaint(value['error'] ?? value['errors']))
  );
}
