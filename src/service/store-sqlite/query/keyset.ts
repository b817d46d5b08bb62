/** Keyset pagination in any order, as SQL that can use an index on the first column. */

export interface SortKey {
  sql: string;
  descending: boolean;
  nullable: boolean;
}

export interface Clause {
  sql: string;
  params: Value[];
}

type Value = string | number | null;

/** The ORDER BY terms for rows of one of the clauses. Missing values come last in both directions. */
export const orderBy = (keys: readonly SortKey[]): string =>
  keys
    .map(({ sql, descending, nullable }, index) => {
      // Within a clause the first key is either always NULL or never: without NULLS LAST an index provides the order.
      const last = nullable && index > 0 && !descending ? ' NULLS LAST' : '';
      return `${sql} ${descending ? 'DESC' : 'ASC'}${last}`;
    })
    .join(', ');

/**
 * The rows after the given one (or all), as clauses whose results are concatenated: first rows with a first key, then
 * those without.
 */
export function afterClauses(keys: readonly SortKey[], after: readonly Value[] | null): Clause[] {
  const [first] = keys;
  if (!first) return [];
  const nulls = { sql: `${first.sql} IS NULL`, params: [] };
  if (after === null || after.length !== keys.length)
    return first.nullable
      ? [{ sql: `${first.sql} IS NOT NULL`, params: [] }, nulls]
      : [{ sql: '', params: [] }];
  const value = after[0] ?? null;
  const beyond = lexicographic(keys, after);
  if (value === null) return [{ sql: `(${nulls.sql} AND ${beyond.sql})`, params: beyond.params }];
  const bound = `${first.sql} ${first.descending ? '<=' : '>='} ?`;
  const range = { sql: `(${bound} AND ${beyond.sql})`, params: [value, ...beyond.params] };
  return first.nullable ? [range, nulls] : [range];
}

/** (a after x) OR (a = x AND b after y) OR … */
function lexicographic(keys: readonly SortKey[], after: readonly Value[]): Clause {
  const parts: string[] = [];
  const params: Value[] = [];
  for (const [index, key] of keys.entries()) {
    const equal = keys.slice(0, index);
    const beyond = beyondOne(key, after[index] ?? null);
    if (beyond === null) continue;
    parts.push(`(${[...equal.map(({ sql }) => `${sql} IS ?`), beyond.sql].join(' AND ')})`);
    for (let i = 0; i < index; i += 1) params.push(after[i] ?? null);
    params.push(...beyond.params);
  }
  return { sql: `(${parts.length === 0 ? '0' : parts.join(' OR ')})`, params };
}

/** Null if nothing comes after a missing value. */
function beyondOne({ sql, descending, nullable }: SortKey, value: Value): Clause | null {
  if (value === null) return null;
  const beyond = `${sql} ${descending ? '<' : '>'} ?`;
  return { sql: nullable ? `(${beyond} OR ${sql} IS NULL)` : beyond, params: [value] };
}
