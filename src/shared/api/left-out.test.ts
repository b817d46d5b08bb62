import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type EndpointName, endpointNames, endpointOf } from './catalogue.ts';
import { readAnswer } from './read-answer.ts';
import { leftOutOf } from './repair.ts';

/** The parts of a schema of which each kind has some. */
interface Parts {
  type: string;
  shape: Readonly<Record<string, z.ZodType>>;
  element: z.ZodType;
  valueType: z.ZodType;
  options: readonly [z.ZodType];
  getter: () => z.ZodType;
  innerType: z.ZodType;
  entries: Readonly<Record<string, string>>;
  values: readonly unknown[];
}

const DEEPEST = 9;
/** A value of the schema, with two entries in every list. */
function sample(schema: z.ZodType, depth = 0): unknown {
  const parts = schema.def as unknown as Parts;
  const inner = (part: z.ZodType) => sample(part, depth + 1);
  switch (parts.type) {
    case 'object':
      return Object.fromEntries(Object.entries(parts.shape).map(([key, field]) => [key, inner(field)]));
    case 'array':
      return depth > DEEPEST ? [] : [inner(parts.element), inner(parts.element)];
    case 'record':
      return { some: inner(parts.valueType) };
    case 'union':
      return inner(parts.options[0]);
    case 'lazy':
      return depth > DEEPEST ? null : inner(parts.getter());
    case 'nullable':
    case 'optional':
    case 'default':
      return inner(parts.innerType);
    case 'enum':
      return Object.values(parts.entries)[0];
    case 'literal':
      return parts.values[0];
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'some';
  }
}

type Path = readonly (string | number)[];
const heldAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), root);

/** The path of every list in a value, through the first entry of each. */
function listsIn(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return [path, ...listsIn(value[0], [...path, 0])];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => listsIn(held, [...path, key]));
}

/** No schema accepts it, and no text, number or list says the same. */
const ODD = [[{}]];

/** What is sent back as a whole is read as a whole; pages of results have no gaps. */
const WHOLE: readonly EndpointName[] = ['query.execute', 'query.get'];
const cases = endpointNames
  .filter((name) => endpointOf(name).effect === 'read' && !WHOLE.includes(name))
  .flatMap((name) => listsIn(sample(endpointOf(name).response)).map((path) => [name, path] as const))
  .filter(([name, path]) => {
    const planted = sample(endpointOf(name).response);
    (heldAt(planted, path) as unknown[]).push(structuredClone(ODD));
    return !endpointOf(name).response.safeParse(planted).success;
  });

describe('one odd entry', () => {
  it('is planted in the lists of every kind of answer', () => {
    const names = new Set(cases.map(([name]) => name));
    for (const name of [
      'query.list',
      'email.recipients',
      'scan.details',
      'apps.statistics',
      'file.events',
    ] as const)
      expect(names, name).toContain(name);
    expect(cases.length).toBeGreaterThan(40);
  });

  it.each(cases)('of %s in %j leaves the others, and is counted', (name, path) => {
    const declared = endpointOf(name);
    const planted = sample(declared.response);
    (heldAt(planted, path) as unknown[]).push(structuredClone(ODD));
    const answer = readAnswer(name, declared, planted);
    expect(answer).toMatchObject({ ok: true });
    const value = answer.ok ? answer.value : null;
    const [entry, ...more] = leftOutOf(value);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ count: 1 });
    expect(entry?.reason).toMatch(/must be|missing|unknown|invalid/);
    const lost = entry?.list.split('.').map((part) => (part === '*' ? 0 : part)) ?? [];
    // The entry itself, or the entry of an outer list that cannot be read without it.
    expect(path.slice(0, lost.length)).toEqual(lost);
    const survivors = heldAt(value, lost) as unknown[];
    expect(survivors).toHaveLength(lost.length === path.length ? 2 : 1);
    expect(heldAt(sample(declared.response), lost)).toEqual(expect.arrayContaining(survivors));
  });
});

const QUERY = { id: 'q', type: 'query', domain: 'email', entityType: 'email', name: 'Ü', columns: [] };
const DAILY = { emails: ['a@example.com'], format: 'csv', frequency: 'monthly', time: '08:00' };

describe('of the queries of a service', () => {
  const read = (queries: unknown[]) => {
    const answer = readAnswer('query.list', endpointOf('query.list'), { queries });
    if (!answer.ok) throw new Error(answer.message);
    return answer.value as { queries: (typeof QUERY)[] };
  };

  it('one with an unknown week, day or width is shown with it', () => {
    const { queries } = read([
      { ...QUERY, scheduledExport: { ...DAILY, week: 5, day: 7 } },
      { ...QUERY, id: 'r', columns: [{ id: 'c', label: 'C', order: 1, width: '120px' }] },
    ]);
    expect(queries).toMatchObject([{ scheduledExport: { week: 5, day: 7 } }, { columns: [{ width: 120 }] }]);
  });

  it('one without a name is left out, and the reason is kept', () => {
    const value = read([QUERY, { ...QUERY, id: 'r', name: null }, { ...QUERY, id: 's', name: null }]);
    expect(value.queries.map(({ id }) => id)).toEqual(['q']);
    expect(leftOutOf(value)).toEqual([{ list: 'queries', count: 2, reason: 'name: It is missing' }]);
  });

  it('the reason is that of the first one', () => {
    const value = read([QUERY, { ...QUERY, id: 'r', name: null }, { ...QUERY, id: 's', domain: null }]);
    expect(leftOutOf(value)).toEqual([{ list: 'queries', count: 2, reason: 'name: It is missing' }]);
  });

  it.each([[[null]], [['x']], [[{ list: 1, count: 'many' }]], ['x']])(
    'a field of a service with the name of ours is not taken for it: %j',
    (forged) => expect(leftOutOf({ queries: [QUERY], left_out: forged })).toEqual([]),
  );

  it('none of which can be read are not an empty list', () => {
    const answer = readAnswer('query.list', endpointOf('query.list'), {
      queries: [{ ...QUERY, name: null }],
    });
    expect(answer.ok).toBe(false);
  });
});
