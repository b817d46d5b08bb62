/** Fields that are write-only (specification section 3: the password of a scheduled export) stay out of SQLite. */
const WRITE_ONLY = new Set(['password']);

/** A copy of JSON data without write-only fields; the same value when there are none. */
export function withoutSecrets<T>(value: T): T {
  return strip(value) as T;
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(strip);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  let changed = false;
  const kept: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (WRITE_ONLY.has(key) && typeof item === 'string') {
      changed = true;
      continue;
    }
    const clean = strip(item);
    if (clean !== item) changed = true;
    kept.push([key, clean]);
  }
  return changed ? Object.fromEntries(kept) : value;
}
