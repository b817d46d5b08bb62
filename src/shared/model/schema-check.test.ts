import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpointOf } from '../api/catalogue.ts';
import { readShape } from './schema-check.ts';

const schema = z.object({
  name: z.string().max(3),
  size: z.number().int().min(1).max(10_000),
  direction: z.enum(['asc', 'desc']),
  flag: z.boolean().optional(),
  list: z.array(z.string()).optional(),
  either: z.union([z.string(), z.array(z.number())]).optional(),
  own: z
    .string()
    .refine((text) => text !== 'x', 'Not this one')
    .optional(),
});
const good = { name: 'abc', size: 2, direction: 'asc' };

describe('[spec 7] a mismatch with a schema is explained in words', () => {
  it.each<[string, unknown, string, string]>([
    ['nothing at all', undefined, '', 'It is missing'],
    ['no object', 3, '', 'It must be an object'],
    ['a field that is not there', { ...good, name: undefined }, 'name', 'It is missing'],
    ['a number for a text', { ...good, name: 3 }, 'name', 'It must be text'],
    ['a long text', { ...good, name: 'abcd' }, 'name', 'It takes at most 3 characters'],
    ['a broken number', { ...good, size: 1.5 }, 'size', 'It must be a whole number'],
    ['a large number', { ...good, size: 10_001 }, 'size', 'It takes at most 10,000'],
    ['a small number', { ...good, size: 0 }, 'size', 'It takes at least 1'],
    ['another word', { ...good, direction: 'up' }, 'direction', 'It must be asc or desc'],
    ['a word for a switch', { ...good, flag: 'yes' }, 'flag', 'It must be true or false'],
    ['a text for a list', { ...good, list: 'a' }, 'list', 'It must be a list'],
    ['a number in a list of texts', { ...good, list: ['a', 3] }, 'list.1', 'It must be text'],
    ['neither of two kinds', { ...good, either: 3 }, 'either', 'It must be text or a list'],
    ['what a rule of its own refuses', { ...good, own: 'x' }, 'own', 'Not this one'],
  ])('%s', (_, value, path, message) => {
    const checked = readShape(schema, value);
    expect(checked.ok ? 'fits' : [checked.path.join('.'), checked.message]).toEqual([path, message]);
  });

  it('returns a matching value with its defaults', () => {
    const { body } = endpointOf('query.execute');
    expect(readShape(body, { query_domain: 'email' })).toMatchObject({
      ok: true,
      value: { size: 25, saas_id: 'all', columns: [], count_only: false },
    });
  });

  it('never quotes the value', () => {
    const checked = readShape(schema, { ...good, direction: 'a secret' });
    expect(JSON.stringify(checked)).not.toContain('secret');
  });
});
