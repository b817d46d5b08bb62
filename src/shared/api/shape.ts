/** The shape of a call as text, which changes with any change of path or fields. */
import { z } from 'zod';
import { type EndpointName, endpointNames, endpointOf } from './catalogue.ts';

type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

/** JSON with sorted keys, so that moving a field in the source changes nothing. */
const stable = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const pairs = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${stable(value[key])}`);
  return `{${pairs.join(',')}}`;
};

/** A schema as JSON Schema; what that cannot express becomes "anything". */
export const jsonSchemaOf = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
  return rest;
};

/**
 * Method, path and schemas of a call as canonical JSON. The cache stores its digest with each response and drops those
 * of another shape unless they are pinned. Walks the schemas each time, so call it once per endpoint and run.
 */
export function shapeOf(name: EndpointName): string {
  const endpoint = endpointOf(name);
  return stable({
    method: endpoint.method,
    path: endpoint.path,
    bodyKind: endpoint.bodyKind,
    answer: endpoint.answer,
    params: jsonSchemaOf(endpoint.params) as Json,
    query: jsonSchemaOf(endpoint.query) as Json,
    body: jsonSchemaOf(endpoint.body) as Json,
    response: jsonSchemaOf(endpoint.response) as Json,
  });
}

/** The whole contract, one call per line. */
export const contractShape = (): string =>
  [...endpointNames]
    .sort()
    .map((name) => `${name} ${shapeOf(name)}`)
    .join('\n');
