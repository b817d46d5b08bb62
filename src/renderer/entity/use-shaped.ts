/** The profile of an entity of any type: `entity.get` only promises an id, so its answer is checked here. */
import { useMemo } from 'react';
import type { z } from 'zod';
import type { Read } from '#renderer/bridge/use-read.ts';
import { readShape } from '#shared/model/schema-check.ts';

interface Shaped<T> {
  /** An answer that is no such profile is an error of the read: without it, the profile would look empty. */
  read: Read<'entity.get'>;
  /** null: not read, or something else. */
  profile: T | null;
}

/** `noun`: what the answer should be, such as user. */
export function useShaped<T extends z.ZodType>(
  read: Read<'entity.get'>,
  schema: T,
  noun: string,
): Shaped<z.infer<T>> {
  return useMemo(() => {
    if (read.data === undefined) return { read, profile: null };
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
