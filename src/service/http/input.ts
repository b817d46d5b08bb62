/** Validates a request's input. Anything invalid is a 400 with the field. */
import type { z } from 'zod';
import { type EndpointName, endpointOf } from '#shared/api/catalogue.ts';
import { parseShown } from '#shared/model/exact-numbers.ts';
import { isTooDeep } from '#shared/model/json-depth.ts';
import { readShape } from '#shared/model/schema-check.ts';
import { type Call, capped, MAX_FORM_BYTES, MAX_JSON_BYTES } from './body.ts';
import { ServiceError } from './errors.ts';

export interface RawInput {
  params: unknown;
  query: unknown;
  body: unknown;
  file: { name: string; text: string } | null;
}

export async function readInput(
  name: EndpointName,
  call: Pick<Call, 'body' | 'contentType'>,
  url: URL,
  params: Record<string, string>,
): Promise<RawInput> {
  const endpoint = endpointOf(name);
  const checkedParams = check(endpoint.params, params, 'path');
  const query = checkSearch(endpoint.query, Object.fromEntries(url.searchParams));
  if (endpoint.bodyKind === 'none') return { params: checkedParams, query, body: {}, file: null };
  if (endpoint.bodyKind === 'multipart')
    return { params: checkedParams, query, body: {}, file: await formFile(call) };
  const bytes = capped(call.body, MAX_JSON_BYTES);
  // A call without fields may have no body.
  const body = bytes.length === 0 ? {} : parseJson(bytes);
  return { params: checkedParams, query, body: check(endpoint.body, body, 'body'), file: null };
}

function parseJson(bytes: Uint8Array): unknown {
  if (isTooDeep(bytes)) throw new ServiceError(400, 'The body nests too deep', 'body');
  try {
    return parseShown(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new ServiceError(400, 'The body is not JSON', 'body');
  }
}

function check(schema: z.ZodType, value: unknown, where: string): unknown {
  const checked = readShape(schema, value);
  if (checked.ok) return checked.value;
  const field = checked.path.join('.') || where;
  throw new ServiceError(400, `${field}: ${checked.message}`, field);
}

/** A URL contains only text: where the schema wants a number or a boolean, the text is converted. */
function checkSearch(schema: z.ZodType, search: Record<string, string>): unknown {
  const first = schema.safeParse(search);
  if (first.success) return first.data;
  const read: Record<string, unknown> = { ...search };
  for (const issue of first.error.issues) {
    const key = String(issue.path[0] ?? '');
    const text = search[key];
    if (text === 'true' || text === 'false') read[key] = text === 'true';
    else if (text !== undefined && /^-?\d{1,15}$/.test(text)) read[key] = Number(text);
  }
  return check(schema, read, 'query');
}

async function formFile(call: Pick<Call, 'body' | 'contentType'>): Promise<{ name: string; text: string }> {
  const bytes = capped(call.body, MAX_FORM_BYTES);
  let form: FormData;
  try {
    form = await new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': call.contentType },
    }).formData();
  } catch {
    throw new ServiceError(400, 'The body is not a form', 'file');
  }
  const file = form.get('file');
  if (!(file instanceof File)) throw new ServiceError(400, 'The form has no file', 'file');
  return { name: file.name, text: await file.text() };
}
