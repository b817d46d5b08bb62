import type { Statement } from './database.ts';

/** Stores a value in the workspace under its key, replacing the previous one. `time` is in milliseconds since 1970. */
export const putValue = (key: string, value: string, time: number): Statement => ({
  sql: `INSERT INTO kv (key, value, updated_at) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
  params: [key, value, time],
});

/** The JSON of a stored value, or undefined if it is not JSON. */
export function storedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
