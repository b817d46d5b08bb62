/** The password of a scheduled export is write-only (specification section 3): it stays out of SQLite. */

/** A copy of JSON data without the passwords of schedules; the same value when there are none. */
export function withoutSecrets<T>(value: T): T {
  return strip(value, false) as T;
}

function strip(value: unknown, inSchedule: boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => strip(item, false));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (inSchedule && key === 'password') {
      changed = true;
      continue;
    }
    const clean = strip(item, key === 'scheduledExport');
    if (clean !== item) changed = true;
    entries.push([key, clean]);
  }
  return changed ? Object.fromEntries(entries) : value;
}
