/** Milliseconds since the epoch as answers have them: ISO 8601 in UTC, or null if there are none. */
export const iso = (ms: number | null | undefined): string | null =>
  ms == null ? null : new Date(ms).toISOString();
