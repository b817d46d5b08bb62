/** Renames fields of a response that spell the catalogue's names differently. */
import { z } from 'zod';
import { plainName } from '#shared/model/field-names.ts';
import { isRecord } from '../model/narrow.ts';
import { repaired } from './repair.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

const unwrapped = (schema: z.ZodType): z.ZodType => {
  const inner =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
      ? schema.unwrap()
      : null;
  return inner instanceof z.ZodType ? unwrapped(inner) : schema;
};

interface Spelling {
  shape: Shape;
  /** The catalogue's names by their normalised form. */
  names: ReadonlyMap<string, string>;
  /** Fields with objects or lists of objects. */
  nested: readonly [name: string, schema: z.ZodType][];
}

const SPELLINGS = new WeakMap<z.ZodType, Spelling>();

function spellingOf(schema: z.ZodObject): Spelling {
  const spellings = SPELLINGS.get(schema);
  if (spellings) return spellings;
  const shape = schema.shape as Shape;
  const reader = {
    shape,
    names: new Map(Object.keys(shape).map((name) => [plainName(name), name])),
    nested: Object.entries(shape)
      .map(([name, field]): [string, z.ZodType] => [name, unwrapped(field)])
      .filter(([, field]) => field instanceof z.ZodObject || field instanceof z.ZodArray),
  };
  SPELLINGS.set(schema, reader);
  return reader;
}

/**
 * Gives fields in another spelling the catalogue's names, in place. Otherwise an optional one, such as `totalRows`, would
 * be ignored, and an incomplete list would seem complete. A field whose value does not fit keeps its name.
 */
export function respell(schema: z.ZodType, value: unknown): void {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) {
    if (Array.isArray(value)) for (const entry of value) respell(inner.element as z.ZodType, entry);
    return;
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return;
  const { shape, names, nested } = spellingOf(inner);
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(shape, key)) continue;
    const name = names.get(plainName(key));
    const field = name === undefined ? undefined : shape[name];
    if (name === undefined || field === undefined || (value[name] ?? null) !== null) continue;
    const held = repaired(
      z.object({ [name]: field }),
      { [name]: value[key] },
      { defaults: {}, keepsAside: false, leavesOut: null },
    );
    if (held === null) continue;
    value[name] = held[name];
    delete value[key];
  }
  for (const [name, field] of nested) respell(field, value[name]);
}
