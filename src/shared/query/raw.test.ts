import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonErrorAt, placeOf } from './json-place.ts';
import { parseTree, writeTree } from './raw.ts';
import type { ConditionGroup } from './tree.ts';

const leaf = { field: 'subject', operator: 'is', values: ['x'] };

describe('the raw form of a tree', () => {
  it('round-trips, extra fields included', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const condition = fc.record({
      field: fc.string(),
      operator: fc.string(),
      values: fc.array(value),
      novel: value,
    });
    const { tree } = fc.letrec<{ tree: ConditionGroup }>((tie) => ({
      tree: fc.record({
        operator: fc.constantFrom('and' as const, 'or' as const),
        conditions: fc.array(fc.oneof({ maxDepth: 3 }, condition, tie('tree'))),
        label: fc.string(),
        negate: fc.boolean(),
      }),
    }));
    fc.assert(
      fc.property(tree, (group) => {
        expect(parseTree(writeTree(group))).toEqual({ ok: true, tree: group });
      }),
    );
  });

  it.each([
    ['', 'line 1, column 1'],
    ['{\n  "operator": and\n}', 'line 2, column 15'],
    ['{"operator":"and","conditions":[', 'line 1'],
    ['7', 'The whole must be an object'],
    ['[]', 'The whole must be an object'],
    ['{"operator":"xor","conditions":[]}', '"operator" must be "and" or "or"'],
    ['{"operator":"and"}', '"conditions" must be a list'],
    [
      JSON.stringify({ operator: 'and', conditions: [leaf, { ...leaf, values: 'x' }] }),
      'conditions[1]: "values" must be a list',
    ],
    [
      JSON.stringify({
        operator: 'and',
        conditions: [{ operator: 'or', conditions: [leaf, { ...leaf, field: 3 }] }],
      }),
      'conditions[0][1]: "field" must be text',
    ],
    [JSON.stringify({ operator: 'and', conditions: [null] }), 'conditions[0] must be an object'],
    [JSON.stringify({ operator: 'and', conditions: [{ ...leaf, values: [{}] }] }), '"values" must be a list'],
  ])('explains the mistake in %s', (text, message) => {
    const read = parseTree(text);
    expect(read.ok).toBe(false);
    expect(read.ok ? '' : read.message).toContain(message);
  });

  it('refuses endlessly nested groups before parsing', () => {
    const deep = (depth: number) =>
      `${'{"operator":"and","conditions":['.repeat(depth)}${JSON.stringify(leaf)}${']}'.repeat(depth)}`;
    expect(parseTree(deep(32))).toMatchObject({ ok: true });
    expect(parseTree(deep(33))).toMatchObject({
      ok: false,
      message: 'Groups can be nested 32 deep at most.',
    });
    expect(parseTree(deep(200))).toMatchObject({ ok: false });
    expect(parseTree(deep(20_000))).toMatchObject({ ok: false });
    // Brackets inside values are text.
    expect(
      parseTree(JSON.stringify({ operator: 'and', conditions: [{ ...leaf, values: ['[{"\\'.repeat(99)] }] })),
    ).toMatchObject({
      ok: true,
    });
  });
});

const shapes = resolve(
  process.env['PARAPET_SHARED'] ?? resolve(import.meta.dirname, '../../../../shared'),
  'data/json/JSONTestSuite',
);
const files = existsSync(shapes)
  ? readdirSync(shapes, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  : [];

it('finds where a text stops being valid JSON', () => {
  expect(jsonErrorAt('{"a": [1, {"b": null}], "c": "\\u00e4"}')).toBeNull();
  expect(jsonErrorAt('{"a": [1, ]}')).toBe(10);
  expect(jsonErrorAt('{"a" 1}')).toBe(5);
  expect(jsonErrorAt('[1] 2')).toBe(4);
  expect(jsonErrorAt('01')).toBe(1);
  expect(placeOf('ab\ncd', 0)).toEqual({ line: 1, column: 1 });
  expect(placeOf('ab\ncd', 4)).toEqual({ line: 2, column: 2 });
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (json, index, noise) => {
      const text = json.slice(0, index % (json.length + 1)) + noise + json.slice(index % (json.length + 1));
      let parses = true;
      try {
        JSON.parse(text);
      } catch {
        parses = false;
      }
      expect(jsonErrorAt(text) === null).toBe(parses);
    }),
    { numRuns: 3000 },
  );
});

it.skipIf(files.length === 0)('never throws for malformed JSON, and never accepts it', () => {
  expect(files.length).toBeGreaterThan(100);
  for (const name of files) {
    const text = readFileSync(join(shapes, name), 'utf8');
    const read = parseTree(text);
    // The suite's file names say what a parser must do: y accept, n refuse, i either.
    if (/(^|\/)y_/.test(name)) expect(jsonErrorAt(text), name).toBeNull();
    if (/(^|\/)n_/.test(name)) expect(jsonErrorAt(text), name).not.toBeNull();
    expect(read.ok, name).toBe(false);
    expect(read.ok || read.message.length > 10, name).toBe(true);
  }
});
