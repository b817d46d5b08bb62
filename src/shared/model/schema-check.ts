/** Checks a value against a schema and says in plain words what does not fit. Never quotes the value, which may be mail. */

import type { z } from 'zod';
import { dictionary } from '#shared/dictionary.ts';

type Issue = Parameters<z.core.$ZodErrorMap>[0];

const KINDS: Readonly<Record<string, string>> = dictionary({
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'nothing',
});
const kindOf = (kind: string): string => KINDS[kind] ?? kind;

const listOf = (words: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format([...new Set(words)]);

/** The top-level types that a union accepts. */
const alternatives = (errors: readonly (readonly z.core.$ZodIssue[])[]): string[] =>
  errors.flatMap(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? [kindOf(first.expected)] : [],
  );

const SIZES: Readonly<Record<string, string>> = dictionary({ string: ' characters', array: ' entries' });
const sizeOf = (origin: string, limit: number | bigint): string =>
  `${limit.toLocaleString('en')}${SIZES[origin] ?? ''}`;

export function words(issue: Issue): string {
  if (issue.input === undefined && issue.code !== 'custom') return 'It is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `It must be ${kindOf(issue.expected)}`;
    case 'invalid_value':
      return `It must be ${listOf(issue.values.map(String))}`;
    case 'invalid_union': {
      const kinds = alternatives(issue.errors);
      return kinds.length === 0 ? 'Its type is unknown' : `It must be ${listOf(kinds)}`;
    }
    case 'too_big':
      return `It takes at most ${sizeOf(issue.origin, issue.maximum)}`;
    case 'too_small':
      return `It takes at least ${sizeOf(issue.origin, issue.minimum)}`;
    case 'invalid_format':
      return issue.format === 'regex' ? 'Its format is invalid' : `It is not a valid ${issue.format}`;
    case 'unrecognized_keys':
      return 'It has an unknown field';
    default:
      return 'It is invalid';
  }
}

export type Checked<T> = { ok: true; value: T } | { ok: false; path: (string | number)[]; message: string };

/** The first mismatch: where, and why in words. */
export function readShape<T extends z.ZodType>(schema: T, value: unknown): Checked<z.infer<T>> {
  // A refinement's own message takes precedence.
  const parsed = schema.safeParse(value, { error: words });
  if (parsed.success) return { ok: true, value: parsed.data };
  const issue = parsed.error.issues[0];
  const path = (issue?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)));
  return { ok: false, path, message: issue?.message ?? 'It is invalid' };
}
