// Writes docs/api.md, docs/api-shape.sha256 and docs/policy.schema.json from their schemas, docs/promises.md from the
// tests, docs/checks.md from the checks, and the guide's tables of keys; --check fails when they are stale.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withKeyTables } from '../src/renderer/commands/guide-keys.ts';
import { servedNames } from '../src/service/routes/index.ts';
import { BASE_PATH, type EndpointName, endpointNames, endpointOf } from '../src/shared/api/catalogue.ts';
import type { Endpoint } from '../src/shared/api/endpoint.ts';
import { contractShape, jsonSchemaOf } from '../src/shared/api/shape.ts';
import { policyFile } from '../src/shared/model/policy.ts';
import { checksPage } from './checks-page.ts';
import { promisesPage } from './promises.ts';

const docs = path.resolve(import.meta.dirname, '../docs');
const served: ReadonlySet<EndpointName> = new Set(servedNames);

interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
}

/** A short name for a type, without spaces where a table of them would only repeat words. */
function wordFor(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join('/');
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map(wordFor))].join('/');
  if (schema.$ref !== undefined) return 'nested';
  if (schema.type === 'array') {
    const item = wordFor(schema.items ?? {});
    return item.includes('/') ? `(${item})[]` : `${item}[]`;
  }
  if (Array.isArray(schema.type)) return schema.type.join('/');
  return schema.type ?? 'anything';
}

/** `name?` for an optional field; the fields of an object or of rows are indented below it, one level down. */
function fieldsOf(schema: JsonSchema, indent = ''): string[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.type === 'array' ? field.items : field.type === 'object' ? field : undefined;
    const nested = indent === '' && inner?.properties !== undefined ? fieldsOf(inner, '  ') : [];
    return [`${indent}${name}${required.has(name) ? '' : '?'}: ${wordFor(field)}`, ...nested];
  });
}

function fieldLines(part: string, schema: Endpoint['response']): string[] {
  return fieldsOf(jsonSchemaOf(schema) as JsonSchema).map(
    (field, n) => `${(n === 0 ? part : '').padEnd(10)}${field}`,
  );
}

/** What differs from the defaults that the page begins with. */
function exceptionsOf(name: EndpointName): string[] {
  const { effect, cache, paging, onError, retry } = endpointOf(name);
  const read = effect === 'read';
  return [
    ...(read ? [] : ['write']),
    ...(read && cache.mode === 'none' ? ['never cached'] : []),
    ...(cache.mode === 'none' || cache.ttlMs === 300_000
      ? []
      : [`fresh for ${cache.ttlMs / 60_000} minutes`]),
    ...(paging === null ? [] : ['cursor' in paging ? 'cursor `search_after`' : `${paging.page} a page`]),
    ...(onError === null ? [] : [`on failure: ${onError}`]),
    ...((retry === 'idempotent') === read ? [] : [read ? 'never retried' : 'retried']),
    ...(served.has(name) ? [] : ['the embedded service answers 501']),
  ];
}

function section(name: EndpointName): string[] {
  const endpoint = endpointOf(name);
  const fields = [
    ...fieldLines('path', endpoint.params),
    ...fieldLines('query', endpoint.query),
    ...(endpoint.bodyKind === 'multipart' ? ['body      a form with one file, `file`'] : []),
    ...fieldLines('body', endpoint.body),
    ...(endpoint.answer === 'blob'
      ? ['response  bytes with a content type']
      : fieldLines('response', endpoint.response)),
  ];
  const facts = [`\`${endpoint.method} ${endpoint.path}\``, endpoint.summary, ...exceptionsOf(name)];
  return ['', `## ${name}`, '', facts.join(' · '), '', '```', ...fields, '```'];
}

const text = [
  '# The service API as Parapet calls it',
  '',
  'Generated from `src/shared/api/catalogue` by `npm run docs:api`; do not edit.',
  '',
  `${endpointNames.length} calls, by their path below \`${BASE_PATH}\`, ${served.size} of them served by the embedded service. Unless a call says otherwise, it reads, its response is cached and fresh for 5 minutes, a failure is shown as an error, and it is sent again if the response is lost; a \`write\` is neither cached nor sent again. A field with \`?\` may be missing, \`/\` separates alternatives, and further fields of a service are passed through.`,
  ...endpointNames.flatMap(section),
  '',
].join('\n');

const triage = path.join(docs, 'guide/triage.md');
const outputs = [
  { file: path.join(docs, 'api.md'), text },
  {
    file: path.join(docs, 'api-shape.sha256'),
    text: `${createHash('sha256').update(contractShape()).digest('hex')}\n`,
  },
  {
    file: path.join(docs, 'policy.schema.json'),
    text: `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...jsonSchemaOf(policyFile) }, null, 2)}\n`,
  },
  { file: triage, text: withKeyTables(readFileSync(triage, 'utf8')) },
  { file: path.join(docs, 'promises.md'), text: promisesPage() },
  { file: path.join(docs, 'checks.md'), text: checksPage() },
];

const current = (file: string) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
};

if (process.argv.includes('--check')) {
  const stale = outputs.filter((output) => current(output.file) !== output.text);
  for (const { file } of stale) console.error(`${path.basename(file)} is stale: run npm run docs:api`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const output of outputs) writeFileSync(output.file, output.text);
}
