/** The shape of a call as text, which changes with any change of path or fields. */
import { z } from 'zod';
import { canonicalJson } from '../model/canonical-json.ts';
import { type EndpointName, endpointNames, endpointOf } from './catalogue.ts';

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
  return canonicalJson({
    method: endpoint.method,
    path: endpoint.path,
    bodyKind: endpoint.bodyKind,
    answer: endpoint.answer,
    params: jsonSchemaOf(endpoint.params),
    query: jsonSchemaOf(endpoint.query),
    body: jsonSchemaOf(endpoint.body),
    response: jsonSchemaOf(endpoint.response),
  });
}

/** The whole contract, one call per line. */
export const contractShape = (): string =>
  [...endpointNames]
    .sort()
    .map((name) => `${name} ${shapeOf(name)}`)
    .join('\n');
