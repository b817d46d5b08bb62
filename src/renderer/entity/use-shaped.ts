/** The profile of an entity of any type: `entity.get` only promises an id, so its answer is checked here. */
import { useMemo } from 'react';
import type { z } from 'zod';
import type { Read } from '#renderer/bridge/use-read.ts';
import { repaired } from '#shared/api/repair.ts';
import { respell } from '#shared/api/respell.ts';
import { isRecord } from '#shared/model/narrow.ts';
import { readShape } from '#shared/model/schema-check.ts';

interface Shaped<T> {
  /** An answer that is not such a profile becomes an error of the read, because otherwise the profile would look empty. */
  read: Read<'entity.get'>;
  /** Null if not read, or something else. */
  profile: T | null;
}

/** Other panels query by these fields: without them they would look empty. */
const ASKED_BY = ['email', 'saas', 'entity_type'];
const isLessOf = (profile: unknown): boolean =>
  isRecord(profile) && ASKED_BY.some((name) => `${name}_as_sent` in profile);

/** A number would be converted to a text, which is not an address. */
const isAskable = (answer: unknown): boolean => isRecord(answer) && typeof answer['email'] !== 'number';

/** `noun` is what the answer should be, such as user. */
export function useShaped<T extends z.ZodType>(
  read: Read<'entity.get'>,
  schema: T,
  noun: string,
): Shaped<z.infer<T>> {
  return useMemo(() => {
    if (read.data === undefined) return { read, profile: null };
    const copy: unknown = structuredClone(read.data);
    respell(schema, copy);
    // A missing field reads "Not recorded", so a field that cannot be read is kept as sent, beside the others.
    const profile = isAskable(copy)
      ? repaired(schema, copy, { defaults: {}, keepsAside: true, leavesOut: null })
      : null;
    if (profile !== null && !isLessOf(profile)) return { read, profile };
    const checked = readShape(schema, read.data);
    if (checked.ok) return { read, profile: checked.value };
    const field = checked.path.join('.');
    const message = `The answer is not a ${noun} that Parapet can read. ${field === '' ? '' : `${field}: `}${checked.message}.`;
    return {
      read: { ...read, data: undefined, error: { code: 'wrong-shape', message, retryable: true } },
      profile: null,
    };
  }, [read, schema, noun]);
}
