/**
 * Reads the answer of a service. The specification names fields but leaves the form of most answers open, so one that
 * does not fit the catalogue is read once more: bare lists and values, other spellings, absent fields that have an
 * obvious meaning, changes confirmed by their status alone. Nothing is made up: a verdict, a count or an outcome that
 * is not there stays unknown or is refused, and the error names what the catalogue expects.
 */
import { z } from 'zod';
import { dictionary } from '#shared/dictionary.ts';
import { type Checked, readShape } from '#shared/model/schema-check.ts';
import { type Asked, CHANGED, DEFAULTS, FORMS, KEEPS_ASIDE, PREPARED } from './answer-forms.ts';
import type { Endpoint } from './endpoint.ts';
import { isFields, repaired } from './repair.ts';

/** The names under which answers of the catalogue hold their list. */
const LISTS = ['rows', 'queries', 'types', 'options'] as const;

/** What a 204 says of a read: an empty list, or nothing recorded. Other reads have asked for something that is not there. */
const EMPTY: Readonly<Record<string, unknown>> = dictionary<unknown>({
  'entity.props': {},
  'email.body': {},
  'entity.message-body': {},
  'logins.heat-map': { data: '' },
});

const shapeOf = ({ response }: Endpoint): Readonly<Record<string, unknown>> =>
  response instanceof z.ZodObject ? response.shape : {};

/** The answer of a 204; undefined: it cannot be one. */
export function emptyAnswer(name: string, declared: Endpoint, asked: Asked = {}): unknown {
  if (declared.effect === 'write') return readForm(name, declared, null, asked);
  const list = LISTS.find((key) => key in shapeOf(declared));
  return list === undefined ? EMPTY[name] : { [list]: [] };
}

/** Whether the answer to a change says nothing but that it was done. */
export const isConfirmed = (value: unknown): boolean => {
  const changed = CHANGED(value);
  return isFields(changed) && changed['success'] === true;
};

export function readAnswer(
  name: string,
  declared: Endpoint,
  value: unknown,
  asked: Asked = {},
): Checked<unknown> {
  const prepared = PREPARED[name]?.(value) ?? value;
  const first = readShape(declared.response, prepared);
  if (first.ok) return first;
  const read = repaired(declared.response, readForm(name, declared, prepared, asked), {
    defaults: DEFAULTS[name] ?? {},
    keepsAside: KEEPS_ASIDE.has(name),
  });
  return read === null ? first : { ok: true, value: read };
}

function readForm(name: string, declared: Endpoint, value: unknown, asked: Asked): unknown {
  const shape = shapeOf(declared);
  const list = LISTS.find((key) => key in shape);
  const form = FORMS[name];
  const own = form === undefined ? value : form(value, asked);
  if (declared.effect === 'write' && 'success' in shape) return CHANGED(own);
  return list === undefined ? own : listed(own, list);
}

/** A bare list, or the only list in the answer, under its name. */
function listed(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return { [name]: value };
  if (!isFields(value) || Array.isArray(value[name])) return value;
  if (value[name] === null) return Number(value['total_rows'] ?? 1) === 0 ? { ...value, [name]: [] } : value;
  const lists = Object.values(value).filter(Array.isArray);
  return lists.length === 1 ? { ...value, [name]: lists[0] } : value;
}
