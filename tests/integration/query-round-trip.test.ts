/**
 * A condition tree goes config → builder → payload → saved query → export → import → builder and comes back unchanged.
 */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readQueryFile, writeQueryFile } from '#main/queries-file/read.ts';
import { fitValues } from '#renderer/features/queries/builder/values-edit.ts';
import { runPayload } from '#renderer/features/queries/query-run.ts';
import * as edit from '#renderer/features/queries/tree-edit.ts';
import { createServiceApp } from '#service/app.ts';
import { generate } from '#service/demo/generate.ts';
import { demoSource } from '#service/demo/source.ts';
import { type Listening, listen } from '#service/server.ts';
import { openStore, type SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { FieldConfig, NewQuery, Query, QueryConfig } from '#shared/model/entities.ts';
import { arityOf, fieldTypeOf } from '#shared/query/operators.ts';
import { parseTree, writeTree } from '#shared/query/raw.ts';
import {
  type Condition,
  type ConditionGroup,
  type ConditionValue,
  effective,
  emptyGroup,
  isGroup,
} from '#shared/query/tree.ts';
import { validate } from '#shared/query/validate.ts';

const ANCHOR = Date.UTC(2026, 10, 19, 8);
const DOMAINS = ['email', 'file', 'user', 'group', 'message', 'click'] as const;
let store: SqliteStore;
let server: Listening;
const configs = new Map<string, QueryConfig>();

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const isForm = body instanceof FormData;
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, {
    method,
    headers: {
      authorization: 'Bearer t',
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}

beforeAll(async () => {
  store = openStore({ path: ':memory:' }, demoSource);
  await generate(store, { emails: 50, seed: 3, anchor: ANCHOR });
  server = await listen(createServiceApp(store, { token: 't', now: () => ANCHOR, caller: 'tester' }), 0);
  for (const domain of DOMAINS)
    configs.set(domain, await ask('GET', `/query/config?saas_id=all&query_domain=${domain}`));
});
afterAll(async () => {
  await server.close();
  store.close();
});

/** A valid value of a field; texts contain what could trip a parser. */
function valueFor(field: FieldConfig): fc.Arbitrary<ConditionValue> {
  const allowed = field.allowedValues ?? [];
  if (allowed.length > 0) return fc.constantFrom(...allowed.map(({ value }) => value));
  switch (fieldTypeOf(field.type)) {
    case 'number':
    case 'bytes':
      return fc.oneof(fc.nat(), fc.constantFrom('12', 0.5));
    case 'date':
      return fc.constantFrom('2026-11-19', '2026-11-19T08:00Z', '2026-03-29T01:30:00+02:00');
    case 'boolean':
      return fc.boolean();
    default:
      return fc
        .tuple(
          fc.string({ unit: 'grapheme', maxLength: 12 }),
          fc.constantFrom('a', '"', '請', '\\u0000', '</script>', '🙂'),
        )
        .map(([text, end]) => (text + end).slice(0, field.size ?? 100));
  }
}

const choicesOf = (config: QueryConfig) =>
  config.fields.flatMap((field) => field.operators.map((operator) => ({ field, operator })));

function conditionWith(
  config: QueryConfig,
  { field, operator: id }: ReturnType<typeof choicesOf>[number],
): fc.Arbitrary<Condition> {
  const operator = config.operators.find((operator) => operator.id === id);
  const [least, most] = arityOf(operator ?? { arity: 1 });
  const fixed: Readonly<Record<string, fc.Arbitrary<ConditionValue[]>>> = {
    in_the_last: fc.tuple(fc.integer({ min: 1, max: 400 }), fc.constantFrom('days', 'weeks')),
    in_network: fc.constant(['192.0.2.0/24']),
    matches: fc.constantFrom(['^re:'], ['a{2,3}|b']),
    contains_words: fc.array(fc.constantFrom('invoice', '請求書', 'Ä'), { minLength: 1, maxLength: 3 }),
    contains_phrase: fc.constantFrom(['final notice']),
    in_custom_list: fc.constantFrom(
      ...(config.lists?.length ? config.lists.map((list) => [list.id]) : [['x']]),
    ),
    not_in_custom_list: fc.constantFrom(
      ...(config.lists?.length ? config.lists.map((list) => [list.id]) : [['x']]),
    ),
  };
  const values = fixed[id] ?? fc.array(valueFor(field), { minLength: least, maxLength: Math.min(most, 4) });
  return fc.record(
    {
      field: fc.constant(field.id),
      operator: fc.constant(id),
      values,
      disabled: fc.constant(true),
      note: fc.string(),
    },
    { requiredKeys: ['field', 'operator', 'values'] },
  );
}

const conditionOf = (config: QueryConfig): fc.Arbitrary<Condition> =>
  fc.constantFrom(...choicesOf(config)).chain((choice) => conditionWith(config, choice));

const treeOf = (config: QueryConfig): fc.Arbitrary<ConditionGroup> =>
  fc.letrec<{ tree: ConditionGroup }>((tie) => ({
    tree: fc.record(
      {
        operator: fc.constantFrom('and' as const, 'or' as const),
        conditions: fc.array(fc.oneof({ maxDepth: 4 }, conditionOf(config), tie('tree')), { maxLength: 4 }),
        negate: fc.boolean(),
        disabled: fc.constant(true),
        label: fc.string(),
      },
      { requiredKeys: ['operator', 'conditions'] },
    ),
  })).tree;

/** The tree built with the builder's own steps, node by node. */
function built(target: ConditionGroup): ConditionGroup {
  let root: ConditionGroup = { ...target, conditions: [] };
  const fill = (group: ConditionGroup, path: number[]): void => {
    for (const [index, node] of group.conditions.entries()) {
      root = edit.addTo(root, path, isGroup(node) ? { ...node, conditions: [] } : node);
      if (isGroup(node)) fill(node, [...path, index]);
    }
  };
  fill(target, []);
  return root;
}

const pathsOf = (group: ConditionGroup, path: number[] = []): number[][] =>
  group.conditions.flatMap((node, index) => [
    [...path, index],
    ...(isGroup(node) ? pathsOf(node, [...path, index]) : []),
  ]);

const queryOf = (domain: string, tree: ConditionGroup, name: string): NewQuery => ({
  type: 'query',
  domain,
  entityType: domain,
  name,
  saas: null,
  columns: [],
  filter: tree,
});

it.each(DOMAINS)('[spec 3, spec 7] the builder of %s builds and keeps any tree of its config', (domain) => {
  const config = configs.get(domain);
  if (!config) throw new Error(`No config of ${domain}`);
  const operators = new Map(config.operators.map((operator) => [operator.id, operator]));
  fc.assert(
    fc.property(treeOf(config), (tree) => {
      expect(validate(tree, config)).toEqual([]);
      const rebuilt = built(tree);
      expect(rebuilt).toEqual(tree);
      for (const path of pathsOf(rebuilt)) {
        const node = edit.nodeAt(rebuilt, path);
        // Opening a condition in its editor changes none of its values.
        if (node && !isGroup(node))
          expect(fitValues(node.values, operators.get(node.operator))).toEqual(node.values);
        const twice = edit.duplicateAt(rebuilt, path);
        expect(edit.removeAt(twice, [...path.slice(0, -1), (path.at(-1) ?? 0) + 1])).toEqual(tree);
        expect(edit.unwrapAt(edit.wrapAt(rebuilt, path), path)).toEqual(tree);
      }
      expect(parseTree(writeTree(rebuilt))).toEqual({ ok: true, tree });
      const { condition } = runPayload({ query: queryOf(domain, rebuilt, 'x') }, [], []);
      expect(condition).toEqual(effective(tree));
    }),
    { numRuns: 150 },
  );
});

it('[spec 3] a tree is the same after it was saved, exported, imported and opened again', async () => {
  const anyDomain = fc
    .constantFrom(...DOMAINS)
    .chain((domain) => treeOf(configs.get(domain) as QueryConfig).map((tree) => ({ domain, tree })));
  await fc.assert(
    fc.asyncProperty(fc.array(anyDomain, { minLength: 1, maxLength: 6 }), async (domains) => {
      const ids: string[] = [];
      for (const [index, { domain, tree }] of domains.entries()) {
        const saved = await ask<Query>('POST', '/query', queryOf(domain, built(tree), `Query ${index}`));
        ids.push(saved.id);
        expect((await ask<Query>('GET', `/query/${saved.id}`)).filter).toEqual(tree);
      }
      const exported = await ask<unknown>('POST', '/query/export', { ids });
      const { queries } = await readQueryFile(new TextEncoder().encode(JSON.stringify(exported)), 'q.json');
      expect(queries.map(({ reason }) => reason)).toEqual(domains.map(() => null));
      const form = new FormData();
      const bytes = writeQueryFile(queries.flatMap(({ query }) => query ?? []));
      form.append('file', new Blob([new Uint8Array(bytes)], { type: 'application/json' }), 'q.json');
      for (const id of ids) await ask('DELETE', `/query/${id}`);
      const { imported, error } = await ask<{ imported: string[]; error: string[] }>(
        'POST',
        '/query/import',
        form,
      );
      expect([imported.length, error]).toEqual([domains.length, []]);
      const list = await ask<{ queries: Query[] }>('GET', '/query');
      const back = list.queries.filter(({ name }) => imported.includes(name));
      expect(back.map(({ filter }) => filter)).toEqual(domains.map(({ tree }) => tree));
      for (const { filter } of back) {
        const opened = built(filter ?? emptyGroup());
        expect(runPayload({ query: queryOf('email', opened, 'x') }, [], []).condition).toEqual(
          effective(filter ?? emptyGroup()),
        );
      }
      for (const { id } of back) await ask('DELETE', `/query/${id}`);
    }),
    { numRuns: 25 },
  );
});

it.each(DOMAINS)('the service answers each field of %s with each of its operators', async (domain) => {
  const config = configs.get(domain)!;
  for (const choice of choicesOf(config)) {
    const [condition] = fc.sample(conditionWith(config, choice), { numRuns: 1, seed: 7 });
    const { disabled: _, ...enabled } = condition!;
    await ask('POST', '/query/execute', {
      query_domain: domain,
      size: 1,
      condition: { operator: 'and', conditions: [enabled] },
    });
  }
});
