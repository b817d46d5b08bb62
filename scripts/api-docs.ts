// Writes docs/api.md, docs/api-shape.sha256 and docs/policy.schema.json from their schemas; --check fails when they are stale.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { servedNames } from '../src/service/routes/index.ts';
import { BASE_PATH, type EndpointName, endpointNames, endpointOf } from '../src/shared/api/catalogue.ts';
import type { Endpoint } from '../src/shared/api/endpoint.ts';
import { contractShape, jsonSchemaOf } from '../src/shared/api/shape.ts';
import { policyFile } from '../src/shared/model/policy.ts';

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

const escapeCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A short name for a type. */
function wordFor(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map(wordFor))].join(' or ');
  if (schema.$ref !== undefined) return 'nested';
  if (schema.type === 'array') return `list of ${wordFor(schema.items ?? {})}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return schema.type ?? 'anything';
}

/** `name` for a required field, `name?` for an optional one; fields of rows one level down. */
function fieldsOf(schema: JsonSchema, prefix = ''): string[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const mark = required.has(name) ? '' : '?';
    const own = `| \`${prefix}${name}${mark}\` | ${escapeCell(wordFor(field))} |`;
    const inner = field.type === 'array' ? field.items : field.type === 'object' ? field : undefined;
    const nested = prefix === '' && inner?.properties !== undefined;
    return nested ? [own, ...fieldsOf(inner, `${name}${field.type === 'array' ? '[]' : ''}.`)] : [own];
  });
}

function fieldTable(title: string, schema: Endpoint['response']): string[] {
  const rows = fieldsOf(jsonSchemaOf(schema) as JsonSchema);
  return rows.length === 0 ? [] : ['', `${title}:`, '', '| Field | Type |', '|---|---|', ...rows];
}

const cacheWords = ({ cache }: Endpoint) =>
  cache.mode === 'none' ? 'never cached' : `fresh for ${cache.ttlMs / 60_000} minutes`;
const pagingWords = ({ paging }: Endpoint) =>
  paging === null ? '–' : 'cursor' in paging ? 'cursor `search_after`' : `${paging.page} a page`;
const pathWords = ({ path: text }: Endpoint) => `${BASE_PATH}${text.startsWith('/') ? '' : '/'}${text}`;

function section(name: EndpointName): string[] {
  const endpoint = endpointOf(name);
  const facts = [
    `effect: ${endpoint.effect}`,
    `cache: ${cacheWords(endpoint)}`,
    `paging: ${pagingWords(endpoint)}`,
    `on failure: ${endpoint.onError ?? 'the error is shown'}`,
    `retried after a lost response: ${endpoint.retry === 'idempotent' ? 'yes' : 'never'}`,
    `embedded service: ${served.has(name) ? 'served' : '501'}`,
  ];
  return [
    '',
    `### ${name}`,
    '',
    `\`${endpoint.method} ${pathWords(endpoint)}\` · ${endpoint.summary}.`,
    '',
    facts.join(' · '),
    ...fieldTable('Path', endpoint.params),
    ...fieldTable('Query string', endpoint.query),
    ...(endpoint.bodyKind === 'multipart' ? ['', 'Body: a form with one file, `file`.'] : []),
    ...fieldTable('Body', endpoint.body),
    ...(endpoint.answer === 'blob'
      ? ['', 'Response: bytes with a content type.']
      : fieldTable('Response', endpoint.response)),
  ];
}

const overview = endpointNames.map((name) => {
  const endpoint = endpointOf(name);
  return `| [${name}](#${name.replaceAll('.', '')}) | \`${endpoint.method} ${endpoint.path}\` | ${endpoint.effect} | ${served.has(name) ? 'yes' : '501'} | ${escapeCell(endpoint.summary)} |`;
});

const text = [
  '# The service API as Parapet calls it',
  '',
  'Generated from `src/shared/api/catalogue` by `npm run docs:api`; do not edit. Additional fields of a service are passed through.',
  '',
  `${endpointNames.length} calls, ${served.size} of them served by the embedded service.`,
  '',
  '| Call | Path below `/api/v1` | Effect | Served | Summary |',
  '|---|---|---|---|---|',
  ...overview,
  '',
  '## Calls',
  ...endpointNames.flatMap(section),
  '',
].join('\n');

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
